#!/bin/sh
# Installs what is missing to build and check torchshape: on Debian and its kin by apt-get, elsewhere it says what to install.
set -eu

# what make check needs beside R itself, as Debian packages
r_packages="cli codetools igraph jsonlite knitr lintr R6 rmarkdown roxygen2 testthat"

missing=""
command -v xz >/dev/null 2>&1 || missing="$missing xz-utils"
command -v cc >/dev/null 2>&1 || missing="$missing gcc"
command -v R >/dev/null 2>&1 || missing="$missing r-base-core"
# an R without its headers and compilers' settings cannot build packages
if ! command -v R >/dev/null 2>&1 || [ ! -f "$(R RHOME)/etc/Makeconf" ]; then
  missing="$missing r-base-dev"
fi
if command -v Rscript >/dev/null 2>&1; then
  # shellcheck disable=SC2086
  r_packages=$(Rscript --vanilla -e 'p <- commandArgs(TRUE); cat(p[!nzchar(vapply(p, function(p) system.file(package = p), ""))])' \
    $r_packages)
fi
for package in $r_packages; do missing="$missing r-cran-$(echo "$package" | tr "[:upper:]" "[:lower:]")"; done

if [ -n "$missing" ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "Missing:$missing (Debian's names). Install them, then run make again:" >&2
    echo "That is R >= 4.2 with what builds packages, a C compiler, xz, and the R packages whose names follow r-cran-." >&2
    exit 1
  fi
  if [ "$(id -u)" -eq 0 ]; then
    sudo=""
  elif command -v sudo >/dev/null 2>&1; then
    sudo="sudo"
  else
    echo "Missing:$missing. Install them as root: apt-get install$missing" >&2
    exit 1
  fi
  echo "Installing$missing"
  $sudo apt-get update -qq </dev/null
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing </dev/null
fi

PATH="$PATH:${HOME:-}/.cargo/bin"
for program in cargo rustc rustfmt cargo-clippy; do
  if ! command -v $program >/dev/null 2>&1; then
    echo "Missing: $program. Install Rust 1.80 or newer with rustup, and its parts rustfmt and clippy; then run make again." >&2
    exit 1
  fi
done
