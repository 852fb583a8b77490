networks <- sub(".json", "", list.files(fixture_path("networks")), fixed = TRUE)

network_path <- function(name) {
  fixture_path("networks", paste0(name, ".json"))
}

for (name in networks) {
  test_that(paste("every node of", name, "has its shapes, parameters and multiply-adds"), {
    skip_if_not_installed("jsonlite")
    truth <- jsonlite::fromJSON(network_path(name), simplifyVector = FALSE)
    network <- read_network(network_path(name))
    for (variant in c("known", "batch", "spatial")) {
      wanted <- lapply(truth$nodes, function(node) as_shapes(node[[variant]]))
      got <- infer_network(network, input = wanted[[1L]])
      expect_identical(lapply(unlist(got$shapes_out, FALSE), as.numeric), lapply(unlist(wanted, FALSE), as.numeric))
      expect_identical(got$params, as.numeric(vapply(truth$nodes, `[[`, 0, "params")))
      # what PyTorch's counter does not count is not checked
      macs <- vapply(truth$nodes, function(node) if (is.null(node$macs)) NA_real_ else as.numeric(node$macs), 0)
      counted <- !is.na(macs)
      if (variant == "known") {
        expect_identical(got$macs[counted], macs[counted])
        if (!is.null(truth$gmacs)) {
          expect_identical(round(sum(got$macs) / truth$input[[1L]] / 1e9, 3L), truth$gmacs)
        }
      }
      if (variant == "batch") {
        expect_identical(got$macs[counted], macs[counted] / truth$input[[1L]])
      }
    }
    expect_identical(sum(got$params), as.numeric(truth$params))
  })
}

node <- function(id, op, inputs = character(), ...) {
  list(id = id, op = op, args = list(...), inputs = inputs)
}

net <- function(..., input = list(c(NA, 3L))) {
  structure(list(name = NULL, input = input, nodes = list(...)), class = "network")
}

test_that("infer_network() gives one row a node", {
  x <- infer_network(net(node("x", "input"), node("fc", "nn_linear", "x", out_features = 2)))
  expect_s3_class(x, c("network_shapes", "data.frame"), exact = TRUE)
  expect_named(x, c("id", "op", "block", "inputs", "shapes_in", "shapes_out", "params", "macs", "bytes", "trainable"))
  expect_identical(x$inputs, list(character(), "x"))
  expect_identical(x$shapes_in, list(list(), list(c(NA, 3L))))
  expect_identical(x$shapes_out, list(list(c(NA, 3L)), list(c(NA, 2L))))
  expect_identical(x$params, c(0, 8))
  expect_identical(x$macs, c(0, 6))
  expect_identical(class(as.data.frame(x)), "data.frame")
})

test_that("nodes may stand in any order, and take outputs by number", {
  x <- infer_network(net(
    node("sum", "torch_add", c("pool:1", "pool:2")),
    node("pool", "nn_max_pool1d", "x", kernel_size = 2, return_indices = TRUE),
    node("x", "input"),
    input = c(NA, 3, 8)
  ))
  expect_identical(x$shapes_out[[1L]], list(c(NA, 3L, 4L)))
})

test_that("inputs are taken in order or by name", {
  two <- net(node("a", "input"), node("b", "input"), node("sum", "torch_add", c("a", "b")), input = NULL)
  expect_identical(infer_network(two, list(c(NA, 1), c(NA, 5)))$shapes_out[[3L]], list(c(NA, 5L)))
  x <- infer_network(two, list(b = c(NA, 5), a = c(NA, 1)))
  expect_identical(x$shapes_out[[1L]], list(c(NA, 1L)))
  expect_error(infer_network(two), class = "torchshape_error_argument")
  expect_error(infer_network(two, c(NA, 3)), class = "torchshape_error_argument")
  expect_error(infer_network(two, list(a = 1, c = 1)), class = "torchshape_error_argument")
})

