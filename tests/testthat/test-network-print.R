test_that("a network prints in one line", {
  expect_output(print(read_network(fixture_path("networks", "resnet18.json"))), "Network 'resnet18' of 70 nodes", fixed = TRUE)
})

test_that("the table fits the width it is given", {
  local_reproducible_output(width = 80)
  x <- infer_network(read_network(fixture_path("networks", "alexnet.json")), c(NA, 3, 224, 224))
  for (width in c(40L, 60L, 80L, 120L)) {
    expect_lte(max(nchar(format(x, width = width))), width)
  }
  expect_snapshot(print(x, width = 80))
  expect_snapshot(print(x, width = 60))
  expect_snapshot(print(infer_network(read_network(fixture_path("networks", "alexnet.json")), c(NA, 3, NA, NA)), width = 80))
})
