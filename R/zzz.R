.onLoad <- function(libname, pkgname) {
  # methods for generics of packages that need not be there
  register <- function(generic, package, method) {
    if (isNamespaceLoaded(package)) {
      registerS3method(generic, "network_shapes", method, envir = asNamespace(package))
    }
    setHook(packageEvent(package, "onLoad"), function(...) {
      registerS3method(generic, "network_shapes", method, envir = asNamespace(package))
    })
  }
  register("knit_print", "knitr", knit_network_shapes)
}

.onUnload <- function(libpath) {
  library.dynam.unload("torchshape", libpath)
}
