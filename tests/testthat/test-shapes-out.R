test_that("an operator gives a list of shapes", {
  expect_identical(
    shapes_out(
      "nn_conv2d", list(c(NA, 3, 224, 224)),
      list(out_channels = 64, kernel_size = 7, stride = 2, padding = 3)
    ),
    list(c(NA, 64L, 112L, 112L))
  )
  expect_identical(shapes_out("nn_relu", c(NA, 3)), list(c(NA, 3L)))
  expect_identical(shapes_out("nn_relu", list(input = c(NA, 3))), list(c(NA, 3L)))
  expect_identical(shapes_out("nn_relu", list(c(a = NA, b = 3))), list(c(NA, 3L)))
})

test_that("inputs may be given under the operator's names, in any order", {
  expect_identical(shapes_out("torch_add", list(other = c(4, 1), self = 3)), list(c(4L, 3L)))
})

test_that("sizes are exact beyond 32 bits and doubles' fractions", {
  expect_identical(
    shapes_out("torch_flatten", list(c(NA, 65536, 65536)), list(start_dim = 2)),
    list(c(NA, 4294967296))
  )
  expect_identical(
    shapes_out("nn_conv1d", list(c(1, 1, 19199998)), list(out_channels = 1, kernel_size = 1921, padding = 960)),
    list(c(1L, 1L, 19199998L))
  )
  expect_error(shapes_out("torch_flatten", list(c(2^40, 2^40))), class = "torchshape_error_size")
})

test_that("what is unknown of an input stays unknown of its output", {
  expect_identical(shapes_out("nn_relu", list(NULL)), list(NULL))
  conv <- list(in_channels = 3, out_channels = 2, kernel_size = 1)
  expect_identical(shapes_out("nn_conv2d", list(NULL), conv), list(NULL))
  expect_identical(shapes_out("nn_batch_norm2d", list(NULL), list(num_features = 2)), list(c(NA, 2L, NA, NA)))
  expect_identical(shapes_out("torch_flatten", list(NULL)), list(NA_integer_))
})

test_that("errors say what is wrong and what would fit", {
  conv <- function(...) shapes_out("nn_conv2d", list(c(NA, 3, 8, 8)), list(...), id = "conv")
  expect_snapshot(error = TRUE, {
    conv(out_channels = 4)
    conv(out_channels = 4, kernel_size = 3, strid = 2)
    conv(out_channels = 4, kernel = 3)
    conv(out_channels = 4, kernel_size = c(3, 3, 3))
    conv(out_channels = 4, kernel_size = 9)
    conv(out_channels = 4, kernel_size = 3, in_channels = 5)
    conv(out_channels = 4, kernel_size = 3, groups = 2)
    conv(out_channels = 4, kernel_size = 3, padding = "sam")
    conv(out_channels = 4.5, kernel_size = 3)
    conv(out_channels = 4, kernel_size = 3, bias = "yes")
    conv(4, kernel_size = 3)
    shapes_out("nn_conv2d", list(c(NA, 3)), list(out_channels = 4, kernel_size = 3))
    shapes_out("nn_conv2d", list(c(NA, 3, 8, 8), 3), list(out_channels = 4, kernel_size = 3))
    shapes_out("nn_convv2d", list(c(NA, 3, 8, 8)))
    shapes_out("torch_flatten", list(c(NA, 3)), list(start_dim = 0))
    shapes_out("torch_cat", list(c(8, 2, 7), c(8, 3, 7)), list(dim = 1))
    shapes_out("torch_add", list(c(5, 2, 4, 1), c(3, 1, 1)))
    shapes_out("nn_max_pool2d", list(c(NA, 3, 8, 8)), list(kernel_size = 2, padding = 2))
  })
})

test_that("an error holds the operator, the PipeOp and the argument", {
  error <- expect_error(
    shapes_out("nn_linear", list(c(NA, 512)), list(in_features = 256, out_features = 10), id = "head"),
    class = "torchshape_error_size"
  )
  expect_identical(error$id, "head")
  expect_identical(error$op, "nn_linear")
  expect_identical(error$argument, "in_features")
  expect_identical(error$sizes, c(256L, 512L))
  expect_identical(error$dim, 2L)
  expect_identical(error$shapes, list(c(NA, 512L)))
})

test_that("NULL is as good as absent", {
  expect_identical(
    shapes_out("nn_linear", list(c(NA, 3)), list(in_features = NULL, out_features = 2, bias = NULL)),
    list(c(NA, 2L))
  )
  expect_error(
    shapes_out("nn_linear", list(c(NA, 3)), list(out_features = NULL)),
    class = "torchshape_error_argument"
  )
})

test_that("shape_ops() lists every operator once", {
  ops <- shape_ops()
  expect_s3_class(ops, "data.frame")
  expect_named(ops, c("op", "family", "arguments", "inputs", "outputs", "summary"))
  expect_false(anyDuplicated(ops$op) > 0)
  expect_true(all(nzchar(ops$family)), all(nzchar(ops$summary)))
  expect_true(all(c("nn_conv2d", "torch_cat", "nn_relu") %in% ops$op))
})

answer <- function(row) {
  params <- lapply(row$params, as_vector)
  params$task <- row$task
  shapes <- tryCatch(
    shapes_out(row$op, as_shapes(row[["in"]]), params),
    torchshape_error = function(error) "error"
  )
  if (identical(shapes, "error") || is.null(shapes)) shapes else lapply(shapes, as.numeric)
}

wanted <- function(row) {
  if (isTRUE(row$error)) {
    return("error")
  }
  if (is.null(row$out)) NULL else lapply(as_shapes(row$out), function(shape) as.numeric(shape))
}

for (file in c("op_shapes.jsonl", "pipeop_shapes.jsonl", "cases.jsonl")) {
  test_that(paste("every row of", file, "is right"), {
    rows <- fixture_rows(file)
    rows <- rows[vapply(rows, `[[`, "", "op") %in% shape_ops()$op]
    expect_gt(length(rows), 0L)
    wrong <- Filter(function(row) !identical(answer(row), wanted(row)), rows)
    expect_identical(wrong, list())
  })
}
