# Anything at all passed to an exported function gives an answer or a torchshape_error.

odd_values <- function() {
  nested <- list(1)
  for (i in 1:50) nested <- list(nested)
  list(
    NULL, NA, NA_integer_, NA_real_, NA_character_, NA_complex_, NaN, Inf, -Inf, 0, -0, 1, -1, 1.5, -12, 2^31, -2^31,
    2^53, 2^53 + 2, 1e10, 1e300, .Machine$integer.max, -.Machine$integer.max, 1i, TRUE, FALSE, c(TRUE, NA), "", "a",
    "\"quo'te\n%s%n", strrep("x", 1e5), c("a", NA), letters, enc2native("\u00fc"), "\xff", raw(2), as.raw(255),
    integer(), double(), logical(), character(), complex(), raw(), list(), factor("a"), factor(character()),
    Sys.Date(), as.POSIXct("2020-01-01", tz = "UTC"), as.POSIXlt("2020-01-01", tz = "UTC"), data.frame(a = 1:2),
    data.frame(), matrix(1:4, 2), array(1:8, c(2, 2, 2)), list(1, "a"), list(NULL), list(list(list())), nested,
    list(a = 1, a = 2), list(NA, c(NA, 3)), list(c(1, -1)), sum, `if`, function(x) x, quote(x), quote(x + y), ~x,
    expression(a), globalenv(), new.env(), 1:1e9, -1e9:1e9, as.character(1:10), rep(1L, 1e5), seq_len(300),
    methods::new("numeric"), odd_s4(), odd_pointer(), structure(1, class = "odd"), structure(list(1), class = "odd"),
    structure(1:2, names = c("a", NA)), pairlist(a = 1), as.name("a"), bquote(), .Machine
  )
}

odd_s4 <- function() {
  methods::setClass("OddClass", representation(x = "numeric"), where = environment(odd_s4))
  on.exit(methods::removeClass("OddClass", where = environment(odd_s4)))
  methods::new("OddClass", x = 1)
}

odd_pointer <- function() {
  getNativeSymbolInfo("wrap__shape_to_str", getNamespaceInfo("torchshape", "DLLs")[["torchshape"]])$address
}

# A call of each function that works, from which one argument at a time is replaced.
working_calls <- function() {
  network <- read_network(system.file("networks", "resnet18.json", package = "torchshape"))
  list(
    align_shapes = list(x = c(NA, 3), y = 3),
    assert_dim_in_range = list(dim = -1, true_dim = 2, shape = c(NA, 3), id = "a"),
    assert_known_dims = list(shape = c(NA, 3), dims = 2, what = "it", id = "a"),
    assert_ndim = list(shape = c(NA, 3), ndim = 2, id = "a", min = 1, max = 3),
    assert_not_batch_dim = list(dim = 2, shape = c(NA, 3), id = "a"),
    assert_positive_extent = list(extent = 3, shape_in = c(NA, 3), id = "a"),
    assert_same_batch_size = list(shapes = list(c(NA, 3), 5), id = "a"),
    assert_same_ndim = list(shapes = list(3, 5), id = "a"),
    assert_shape = list(shape = 3, null_ok = FALSE, coerce = TRUE, unknown_batch = FALSE, len = 1),
    assert_shapes = list(shapes = list(a = 3), coerce = TRUE, named = TRUE, null_ok = FALSE, unknown_batch = FALSE),
    block = list(a = layer("nn_relu"), inputs = "input", times = 1),
    broadcast_shapes = list(shapes = list(c(NA, 1), c(NA, 6)), id = "a"),
    expand_shape = list(shape = c(NA, 1), size = c(2, 3)),
    infer_network = list(x = network, input = c(NA, 3, 224, 224)),
    infer_shapes = list(
      shapes_in = list(c(NA, 3)), param_vals = list(), output_names = "out", fn = identity, rowwise = FALSE, id = "a"
    ),
    is_broadcastable = list(x = c(NA, 3), y = 3),
    layer = list(op = "nn_relu", inputs = "a", trainable = TRUE),
    network = list(input = c(NA, 3), a = layer("nn_relu"), name = "a"),
    read_network = list(file = system.file("networks", "resnet18.json", package = "torchshape")),
    reshape_output_shape = list(shape_in = c(NA, 3, 4), shape = c(-1, 12), id = "a"),
    resolve_dim = list(dim = -1, shape = c(NA, 3), insert = FALSE),
    shape_ops = list(),
    shape_to_str = list(x = c(NA, 3)),
    shapes_out = list(op = "nn_linear", shapes_in = list(c(NA, 3)), params = list(out_features = 2), id = "a"),
    write_network = list(net = network, file = tempfile()),
    wrap_index = list(shape = c(3, 1), index = c(2, 5))
  )
}

