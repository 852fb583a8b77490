# What the shape helpers cost, as ratios within one run: against an R closure around an empty .Call, and against the
# same helpers in plain R. Writes bench/results/shapes.csv. Run with `make bench`.
library(torchshape)

routine <- getNativeSymbolInfo("wrap__nothing", getNamespaceInfo("torchshape", "DLLs")[["torchshape"]])
empty_call <- function(x, y = NULL) .Call(routine, x, y)

plain_broadcast_shapes <- function(shapes, id = NULL) {
  rows <- do.call(rbind, shapes)
  out <- integer(ncol(rows))
  for (i in seq_len(ncol(rows))) {
    known <- unique(rows[!is.na(rows[, i]), i])
    other <- known[known != 1L]
    if (length(other) > 1L) stop(sprintf("cannot broadcast dimension %i", i))
    out[i] <- if (length(other)) other else if (anyNA(rows[, i])) NA_integer_ else 1L
  }
  out
}

plain_resolve_dim <- function(dim, shape, insert = FALSE) {
  ifelse(dim < 0, length(shape) + insert + 1L + dim, dim)
}

plain_shape_to_str <- function(x) {
  sprintf("(%s)", paste(ifelse(is.na(x), "NA", format(x, scientific = FALSE, trim = TRUE)), collapse = ","))
}

two_shapes <- list(c(NA, 1L, 8L), c(NA, 6L, 8L))
shape <- c(NA, 3L, 8L)
stopifnot(
  identical(plain_broadcast_shapes(two_shapes), broadcast_shapes(two_shapes)),
  identical(plain_resolve_dim(-1L, shape), resolve_dim(-1L, shape)),
  identical(plain_shape_to_str(shape), shape_to_str(shape))
)

chain <- function(n) {
  layer <- function(i) {
    list(
      id = paste0("layer", i), op = "nn_conv2d", args = list(out_channels = 64L, kernel_size = 3L, padding = 1L),
      inputs = if (i == 1L) "x" else paste0("layer", i - 1L)
    )
  }
  input <- list(id = "x", op = "input", args = list(), inputs = character())
  nodes <- c(list(input), lapply(seq_len(n), layer))
  structure(list(name = NULL, input = list(c(NA, 64L, 32L, 32L)), nodes = nodes), class = "network")
}

resnet18 <- read_network(system.file("networks", "resnet18.json", package = "torchshape"))
chain_1000 <- chain(1000L)
chain_10000 <- chain(10000L)

# name = list(what is run, how often in one timing)
cases <- list(
  empty_call = list(function() empty_call(two_shapes), 20000L),
  broadcast_shapes = list(function() broadcast_shapes(two_shapes), 20000L),
  resolve_dim = list(function() resolve_dim(-1L, shape), 20000L),
  shape_to_str = list(function() shape_to_str(shape), 20000L),
  plain_broadcast_shapes = list(function() plain_broadcast_shapes(two_shapes), 2000L),
  plain_resolve_dim = list(function() plain_resolve_dim(-1L, shape), 5000L),
  plain_shape_to_str = list(function() plain_shape_to_str(shape), 2000L),
  shapes_out_conv2d = list(
    function() {
      shapes_out("nn_conv2d", list(c(NA, 3L, 224L, 224L)), list(out_channels = 64L, kernel_size = 7L, stride = 2L))
    },
    5000L
  ),
  infer_resnet18 = list(function() infer_network(resnet18), 50L),
  infer_chain_1000 = list(function() infer_network(chain_1000), 20L),
  infer_chain_10000 = list(function() infer_network(chain_10000), 2L)
)

# What the loop itself costs is taken off.
seconds <- function(f, times) {
  gc(FALSE)
  start <- proc.time()[["elapsed"]]
  for (i in seq_len(times)) f()
  elapsed <- proc.time()[["elapsed"]] - start
  start <- proc.time()[["elapsed"]]
  for (i in seq_len(times)) nothing()
  (elapsed - (proc.time()[["elapsed"]] - start)) / times
}
nothing <- function() NULL

rounds <- 15L
timings <- replicate(rounds, vapply(cases, function(case) seconds(case[[1L]], case[[2L]]), numeric(1L)))
medians <- apply(timings, 1L, stats::median)
# ratios are taken within each round, then their median
ratio <- function(name, base) stats::median(timings[name, ] / timings[base, ])

results <- data.frame(
  case = names(cases),
  median_us = signif(medians * 1e6, 4L),
  ratio_to_empty_call = signif(vapply(names(cases), ratio, numeric(1L), base = "empty_call"), 3L),
  row.names = NULL
)
dir.create("bench/results", showWarnings = FALSE, recursive = TRUE)
utils::write.csv(results, "bench/results/shapes.csv", row.names = FALSE, quote = FALSE)
print(results)

cat("\n", R.version.string, ", ", rounds, " interleaved rounds\n", sep = "")
for (helper in c("broadcast_shapes", "resolve_dim", "shape_to_str")) {
  plain <- paste0("plain_", helper)
  cat(sprintf("%-17s %5.2f x an empty .Call, %6.1f x faster than plain R\n",
    helper, ratio(helper, "empty_call"), ratio(plain, helper)))
}
cat(sprintf("10,000 layers take %.1f x the time of 1,000; %.2f us a layer\n",
  ratio("infer_chain_10000", "infer_chain_1000"), medians[["infer_chain_10000"]] / 1e4 * 1e6))
