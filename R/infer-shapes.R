#' The shapes that a function gives, by running it
#'
#' Runs a function on stand-ins for its inputs, several times, with the unknown sizes filled in differently, small
#' and large, and reports what all runs agree on. This is for functions of which no rule is known; [shapes_out()] is
#' exact and much faster where there is one.
#'
#' Stand-ins are torch tensors on the meta device where R torch is installed with its library, on the CPU where the
#' meta device cannot run the function. Elsewhere they are R arrays of zeros, whose `[` cuts a range that is too
#' long short, as that of tensors does. Within one run every unknown size has a value of its own. A run that fails
#' is dropped. No rule can be read off finitely many runs: a function that treats some rare size in a way of its own
#' can deceive this one.
#'
#' @param shapes_in (`list()`)\cr
#'   The shapes of the inputs. `fn` is called for each of them, or once for all of them if it has that many arguments
#'   without a default besides those in `param_vals`.
#' @param param_vals (`list()`)\cr
#'   Arguments by name, passed on where `fn` has an argument of that name.
#' @param output_names (`character()`)\cr
#'   The names of the outputs.
#' @param fn (`function()`)\cr
#'   The function. It returns a tensor or an array, or a list of them.
#' @param rowwise (`logical(1)`)\cr
#'   Whether `fn` works on one observation: the batch is dropped before, and put back after.
#' @param id (`character(1)` or `NULL`)\cr
#'   The id of the PipeOp, for the message of an error.
#'
#' @return A list of shapes, named `output_names`.
#'
#' @section Errors:
#' `torchshape_error_rank` where the number of dimensions depends on an unknown size, `torchshape_error_size` where
#' `fn` fails for every way to fill in the unknown sizes, with its own message, or works for one of them only,
#' `torchshape_error_argument` and `torchshape_error_type` for what `fn` cannot be called with or should not return.
#'
#' @family shape helpers
#' @examples
#' infer_shapes(list(c(NA, 3, 4)), list(), "out", function(x) aperm(x, c(1, 3, 2)), rowwise = FALSE, id = "permute")
#' infer_shapes(list(c(NA, NA)), list(), "out", function(x) x[, 1:2], rowwise = FALSE, id = "crop")
#' @export
infer_shapes <- function(shapes_in, param_vals, output_names, fn, rowwise, id) {
  check_infer_arguments(param_vals, output_names, fn, rowwise, id)
  shapes_in <- assert_shapes(shapes_in)
  subject <- if (is.null(id)) "infer_shapes()" else paste0("PipeOp '", id, "'")
  batches <- lapply(shapes_in, `[`, 1L)
  if (rowwise) {
    shapes_in <- lapply(shapes_in, `[`, -1L)
  }

  arguments <- names(formals_of(fn))
  params <- param_vals[intersect(names(param_vals), arguments)]
  call_once <- length(shapes_in) > 1L && length(open_arguments(fn, params)) == length(shapes_in)
  groups <- if (call_once) list(seq_along(shapes_in)) else as.list(seq_along(shapes_in))

  shapes_out <- lapply(groups, function(group) {
    out <- infer_by_running(shapes_in[group], params, fn, subject, id)
    if (rowwise) lapply(out, function(shape) assert_shape(c(batches[[group[1L]]], shape))) else out
  })
  shapes_out <- unlist(shapes_out, recursive = FALSE)
  if (length(shapes_out) != length(output_names)) {
    abort("argument", sprintf(
      "%s gives %i output(s), but has %i name(s) for them.", subject, length(shapes_out), length(output_names)
    ), id = id, argument = "output_names")
  }
  names(shapes_out) <- output_names
  shapes_out
}

check_infer_arguments <- function(param_vals, output_names, fn, rowwise, id) {
  check <- function(ok, argument, wanted) check_argument(ok, "infer_shapes", argument, wanted)
  check(is_text_or_null(id), "id", "one text or NULL")
  check(is.function(fn), "fn", "a function")
  check(is_one(rowwise, is.logical), "rowwise", "TRUE or FALSE")
  check(is.null(param_vals) || is_named_list(param_vals), "param_vals", "a list of named arguments")
  check(is_unique_names(output_names), "output_names", "unique names")
}

