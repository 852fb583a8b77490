# An error of the same classes and fields as those that come from the core.
abort <- function(kind, message, ...) {
  facts <- list(id = NULL, op = NULL, argument = NULL, shapes = NULL, dim = NULL, sizes = NULL, input = NULL)
  given <- list(...)
  facts[names(given)] <- given
  class <- c(paste0("torchshape_error_", kind), "torchshape_error", "error", "condition")
  stop(structure(class = class, c(list(message = message, call = NULL), facts)))
}
