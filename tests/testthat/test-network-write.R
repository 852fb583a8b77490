bottleneck <- function(width, stride = 1, project = FALSE, times = 1) {
  layers <- list(
    conv1 = layer("nn_conv2d", out_channels = width, kernel_size = 1, bias = FALSE),
    bn1 = layer("nn_batch_norm2d"), relu1 = layer("nn_relu"),
    conv2 = layer("nn_conv2d", out_channels = width, kernel_size = 3, stride = stride, padding = 1, bias = FALSE),
    bn2 = layer("nn_batch_norm2d"), relu2 = layer("nn_relu"),
    conv3 = layer("nn_conv2d", out_channels = 4 * width, kernel_size = 1, bias = FALSE),
    bn3 = layer("nn_batch_norm2d")
  )
  if (project) {
    layers$conv4 <- layer(
      "nn_conv2d", out_channels = 4 * width, kernel_size = 1, stride = stride, bias = FALSE, inputs = "input"
    )
    layers$bn4 <- layer("nn_batch_norm2d")
  }
  layers$add <- layer("torch_add", inputs = c("bn3", if (project) "bn4" else "input"))
  layers$relu3 <- layer("nn_relu")
  do.call(block, c(layers, times = times))
}

stage <- function(width, times, stride) {
  block(first = bottleneck(width, stride, project = TRUE), rest = bottleneck(width, times = times - 1))
}

resnet50 <- function() {
  network(
    input = c(NA, 3, 224, 224),
    conv1 = layer("nn_conv2d", out_channels = 64, kernel_size = 7, stride = 2, padding = 3, bias = FALSE),
    bn1 = layer("nn_batch_norm2d"), relu = layer("nn_relu"),
    pool = layer("nn_max_pool2d", kernel_size = 3, stride = 2, padding = 1),
    stage1 = stage(64, 3, 1), stage2 = stage(128, 4, 2), stage3 = stage(256, 6, 2), stage4 = stage(512, 3, 2),
    avg = layer("nn_adaptive_avg_pool2d", output_size = 1), flatten = layer("nn_flatten"),
    fc = layer("nn_linear", out_features = 1000),
    name = "resnet50"
  )
}

test_that("a network reads top to bottom", {
  net <- network(
    input = c(NA, 3),
    fc1 = layer("nn_linear", out_features = 8),
    relu = layer("nn_relu"),
    fc2 = layer("nn_linear", out_features = 3),
    sum = layer("torch_add", inputs = c("fc2", "input"))
  )
  x <- infer_network(net)
  expect_identical(x$inputs, list(character(), "input", "fc1", "relu", c("fc2", "input")))
  expect_identical(x$shapes_out[[5L]], list(c(NA, 3L)))
  expect_identical(x$params, c(0, 32, 0, 27, 0))
  expect_identical(x$trainable, c(FALSE, TRUE, FALSE, TRUE, FALSE))
  expect_identical(x$bytes, c(12, 32, 32, 12, 12))
})

test_that("ResNet-50 written with blocks has the published totals", {
  x <- infer_network(resnet50())
  # torchvision's documentation of resnet50
  expect_identical(sum(x$params), 25557032)
  expect_identical(round(sum(x$macs) / 1e9, 3L), 4.089)
  truth <- infer_network(read_network(fixture_path("networks", "resnet50.json")), c(NA, 3, 224, 224))
  expect_identical(sort(x$macs), sort(truth$macs))
  expect_identical(sum(x$bytes), sum(truth$bytes))
})

