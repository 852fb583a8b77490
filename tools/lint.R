# Prints what lintr finds in R code, and fails if it finds anything.
lints <- do.call(c, lapply(c("R", "tests", "bench", "tools"), lintr::lint_dir))
print(lints)
quit(status = as.integer(length(lints) > 0L))
