#' The broadcast of shapes with one number of dimensions
#'
#' What a merge of several inputs gives: in every dimension the sizes must be equal or 1. Nothing is padded, since
#' dimension 1 is the batch; [align_shapes()] is the rule of torch's arithmetic, which aligns shapes at the last
#' dimension.
#'
#' @param shapes (`list()`)\cr
#'   Shapes, all with the same number of dimensions. `NA` is an unknown size.
#' @param id (`character(1)` or `NULL`)\cr
#'   The id of the PipeOp, for the message of an error.
#'
#' @return A shape. A size is `NA` where it depends on an unknown one: against a known size other than 1 the known
#'   size is right whatever the unknown one is.
#'
#' @section Errors:
#' `torchshape_error_broadcast` where two sizes clash, `torchshape_error_rank` where the numbers of dimensions
#' differ or one shape is `NULL`, `torchshape_error_argument` for an empty list.
#'
#' @source <https://docs.pytorch.org/docs/stable/notes/broadcasting.html>
#' @family shape helpers
#' @examples
#' broadcast_shapes(list(c(NA, 1), c(NA, 6)), id = "nn_merge_sum")
#' try(broadcast_shapes(list(c(NA, 3, 8), c(NA, 5, 8)), id = "nn_merge_sum"))
#' @export
broadcast_shapes <- function(shapes, id = NULL) {
  .Call(wrap__broadcast_shapes, shapes, id)
}

#' Dimensions counted from the end
#'
#' Turns dimensions that count from the end into dimensions that count from 1. What is out of range stays out of
#' range, so that it can be reported as the user gave it.
#'
#' @param dim (`integer()` or `NULL`)\cr
#'   Dimensions. -1 is the last, or with `insert` the place after the last.
#' @param shape (`integer()`)\cr
#'   The shape they belong to.
#' @param insert (`logical(1)`)\cr
#'   Whether `dim` is the place of a new dimension, of which there is one more.
#'
#' @return `dim` with every negative entry replaced by `length(shape) + insert + 1 + dim`; type and names are kept,
#'   `NULL` gives `NULL` and `NA` gives `NA`.
#'
#' @section Errors:
#' `torchshape_error_argument` where `dim` is not whole, `torchshape_error_type` and `torchshape_error_size` where
#' `shape` is no shape, `torchshape_error_rank` where a dimension counts from the end of `NULL`.
#'
#' @source <https://docs.pytorch.org/docs/stable/generated/torch.unsqueeze.html>
#' @family shape helpers
#' @examples
#' resolve_dim(-1, c(NA, 3, 8))
#' resolve_dim(-1, c(NA, 3, 8), insert = TRUE)
#' resolve_dim(c(1, -2), c(NA, 3, 8))
#' @export
resolve_dim <- function(dim, shape, insert = FALSE) {
  .Call(wrap__resolve_dim, dim, shape, insert)
}

#' A shape as text
#'
#' @param x (`integer()`, `NULL` or `list()`)\cr
#'   A shape, or a list of shapes.
#'
#' @return One string: `"(NA,3,8)"` for a shape, `"()"` for a scalar, `"(<unknown>)"` for `NULL`,
#'   `"[(NA,3);(NA,5)]"` for a list and `"[a: (NA,3); b: <unknown>]"` for a list of which every entry has a name.
#'   Sizes are written out: 100000, never 1e+05.
#'
#' @section Errors:
#' `torchshape_error_type` and `torchshape_error_size` where `x` is neither.
#'
#' @family shape helpers
#' @examples
#' shape_to_str(c(NA, 3, 8))
#' shape_to_str(list(a = c(NA, 1e5), b = NULL))
#' @export
shape_to_str <- function(x) {
  .Call(wrap__shape_to_str, x)
}

#' Shapes aligned at the last dimension
#'
#' The broadcasting of torch, NumPy and [R torch](https://torch.mlverse.org): shapes are aligned at the last dimension,
#' missing dimensions count as 1, and sizes must be equal or 1. `is_broadcastable()` tells whether two shapes fit,
#' for at least one way to fill in their unknown sizes; `align_shapes()` gives them, and what they broadcast to,
#' with one number of dimensions.
#'
#' @param x,y (`integer()`)\cr
#'   Shapes. `NA` is an unknown size.
#'
#' @return `is_broadcastable()`: `TRUE` or `FALSE`. `align_shapes()`: a list of the shapes `x`, `y` and `out`.
#'
#' @section Errors:
#' `torchshape_error_broadcast` where the shapes do not fit (`align_shapes()` only), `torchshape_error_type` and
#' `torchshape_error_size` where one is no shape.
#'
#' @source <https://docs.pytorch.org/docs/stable/notes/broadcasting.html>
#' @family shape helpers
#' @examples
#' align_shapes(c(8, 1, 6, 1), c(7, 1, 5))$out
#' is_broadcastable(c(NA, 3), c(5, 1))
#' is_broadcastable(0, c(2, 2))
#' try(align_shapes(c(5, 2, 4, 1), c(3, 1, 1)))
#' @export
align_shapes <- function(x, y) {
  .Call(wrap__align_shapes, x, y)
}