is_named_list <- function(x) {
  is.list(x) && !is.object(x) && (length(x) == 0L || is_unique_names(names(x)))
}

is_unique_names <- function(x) {
  is.character(x) && length(x) > 0L && !anyNA(x) && !anyDuplicated(x)
}

# Some primitives have no formal arguments at all.
formals_of <- function(fn) {
  signature <- args(fn)
  if (is.null(signature)) list() else formals(signature)
}

# The arguments that a call must still give: no default, and not among the params.
open_arguments <- function(fn, params) {
  formals <- formals_of(fn)
  missing <- vapply(formals, is_absent, logical(1L))
  setdiff(names(formals)[missing], c(names(params), "..."))
}

# Whether an expression stands for nothing at all, as the first argument of x[, 1].
is_absent <- function(expr) {
  is.symbol(expr) && !nzchar(as.character(expr))
}

# A list of shapes, one an output.
infer_by_running <- function(shapes, params, fn, subject, id) {
  fillings <- filling_table(shapes)
  runs <- lapply(seq_len(nrow(fillings)), function(i) run_once(fill(shapes, fillings[i, ]), params, fn))
  failed <- vapply(runs, inherits, logical(1L), "condition")
  if (all(failed)) {
    messages <- vapply(runs, function(run) conditionMessage(run), "")
    abort("size", sprintf(
      "%s fails for the input %s with every size that was tried for its unknown ones: %s", subject,
      shape_to_str(shapes), messages[length(messages)]
    ), id = id, shapes = shapes)
  }
  fillings <- fillings[!failed, , drop = FALSE]
  runs <- runs[!failed]

  if (ncol(fillings) > 0L && length(runs) == 1L) {
    abort("size", sprintf(
      "%s works for the input %s with one of the sizes that were tried (%s), which leaves open what depends on it.",
      subject, shape_to_str(shapes), toString(fillings[1L, ])
    ), id = id, shapes = shapes)
  }
  ranks <- vapply(runs, function(run) paste(lengths(run), collapse = " "), "")
  # a size of 1 may have been squeezed away; squeezing an unknown size keeps it
  with_one <- apply(fillings == 1L, 1L, any)
  if (length(unique(ranks)) > 1L && any(!with_one)) {
    runs <- runs[!with_one]
    ranks <- ranks[!with_one]
  }
  if (length(unique(ranks)) > 1L) {
    abort("rank", sprintf(
      "%s gives outputs for the input %s whose number, or whose number of dimensions, depends on an unknown size.",
      subject, shape_to_str(shapes)
    ), id = id, shapes = shapes)
  }
  lapply(seq_along(runs[[1L]]), function(output) agreed(lapply(runs, `[[`, output)))
}

# What all shapes agree on.
agreed <- function(shapes) {
  sizes <- do.call(rbind, shapes)
  shape <- sizes[1L, ]
  shape[apply(sizes, 2L, function(size) length(unique(size)) > 1L)] <- NA
  assert_any_shape(shape)
}

# A shape as integers, scalars too.
assert_any_shape <- function(shape) {
  if (length(shape) == 0L) integer() else assert_shape(shape)
}

