#!/bin/sh
# Installs the package into a library of its own, if a source is newer than what is there.
set -eu
library=$1
stamp=$library/.installed
if [ -f "$stamp" ] &&
  [ -z "$(find DESCRIPTION NAMESPACE configure R man inst src \( -name target -o -name vendor -o -name .cargo-home \) -prune -o \
    -type f ! -name Makevars ! -name '*.o' ! -name '*.so' -newer "$stamp" -print)" ]; then
  exit 0
fi
mkdir -p "$library"
log=$library/install.log
echo "Installing torchshape (log: $log)"
if ! TORCHSHAPE_DEV=1 R CMD INSTALL --no-test-load --library="$library" . >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  exit 1
fi
touch "$stamp"
