#' torchshape: what shape every layer of a network gives
#'
#' Works out the shapes that torch operators give before a tensor exists, with sizes that are still unknown, and
#' says in plain words why a pipeline does not fit.
#'
#' @section Shapes:
#' A shape is an integer vector with one entry a dimension; the first is by convention the batch. `NA` is a size
#' that is not known yet: any whole number >= 1. `integer(0)` is a scalar. `NULL` says that nothing is known, not
#' even the number of dimensions. Whole doubles are accepted. Shapes come back as integers, or as whole doubles
#' where a size is above `.Machine$integer.max`; sizes above 2^53 are errors. Dimensions count from 1, and -1 is the
#' last.
#'
#' @section The three laws:
#' Over all ways to fill in the unknown sizes that torch would accept:
#'
#' 1. a size that is reported as known is right for every one of them,
#' 2. a size is reported as unknown only if two of them disagree about it,
#' 3. there is an error if and only if there is none.
#'
#' @section Errors:
#' Every error is a condition of class `torchshape_error` and of one subclass: `torchshape_error_broadcast`, `_rank`
#' (number of dimensions), `_dim` (a dimension that is not there), `_size`, `_argument`, `_op` (no such operator),
#' `_memory`, `_type`. Its fields hold the facts, `NULL` where there are none: `id`, `op`, `argument`, `shapes`,
#' `dim`, `sizes`, `input`, all counted from 1.
#'
#' ```{r, error = TRUE}
#' error <- tryCatch(broadcast_shapes(list(c(NA, 3, 8), c(NA, 5, 8))), torchshape_error = identity)
#' error$dim
#' error$sizes
#' ```
#'
#' @keywords internal
#' @useDynLib torchshape, .registration = TRUE
"_PACKAGE"
