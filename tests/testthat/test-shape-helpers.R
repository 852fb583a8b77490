test_that("broadcast_shapes() gives the broadcast of equal ranks", {
  expect_identical(broadcast_shapes(list(c(NA, 1), c(NA, 6)), id = "nn_merge_sum"), c(NA, 6L))
  expect_identical(broadcast_shapes(list(c(NA, 3))), c(NA, 3L))
  expect_identical(broadcast_shapes(list(c(2, NA), c(NA, 3))), c(2L, 3L))
  expect_identical(broadcast_shapes(list(c(1, 1), c(NA, 1))), c(NA, 1L))
  expect_identical(broadcast_shapes(list(NA, NA)), NA_integer_)
  expect_identical(broadcast_shapes(list(integer(), integer())), integer())
  expect_identical(broadcast_shapes(list(c(a = 1, b = 2), c(3, 1))), c(3L, 2L))
})

test_that("a size of 0 broadcasts with 0, 1 and an unknown size", {
  expect_identical(broadcast_shapes(list(0, 1)), 0L)
  expect_identical(broadcast_shapes(list(0, NA)), 0L)
  expect_error(broadcast_shapes(list(0, 2)), class = "torchshape_error_broadcast")
  expect_error(broadcast_shapes(list(c(NA, 0), c(NA, 5))), class = "torchshape_error_broadcast")
})

test_that("sizes beyond integers come back as whole doubles", {
  big <- 2^31
  expect_identical(broadcast_shapes(list(c(NA, big), c(1, 1))), c(NA, big))
  expect_identical(broadcast_shapes(list(c(NA, 2^53), c(3, 1))), c(3, 2^53))
  expect_identical(broadcast_shapes(list(.Machine$integer.max)), .Machine$integer.max)
})

test_that("one shape that does not fit is found in any place among many", {
  for (place in c(1, 2, 33, 64)) {
    shapes <- rep(list(c(5L, 7L, 11L)), 64L)
    shapes[[place]] <- c(2L, 3L)
    expect_error(broadcast_shapes(shapes), class = "torchshape_error_rank")
    shapes[[place]] <- c(5L, 3L, 11L)
    error <- expect_error(broadcast_shapes(shapes), class = "torchshape_error_broadcast")
    expect_identical(error$dim, 2L)
    expect_true(place %in% error$input)
  }
})

test_that("300 dimensions work", {
  shape <- rep(c(NA, 1L, 2L), 100L)
  expect_identical(broadcast_shapes(list(shape, rep(1L, 300L))), shape)
  expect_identical(align_shapes(shape, 1)$out, shape)
  expect_identical(nchar(shape_to_str(shape)), sum(nchar(ifelse(is.na(shape), "NA", shape))) + 299L + 2L)
})

test_that("an error of broadcast_shapes() holds the facts and lines the shapes up", {
  error <- expect_error(
    broadcast_shapes(list(c(NA, 3, 8), c(NA, 5, 8)), id = "nn_merge_sum"),
    class = "torchshape_error_broadcast"
  )
  expect_s3_class(error, c("torchshape_error_broadcast", "torchshape_error", "error", "condition"), exact = TRUE)
  expect_identical(error$id, "nn_merge_sum")
  expect_identical(error$dim, 2L)
  expect_identical(error$sizes, c(3L, 5L))
  expect_identical(error$input, 1:2)
  expect_identical(error$shapes, list(c(NA, 3L, 8L), c(NA, 5L, 8L)))
  expect_snapshot(error = TRUE, {
    broadcast_shapes(list(c(NA, 3, 8), c(NA, 5, 8)), id = "nn_merge_sum")
    broadcast_shapes(list(c(NA, 3), c(NA, 3), c(NA, 3, 1)), id = "nn_merge_sum")
    broadcast_shapes(list())
    broadcast_shapes(list(c(NA, 3), NULL))
    broadcast_shapes(c(NA, 3))
    broadcast_shapes(list(c(NA, -3)))
    broadcast_shapes(list(c(NA, 1.5)))
    broadcast_shapes(list(c("NA", "3")))
    broadcast_shapes(list(1), id = 7)
  })
})

test_that("resolve_dim() counts from the end and keeps type and names", {
  shape <- c(NA, 3, 8)
  expect_identical(resolve_dim(-1, shape), 3)
  expect_identical(resolve_dim(-1L, shape), 3L)
  expect_identical(resolve_dim(-1L, shape, insert = TRUE), 4L)
  expect_identical(resolve_dim(-3L, shape), 1L)
  expect_identical(resolve_dim(c(a = -1L, b = 2L, c = NA), shape), c(a = 3L, b = 2L, c = NA))
  expect_identical(resolve_dim(c(a = -1, b = NA), shape), c(a = 3, b = NA))
  expect_identical(resolve_dim(c(a = -2L), shape), c(a = 2L))
  expect_identical(resolve_dim(NA, shape), NA)
  expect_identical(resolve_dim(NULL, shape), NULL)
  expect_identical(resolve_dim(integer(), shape), integer())
  expect_identical(resolve_dim(2^40, shape), 2^40)
})

