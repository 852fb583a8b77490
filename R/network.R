#' Read a network from a file
#'
#' A network file is JSON: an object with the `name` of the network, the shape of its `input` (`null` is an unknown
#' size; an array of shapes where there are several inputs) and its `nodes`. A node has an `id`, an operator `op` as
#' [shapes_out()] takes it (or `"input"`, or `"parameter"` for a learned tensor of size `args$shape`), the
#' operator's `args`, and as `inputs` the ids of the nodes it takes; `"id:2"` is the second output of a node. Other
#' fields are left alone.
#'
#' @param file (`character(1)`)\cr
#'   The path of the file.
#'
#' @return A `network`: a list of `name`, `input` (a list of shapes) and `nodes`.
#'
#' @section Errors:
#' `torchshape_error_argument` where the file cannot be read or holds no network; the message tells the line or the
#' node.
#'
#' @examples
#' resnet18 <- read_network(system.file("networks", "resnet18.json", package = "torchshape"))
#' resnet18
#' @export
read_network <- function(file) {
  # only a path that has something to expand: R warns of very long ones
  if (is.character(file) && length(file) == 1L && startsWith(file, "~") %in% TRUE) {
    file <- path.expand(file)
  }
  structure(.Call(wrap__read_network_file, file), class = "network")
}

#' The shapes of every layer of a network
#'
#' Works out what shape every node of a network gives, how many parameters it learns and how many multiply-adds it
#' takes, without a tensor and with sizes that are still unknown.
#'
#' @param x A network, as [read_network()] gives it.
#' @param input (`integer()`, `list()` or `NULL`)\cr
#'   The shape of the network's input, or a list of shapes in the order or under the names of its inputs. `NULL`
#'   takes what the network says itself.
#'
#' @return A data frame of class `network_shapes` with one row a node: `id`, `op`, `inputs` (a list of ids),
#'   `shapes_in` and `shapes_out` (lists of lists of shapes), `params` (the number of learned parameters) and `macs`
#'   (multiply-adds, bias left out, for the input as given; with an unknown batch they are per observation, and `NA`
#'   where they depend on another unknown size).
#'
#' @section Errors:
#' The errors of [shapes_out()]; they name the layer and the way there.
#'
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
  abort("type", paste0("infer_network() needs a network for argument 'x', not a ", class(x)[1L], "."), argument = "x")
}

#' @export
infer_network.network <- function(x, input = NULL) {
  x <- unclass(x)
  nodes <- .Call(wrap__infer_nodes, x$nodes, if (is.null(input)) x$input else input)
  new_network_shapes(nodes, x$name)
}

new_network_shapes <- function(columns, name = NULL) {
  structure(
    columns,
    class = c("network_shapes", "data.frame"),
    row.names = .set_row_names(length(columns$id)),
    network = name
  )
}

#' @export
as.data.frame.network_shapes <- function(x, ...) {
  attr(x, "network") <- NULL
  class(x) <- "data.frame"
  x
}
