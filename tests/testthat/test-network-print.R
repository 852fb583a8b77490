test_that("a network prints in one line", {
  resnet18 <- read_network(fixture_path("networks", "resnet18.json"))
  expect_output(print(resnet18), "Network 'resnet18' of 70 nodes", fixed = TRUE)
})

test_that("the table fits the width it is given", {
  local_reproducible_output(width = 80)
  alexnet <- read_network(fixture_path("networks", "alexnet.json"))
  x <- infer_network(alexnet, c(NA, 3, 224, 224))
  for (width in c(40L, 60L, 80L, 120L)) {
    expect_lte(max(nchar(format(x, width = width))), width)
  }
  expect_snapshot(print(x, width = 80))
  expect_snapshot(print(x, width = 60))
  expect_snapshot(print(infer_network(alexnet, c(NA, 3, NA, NA)), width = 80))
})
