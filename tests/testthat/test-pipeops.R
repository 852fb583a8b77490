out <- function(...) list(output = c(...))

test_that("operators with one rule are one call", {
  conv <- pipeop_of("nn_conv2d")("conv1", out_channels = 16, kernel_size = 3, padding = 1)
  expect_identical(conv$shapes_out(list(c(NA, 3, 32, 32))), out(NA, 16L, 32L, 32L))
  expect_identical(conv$shapes_out(c(NA, 3, NA, NA)), out(NA, 16L, NA, NA))
  pool <- pipeop_of("nn_max_pool2d")(kernel_size = 2)
  expect_identical(pool$shapes_out(list(c(NA, 16, 32, 32))), out(NA, 16L, 16L, 16L))
  norm <- pipeop_of("nn_batch_norm2d")()
  expect_identical(norm$shapes_out(list(c(NA, 16, NA, NA))), out(NA, 16L, NA, NA))
  flatten <- pipeop_of("nn_flatten")()
  expect_identical(flatten$shapes_out(list(c(NA, 16, 8, 8))), out(NA, 1024L))
  linear <- pipeop_of("nn_linear")(out_features = 10)
  expect_identical(linear$shapes_out(list(c(NA, 1024))), out(NA, 10L))
  relu <- pipeop_of("nn_relu")()
  expect_identical(relu$shapes_out(list(c(NA, 1024))), out(NA, 1024L))
})

test_that("a merge and a cat take any number of inputs", {
  expect_identical(po_merge_sum()$shapes_out(list(c(NA, 1), c(NA, 6), c(8, 6))), out(8L, 6L))
  cat <- pipeop_of("nn_merge_cat")(dim = -1, inname = "...")
  expect_identical(cat$shapes_out(list(c(NA, 3), c(NA, 5), c(NA, 2))), out(NA, 10L))
})

test_that("a reshape may be a function of the input shape", {
  reshape <- po_reshape(shape = function(shape) c(shape[1], -1))
  expect_identical(reshape$shapes_out(list(c(NA, 3, 4))), out(NA, 12L))
  expect_error(po_reshape(shape = c(-1, 6))$shapes_out(list(c(NA, 3, 4))), class = "torchshape_error_size")
})

test_that("attention takes two inputs and gives two outputs", {
  attention <- pipeop_of("nn_multihead_attention")(
    num_heads = 2, mode = "cross", need_weights = TRUE,
    inname = c("query", "key"), outname = c("output", "weights")
  )
  expect_identical(
    attention$shapes_out(list(c(NA, 6, 8), c(NA, 5, 8))),
    list(output = c(NA, 6L, 8L), weights = c(NA, 6L, 5L))
  )
})

test_that("a head asks the task", {
  expect_identical(po_head()$shapes_out(list(c(NA, 64)), list(type = "classif", n_classes = 3)), out(NA, 3L))
  expect_identical(po_head()$shapes_out(list(c(NA, 64)), list(type = "regr")), out(NA, 1L))
  # as much of a mlr3 Task as the head looks at
  task <- new.env()
  task$task_type <- "classif"
  task$class_names <- c("a", "b", "c", "d")
  class(task) <- c("TaskClassif", "Task", "R6")
  expect_identical(po_head()$shapes_out(list(c(NA, 64)), task), out(NA, 4L))
})

test_that("custom operators check first and say what is wrong", {
  expect_identical(po_drop_dim(dim = -1)$shapes_out(list(c(NA, 3, 1))), out(NA, 3L))
  expect_identical(po_fn(fn = function(x) x[, 1:2, ])$shapes_out(list(c(NA, 5, 4))), out(NA, 2L, 4L))
  expect_snapshot(error = TRUE, {
    po_drop_dim(dim = -4)$shapes_out(list(c(NA, 3, 1)))
    po_drop_dim(dim = -3)$shapes_out(list(c(NA, 3, 1)))
    po_merge_sum()$shapes_out(list(c(NA, 1), c(NA, 6), c(NA, 5)))
    po_merge_sum()$shapes_out(list(c(NA, 1), c(NA, 6, 1)))
    po_merge_sum()$shapes_out(list(c(2, 1), c(3, 1)))
    pipeop_of("nn_linear")("fc", in_features = 9216, out_features = 10)$shapes_out(list(c(NA, 4096)))
  })
})
