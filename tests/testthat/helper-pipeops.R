# Operators as people write them: R6 classes with the public surface of mlr3torch's PipeOpTorch, whose shapes_out()
# methods call torchshape.

pipeop_torch <- function() {
  skip_if_not_installed("R6")
  R6::R6Class("PipeOpTorch",
    public = list(
      id = NULL, param_set = NULL, input = NULL, output = NULL,
      initialize = function(id, params = list(), inname = "input", outname = "output") {
        self$id <- id
        self$param_set <- list(get_values = function() params)
        self$input <- data.frame(name = inname)
        self$output <- data.frame(name = outname)
      },
      shapes_out = function(shapes_in, task = NULL) {
        if (is.numeric(shapes_in)) shapes_in <- list(shapes_in)
        shapes_in <- assert_shapes(shapes_in)
        if (!"..." %in% self$input$name) names(shapes_in) <- self$input$name
        shapes_out <- private$.shapes_out(shapes_in, self$param_set$get_values(), task = task)
        names(shapes_out) <- self$output$name
        shapes_out
      }
    ),
    private = list(.shapes_out = function(shapes_in, param_vals, task) shapes_in)
  )
}

# A PipeOp of one operator: its whole method is one call.
pipeop_of <- function(op, ...) {
  base <- pipeop_torch()
  class <- R6::R6Class(op,
    inherit = base,
    private = list(.shapes_out = function(shapes_in, param_vals, task) {
      shapes_out(op, shapes_in, param_vals, id = self$id)
    })
  )
  function(id = op, ..., inname = "input", outname = "output") class$new(id, list(...), inname, outname)
}

po_merge_sum <- function(id = "nn_merge_sum") {
  class <- R6::R6Class("PipeOpTorchMergeSum",
    inherit = pipeop_torch(),
    private = list(.shapes_out = function(shapes_in, param_vals, task) {
      assert_same_ndim(shapes_in, self$id)
      assert_same_batch_size(shapes_in, self$id)
      list(broadcast_shapes(shapes_in, id = self$id))
    })
  )
  class$new(id, inname = "...")
}

# Keeps a dimension of size 1 out, as nn_squeeze does, but never the batch.
po_drop_dim <- function(id = "drop_dim", dim) {
  class <- R6::R6Class("PipeOpTorchDropDim",
    inherit = pipeop_torch(),
    private = list(.shapes_out = function(shapes_in, param_vals, task) {
      shape <- shapes_in[[1L]]
      true_dim <- resolve_dim(param_vals$dim, shape)
      assert_dim_in_range(param_vals$dim, true_dim, shape, self$id)
      assert_not_batch_dim(true_dim, shape, self$id)
      list(shape[-true_dim])
    })
  )
  class$new(id, list(dim = dim))
}

po_reshape <- function(id = "nn_reshape", shape) {
  class <- R6::R6Class("PipeOpTorchReshape",
    inherit = pipeop_torch(),
    private = list(.shapes_out = function(shapes_in, param_vals, task) {
      list(reshape_output_shape(shapes_in[[1L]], param_vals$shape, self$id))
    })
  )
  class$new(id, list(shape = shape))
}

po_head <- function(id = "nn_head") {
  class <- R6::R6Class("PipeOpTorchHead",
    inherit = pipeop_torch(),
    private = list(.shapes_out = function(shapes_in, param_vals, task) {
      shapes_out("nn_head", shapes_in, c(param_vals, list(task = task)), id = self$id)
    })
  )
  class$new(id)
}

# A function of one observation, of which no rule is known.
po_fn <- function(id = "nn_fn", fn) {
  class <- R6::R6Class("PipeOpTorchFn",
    inherit = pipeop_torch(),
    private = list(.shapes_out = function(shapes_in, param_vals, task) {
      infer_shapes(shapes_in, param_vals, self$output$name, param_vals$fn, rowwise = FALSE, id = self$id)
    })
  )
  class$new(id, list(fn = fn))
}
