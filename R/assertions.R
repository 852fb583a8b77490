#' Assert a shape
#'
#' `assert_shape()` checks one shape, `assert_shapes()` a list of them.
#'
#' @param shape,shapes (`integer()`, `list()`)\cr
#'   What must be a shape: whole numbers >= 0 or `NA`, one at least; or a list of at least one shape.
#' @param null_ok (`logical(1)`)\cr
#'   Whether `NULL`, a shape of which nothing is known, passes too; then whatever else is asked for.
#' @param coerce (`logical(1)`)\cr
#'   Whether the shape is given back as an integer vector.
#' @param unknown_batch (`logical(1)` or `NULL`)\cr
#'   `TRUE` where the first size must be `NA`, `FALSE` where it must be known.
#' @param len (`integer(1)` or `NULL`)\cr
#'   The number of dimensions it must have.
#' @param named (`logical(1)`)\cr
#'   Whether the list must have unique names; an entry called `...` is exempt.
#'
#' @return The shape or the list, with its names. With `coerce` sizes are integers, or whole doubles where one is above
#'   `.Machine$integer.max`.
#'
#' @section Errors:
#' `torchshape_error_type` where it is no shape, `torchshape_error_rank` for a wrong number of dimensions,
#' `torchshape_error_size` for a size that no tensor has or a batch that is known or unknown against the demand,
#' `torchshape_error_argument` for missing or repeated names.
#'
#' @family shape assertions
#' @examples
#' assert_shape(c(NA, 3, 32, 32))
#' assert_shapes(list(image = c(NA, 3, 32, 32), label = NA), named = TRUE)
#' try(assert_shape(c(8, 3), unknown_batch = TRUE))
#' @export
assert_shape <- function(shape, null_ok = FALSE, coerce = TRUE, unknown_batch = NULL, len = NULL) {
  .Call(wrap__assert_shape, shape, null_ok, coerce, unknown_batch, len)
}

#' @rdname assert_shape
#' @export
assert_shapes <- function(shapes, coerce = TRUE, named = FALSE, null_ok = FALSE, unknown_batch = NULL) {
  .Call(wrap__assert_shapes, shapes, coerce, named, null_ok, unknown_batch)
}

#' Assert what is known of the dimensions of a shape
#'
#' The checks that `shapes_out()` methods make before they work anything out. `assert_ndim()` checks how many
#' dimensions there are, `assert_known_dims()` that some of their sizes are known, `assert_dim_in_range()` that a
#' dimension is there, `assert_not_batch_dim()` that it is not the batch.
#'
#' @param shape (`integer()`)\cr
#'   The input shape.
#' @param ndim (`integer()` or `NULL`)\cr
#'   The numbers of dimensions that pass, the batch included.
#' @param min,max (`integer(1)` or `NULL`)\cr
#'   The fewest and the most dimensions that pass; either alone is enough.
#' @param dims (`integer()`)\cr
#'   The dimensions whose sizes must be known, counted from 1.
#' @param what (`character(1)`)\cr
#'   What they are, for the message: `"the channel dimension (dimension 2)"`.
#' @param dim (`integer()`)\cr
#'   For `assert_dim_in_range()` the dimension as the user gave it, for `assert_not_batch_dim()` the resolved one.
#' @param true_dim (`integer()`)\cr
#'   The dimension as [resolve_dim()] gives it.
#' @param id (`character(1)` or `NULL`)\cr
#'   The id of the PipeOp, for the message; `NULL` where it is not for a PipeOp.
#'
#' @return Invisibly what was checked: the shape, `true_dim` or `dim`.
#'
#' @section Errors:
#' `torchshape_error_rank` for the number of dimensions, `torchshape_error_size` for an unknown size,
#' `torchshape_error_dim` for a dimension that is not there or is the batch.
#'
#' @family shape assertions
#' @examples
#' assert_ndim(c(NA, 3, 32, 32), 4, id = "nn_conv2d")
#' try(assert_ndim(c(NA, 3, 4, 5), id = "nn_batch_norm1d", min = 2, max = 3))
#'
#' assert_known_dims(c(NA, 3), 2, "the feature dimension (dimension 2)", id = "nn_linear")
#' try(assert_known_dims(c(NA, NA), 2, "the feature dimension (dimension 2)", id = "nn_linear"))
#'
#' shape <- c(NA, 3, 8)
#' assert_dim_in_range(-1, resolve_dim(-1, shape), shape, id = "nn_squeeze")
#' try(assert_dim_in_range(-5, resolve_dim(-5, shape), shape, id = "nn_squeeze"))
#' try(assert_not_batch_dim(1, shape, id = "nn_squeeze"))
#' @export
assert_ndim <- function(shape, ndim = NULL, id, min = NULL, max = NULL) {
  invisible(.Call(wrap__assert_ndim, shape, ndim, id, min, max))
}

#' @rdname assert_ndim
#' @export
assert_known_dims <- function(shape, dims, what, id = NULL) {
  invisible(.Call(wrap__assert_known_dims, shape, dims, what, id))
}

#' @rdname assert_ndim
#' @export
assert_dim_in_range <- function(dim, true_dim, shape, id) {
  invisible(.Call(wrap__assert_dim_in_range, dim, true_dim, shape, id))
}

#' @rdname assert_ndim
#' @export
assert_not_batch_dim <- function(dim, shape, id) {
  invisible(.Call(wrap__assert_not_batch_dim, dim, shape, id))
}

#' Assert that sizes worked out for an output are sizes
#'
#' @param extent (`numeric()`)\cr
#'   The sizes that an operator worked out. `NA` passes.
#' @param shape_in (`integer()`)\cr
#'   The input shape, for the message.
#' @inheritParams assert_ndim
#'
#' @return `extent`, invisibly, if every known entry is a finite number >= 1.
#'
#' @section Errors:
#' `torchshape_error_size`.
#'
#' @family shape assertions
#' @examples
#' assert_positive_extent(c(30, NA), c(NA, 3, 32, 32), id = "nn_conv2d")
#' try(assert_positive_extent(c(0, 4), c(NA, 3, 32, 32), id = "nn_conv2d"))
#' @export
assert_positive_extent <- function(extent, shape_in, id) {
  invisible(.Call(wrap__assert_positive_extent, extent, shape_in, id))
}

#' Assert that several shapes go together
#'
#' `assert_same_ndim()` checks that shapes have one number of dimensions, `assert_same_batch_size()` that their
#' known first sizes are equal; an unknown one agrees with any other.
#'
#' @param shapes (`list()`)\cr
#'   The input shapes.
#' @inheritParams assert_ndim
#'
#' @return Invisibly, `assert_same_ndim()` the shapes and `assert_same_batch_size()` the batch size that they have in
#'   common, `NA` where none is known.
#'
#' @section Errors:
#' `torchshape_error_rank`, and `torchshape_error_size` for batch sizes that differ.
#'
#' @family shape assertions
#' @examples
#' assert_same_ndim(list(c(NA, 3), c(NA, 5)), id = "nn_merge_cat")
#' print(assert_same_batch_size(list(c(NA, 3), c(8, 5)), id = "nn_block"))
#' try(assert_same_batch_size(list(c(8, 3), c(4, 5)), id = "nn_block"))
#' @export
assert_same_ndim <- function(shapes, id) {
  invisible(.Call(wrap__assert_same_ndim, shapes, id))
}

#' @rdname assert_same_ndim
#' @export
assert_same_batch_size <- function(shapes, id) {
  invisible(.Call(wrap__assert_same_batch_size, shapes, id))
}
