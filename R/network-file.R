#' Network files
#'
#' A network file is JSON: an object with the `name` of the network, the shape of its `input` (`null` is an unknown
#' size; an array of shapes where there are several inputs) and its `nodes`. A node has an `id`, an operator `op` as
#' [shapes_out()] takes it (or `"input"`, or `"parameter"` for a learned tensor of size `args$shape`), the
#' operator's `args`, and as `inputs` the ids of the nodes it takes; `"id:2"` is the second output of a node. It may
#' have a `block`. Other fields are left alone.
#'
#' @param file (`character(1)`)\cr
#'   The path of the file.
#' @param net (`network`)\cr
#'   A network.
#'
#' @return `read_network()` a `network`: a list of `name`, `input` (a list of shapes) and `nodes`. `write_network()` the
#'   network, invisibly; what it has written reads as the same network.
#'
#' @section Errors:
#' `torchshape_error_argument` where the file cannot be read or written or holds no network; the message tells the
#' line or the node.
#'
#' @family networks
#' @examples
#' resnet18 <- read_network(system.file("networks", "resnet18.json", package = "torchshape"))
#' resnet18
#'
#' file <- tempfile(fileext = ".json")
#' write_network(resnet18, file)
#' identical(infer_network(read_network(file)), infer_network(resnet18))
#' @export
read_network <- function(file) {
  structure(.Call(wrap__read_network_file, expanded_path(file)), class = "network")
}

#' @rdname read_network
#' @export
write_network <- function(net, file) {
  if (!inherits(net, "network")) {
    problem <- sprintf("write_network() needs a network for argument 'net', not a %s.", class(net)[1L])
    abort("type", problem, argument = "net")
  }
  .Call(wrap__write_network_file, unclass(net), expanded_path(file))
  invisible(net)
}

# Only a path that has something to expand: R warns of very long ones.
expanded_path <- function(file) {
  if (is.character(file) && length(file) == 1L && startsWith(file, "~") %in% TRUE) path.expand(file) else file
}
