#!/bin/sh
# Packs every crate into src/rust/vendor.tar.xz and lists them with their licences. The archive is the same every time.
set -eu
cd "$(dirname "$0")/../src/rust"
rm -rf vendor
cargo vendor --locked --versioned-dirs vendor >/dev/null
tar --sort=name --mtime='2020-01-01 00:00Z' --owner=0 --group=0 --numeric-owner -cf - vendor | xz -9e > vendor.tar.xz
rm -rf vendor
cd ../..
Rscript tools/crates.R
ls -l src/rust/vendor.tar.xz
