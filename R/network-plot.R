#' Draw the shapes of a network
#'
#' Layers as boxes with their name, operator and output shape, and an arrow with its shape for every tensor that one
#' gives to another. Blocks are framed, or one box each where the network is long. Layers that keep the shape of the
#' one before and multiply nothing, such as normalisations and activations, are drawn in its box.
#'
#' The layout is that of Sugiyama, Tagawa and Toda (1981), by [igraph](https://r.igraph.org); arrows over several
#' layers go around the boxes between. The drawing fills the device: give a long network a tall one.
#'
#' @param x What [infer_network()] returns.
#' @param depth (`numeric(1)` or `NULL`)\cr
#'   How many levels of blocks are opened; `NULL` as many as give at most 24 boxes, `Inf` all.
#' @param merge (`logical(1)`)\cr
#'   Whether layers that keep the shape of the one before are drawn in its box.
#' @param main (`character(1)` or `NULL`)\cr
#'   The title; `NULL` takes the name of the network.
#' @param ... Not used.
#'
#' @return `x`, invisibly.
#' @family networks
#' @examplesIf requireNamespace("igraph", quietly = TRUE)
#' lenet <- network(
#'   input = c(NA, 1, 28, 28),
#'   conv1 = layer("nn_conv2d", out_channels = 6, kernel_size = 5, padding = 2), relu1 = layer("nn_relu"),
#'   pool1 = layer("nn_avg_pool2d", kernel_size = 2),
#'   conv2 = layer("nn_conv2d", out_channels = 16, kernel_size = 5), relu2 = layer("nn_relu"),
#'   pool2 = layer("nn_avg_pool2d", kernel_size = 2),
#'   head = block(flatten = layer("nn_flatten"), fc = layer("nn_linear", out_features = 10)),
#'   name = "LeNet"
#' )
#' plot(infer_network(lenet))
#' @export
plot.network_shapes <- function(x, ..., depth = NULL, merge = TRUE, main = NULL) {
  check_argument(is_depth(depth), "plot", "depth", "one number >= 0 or NULL")
  check_argument(is_one(merge, is.logical), "plot", "merge", "TRUE or FALSE")
  check_argument(is_text_or_null(main), "plot", "main", "one text or NULL")
  if (!requireNamespace("igraph", quietly = TRUE)) {
    abort("argument", "plot() of a network needs the package igraph for the layout.")
  }
  if (nrow(x) == 0L) {
    abort("argument", "There is no layer to plot.")
  }
  boxes <- plot_boxes(x, depth, merge)
  draw_network(boxes, plot_edges(x, boxes$box_of), if (is.null(main)) attr(x, "network") else main)
  invisible(x)
}

# The boxes: which one each node is in, and the lines of text of each.
plot_boxes <- function(x, depth, merge) {
  path <- strsplit(x$block, "/", fixed = TRUE)
  level <- lengths(path)
  joined <- if (isTRUE(merge)) joins_the_one_before(x) else rep(FALSE, nrow(x))
  box_count <- function(depth) length(unique(box_numbers(path, level, depth, joined)))
  if (is.null(depth)) {
    depth <- max(level)
    while (depth > 0L && box_count(depth) > 24L) depth <- depth - 1L
  }
  box_of <- box_numbers(path, level, depth, joined)
  shape <- .Call(wrap__format_shapes, x$shapes_out)
  rows <- split(seq_len(nrow(x)), box_of)
  text <- lapply(rows, function(at) {
    first <- at[1L]
    if (level[first] > depth) {
      inside <- c(path[[first]][depth + 1L], sprintf("%i layers", length(at)))
    } else {
      prefix <- if (nzchar(x$block[first])) paste0(gsub("/", ".", x$block[first], fixed = TRUE), ".") else ""
      inside <- c(substring(x$id[first], nchar(prefix) + 1L), wrapped_ops(x$op[at]))
    }
    c(single_line(inside), shape[at[length(at)]])
  })
  frame <- vapply(rows, function(at) {
    opened <- utils::head(path[[at[1L]]], min(depth, level[at[1L]]))
    paste(opened, collapse = "/")
  }, "")
  list(box_of = box_of, text = unname(text), frame = unname(frame), input = x$op[vapply(rows, `[`, 1L, 1L)] == "input")
}

wrapped_ops <- function(ops) {
  strwrap(paste(ops, collapse = ", "), width = 32L)
}

# Nodes that go into the box of the only node they take: they keep its shape, multiply nothing, and nobody else
# takes it.
joins_the_one_before <- function(x) {
  from <- lapply(x$inputs, function(inputs) match(sub(":[0-9]+$", "", inputs), x$id))
  takers <- tabulate(unlist(from), nrow(x))
  follows <- vapply(seq_along(from), function(i) identical(from[[i]], i - 1L), logical(1L))
  before <- pmax(seq_along(from) - 1L, 1L)
  same_shape <- mapply(identical, x$shapes_out, x$shapes_out[before])
  alone <- takers[before] == 1L & x$op[before] != "input"
  follows & alone & same_shape & x$macs %in% 0 & x$block == x$block[before]
}

