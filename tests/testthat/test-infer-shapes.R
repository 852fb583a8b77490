infer <- function(shape, fn, ..., rowwise = FALSE, names = "out") {
  infer_shapes(list(shape), list(...), names, fn, rowwise, id = "fn")
}

test_that("what depends on an unknown size is unknown, what does not is known", {
  expect_identical(infer(c(NA, 3, 4), function(x) aperm(x, c(1, 3, 2))), list(out = c(NA, 4L, 3L)))
  expect_identical(infer(c(2, 3, 4), function(x) x), list(out = c(2L, 3L, 4L)))
  expect_identical(infer(c(NA, NA), function(x) x %*% array(0, c(ncol(x), 5))), list(out = c(NA, 5L)))
  expect_identical(infer(c(NA, 3), function(x) array(0, c(nrow(x), 2, 3))), list(out = c(NA, 2L, 3L)))
})

test_that("a crop that clamps is not reported as known", {
  expect_identical(infer(c(NA, NA), function(x) x[, 1:2]), list(out = c(NA_integer_, NA)))
  expect_identical(infer(c(NA, 5), function(x) x[, 1:2]), list(out = c(NA, 2L)))
  expect_identical(infer(c(NA, NA), function(x) x[, 1]), list(out = NA_integer_))
  expect_identical(infer(c(NA, NA), function(x) array(0, pmin(dim(x), 16))), list(out = c(NA_integer_, NA)))
})

test_that("a long stride, a long kernel and a padding to a least size are not reported as known", {
  convolution <- function(x, kernel_size, stride) {
    array(0, c(nrow(x), (ncol(x) - kernel_size) %/% stride + 1))
  }
  expect_identical(infer(c(NA, NA), convolution, kernel_size = 400, stride = 160), list(out = c(NA_integer_, NA)))
  expect_identical(infer(c(NA, 16000), convolution, kernel_size = 400, stride = 160), list(out = c(NA, 98L)))
  expect_identical(infer(NA, function(x) numeric(max(length(x), 128))), list(out = NA_integer_))
})

test_that("unknown sizes are filled in differently from each other", {
  difference <- function(x) {
    size <- nrow(x) - ncol(x) + 4
    if (size < 0) stop("too wide")
    numeric(size)
  }
  expect_identical(infer(c(NA, NA), difference), list(out = NA_integer_))
  expect_identical(infer(c(NA, NA), function(x) numeric(nrow(x) * 0 + 7)), list(out = 7L))
  expect_error(infer(c(NA, NA), function(x) if (nrow(x) == ncol(x)) x else stop("not square")),
    class = "torchshape_error_size"
  )
})

test_that("functions may return a list, and several inputs work", {
  expect_identical(
    infer(c(NA, 6), function(x) list(x[, 1:3], x[, 4:6]), names = c("a", "b")),
    list(a = c(NA, 3L), b = c(NA, 3L))
  )
  two <- list(c(NA, 3), c(NA, 5))
  expect_identical(
    infer_shapes(two, list(), c("a", "b"), function(x) t(x), FALSE, "t"), list(a = c(3L, NA), b = c(5L, NA))
  )
  expect_identical(
    infer_shapes(two, list(), "out", function(x, y) array(0, c(nrow(x), ncol(x) + ncol(y))), FALSE, "cat"),
    list(out = c(NA, 8L))
  )
})

test_that("params go to arguments of their names only", {
  expect_identical(infer(c(NA, 3), function(x, n) array(0, c(nrow(x), n)), n = 4, unused = 1), list(out = c(NA, 4L)))
})

test_that("rowwise functions do not see the batch", {
  expect_identical(infer(c(NA, 3, 4), function(x) aperm(x, 2:1), rowwise = TRUE), list(out = c(NA, 4L, 3L)))
  expect_identical(infer(c(8, NA, 4), function(x) x, rowwise = TRUE), list(out = c(8L, NA, 4L)))
})

test_that("squeezing an unknown size keeps it", {
  expect_identical(infer(c(NA, 1, 3), function(x) drop(unclass(x))), list(out = c(NA, 3L)))
})

test_that("it says why when it cannot know", {
  expect_error(
    infer(c(NA, 3), function(x) if (nrow(x) > 50) x else array(0, c(nrow(x), 1, 1))),
    class = "torchshape_error_rank"
  )
  expect_error(infer(c(NA, 3), function(x) stop("my own reason")), "my own reason", class = "torchshape_error_size")
  expect_error(infer(c(NA, 3), function(x) NULL), class = "torchshape_error_size")
  expect_error(infer(c(NA, 3), function(x) x, names = c("a", "b")), class = "torchshape_error_argument")
  expect_error(infer(c(NA, 3), "no function"), class = "torchshape_error_argument")
  expect_snapshot(error = TRUE, {
    infer(c(NA, 3), function(x) stop("my own reason"))
    infer(c(NA, 3), function(x) if (nrow(x) > 50) x else array(0, c(nrow(x), 1, 1)))
    infer(c(NA, 3), function(x) if (nrow(x) == 64) x else stop("only 64"))
    infer(c(NA, 3), function(x) x, names = c("a", "b"))
    infer(c(NA, 3), 7)
  })
})
