#!/bin/sh
# Installs what is missing to build and check torchshape: on Debian and its kin by apt-get, elsewhere it says what to install.
set -eu

# what make check needs beside R itself, as Debian packages
r_packages="cli jsonlite knitr testthat lintr roxygen2"

missing=""
command -v xz >/dev/null 2>&1 || missing="$missing xz-utils"
command -v cc >/dev/null 2>&1 || missing="$missing gcc"
command -v R >/dev/null 2>&1 || missing="$missing r-base-core"
# an R without its headers and compilers' settings cannot build packages
if ! command -v R >/dev/null 2>&1 || [ ! -f "$(R RHOME)/etc/Makeconf" ]; then
  missing="$missing r-base-dev"
fi
for package in $r_packages; do
  if ! command -v Rscript >/dev/null 2>&1 || ! R_LIBS_USER='' Rscript --vanilla -e "quit(status = !nzchar(system.file(package = '$package')))"; then
    missing="$missing r-cran-$package"
  fi
done

if [ -n "$missing" ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "Missing:$missing (Debian's names). Install them, then run make again:" >&2
    echo "R >= 4.2, a C compiler, xz, and the R packages $r_packages." >&2
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
  export DEBIAN_FRONTEND=noninteractive
  $sudo apt-get update -qq
  # shellcheck disable=SC2086
  $sudo apt-get install -y -qq --no-install-recommends $missing
fi

PATH="$PATH:${HOME:-}/.cargo/bin"
if ! command -v cargo >/dev/null 2>&1 || ! command -v rustc >/dev/null 2>&1; then
  echo "Missing: cargo and rustc, 1.80 or newer. Install Rust with rustup, then run make again." >&2
  exit 1
fi
