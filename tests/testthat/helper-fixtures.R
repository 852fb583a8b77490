fixture_path <- function(...) {
  test_path("fixtures", ...)
}

# The rows of a file of JSON lines; a null in an array is NA, and an empty array a scalar's shape.
fixture_rows <- function(file) {
  skip_if_not_installed("jsonlite")
  lapply(readLines(fixture_path(file)), jsonlite::fromJSON, simplifyVector = FALSE)
}

as_vector <- function(json) {
  if (!is.list(json) || !is.null(names(json))) {
    return(json)
  }
  if (length(json) == 0L) {
    return(integer())
  }
  json[vapply(json, is.null, logical(1L))] <- NA
  unlist(json)
}

as_shapes <- function(json) {
  lapply(json, function(shape) if (is.null(shape)) NULL else as_vector(shape))
}

# Sizes are integers where an integer holds them.
expect_shapes <- function(got, wanted, info = NULL) {
  expect_identical(lapply(got, as.numeric), lapply(wanted, as.numeric), info = info)
  fits <- vapply(got, function(shape) all(is.na(shape) | shape <= .Machine$integer.max), logical(1L))
  expect_identical(vapply(got, is.integer, logical(1L)), fits, info = info)
}

text_file <- function(...) {
  file <- tempfile(fileext = ".json")
  writeLines(c(...), file)
  file
}