box_numbers <- function(path, level, depth, joined) {
  group <- fold_groups(path, level, depth)
  starts <- !duplicated(group) & !(joined & level <= depth)
  cumsum(starts)
}

# One row an arrow: from box to box, with the shape of the tensor.
plot_edges <- function(x, box_of) {
  rows <- lapply(seq_len(nrow(x)), function(i) {
    source <- match(sub(":[0-9]+$", "", x$inputs[[i]]), x$id)
    source[x$inputs[[i]] %in% x$id] <- match(x$inputs[[i]], x$id)[x$inputs[[i]] %in% x$id]
    shapes <- vapply(x$shapes_in[[i]], shape_to_str, "")
    data.frame(from = box_of[source], to = rep(box_of[i], length(source)), shape = shapes)
  })
  edges <- do.call(rbind, rows)
  unique(edges[edges$from != edges$to, , drop = FALSE])
}

draw_network <- function(boxes, edges, main) {
  old <- graphics::par(mar = c(0.2, 0.2, if (is.null(main)) 0.2 else 1.8, 0.2), xpd = NA)
  on.exit(graphics::par(old))
  graphics::plot.new()
  place <- best_placement(boxes, edges, graphics::par("pin"))
  graphics::plot.window(c(0, place$width), c(0, place$height), xaxs = "i", yaxs = "i", asp = 1)
  if (!is.null(main)) {
    graphics::title(main = main, line = 0.6)
  }
  draw_frames(boxes, place)
  draw_arrows(edges, place)
  draw_boxes(boxes, place)
}

# Where everything goes, in inches at the full size of letters, downwards or to the right: whichever can be drawn
# larger.
best_placement <- function(boxes, edges, device) {
  lines <- lengths(boxes$text)
  line <- graphics::strheight("Mg", units = "inches") * 1.5
  width <- vapply(boxes$text, function(text) max(graphics::strwidth(text, units = "inches")), 0) * 1.12 + 0.2
  height <- lines * line + 0.14
  label <- max(c(graphics::strwidth(edges$shape, units = "inches", cex = 0.7), 0))
  layout <- layered_layout(length(lines), edges)
  down <- placement(layout, width, height, label, line, horizontal = FALSE)
  right <- placement(layout, width, height, label, line, horizontal = TRUE)
  scale <- function(place) min(device[1L] / place$width, device[2L] / place$height)
  best <- if (scale(right) > 1.15 * scale(down)) right else down
  best$cex <- min(scale(best), 1)
  best$line <- line
  best
}

# A layer and a place within it for every box, and for every arrow the places it passes on its way.
layered_layout <- function(n, edges) {
  graph <- igraph::make_empty_graph(n)
  graph <- igraph::add_edges(graph, rbind(edges$from, edges$to))
  layout <- igraph::layout_with_sugiyama(graph, layers = longest_path(n, edges), hgap = 1, vgap = 1, maxiter = 200)
  at <- rbind(layout$layout, layout$layout.dummy)
  list(at = at, routes = routes(n, edges, igraph::as_edgelist(layout$extd_graph, names = FALSE)))
}

# The layer of each box: one below the lowest box it takes. Boxes stand in an order in which this is one pass.
longest_path <- function(n, edges) {
  layer <- integer(n)
  for (i in order(edges$to)) {
    layer[edges$to[i]] <- max(layer[edges$to[i]], layer[edges$from[i]] + 1L)
  }
  layer + 1L
}

# Each arrow as the vertices it passes; vertices above n are bends.
routes <- function(n, edges, extended) {
  used <- rep(FALSE, nrow(extended))
  lapply(seq_len(nrow(edges)), function(e) {
    for (start in which(extended[, 1L] == edges$from[e] & !used)) {
      path <- extended[start, ]
      taken <- start
      while (path[length(path)] > n) {
        following <- which(extended[, 1L] == path[length(path)])[1L]
        taken <- c(taken, following)
        path <- c(path, extended[following, 2L])
      }
      if (path[length(path)] == edges$to[e]) {
        used[taken] <<- TRUE
        return(path)
      }
    }
    c(edges$from[e], edges$to[e])
  })
}

placement <- function(layout, width, height, label, line, horizontal) {
  n <- length(width)
  along <- layout$at[, 2L]
  across <- layout$at[, 1L]
  along <- match(along, sort(unique(along), decreasing = TRUE))
  # bends need less room than boxes do
  bends <- seq_along(across) > n
  if (horizontal) {
    size <- width
    gap <- label + 0.35
    step <- max(height) + line * 1.6
  } else {
    size <- height
    gap <- line * 2.4
    step <- max(width, 2 * label) * 0.55 + 0.25
  }
  step <- step * if (horizontal) 1 else 1.9
  across <- spread_out(across, bends) * step
  extent <- vapply(seq_len(max(along)), function(layer) max(c(0, size[along[seq_len(n)] == layer])), 0)
  centre <- cumsum(extent + gap) - extent / 2 - gap / 2
  total <- sum(extent + gap)
  x <- across - min(across - ifelse(bends, 0, c(if (horizontal) height else width, rep(0, sum(bends))) / 2))
  side <- max(x + c(if (horizontal) height else width, rep(0, sum(bends))) / 2)
  list(
    x = if (horizontal) centre[along] else x, y = if (horizontal) side - x else total - centre[along],
    width = if (horizontal) total else side, height = if (horizontal) side else total,
    box_width = width, box_height = height, routes = layout$routes, horizontal = horizontal
  )
}