test_that("a parameter is a learned tensor", {
  x <- infer_network(net(
    node("x", "input"), node("w", "parameter", shape = c(1, 3)), node("sum", "torch_add", c("x", "w"))
  ))
  expect_identical(x$params, c(0, 3, 0))
  expect_error(infer_network(net(node("w", "parameter", shape = NA))), class = "torchshape_error_argument")
})

test_that("multiply-adds of an unknown batch are those of one observation", {
  fc <- net(node("x", "input"), node("fc", "nn_linear", "x", out_features = 2))
  expect_identical(infer_network(fc, c(NA, 3))$macs, c(0, 6))
  expect_identical(infer_network(fc, c(4, 3))$macs, c(0, 24))
  expect_identical(infer_network(fc, c(NA, NA))$macs, c(0, NA))
  expect_identical(infer_network(fc, c(NA, 5, 3))$macs, c(0, 30))
  expect_identical(infer_network(fc, c(NA, NA, 3))$macs, c(0, NA))
})

test_that("errors name the layer and the way there", {
  wrong <- net(
    node("x", "input"), node("conv", "nn_conv2d", "x", out_channels = 8, kernel_size = 3),
    node("pool", "nn_adaptive_avg_pool2d", "conv", output_size = 2), node("flat", "nn_flatten", "pool"),
    node("fc", "nn_linear", "flat", in_features = 64, out_features = 10),
    input = c(NA, 3, 8, 8)
  )
  error <- expect_error(infer_network(wrong), class = "torchshape_error_size")
  expect_identical(error$id, "fc")
  expect_identical(error$op, "nn_linear")
  expect_identical(error$sizes, c(64L, 32L))
  expect_snapshot(error = TRUE, {
    infer_network(wrong)
    infer_network(net(node("x", "input"), node("fc", "nn_linear", "y", out_features = 10)))
    infer_network(net(node("x", "input"), node("layer", "nn_relu", "layr2"), node("layer2", "nn_relu", "x")))
    infer_network(net(node("x", "input"), node("x", "nn_relu", "x")))
    infer_network(net(node("x", "input"), node("fc", "nn_lineer", "x", out_features = 10)))
    infer_network(net(node("x", "input"), node("a", "nn_relu", "x:2")))
    infer_network(net(node("x", "input"), node("a", "nn_relu", "x:0")))
    infer_network(net(node("a", "nn_relu", "c"), node("b", "nn_relu", "a"), node("c", "nn_relu", "b")))
    infer_network(net(node("x", "input"), node("a\n'b'", "nn_linear", "x")))
    infer_network(net(node("x", "input"), node("a", "torch_add", c("x", "x", "x"))))
    infer_network(net(node("x", "input", "x")))
    infer_network(net(node(1, "input")))
    infer_network(lm)
  })
})

test_that("wrong files give an error that tells the place", {
  read <- function(...) {
    file <- text_file(...)
    on.exit(unlink(file))
    tryCatch(read_network(file), torchshape_error = function(error) {
      # the path differs from run to run
      sub("the file '[^']*'", "the file", conditionMessage(error))
    })
  }
  expect_snapshot({
    read("{\"nodes\": [", "{\"id\": \"x\" \"op\": 1}]}")
    read("[1, 2]")
    read("{}")
    read("{\"nodes\": [{\"id\": \"x\"}]}")
    read("{\"nodes\": [{\"op\": \"input\"}]}")
    read("{\"nodes\": [1]}")
    read("{\"nodes\": [{\"id\": \"x\", \"op\": \"input\", \"args\": 3}]}")
    read("{\"nodes\": [{\"id\": \"x\", \"op\": \"input\", \"inputs\": [1]}]}")
    read("{\"nodes\": [], \"input\": [1.5]}")
    read("")
  })
  expect_error(read_network("no such file.json"), class = "torchshape_error_argument")
  expect_error(read_network(tempdir()), class = "torchshape_error_argument")
})
