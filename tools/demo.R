# The table of a real network with unknown batch, height and width, and one explained error.
library(torchshape)

network <- read_network(system.file("networks", "resnet18.json", package = "torchshape"))
print(infer_network(network, input = c(NA, 3, NA, NA)))

cat("\nThe same network with a last layer that does not fit:\n\n")
last <- length(network$nodes)
network$nodes[[last]]$args$in_features <- 2048L
tryCatch(
  infer_network(network, input = c(NA, 3, NA, NA)),
  torchshape_error = function(error) cat(conditionMessage(error), "\n", sep = "")
)
