#' Print the shapes of a network
#'
#' A table with one line a layer, blocks indented, and the totals under it. A long network is folded: blocks become
#' one line each, with their totals.
#'
#' @param x,object What [infer_network()] returns; `print()` takes a network too.
#' @param width (`integer(1)`)\cr
#'   How many columns the table may take. What does not fit is left out, least telling first.
#' @param depth (`numeric(1)` or `NULL`)\cr
#'   How many levels of blocks are opened; `NULL` as many as fit into 60 lines, `Inf` all.
#' @param ... Not used.
#'
#' @return `print()` gives `x`, invisibly, `format()` the lines of the table, and `summary()` the totals as a list
#'   of class `network_summary`: `params`, `trainable_params`, `macs`, `activation_bytes`, `param_bytes` (both as
#'   32-bit floats), `largest_bytes` and `largest_id` of the largest output, and `per_observation`, whether
#'   multiply-adds and activations are those of one observation.
#' @family networks
#' @examples
#' resnet18 <- read_network(system.file("networks", "resnet18.json", package = "torchshape"))
#' shapes <- infer_network(resnet18)
#' print(shapes, width = 80)
#' summary(shapes)
#' @export
print.network_shapes <- function(x, ..., width = cli::console_width(), depth = NULL) {
  lines <- format(x, width = width, depth = depth)
  styled <- attr(lines, "styled")
  lines[styled$bold] <- cli::style_bold(lines[styled$bold])
  lines[styled$grey] <- cli::col_grey(lines[styled$grey])
  cat(lines, sep = "\n")
  cat("\n")
  invisible(x)
}

#' @rdname print.network_shapes
#' @export
format.network_shapes <- function(x, ..., width = cli::console_width(), depth = NULL) {
  check_argument(is_one(width, is.numeric) && width >= 10, "print", "width", "one number >= 10")
  check_argument(is_depth(depth), "print", "depth", "one number >= 0 or NULL")
  rows <- shown_rows(x, depth)
  label <- paste0(strrep("  ", rows$level), single_line(rows$label))
  columns <- list(
    layer = text_column("Layer", label),
    op = text_column("Operator", single_line(rows$op)),
    shape = text_column("Output shape", rows$shape),
    params = number_column("Parameters", rows$params),
    macs = number_column("Multiply-adds", rows$macs)
  )
  columns <- fit_columns(columns, width)
  lines <- trimws(do.call(paste, c(columns, sep = "  ")), "right")
  rule <- strrep("-", min(max(nchar(lines, "width"), 20L), width))
  n <- length(lines)
  lines <- c(lines[1L], rule, lines[-1L], rule, totals(x, width))
  structure(lines, styled = list(bold = c(1L, 2L + which(rows$header)), grey = c(2L, n + 2L)))
}

#' @rdname print.network_shapes
#' @export
summary.network_shapes <- function(object, ...) {
  known <- !is.na(object$bytes)
  largest <- if (all(known) && nrow(object) > 0L) which.max(object$bytes) else NA
  structure(
    list(
      params = sum(object$params),
      trainable_params = sum(object$params[object$trainable]),
      macs = sum(object$macs),
      activation_bytes = sum(object$bytes),
      param_bytes = 4 * sum(object$params),
      largest_bytes = object$bytes[largest],
      largest_id = object$id[largest],
      per_observation = isTRUE(attr(object, "per_observation"))
    ),
    class = "network_summary"
  )
}

#' @export
print.network_summary <- function(x, ..., width = cli::console_width()) {
  cat(summary_lines(x, width), sep = "\n")
  cat("\n")
  invisible(x)
}

#' @export
print.network <- function(x, ...) {
  x <- network_parts(x)
  name <- if (is.null(x$name)) "" else paste0(" '", single_line(x$name), "'")
  n <- length(x$nodes)
  cat("Network", name, " of ", n, if (n == 1L) " node" else " nodes", ", input ", shape_to_str(x$input), "\n", sep = "")
  invisible(x)
}

# A table in R Markdown; registered when knitr is loaded.
knit_network_shapes <- function(x, ..., depth = NULL) {
  rows <- shown_rows(x, depth)
  table <- data.frame(
    Layer = paste0(strrep("&emsp;", rows$level), markdown_text(rows$label)),
    Operator = markdown_text(rows$op),
    `Output shape` = rows$shape,
    Parameters = blank_zero(rows$params),
    `Multiply-adds` = blank_zero(rows$macs),
    check.names = FALSE
  )
  knitr_function <- function(name) getExportedValue("knitr", name)
  kable <- knitr_function("kable")(table, format = "pipe", align = "lllrr", row.names = FALSE)
  knitr_function("asis_output")(paste(c("", kable, "", paste0(totals(x, 1000L), "  "), ""), collapse = "\n"))
}

markdown_text <- function(text) {
  gsub("([\\\\`*_|<>\\[\\]])", "\\\\\\1", single_line(text), perl = TRUE)
}

