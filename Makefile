# torchshape: make demo shows what it does, make check runs everything that must hold.

LIBRARY := $(CURDIR)/.lib
BUILD := $(CURDIR)/.build
export R_LIBS := $(LIBRARY)
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: help setup demo check test doc bench vendor

help:
	@echo "make setup   install what is missing"
	@echo "make demo    build, and print the table of ResNet-18 and one explained error"
	@echo "make check   format, lints, tests, R CMD check"
	@echo "make test    the tests without R CMD check"
	@echo "make doc     NAMESPACE, man/ and README.md"
	@echo "make bench   the benchmarks of the README"
	@echo "make vendor  pack the Rust crates and list their licences"

setup:
	@sh tools/setup.sh

demo: setup
	@sh tools/install.sh $(LIBRARY)
	@Rscript tools/demo.R

check: setup
	@sh tools/check.sh $(BUILD)

test: setup
	@cd src/rust && cargo test --locked --quiet -p torchshape-shapes
	@sh tools/install.sh $(LIBRARY)
	@Rscript tools/test.R

doc: setup
	@sh tools/install.sh $(LIBRARY)
	@Rscript tools/doc.R

bench: setup
	@sh tools/install.sh $(LIBRARY)
	@Rscript bench/shapes.R
	@cd src/rust && cargo run --locked --release --quiet -p torchshape-shapes --example chain

vendor: setup
	@sh tools/vendor.sh
