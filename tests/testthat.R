library(testthat)
library(torchshape)

test_check("torchshape")
