.onUnload <- function(libpath) {
  library.dynam.unload("torchshape", libpath)
}