# One row a way to fill in the unknown sizes, all of them different from each other within a row: some small, since
# a crop or a padding may only show there, and each in turn large, since a long stride or a long kernel does; the
# others vary with it, for it may be that nothing else works.
filling_table <- function(shapes) {
  unknown <- sum(is.na(unlist(shapes)))
  if (unknown == 0L) {
    return(matrix(integer(), 1L, 0L))
  }
  primes <- c(2L, 3L, 5L, 7L, 11L, 13L, 17L, 19L, 23L, 29L, 31L, 37L, 41L, 43L, 47L)
  cycle <- function(from) primes[(from + seq_len(unknown) - 2L) %% length(primes) + 1L]
  bases <- list(cycle(4L), rev(cycle(6L)))
  rows <- list(rep(1L, unknown), cycle(1L), rev(cycle(2L)), cycle(5L) * 2L, rev(cycle(4L)) * 3L)
  for (i in seq_len(unknown)) {
    for (size in c(1L, 2L, 3L, 4L, 8L, 64L, 97L, 131L, 192L, 260L, 521L, 1030L, 2053L, 4099L, 8209L)) {
      rows <- c(rows, lapply(bases, replace, i, size))
    }
  }
  rows <- rows[!duplicated(rows)]
  elements <- vapply(rows, function(row) max(vapply(fill(shapes, row), prod, 0), 1), 0)
  few <- elements <= max(1e6, min(elements))
  do.call(rbind, rows[few])
}

fill <- function(shapes, sizes) {
  for (i in seq_along(shapes)) {
    unknown <- which(is.na(shapes[[i]]))
    shapes[[i]][unknown] <- sizes[seq_along(unknown)]
    sizes <- sizes[seq_along(sizes) > length(unknown)]
  }
  shapes
}

# A list of shapes, or the condition that stopped it.
run_once <- function(shapes, params, fn) {
  for (make in stand_in_makers()) {
    out <- tryCatch(
      shapes_of(do.call(fn, c(unname(lapply(shapes, make)), params), quote = TRUE)),
      error = identity
    )
    if (!inherits(out, "condition")) {
      return(out)
    }
  }
  out
}

# How to make a stand-in of a shape, best first.
stand_in_makers <- function() {
  empty <- torch_function("torch_empty")
  if (is.null(empty)) {
    return(list(array_stand_in))
  }
  list(function(shape) empty(shape, device = "meta"), function(shape) empty(shape))
}

# A function of R torch, if that is installed with its library.
torch_function <- function(name) {
  package <- "torch"
  if (!requireNamespace(package, quietly = TRUE) || !getExportedValue(package, "torch_is_installed")()) {
    return(NULL)
  }
  getExportedValue(package, name)
}

array_stand_in <- function(shape) {
  elements <- prod(shape)
  if (elements > 1e8) {
    stop("a stand-in of shape ", shape_to_str(shape), " is too large")
  }
  # a scalar has no dimensions
  structure(numeric(elements), dim = if (length(shape)) shape, class = "torchshape_stand_in")
}

# As a tensor does it: one index takes its dimension away, a range keeps it and is cut short where it is too long.
#' @export
`[.torchshape_stand_in` <- function(x, ..., drop = TRUE) {
  dims <- dim(x)
  given <- as.list(substitute(list(...)))[-1L]
  if (length(dims) == 0L || length(given) != length(dims)) {
    return(unclass(x)[...])
  }
  is_open <- vapply(given, is_absent, logical(1L))
  index <- lapply(seq_along(given), function(i) {
    at <- if (is_open[i]) TRUE else ...elt(i)
    if (is.numeric(at) && length(at) != 1L) at[at <= dims[i]] else at
  })
  out <- do.call(`[`, c(list(unclass(x)), index, list(drop = FALSE)))
  taken <- vapply(seq_along(given), function(i) !is_open[i] && length(...elt(i)) == 1L, logical(1L))
  array_stand_in(dim(out)[!(taken & drop)])
}

# The shapes of what a function returned: a tensor or an array, or a list of them.
shapes_of <- function(x) {
  if (is.list(x) && !is.object(x)) {
    if (length(x) == 0L) {
      stop("the function returned an empty list")
    }
    return(unname(lapply(x, shape_of)))
  }
  list(shape_of(x))
}

shape_of <- function(x) {
  if (inherits(x, c("torch_tensor", "torchshape_stand_in"))) {
    return(as.numeric(dim(x)))
  }
  if (!is.atomic(x) || is.null(x)) {
    stop("the function returned a ", class(x)[1L], ", not a tensor or an array")
  }
  as.numeric(if (is.null(dim(x))) length(x) else dim(x))
}
