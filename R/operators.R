#' The operators that have a rule
#'
#' What [shapes_out()] knows, family by family: every operator with its arguments and their defaults, its inputs
#' (optional ones in brackets, `...` for any number) and what it does. This page is made from the registry of the
#' rules, as [shape_ops()] is.
#'
#' @eval operator_sections()
#' @name torchshape_operators
#' @seealso [shapes_out()]
#' @keywords internal
NULL

# One section a family, for the help page.
operator_sections <- function() {
  ops <- shape_ops()
  escape <- function(text) gsub("%", "\\\\%", text)
  entry <- function(i) {
    sprintf("* `%s(%s)` on `%s`: %s", ops$op[i], escape(ops$arguments[i]), ops$inputs[i], escape(ops$summary[i]))
  }
  unlist(lapply(unique(ops$family), function(family) {
    c(sprintf("@section %s:", family), vapply(which(ops$family == family), entry, ""), "")
  }))
}
