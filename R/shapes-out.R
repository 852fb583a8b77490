#' The shapes that an operator gives
#'
#' Any operator of R torch or mlr3torch by its name, with its arguments under their R names: the whole of a PipeOp's
#' `.shapes_out()` method.
#'
#' @param op (`character(1)`)\cr
#'   The name of the R torch function or module (`"nn_conv2d"`, `"torch_cat"`, `"nnf_interpolate"`, `"add_"`) or of the
#'   mlr3torch PipeOp (`"nn_merge_sum"`). [shape_ops()] lists them.
#' @param shapes_in (`list()`)\cr
#'   The shapes of the inputs, in the operator's order or under its names; one shape alone stands for a list of one.
#' @param params (`list()`)\cr
#'   The operator's arguments by name. Those that follow from the input (`in_channels`, `in_features`, ...) may be
#'   left out; where they are given they must agree. `NULL` is as good as absent.
#' @param id (`character(1)` or `NULL`)\cr
#'   The id of the PipeOp, for the message of an error.
#'
#' @return A list of shapes, one an output. `NULL` where even the number of outputs depends on an unknown size.
#'
#' @section Errors:
#' `torchshape_error_op` for an operator that is not there, `torchshape_error_argument` for arguments that it does
#' not have or that are wrong, `torchshape_error_rank`, `_size`, `_dim` and `_broadcast` for inputs that do not fit.
#'
#' @source The rules are those of the operators' pages at <https://docs.pytorch.org/docs/stable/>.
#' @examples
#' shapes_out("nn_conv2d", list(c(NA, 3, 224, 224)), list(out_channels = 64, kernel_size = 7, stride = 2, padding = 3))
#' shapes_out("torch_cat", list(c(NA, 3), c(NA, 5)), list(dim = 2))
#' try(shapes_out("nn_linear", list(c(NA, 512)), list(in_features = 256, out_features = 10), id = "head"))
#' @export
shapes_out <- function(op, shapes_in, params = list(), id = NULL) {
  if (match("task", names(params), 0L) > 0L && is.list(params) && is.environment(params[["task"]])) {
    params[["task"]] <- task_facts(params[["task"]])
  }
  .Call(wrap__shapes_out, op, shapes_in, params, id)
}

# What a rule asks of a mlr3 Task. Anything else is left to the rule, which refuses it.
task_facts <- function(task) {
  if (!inherits(task, "Task")) {
    return(task)
  }
  list(type = task$task_type, n_classes = length(task$class_names))
}

#' The operators that have a rule
#'
#' @return A data frame with one row an operator and the columns `op`, `family`, `arguments` (with their defaults),
#'   `inputs` (optional ones in brackets, `...` for any number), `outputs` (likewise) and `summary`.
#' @examples
#' subset(shape_ops(), family == "pool", c("op", "summary"))
#' @export
shape_ops <- function() {
  as.data.frame(.Call(wrap__shape_ops))
}