#' @rdname align_shapes
#' @export
is_broadcastable <- function(x, y) {
  .Call(wrap__is_broadcastable, x, y)
}

#' The place of an element in an array whose dimensions of size 1 wrap
#'
#' Element `index` of a broadcast result comes from one element of each operand. This is the place of that element,
#' so that `x[[wrap_index(dim(x), index)]]` reads it.
#'
#' @param shape (`integer()`)\cr
#'   The shape of the operand.
#' @param index (`integer()`)\cr
#'   One index for each dimension of the result, counted from 1; aligned with `shape` at the last dimension.
#'
#' @return A whole number from 1 to `prod(shape)`, in R's column-major order; `NA` where it depends on an unknown size.
#'
#' @section Errors:
#' `torchshape_error_size` where the index is outside the shape, `torchshape_error_rank` where it is too short.
#'
#' @family shape helpers
#' @examples
#' x <- matrix(1:3, nrow = 3)
#' x[[wrap_index(dim(x), c(2, 5))]]
#' @export
wrap_index <- function(shape, index) {
  .Call(wrap__wrap_index, shape, index)
}

#' The shape that a tensor expands to
#'
#' The rule of `torch_expand()` and of operators that work in place: the existing size must be 1 or the size asked
#' for, and new dimensions come first.
#'
#' @param shape (`integer()`)\cr
#'   The existing shape.
#' @param size (`integer()`)\cr
#'   The shape asked for; -1 keeps a size, `NA` is unknown.
#'
#' @return A shape: `size`, with what the existing sizes say about it.
#'
#' @section Errors:
#' `torchshape_error_broadcast` where a size does not fit, `torchshape_error_rank` where `size` is too short,
#' `torchshape_error_dim` where -1 stands for a dimension that is not there.
#'
#' @source <https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand.html>
#' @family shape helpers
#' @examples
#' expand_shape(c(3, 1), c(2, -1, 4))
#' try(expand_shape(c(3, 1, 7), c(1, 3, 1)))
#' @export
expand_shape <- function(shape, size) {
  .Call(wrap__expand_shape, shape, size)
}

#' The shape of a reshape that keeps the batch
#'
#' What `torch_reshape()` gives, as a layer of a network uses it: dimension 1 is the batch and must not change, so
#' that what one observation holds is put into another shape.
#'
#' @param shape_in (`integer()`)\cr
#'   The input shape.
#' @param shape (`integer()` or `function()`)\cr
#'   The target: sizes >= 1, and -1 once for the size that is worked out. Or a function of the input shape that
#'   returns such a target, which may hold `NA` for sizes it does not know: `function(s) c(s[1], 12)`.
#' @param id (`character(1)` or `NULL`)\cr
#'   The id of the PipeOp, for the message of an error.
#'
#' @return A shape. The batch is that of the input where the target has -1, `NA` or that size for it; a target that
#'   names a batch size of its own is taken at its word.
#'
#' @section Errors:
#' `torchshape_error_size` where no batch size makes the target hold as many elements, or where the batch would change,
#' `torchshape_error_argument` for a target that is none.
#'
#' @source <https://docs.pytorch.org/docs/stable/generated/torch.reshape.html>
#' @family shape helpers
#' @examples
#' reshape_output_shape(c(NA, 3, 4), c(-1, 12))
#' reshape_output_shape(c(NA, 3, 4), function(s) c(s[1], -1))
#' try(reshape_output_shape(c(NA, 3, 4), c(-1, 6), id = "nn_reshape"))
#' @export
reshape_output_shape <- function(shape_in, shape, id = NULL) {
  from_function <- is.function(shape)
  if (from_function) {
    shape <- call_shape_function(shape, assert_shape(shape_in), id)
  }
  .Call(wrap__reshape_output_shape, shape_in, shape, from_function, id)
}

# What a function of the input shape says; an error of its own is told with the shape.
call_shape_function <- function(f, shape_in, id) {
  tryCatch(f(shape_in), error = function(error) {
    subject <- if (is_one(id, is.character)) paste0("PipeOp '", id, "'") else "reshape_output_shape()"
    abort("argument", sprintf(
      "%s has a function for argument 'shape' that fails for %s: %s", subject, shape_to_str(shape_in),
      conditionMessage(error)
    ), argument = "shape", shapes = list(shape_in), id = if (is_one(id, is.character)) id)
  })
}