test_that("resolve_dim() leaves what is out of range as it is", {
  expect_identical(resolve_dim(c(0L, 4L, 9L), c(NA, 3, 8)), c(0L, 4L, 9L))
  expect_identical(resolve_dim(-5L, c(NA, 3, 8)), -1L)
  expect_identical(resolve_dim(-4L, c(NA, 3, 8)), 0L)
  expect_identical(resolve_dim(-1L, integer()), 0L)
  expect_identical(resolve_dim(-1L, integer(), insert = TRUE), 1L)
  expect_identical(resolve_dim(2L, NULL), 2L)
  expect_error(resolve_dim(-1L, NULL), class = "torchshape_error_rank")
  expect_error(resolve_dim(1.5, 3), class = "torchshape_error_argument")
  expect_error(resolve_dim(1L, 3, insert = NA), class = "torchshape_error_argument")
})

test_that("shape_to_str() writes shapes and lists of shapes", {
  expect_identical(shape_to_str(c(NA, 3, 8)), "(NA,3,8)")
  expect_identical(shape_to_str(c(NA, 1e5)), "(NA,100000)")
  expect_identical(shape_to_str(c(NA, 2^53)), "(NA,9007199254740992)")
  expect_identical(shape_to_str(integer()), "()")
  expect_identical(shape_to_str(NULL), "(<unknown>)")
  expect_identical(shape_to_str(NA), "(NA)")
  expect_identical(shape_to_str(list(c(NA, 3), c(NA, 5))), "[(NA,3);(NA,5)]")
  expect_identical(shape_to_str(list(a = c(NA, 3), b = c(NA, 5))), "[a: (NA,3); b: (NA,5)]")
  expect_identical(shape_to_str(list(a = c(NA, 3), b = NULL)), "[a: (NA,3); b: <unknown>]")
  expect_identical(shape_to_str(list(a = c(NA, 3), c(NA, 5))), "[(NA,3);(NA,5)]")
  expect_identical(shape_to_str(list(NULL)), "[<unknown>]")
  expect_identical(shape_to_str(list()), "[]")
  expect_identical(shape_to_str(1:3), "(1,2,3)")
  expect_error(shape_to_str("a"), class = "torchshape_error_type")
  expect_error(shape_to_str(list("a")), class = "torchshape_error_type")
  expect_error(shape_to_str(factor(1)), class = "torchshape_error_type")
})

test_that("align_shapes() aligns at the last dimension", {
  aligned <- align_shapes(c(8, 1, 6, 1), c(7, 1, 5))
  expect_identical(aligned, list(x = c(8L, 1L, 6L, 1L), y = c(1L, 7L, 1L, 5L), out = c(8L, 7L, 6L, 5L)))
  expect_identical(align_shapes(0, 1)$out, 0L)
  expect_identical(align_shapes(integer(), c(NA, 3))$out, c(NA, 3L))
  expect_identical(align_shapes(integer(), integer()), list(x = integer(), y = integer(), out = integer()))
  expect_identical(align_shapes(10, c(10, 1))$out, c(10L, 10L))
  expect_identical(align_shapes(c(NA, 4, 1), c(NA, 1, 5))$out, c(NA, 4L, 5L))
})

test_that("align_shapes() says PyTorch's sentence, with dimensions counted from 1", {
  error <- expect_error(align_shapes(c(5, 2, 4, 1), c(3, 1, 1)), class = "torchshape_error_broadcast")
  expect_match(
    conditionMessage(error),
    "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 2",
    fixed = TRUE
  )
  expect_identical(error$dim, 2L)
  expect_identical(error$sizes, 2:3)
})

test_that("is_broadcastable() is TRUE where align_shapes() gives a shape", {
  expect_false(is_broadcastable(0, c(2, 2)))
  expect_true(is_broadcastable(0, 1))
  expect_true(is_broadcastable(c(NA, 3), c(5, 1)))
  expect_false(is_broadcastable(c(NA, 0), c(NA, 5)))
  expect_true(is_broadcastable(integer(), c(2, 2)))
})

test_that("wrap_index() finds the element that base R finds", {
  x <- array(seq_len(12L), c(3L, 1L, 4L))
  for (index in list(c(2L, 5L, 3L), c(1L, 1L, 1L), c(3L, 9L, 4L))) {
    expect_equal(x[[wrap_index(dim(x), index)]], x[index[1L], 1L, index[3L]])
  }
  expect_identical(wrap_index(c(3, 1), c(2, 5)), 2L)
  expect_identical(wrap_index(4, c(9, 3)), 3L)
  expect_identical(wrap_index(integer(), integer()), 1L)
  expect_identical(wrap_index(integer(), c(3, 4)), 1L)
  expect_identical(wrap_index(c(2^20, 2^20), c(2^20, 2^20)), 2^40)
})

