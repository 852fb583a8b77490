# The R tests against the installed package.
Sys.setenv(NOT_CRAN = "true")
testthat::test_dir("tests/testthat", package = "torchshape", load_package = "installed", reporter = "summary")