# Places across as few steps as keep their order: the layout's own, closed up where only bends stand.
spread_out <- function(across, bends) {
  levels <- sort(unique(round(across, 3L)))
  only_bends <- !levels %in% round(across[!bends], 3L)
  position <- cumsum(c(0, pmax(diff(levels), 0) * ifelse(only_bends[-1L] | only_bends[-length(levels)], 0.7, 1)))
  position[match(round(across, 3L), levels)]
}

draw_boxes <- function(boxes, place) {
  for (i in seq_along(boxes$text)) {
    x <- place$x[i]
    y <- place$y[i]
    half <- c(place$box_width[i], place$box_height[i]) / 2
    fill <- if (boxes$input[i]) "#eef3e6" else "#eef2fa"
    graphics::rect(x - half[1L], y - half[2L], x + half[1L], y + half[2L], col = fill, border = "#5b6b8c")
    text <- boxes$text[[i]]
    at <- y + ((length(text) + 1) / 2 - seq_along(text)) * place$line
    font <- c(2L, rep(1L, length(text) - 1L))
    colour <- c("black", rep("#44506b", length(text) - 2L), "#0b5394")
    graphics::text(x, at, text, cex = place$cex, font = font, col = colour)
  }
}

draw_arrows <- function(edges, place) {
  n <- length(place$box_width)
  labelled <- character()
  for (e in seq_len(nrow(edges))) {
    route <- place$routes[[e]]
    points <- cbind(place$x[route], place$y[route])
    last <- nrow(points)
    # from the edge of one box to the edge of the next
    offset <- if (place$horizontal) c(place$box_width[route[1L]] / 2, 0) else c(0, -place$box_height[route[1L]] / 2)
    points[1L, ] <- points[1L, ] + offset
    offset <- if (place$horizontal) c(-place$box_width[route[last]] / 2, 0) else c(0, place$box_height[route[last]] / 2)
    points[last, ] <- points[last, ] + offset
    if (last > 2L) {
      curve <- graphics::xspline(points[, 1L], points[, 2L], shape = c(0, rep(0.6, last - 2L), 0), draw = FALSE)
      graphics::lines(curve$x, curve$y, col = "#8a94a8")
      # the last steps of a curve are too short to tell a direction
      before <- max(1L, length(curve$x) - 5L)
      from <- c(curve$x[before], curve$y[before])
    } else {
      from <- points[1L, ]
    }
    to <- points[last, ]
    graphics::arrows(from[1L], from[2L], to[1L], to[2L], length = 0.07 * place$cex, col = "#8a94a8")
    # one shape is told once where a box gives it to several
    key <- paste(edges$from[e], edges$shape[e])
    if (!key %in% labelled) {
      labelled <- c(labelled, key)
      middle <- (points[1L, ] + points[2L, ]) / 2
      graphics::text(middle[1L], middle[2L], edges$shape[e],
        cex = 0.7 * place$cex, col = "#777777",
        pos = if (place$horizontal) 3L else 4L, offset = 0.25
      )
    }
  }
}

# A frame around the boxes of each opened block, outer ones wider.
draw_frames <- function(boxes, place) {
  paths <- strsplit(boxes$frame, "/", fixed = TRUE)
  blocks <- unique(unlist(lapply(paths, function(parts) {
    vapply(seq_along(parts), function(k) paste(parts[seq_len(k)], collapse = "/"), "")
  })))
  deepest <- max(lengths(paths), 0L)
  for (block in blocks) {
    inside <- which(boxes$frame == block | startsWith(boxes$frame, paste0(block, "/")))
    margin <- (deepest - lengths(strsplit(block, "/", fixed = TRUE)) + 1) * c(0.08, 0.13)
    half_width <- place$box_width[inside] / 2 + margin[1L]
    half_height <- place$box_height[inside] / 2 + margin[2L]
    left <- min(place$x[inside] - half_width)
    top <- max(place$y[inside] + half_height)
    graphics::rect(
      left, min(place$y[inside] - half_height), max(place$x[inside] + half_width), top,
      border = "#b9a26b", lty = 2L, col = "#fbf9f3"
    )
    graphics::text(left, top, utils::tail(strsplit(block, "/", fixed = TRUE)[[1L]], 1L),
      cex = 0.75 * place$cex, col = "#8a7440", adj = c(-0.1, -0.3)
    )
  }
}