test_that("wrap_index() knows what an unknown size leaves open", {
  expect_identical(wrap_index(c(NA, 3), c(1, 2)), NA_integer_)
  expect_identical(wrap_index(c(NA, 3), c(1, 1)), 1L)
  expect_identical(wrap_index(c(3, NA), c(2, 1)), 2L)
  expect_identical(wrap_index(c(3, NA), c(2, 7)), NA_integer_)
})

test_that("wrap_index() refuses what is outside", {
  expect_error(wrap_index(c(3, 1), c(4, 1)), class = "torchshape_error_size")
  expect_error(wrap_index(c(3, 1), c(0, 1)), class = "torchshape_error_size")
  expect_error(wrap_index(c(3, 0), c(1, 1)), class = "torchshape_error_size")
  expect_error(wrap_index(c(3, 1), 1), class = "torchshape_error_rank")
  expect_error(wrap_index(c(3, 1), c(1, NA)), class = "torchshape_error_argument")
})

test_that("expand_shape() follows torch's expand", {
  expect_identical(expand_shape(c(3, 1), c(2, -1, 4)), c(2L, 3L, 4L))
  expect_identical(expand_shape(c(NA, 1), c(5, 3)), c(5L, 3L))
  expect_identical(expand_shape(c(4, 1), c(NA, NA)), c(4L, NA))
  expect_identical(expand_shape(1, 0), 0L)
  expect_identical(expand_shape(integer(), c(2, 3)), c(2L, 3L))
  expect_error(expand_shape(c(3, 4), 4), class = "torchshape_error_rank")
  expect_error(expand_shape(3, c(-1, 3)), class = "torchshape_error_dim")
  error <- expect_error(expand_shape(c(3, 1, 7), c(3, 3, 1)), class = "torchshape_error_broadcast")
  expect_match(
    conditionMessage(error),
    "The expanded size of the tensor (1) must match the existing size (7) at non-singleton dimension 3.",
    fixed = TRUE
  )
})

test_that("reshape_output_shape() keeps the batch", {
  reshape <- reshape_output_shape
  expect_identical(reshape(c(NA, 3, 4), c(-1, 12)), c(NA, 12L))
  expect_identical(reshape(c(NA, 3, 4), c(-1, 2, 6)), c(NA, 2L, 6L))
  expect_identical(reshape(c(2, 3, 4), c(-1, 12)), c(2L, 12L))
  expect_identical(reshape(c(2, 3, 4), c(2, -1)), c(2L, 12L))
  expect_identical(reshape(c(NA, 3, 4), function(s) c(s[1], 12)), c(NA, 12L))
  expect_identical(reshape(c(NA, 3, 4), function(s) c(s[1], -1)), c(NA, 12L))
  expect_identical(reshape(c(NA, 12), function(s) c(s[1], -1, 2, 2)), c(NA, 3L, 2L, 2L))
  expect_identical(reshape(c(NA, NA, 4), c(-1, 8)), c(NA, 8L))
  expect_identical(reshape(c(NA, NA, 4), function(s) c(s[1], -1)), c(NA_integer_, NA))
  expect_identical(reshape(c(NA, 65536, 65536), c(-1, 2^32)), c(NA, 2^32))
})

test_that("reshape_output_shape() takes a batch size of the target's own at its word", {
  expect_identical(reshape_output_shape(c(2, 3, 4), c(4, 6)), c(4L, 6L))
  expect_identical(reshape_output_shape(c(NA, 3, 4), c(4, 6)), c(4L, 6L))
  expect_identical(reshape_output_shape(c(NA, 3, 4), c(8, -1)), c(8L, NA))
  expect_error(reshape_output_shape(c(NA, 3, 4), c(5, 6)), class = "torchshape_error_size")
  expect_error(reshape_output_shape(c(2, 3, 4), c(5, 6)), class = "torchshape_error_size")
})

test_that("reshape_output_shape() refuses what changes the batch or is no target", {
  expect_error(reshape_output_shape(c(2, 3, 4), c(-1, 6)), class = "torchshape_error_size")
  expect_error(reshape_output_shape(c(NA, 3, 4), c(-1, 6)), class = "torchshape_error_size")
  expect_error(reshape_output_shape(c(NA, 3, 4), c(-1, -1)), class = "torchshape_error_argument")
  expect_error(reshape_output_shape(c(NA, 3, 4), c(NA, 12)), class = "torchshape_error_argument")
  expect_error(reshape_output_shape(c(NA, 3, 4), c(-1, 0)), class = "torchshape_error_argument")
  expect_error(reshape_output_shape(c(NA, 3, 4), integer()), class = "torchshape_error_argument")
  expect_error(reshape_output_shape(c(NA, 3), function(s) stop("why")), "why", class = "torchshape_error_argument")
  expect_error(reshape_output_shape(c(NA, 3), function(s) "a"), class = "torchshape_error_argument")
})
