#!/bin/sh
# Packs every crate into src/rust/vendor.tar.xz and lists them with their licences. The same Cargo.lock gives the same archive.
set -eu
cd "$(dirname "$0")/../src/rust"
rm -rf vendor
# a crate that Cargo.toml is new to gets the newest version that the promised Rust can build
CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS=fallback cargo vendor --quiet --versioned-dirs vendor >/dev/null
tar --sort=name --format=ustar --mtime='2020-01-01 00:00Z' --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -cf - vendor |
  xz -9e -T1 > vendor.tar.xz
rm -rf vendor
cd ../..
Rscript tools/crates.R
ls -l src/rust/vendor.tar.xz
