#' The shapes of every layer of a network
#'
#' Works out what shape every node of a network gives, how many parameters it learns and how many multiply-adds it
#' takes, without a tensor and with sizes that are still unknown.
#'
#' @section Multiply-adds and parameters:
#' A multiply-add counts once, and bias is left out.
#'
#' * Convolution: elements of the output x w, where w is in_channels / groups x kernel; out_channels x w + out_channels
#'   parameters.
#' * Transposed convolution: elements of the input x w, where w is out_channels / groups x kernel; in_channels x w +
#'   out_channels parameters.
#' * Linear: elements of the output x in_features; out_features x in_features + out_features parameters.
#' * Products of matrices and einsum: elements of the output x the sizes summed over; no parameters.
#' * Recurrent layers and attention: the products of matrices they are made of, each time step or position once.
#'
#' The last term of the parameters is the bias. Source: the definitions of the operators at
#' <https://docs.pytorch.org/docs/stable/nn.html>.
#'
#' @param x A network, as [network()] and [read_network()] give it, or a plain list of [layer()]s.
#' @param input (`integer()`, `list()` or `NULL`)\cr
#'   The shape of the network's input, or a list of shapes in the order or under the names of its inputs. `NULL`
#'   takes what the network says itself.
#'
#' @return A data frame of class `network_shapes` with one row a node: `id`, `op`, `block` (`""` outside of blocks),
#'   `inputs` (a list of ids), `shapes_in` and `shapes_out` (lists of lists of shapes), `params` (the number of
#'   parameters), `macs` (multiply-adds for the input as given), `bytes` (of the outputs, as 32-bit floats) and
#'   `trainable` (whether it has parameters that learn). With an unknown batch `macs` and `bytes` are per
#'   observation; they are `NA` where they depend on another unknown size.
#'
#' @section Errors:
#' The errors of [shapes_out()]; they name the layer, its block, what came in from which layer, and the way there.
#'
#' @family networks
#' @examples
#' resnet18 <- read_network(system.file("networks", "resnet18.json", package = "torchshape"))
#' shapes <- infer_network(resnet18, input = c(NA, 3, 224, 224))
#' head(as.data.frame(shapes)[c("id", "op", "params", "macs")])
#' sum(shapes$params)
#' @export
infer_network <- function(x, input = NULL) {
  UseMethod("infer_network")
}

#' @export
infer_network.default <- function(x, input = NULL) {
  abort("type", sprintf("infer_network() needs a network for argument 'x', not a %s.", class(x)[1L]), argument = "x")
}

#' @export
infer_network.network <- function(x, input = NULL) {
  x <- network_parts(x)
  if (is.null(input)) {
    input <- x$input
  }
  columns <- .Call(wrap__infer_nodes, x$nodes, input)
  frozen <- vapply(x$nodes, function(node) identical(node[["trainable"]], FALSE), logical(1L))
  columns$trainable <- !frozen & !columns$params %in% 0
  new_network_shapes(columns, x$name, has_unknown_batch(columns))
}

# What a network holds, of one that somebody may have made by hand.
network_parts <- function(x) {
  x <- unclass(x)
  if (!is.list(x)) {
    abort("type", "A network is a list of name, input and nodes.", argument = "x")
  }
  x
}

#' @export
infer_network.list <- function(x, input = NULL) {
  if (is.object(x)) {
    return(infer_network.default(x, input))
  }
  if (is.null(input)) {
    abort("argument", "infer_network() needs the shape of the input of a list of layers.", argument = "input")
  }
  infer_network(do.call(network, c(list(input = input), x), quote = TRUE))
}

new_network_shapes <- function(columns, name, per_observation) {
  structure(
    columns,
    class = c("network_shapes", "data.frame"),
    row.names = .set_row_names(length(columns$id)),
    network = name,
    per_observation = per_observation
  )
}

# Whether an input of the network has a batch that is not known.
has_unknown_batch <- function(columns) {
  shapes <- unlist(columns$shapes_out[columns$op == "input"], recursive = FALSE)
  any(vapply(shapes, function(shape) length(shape) > 0L && is.na(shape[1L]), logical(1L)))
}

#' @export
as.data.frame.network_shapes <- function(x, ...) {
  attr(x, "network") <- NULL
  attr(x, "per_observation") <- NULL
  class(x) <- "data.frame"
  x
}

#' @export
`[.network_shapes` <- function(x, ...) {
  out <- NextMethod()
  whole <- is.data.frame(out) && all(table_columns %in% names(out))
  if (!whole) {
    return(if (is.data.frame(out)) as.data.frame.network_shapes(out) else out)
  }
  attr(out, "network") <- attr(x, "network")
  attr(out, "per_observation") <- attr(x, "per_observation")
  out
}

# The columns without which it is no table of a network.
table_columns <- c(
  "id", "op", "block", "inputs", "shapes_in", "shapes_out", "params", "macs", "bytes", "trainable"
)