# The lines of the table: layers, the heads of open blocks, and one line for each folded block.
shown_rows <- function(x, depth = NULL) {
  path <- strsplit(x$block, "/", fixed = TRUE)
  level <- lengths(path)
  if (is.null(depth)) {
    depth <- fitting_depth(path, level)
  }
  shape <- .Call(wrap__format_shapes, x$shapes_out)
  prefix <- ifelse(nzchar(x$block), paste0(gsub("/", ".", x$block, fixed = TRUE), "."), "")
  label <- ifelse(startsWith(x$id, prefix), substring(x$id, nchar(prefix) + 1L), x$id)

  group <- fold_groups(path, level, depth)
  rows <- lapply(split(seq_along(group), group), function(at) {
    first <- at[1L]
    if (level[first] <= depth) {
      return(row_of(label[at], x$op[at], shape[at], x$params[at], x$macs[at], level[at]))
    }
    count <- sprintf("%i layer%s", length(at), if (length(at) == 1L) "" else "s")
    last <- shape[at[length(at)]]
    row_of(path[[first]][depth + 1L], count, last, sum(x$params[at]), sum(x$macs[at]), depth)
  })
  heads <- block_heads(path, level, depth, group)
  rows <- unlist(lapply(seq_along(rows), function(i) c(heads[[i]], list(rows[[i]]))), recursive = FALSE)
  do.call(rbind, rows)
}

row_of <- function(label, op, shape, params, macs, level, header = FALSE) {
  data.frame(label = label, op = op, shape = shape, params = params, macs = macs, level = level, header = header)
}

# Layers of one folded block have one number; every other layer has its own.
fold_groups <- function(path, level, depth) {
  key <- vapply(path, function(parts) paste(utils::head(parts, depth + 1), collapse = "/"), "")
  folded <- level > depth
  n <- length(key)
  new <- c(TRUE, !(folded[-1L] & folded[-n] & key[-1L] == key[-n]))[seq_len(n)]
  cumsum(new)
}

# Before each group, the heads of the blocks that it opens.
block_heads <- function(path, level, depth, group) {
  first <- which(!duplicated(group))
  before <- character()
  heads <- vector("list", length(first))
  for (i in seq_along(first)) {
    now <- path[[first[i]]]
    open <- utils::head(now, min(length(now), depth))
    both <- seq_len(min(length(open), length(before)))
    same <- sum(cumprod(open[both] == before[both]))
    new <- open[seq_along(open) > same]
    heads[[i]] <- lapply(seq_along(new), function(k) row_of(new[k], "", "", 0, 0, same + k - 1L, header = TRUE))
    before <- open
  }
  heads
}

# How deep blocks can be opened so that the table is not longer than a screen or two.
fitting_depth <- function(path, level) {
  most <- 60L
  for (depth in rev(seq_len(max(level, 0L)))) {
    if (max(fold_groups(path, level, depth)) <= most) {
      return(depth)
    }
  }
  if (length(path) > most) 0L else max(level, 0L)
}

totals <- function(x, width) {
  summary_lines(summary(x), width)
}

summary_lines <- function(x, width) {
  each <- if (x$per_observation) " per observation" else ""
  frozen <- x$params - x$trainable_params
  trained <- if (frozen %in% c(0, NA)) "" else sprintf(", %s of them trainable", thousands(x$trainable_params))
  activations <- if (is.na(x$activation_bytes)) {
    "NA"
  } else {
    sprintf("%s%s, the largest %s (%s)", megabytes(x$activation_bytes), each, megabytes(x$largest_bytes), x$largest_id)
  }
  lines <- c(
    sprintf("Parameters: %s (%s%s)", thousands(x$params), megabytes(x$param_bytes), trained),
    sprintf("Multiply-adds: %s%s", thousands(x$macs), if (is.na(x$macs)) "" else each),
    sprintf("Activations: %s", activations)
  )
  if (anyNA(c(x$params, x$macs, x$activation_bytes))) {
    lines <- c(lines, "NA: depends on sizes that are not known.")
  }
  strwrap(lines, width = width, exdent = 2L)
}

megabytes <- function(bytes) {
  ifelse(is.na(bytes), "NA", paste(formatC(bytes / 1e6, format = "f", digits = 1L, big.mark = ","), "MB"))
}

single_line <- function(text) {
  encodeString(text)
}

thousands <- function(numbers) {
  text <- formatC(numbers, format = "f", digits = 0L, big.mark = ",")
  text[is.na(numbers)] <- "NA"
  text
}

blank_zero <- function(numbers) {
  text <- thousands(numbers)
  text[numbers %in% 0] <- ""
  text
}

text_column <- function(head, cells) {
  cli::ansi_align(c(head, cells), max(nchar(c(head, cells), "width")))
}

number_column <- function(head, numbers) {
  cells <- c(head, blank_zero(numbers))
  cli::ansi_align(cells, max(nchar(cells, "width")), align = "right")
}

# Columns are left out, least telling first, and names cut short, until the table fits.
fit_columns <- function(columns, width) {
  for (column in c("macs", "params", "op")) {
    over <- table_width(columns) - width
    if (over <= 0L) {
      return(columns)
    }
    narrow <- nchar(columns$layer[1L], "width") - over
    if (narrow >= 16L) {
      columns$layer <- cli::ansi_align(cli::ansi_strtrim(columns$layer, narrow), narrow)
      return(columns)
    }
    columns[[column]] <- NULL
  }
  lapply(columns, cli::ansi_strtrim, max(10L, (width - 2L) %/% 2L))
}

table_width <- function(columns) {
  sum(nchar(vapply(columns, `[`, "", 1L), "width")) + 2L * (length(columns) - 1L)
}