test_that("every exported function has a working call here", {
  expect_setequal(names(working_calls()), getNamespaceExports("torchshape"))
})

test_that("odd values give an answer or a torchshape_error, soon", {
  values <- odd_values()
  expect_gte(length(values), 60L)
  # some odd values are good names of files
  folder <- tempfile()
  dir.create(folder)
  old <- setwd(folder)
  on.exit({
    setwd(old)
    unlink(folder, recursive = TRUE)
  })
  calls <- working_calls()
  for (name in names(calls)) {
    f <- getExportedValue("torchshape", name)
    for (argument in names(calls[[name]])) {
      for (i in seq_along(values)) {
        args <- calls[[name]]
        args[argument] <- list(values[[i]])
        outcome <- tryCatch(
          {
            do.call(f, args, quote = TRUE)
            "an answer"
          },
          torchshape_error = function(error) if (nzchar(conditionMessage(error))) "an answer" else "no message",
          error = function(error) paste("a raw error:", conditionMessage(error))
        )
        expect_identical(outcome, "an answer", info = paste0(name, "(", argument, " = value ", i, ")"))
      }
    }
  }
})

test_that("odd arguments of operators give an answer or a torchshape_error", {
  values <- odd_values()
  calls <- list(
    nn_conv2d = list(
      in_channels = 3, out_channels = 4, kernel_size = 3, stride = 1, padding = 0, dilation = 1, groups = 1,
      bias = TRUE, padding_mode = "zeros"
    ),
    nn_max_pool2d = list(
      kernel_size = 2, stride = 2, padding = 0, dilation = 1, return_indices = FALSE, ceil_mode = TRUE
    ),
    nn_adaptive_avg_pool2d = list(output_size = c(NA, 3)),
    torch_cat = list(dim = 1),
    torch_flatten = list(start_dim = 1, end_dim = -1)
  )
  for (op in names(calls)) {
    for (argument in names(calls[[op]])) {
      for (i in seq_along(values)) {
        params <- calls[[op]]
        params[argument] <- list(values[[i]])
        outcome <- tryCatch(
          is.list(shapes_out(op, list(c(NA, 3, 8, 8)), params)),
          torchshape_error = function(error) TRUE,
          error = function(error) conditionMessage(error)
        )
        expect_true(outcome, info = paste0(op, "(", argument, " = value ", i, ")"))
      }
    }
  }
})

test_that("odd arguments of methods and broken networks give an answer or a torchshape_error", {
  skip_if_not_installed("igraph")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  x <- infer_network(network(input = c(NA, 3), fc = layer("nn_linear", out_features = 2)))
  calls <- list(
    width = function(v) format(x, width = v), depth = function(v) format(x, depth = v),
    plot_depth = function(v) plot(x, depth = v), merge = function(v) plot(x, merge = v),
    main = function(v) plot(x, main = v), name = function(v) network(input = 3, layer("nn_relu"), name = v),
    times = function(v) block(layer("nn_relu"), times = v),
    network = function(v) infer_network(structure(if (is.null(v)) list() else v, class = "network")),
    nodes = function(v) infer_network(structure(list(nodes = v, input = 3), class = "network")),
    returned = function(v) infer_shapes(list(c(NA, 3)), list(), "out", function(x) v, FALSE, "a")
  )
  values <- list(
    NULL, character(), data.frame(a = 1), 1e10, -1, NaN, NA, Inf, "a", list(list(1)), factor("a"),
    array(1, rep(1, 70)), array(0, c(0, 3)), 1:1e9
  )
  for (name in names(calls)) {
    for (i in seq_along(values)) {
      outcome <- tryCatch(
        {
          calls[[name]](values[[i]])
          "an answer"
        },
        torchshape_error = function(error) "an answer",
        error = conditionMessage
      )
      expect_identical(outcome, "an answer", info = paste0(name, " = value ", i))
    }
  }
})

test_that("an error leaves R as it was", {
  for (i in 1:200) {
    try(broadcast_shapes(list(1:2, 1:3)), silent = TRUE)
  }
  expect_identical(broadcast_shapes(list(c(NA, 1), c(NA, 6))), c(NA, 6L))
})
