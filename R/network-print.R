#' Print a network and its shapes
#'
#' @param x A network, or what [infer_network()] returns.
#' @param width (`integer(1)`)\cr
#'   How many columns the table may take.
#' @param ... Not used.
#' @return `x`, invisibly; `format()` gives the lines of the table.
#' @examples
#' resnet18 <- read_network(system.file("networks", "resnet18.json", package = "torchshape"))
#' print(infer_network(resnet18), width = 80)
#' @export
print.network_shapes <- function(x, ..., width = cli::console_width()) {
  lines <- format(x, width = width)
  lines[1L] <- cli::style_bold(lines[1L])
  cat(lines, sep = "\n")
  invisible(x)
}

#' @rdname print.network_shapes
#' @export
format.network_shapes <- function(x, ..., width = cli::console_width()) {
  table <- list(
    layer = text_column("Layer", single_line(x$id)),
    op = text_column("Operator", x$op),
    shape = text_column("Output shape", .Call(wrap__format_shapes, x$shapes_out)),
    params = number_column("Parameters", x$params),
    macs = number_column("Multiply-adds", x$macs)
  )
  table <- fit_columns(table, width)
  rows <- do.call(paste, c(lapply(table, `[`, -1L), sep = "  "))
  head <- do.call(paste, c(lapply(table, `[`, 1L), sep = "  "))
  rule <- strrep("-", max(nchar(head, "width"), 1L))
  trimws(c(head, rule, rows, rule, totals(x, width)), "right")
}

#' @export
print.network <- function(x, ...) {
  x <- unclass(x)
  name <- if (is.null(x$name)) "" else paste0(" '", single_line(x$name), "'")
  n <- length(x$nodes)
  cat("Network", name, " of ", n, if (n == 1L) " node" else " nodes", ", input ", shape_to_str(x$input), "\n", sep = "")
  invisible(x)
}

# The totals under the table.
totals <- function(x, width) {
  batch <- has_unknown_batch(x)
  c(
    paste("Parameters:", total(x$params)),
    strwrap(paste0(
      "Multiply-adds: ", total(x$macs), if (batch) " per observation",
      if (anyNA(x$macs)) " (NA: they depend on sizes that are not known)"
    ), width = width, exdent = 2L)
  )
}

total <- function(numbers) {
  if (anyNA(numbers)) "NA" else thousands(sum(numbers))
}

# Whether the multiply-adds are per observation: an input of the network has a batch that is not known.
has_unknown_batch <- function(x) {
  shapes <- unlist(x$shapes_out[x$op == "input"], recursive = FALSE)
  any(vapply(shapes, function(shape) length(shape) > 0L && is.na(shape[1L]), logical(1L)))
}

single_line <- function(text) {
  encodeString(text)
}

thousands <- function(numbers) {
  text <- formatC(numbers, format = "d", big.mark = ",")
  text[is.na(numbers)] <- "NA"
  text
}

text_column <- function(head, cells) {
  formatC(c(head, cells), width = -max(nchar(c(head, cells), "width")), flag = "-")
}

number_column <- function(head, numbers) {
  cells <- thousands(numbers)
  cells[numbers %in% 0] <- ""
  formatC(c(head, cells), width = max(nchar(c(head, cells), "width")))
}

# Columns are left out, least telling first, and names cut, until the table fits.
fit_columns <- function(table, width) {
  for (column in c("macs", "params", "op")) {
    if (table_width(table) <= width) {
      return(table)
    }
    spare <- nchar(table$layer[1L], "width") - (table_width(table) - width)
    if (spare >= 12L) {
      table$layer <- cli::ansi_strtrim(table$layer, spare)
      table$layer <- formatC(table$layer, width = -spare, flag = "-")
      return(table)
    }
    table[[column]] <- NULL
  }
  table
}

table_width <- function(table) {
  sum(nchar(vapply(table, `[`, "", 1L), "width")) + 2L * (length(table) - 1L)
}
