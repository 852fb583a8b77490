# Writes what is generated: NAMESPACE, man/ and README.md.
roxygen2::roxygenise(load_code = "installed")

knitr::knit("README.Rmd", "README.md", quiet = TRUE)
# the header is for other tools
lines <- readLines("README.md")
writeLines(lines[-seq_len(which(lines == "---")[2L] + 1L)], "README.md")
