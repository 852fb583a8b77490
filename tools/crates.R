# Writes LICENSE.note and inst/AUTHORS from what cargo knows of the vendored crates.
metadata <- jsonlite::fromJSON(
  system2(
    "cargo", c("metadata", "--format-version=1", "--locked", "--manifest-path=src/rust/Cargo.toml"),
    stdout = TRUE
  ),
  simplifyVector = FALSE
)
crates <- Filter(function(crate) !is.null(crate$source), metadata$packages)

# what SystemRequirements promises must hold for every crate that an install compiles, tests apart
compiled <- system2(
  "cargo", c("tree", "--edges=normal,build", "--prefix=none", "--locked", "--manifest-path=src/rust/Cargo.toml"),
  stdout = TRUE
)
compiled <- sub("^(\\S+) v(\\S+).*", "\\1 \\2", compiled)
promised <- Filter(function(crate) is.null(crate$source), metadata$packages)[[1L]]$rust_version
for (crate in crates) {
  ours <- paste(crate$name, crate$version) %in% compiled
  if (ours && !is.null(crate$rust_version) && package_version(crate$rust_version) > promised) {
    stop(crate$name, " ", crate$version, " needs Rust ", crate$rust_version, ", promised is ", promised, call. = FALSE)
  }
}
crates <- crates[order(vapply(crates, `[[`, "", "name"), vapply(crates, `[[`, "", "version"), method = "radix")]

authors <- function(crate) {
  names <- gsub(" *<[^>]*>", "", unlist(crate$authors))
  if (length(names) == 0L) "the authors named in its repository" else paste(names, collapse = ", ")
}

entry <- function(crate) {
  c(
    paste0(crate$name, " ", crate$version),
    paste0("  authors: ", authors(crate)),
    paste0("  licence: ", crate$license),
    if (!is.null(crate$repository)) paste0("  repository: ", crate$repository),
    ""
  )
}

summary_line <- function(crate) {
  sprintf("%s %s (%s): %s", crate$name, crate$version, crate$license, authors(crate))
}

writeLines(
  c(
    "torchshape is built with the Rust crates below. Their sources are in src/rust/vendor.tar.xz; each keeps its",
    "own licence.",
    "",
    unlist(lapply(crates, entry))
  ),
  "LICENSE.note"
)
writeLines(
  c(
    "The authors of the Rust crates that torchshape is built with:",
    "",
    vapply(crates, summary_line, "")
  ),
  "inst/AUTHORS"
)
