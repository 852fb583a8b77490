#' Write a network down
#'
#' A network reads top to bottom: a layer takes what the one before it gives, unless `inputs` names others.
#' `block()` groups layers, and repeats them.
#'
#' @section Names:
#' A layer is called as its argument is; one without a name is called after its operator. In a block the names of
#' its own layers come first, then those of the blocks around it; `"input"` is what comes into the block, and a
#' block's name stands for its last layer. In the table of the whole network a layer in a block is called
#' `block.layer`, in the second of several repetitions `block.2.layer`. `"name:2"` is the second output of a layer.
#'
#' @param input (`integer()` or `list()`)\cr
#'   The shape of the network's input, which is then called `"input"`; or a named list of shapes where there are
#'   several.
#' @param ... (`layer()` or `block()`)\cr
#'   For `network()` and `block()` the layers, in their order. For `layer()` the arguments of the operator by name.
#' @param name (`character(1)` or `NULL`)\cr
#'   The name of the network.
#' @param op (`character(1)`)\cr
#'   The operator, as [shapes_out()] takes it; `"parameter"` for a learned tensor of size `shape`.
#' @param inputs (`character()` or `NULL`)\cr
#'   The names of the layers that it takes; `NULL` is the one before.
#' @param trainable (`logical(1)`)\cr
#'   Whether its parameters learn.
#' @param times (`integer(1)`)\cr
#'   How often the block is repeated, one after the other.
#'
#' @return `network()` a network: a list of class `network` with `name`, `input` (a list of shapes) and `nodes`.
#'   `layer()` and `block()` what it is made of.
#'
#' @section Errors:
#' `torchshape_error_argument` for names that are missing or used twice and for what is no layer. Whether the layers
#' fit is found by [infer_network()].
#'
#' @family networks
#' @examples
#' # LeNet-5
#' lenet <- network(
#'   input = c(NA, 1, 28, 28),
#'   conv1 = layer("nn_conv2d", out_channels = 6, kernel_size = 5, padding = 2),
#'   tanh1 = layer("nn_tanh"),
#'   pool1 = layer("nn_avg_pool2d", kernel_size = 2),
#'   conv2 = layer("nn_conv2d", out_channels = 16, kernel_size = 5),
#'   tanh2 = layer("nn_tanh"),
#'   pool2 = layer("nn_avg_pool2d", kernel_size = 2),
#'   flatten = layer("nn_flatten"),
#'   fc1 = layer("nn_linear", out_features = 120),
#'   fc2 = layer("nn_linear", out_features = 84),
#'   fc3 = layer("nn_linear", out_features = 10)
#' )
#' infer_network(lenet)
#'
#' # a block with a skip connection, twice
#' residual <- network(
#'   input = c(NA, 64, NA, NA),
#'   stage = block(
#'     conv = layer("nn_conv2d", out_channels = 64, kernel_size = 3, padding = 1),
#'     relu = layer("nn_relu"),
#'     add = layer("torch_add", inputs = c("relu", "input")),
#'     times = 2
#'   )
#' )
#' infer_network(residual)
#' @export
network <- function(input, ..., name = NULL) {
  check_argument(is_text_or_null(name), "network", "name", "one text or NULL")
  shapes <- if (is.list(input) && !is.object(input)) input else list(input = input)
  if (is.null(names(shapes)) || !all(nzchar(names(shapes))) || anyDuplicated(names(shapes))) {
    abort("argument", "network() needs a name of its own for each of several inputs.", argument = "input")
  }
  shapes <- assert_shapes(shapes)
  input_nodes <- lapply(names(shapes), function(id) {
    list(id = id, op = "input", args = list(), inputs = character(), block = "", trainable = FALSE)
  })
  last <- if (length(shapes) == 1L) names(shapes)
  made <- expand_layers(list(...), scope = list(names = as.list(stats::setNames(nm = names(shapes))), last = last))
  nodes <- c(input_nodes, made$nodes)
  ids <- vapply(nodes, `[[`, "", "id")
  if (anyDuplicated(ids)) {
    twice <- ids[duplicated(ids)][1L]
    abort("argument", sprintf("network() has two layers called '%s'.", single_line(twice)), id = twice)
  }
  structure(list(name = name, input = unname(shapes), nodes = nodes), class = "network")
}