test_that("blocks name their layers, and names are looked for from the inside out", {
  net <- network(
    input = c(NA, 4),
    body = block(
      fc = layer("nn_linear", out_features = 4),
      inner = block(fc = layer("nn_linear", out_features = 4), add = layer("torch_add", inputs = c("fc", "input"))),
      add = layer("torch_add", inputs = c("inner", "fc")),
      times = 2
    ),
    out = layer("torch_add", inputs = c("body", "input"))
  )
  x <- infer_network(net)
  expect_identical(x$id[2:5], c("body.1.fc", "body.1.inner.fc", "body.1.inner.add", "body.1.add"))
  expect_identical(x$block[2:5], c("body/1", "body/1/inner", "body/1/inner", "body/1"))
  expect_identical(x$inputs[[4L]], c("body.1.inner.fc", "body.1.fc"))
  expect_identical(x$inputs[[5L]], c("body.1.inner.add", "body.1.fc"))
  expect_identical(x$inputs[[6L]], "body.1.add")
  expect_identical(x$inputs[[10L]], c("body.2.add", "input"))
})

test_that("several inputs, several outputs and names left out work", {
  net <- network(
    input = list(a = c(NA, 3, 8), b = c(NA, 3, 4)),
    layer("nn_max_pool1d", kernel_size = 2, return_indices = TRUE, inputs = "a"),
    layer("torch_add", inputs = c("max_pool1d:2", "b")),
    layer("nn_relu"), layer("nn_relu")
  )
  x <- infer_network(net)
  expect_identical(x$id, c("a", "b", "max_pool1d", "add", "relu", "relu_1"))
  expect_identical(x$shapes_out[[4L]], list(c(NA, 3L, 4L)))
  x <- infer_network(list(layer("nn_relu"), layer("nn_flatten")), c(NA, 2, 3))
  expect_identical(x$shapes_out[[3L]], list(c(NA, 6L)))
})

test_that("a written network reads as the same network", {
  file <- tempfile(fileext = ".json")
  on.exit(unlink(file))
  for (net in list(resnet50(), read_network(fixture_path("networks", "densenet121.json")))) {
    expect_invisible(write_network(net, file))
    expect_identical(infer_network(read_network(file), net$input), infer_network(net))
    again <- read_network(file)
    write_network(again, file)
    expect_identical(read_network(file), again)
  }
  odd <- network(
    input = list(x = c(NA, 3), y = integer(2) + 3L),
    w = layer("parameter", shape = c(3, 3)),
    pool = layer("nn_adaptive_avg_pool1d", output_size = NA, inputs = "x"),
    name = "with \"quotes\" and\nlines"
  )
  write_network(odd, file)
  expect_identical(read_network(file)$name, odd$name)
  expect_identical(read_network(file)$input, odd$input)
  expect_error(write_network(odd, file.path(tempdir(), "no such folder", "a")), class = "torchshape_error_argument")
  expect_error(write_network(1, file), class = "torchshape_error_type")
})

test_that("what is written wrong is told", {
  expect_snapshot(error = TRUE, {
    network(input = c(NA, 3), a = 1)
    network(input = c(NA, 3), a = layer("nn_relu"), a = layer("nn_relu"))
    network(input = list(c(NA, 3), c(NA, 3)))
    network(input = list(a = 3, b = 3), layer("nn_relu"))
    network(input = "a")
    layer(3)
    layer("nn_relu", inputs = 3)
    block(a = layer("nn_relu"), times = 0)
    infer_network(list(layer("nn_relu")))
    infer_network(network(input = c(NA, 3), a = layer("nn_relu", inputs = "b"), bb = layer("nn_relu")))
    infer_network(network(
      input = c(NA, 3, 32, 32),
      conv = layer("nn_conv2d", out_channels = 8, kernel_size = 3),
      head = block(flatten = layer("nn_flatten"), fc1 = layer("nn_linear", in_features = 1152, out_features = 10))
    ))
    infer_network(network(
      input = c(NA, 3, 32, 32),
      a = layer("nn_conv2d", out_channels = 8, kernel_size = 3),
      b = layer("nn_conv2d", out_channels = 8, kernel_size = 5, inputs = "input"),
      sum = layer("torch_add", inputs = c("a", "b"))
    ))
  })
})
