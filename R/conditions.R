# Stops unless an argument of a function is as it should be.
check_argument <- function(ok, caller, argument, wanted) {
  if (!isTRUE(ok)) {
    abort("argument", sprintf("%s() needs %s for argument '%s'.", caller, wanted, argument), argument = argument)
  }
}

is_one <- function(x, is_type) {
  is_type(x) && length(x) == 1L && is.null(dim(x)) && !is.object(x) && !is.na(x)
}

is_text_or_null <- function(x) {
  is.null(x) || is_one(x, is.character)
}

is_depth <- function(x) {
  is.null(x) || (is_one(x, is.numeric) && x >= 0)
}

# An error of the same classes and fields as those that come from the core.
abort <- function(kind, message, ...) {
  facts <- list(id = NULL, op = NULL, argument = NULL, shapes = NULL, dim = NULL, sizes = NULL, input = NULL)
  given <- list(...)
  facts[names(given)] <- given
  class <- c(paste0("torchshape_error_", kind), "torchshape_error", "error", "condition")
  stop(structure(class = class, c(list(message = message, call = NULL), facts)))
}