#' @rdname network
#' @export
layer <- function(op, ..., inputs = NULL, trainable = TRUE) {
  if (!is_one(op, is.character)) {
    abort("argument", "layer() needs the name of an operator for argument 'op'.", argument = "op")
  }
  if (!is.null(inputs) && (!is.character(inputs) || anyNA(inputs))) {
    abort("argument", "layer() needs names of layers for argument 'inputs'.", argument = "inputs", op = op)
  }
  if (!is_one(trainable, is.logical)) {
    abort("argument", "layer() needs TRUE or FALSE for argument 'trainable'.", argument = "trainable", op = op)
  }
  structure(list(op = op, args = list(...), inputs = inputs, trainable = trainable), class = "network_layer")
}

#' @rdname network
#' @export
block <- function(..., inputs = NULL, times = 1) {
  if (!is.numeric(times) || length(times) != 1L || !times %in% seq_len(10000L)) {
    abort("argument", "block() needs a whole number from 1 to 10000 for argument 'times'.", argument = "times")
  }
  if (!is.null(inputs) && !is_one(inputs, is.character)) {
    abort("argument", "block() needs the name of one layer for argument 'inputs'.", argument = "inputs")
  }
  structure(list(layers = list(...), inputs = inputs, times = as.integer(times)), class = "network_block")
}

# The nodes of layers within a scope: the ids that names stand for, the id that comes in, and the block it is in.
expand_layers <- function(layers, scope, block = "") {
  layers <- named_layers(layers)
  local <- list(names = scope$names, last = scope$last)
  nodes <- vector("list", length(layers))
  for (i in seq_along(layers)) {
    name <- names(layers)[i]
    id <- if (nzchar(block)) paste0(gsub("/", ".", block, fixed = TRUE), ".", name) else name
    x <- layers[[i]]
    if (inherits(x, "network_layer")) {
      inputs <- layer_inputs(x, local, id)
      nodes[[i]] <- list(list(
        id = id, op = x$op, args = x$args, inputs = inputs, block = block, trainable = x$trainable
      ))
      made <- id
    } else {
      into <- if (is.null(x$inputs)) local$last else look_up(x$inputs, local$names)
      inner <- expand_block(x, into, local$names, if (nzchar(block)) paste0(block, "/", name) else name)
      nodes[[i]] <- inner$nodes
      made <- inner$last
    }
    # a name stands for what was written last under it, and "input" within a block for what comes in
    local$names[[name]] <- made
    local$last <- made
  }
  list(nodes = unlist(nodes, recursive = FALSE), last = local$last)
}

expand_block <- function(x, into, names, path) {
  nodes <- vector("list", x$times)
  for (time in seq_len(x$times)) {
    names[["input"]] <- into
    inner <- expand_layers(
      x$layers,
      scope = list(names = names, last = into),
      block = if (x$times == 1L) path else paste0(path, "/", time)
    )
    nodes[[time]] <- inner$nodes
    into <- inner$last
  }
  list(nodes = unlist(nodes, recursive = FALSE), last = into)
}

layer_inputs <- function(x, local, id) {
  if (!is.null(x$inputs)) {
    return(vapply(x$inputs, look_up, "", names = local$names, USE.NAMES = FALSE))
  }
  if (identical(x$op, "parameter")) {
    return(character())
  }
  if (is.null(local$last)) {
    abort("argument", sprintf(
      "Layer '%s' (%s) comes after several inputs: say with inputs = which it takes.", single_line(id), x$op
    ), id = id, op = x$op)
  }
  local$last
}

# The id that a name stands for, with the number of its output; a name that stands for nothing is left to be reported.
look_up <- function(reference, names) {
  if (!is.null(names[[reference]])) {
    return(names[[reference]])
  }
  output <- regmatches(reference, regexpr(":[0-9]+$", reference))
  name <- sub(":[0-9]+$", "", reference)
  if (is.null(names[[name]])) reference else paste0(names[[name]], output)
}

# Layers without a name are called after their operator.
named_layers <- function(layers) {
  ok <- vapply(layers, inherits, logical(1L), c("network_layer", "network_block"))
  if (!all(ok)) {
    at <- which(!ok)[1L]
    class <- class(layers[[at]])[1L]
    abort("type", sprintf("A network is made of layer() and block(), but element %i is a %s.", at, class))
  }
  given <- names(layers)
  if (is.null(given)) {
    given <- character(length(layers))
  }
  given[is.na(given)] <- ""
  short <- vapply(layers, function(x) if (is.null(x$op)) "block" else sub("^(nn|nnf|torch|trafo)_", "", x$op), "")
  open <- !nzchar(given)
  given[open] <- make.unique(c(given[!open], short[open]), sep = "_")[sum(!open) + seq_len(sum(open))]
  twice <- given[duplicated(given)]
  if (length(twice)) {
    abort("argument", sprintf("A network has two layers called '%s'.", single_line(twice[1L])), id = twice[1L])
  }
  stats::setNames(layers, given)
}
