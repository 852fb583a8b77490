lenet <- function() {
  network(
    input = c(NA, 1, 28, 28),
    conv1 = layer("nn_conv2d", out_channels = 6, kernel_size = 5, padding = 2), relu1 = layer("nn_relu"),
    pool1 = layer("nn_avg_pool2d", kernel_size = 2),
    skip = layer("torch_cat", dim = 2, inputs = c("pool1", "pool1")),
    head = block(flatten = layer("nn_flatten"), fc = layer("nn_linear", out_features = 10)),
    name = "LeNet"
  )
}

plot_to <- function(device, x, ...) {
  skip_if_not_installed("igraph")
  file <- tempfile()
  on.exit(unlink(file))
  device(file)
  before <- graphics::par(no.readonly = TRUE)
  plot(x, ...)
  after <- graphics::par(no.readonly = TRUE)
  grDevices::dev.off()
  expect_identical(after[c("mar", "xpd")], before[c("mar", "xpd")])
  expect_gt(file.size(file), 1000)
}

test_that("a network is drawn on any device", {
  x <- infer_network(lenet())
  plot_to(grDevices::pdf, x)
  plot_to(grDevices::postscript, x)
  plot_to(grDevices::pdf, infer_network(read_network(fixture_path("networks", "resnet18.json"))))
  plot_to(grDevices::pdf, x[1, ])
  plot_to(grDevices::pdf, x, depth = 0, merge = FALSE, main = "no blocks")
  expect_error(plot(x[0, ]), class = "torchshape_error_argument")
})

test_that("boxes hold a layer with what follows in it, arrows go from box to box", {
  x <- infer_network(lenet())
  boxes <- plot_boxes(x, NULL, TRUE)
  expect_identical(boxes$box_of, c(1L, 2L, 2L, 3L, 4L, 5L, 6L))
  expect_identical(boxes$text[[2L]], c("conv1", "nn_conv2d, nn_relu", "(NA,6,28,28)"))
  expect_identical(boxes$text[[5L]], c("flatten", "nn_flatten", "(NA,2352)"))
  expect_identical(boxes$frame, c("", "", "", "", "head", "head"))
  edges <- plot_edges(x, boxes$box_of)
  expect_identical(edges$from, 1:5)
  expect_identical(edges$to, 2:6)
  folded <- plot_boxes(x, 0L, FALSE)
  expect_identical(folded$text[[6L]], c("head", "2 layers", "(NA,10)"))
})
