#!/bin/sh
# Everything that must hold before a change lands. The last line says how many tests passed and failed.
set -u
# without any locale R CMD check takes American English, which small systems lack, and warns
[ -n "${LC_ALL:-}${LC_CTYPE:-}${LANG:-}" ] || export LANG=C.UTF-8
build=$1
mkdir -p "$build"
passed=0
failed=0

finish() {
  # a step that fails without a failing test counts as one
  [ "$1" -ne 0 ] && [ "$failed" -eq 0 ] && failed=1
  echo "$passed passed, $failed failed"
  [ "$1" -eq 0 ] && [ "$failed" -eq 0 ] && exit 0
  exit 1
}

step() {
  echo "== $*"
}

run() {
  log=$1
  shift
  if ! "$@" >"$build/$log" 2>&1; then
    tail -n 100 "$build/$log"
    echo "failed: $*"
    finish 1
  fi
}

step "format, lints"
run fmt.log sh -c 'cd src/rust && cargo fmt --all --check'
run clippy.log sh -c 'cd src/rust && cargo clippy --locked --workspace --all-targets -- -D warnings'
run lintr.log Rscript --vanilla tools/lint.R

step "cargo test"
sh -c 'cd src/rust && cargo test --locked -p torchshape-shapes' >"$build/cargo-test.log" 2>&1
cargo_status=$?
grep -E '^(test result|running)' "$build/cargo-test.log"
count() {
  sed -n "s/^test result:.* \([0-9]*\) $1.*/\1/p" "$build/cargo-test.log" | awk '{ n += $1 } END { print n + 0 }'
}
passed=$(count passed)
failed=$(count failed)
if [ "$cargo_status" -ne 0 ]; then
  tail -n 100 "$build/cargo-test.log"
  [ "$failed" -eq 0 ] && failed=1
  finish 1
fi

step "R CMD build"
rm -rf "$build"/torchshape_*.tar.gz "$build"/torchshape.Rcheck "$build"/torchshape
mkdir "$build/torchshape"
# R CMD build copies all that it is given before it leaves anything out, and what cargo has built is most of a gigabyte
run copy.log sh -c "tar -cf - --exclude=./.git --exclude=./.build --exclude=./.lib --exclude=./src/rust/target . |
  tar -xf - -C '$build/torchshape'"
run build.log sh -c "cd '$build' && R CMD build --no-manual torchshape"

step "R CMD check"
# no network, no LaTeX and no other packages are needed; snapshots count too; the clock cannot be verified offline
(cd "$build" && NOT_CRAN=true _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_SYSTEM_CLOCK_=FALSE \
  R CMD check --no-manual torchshape_*.tar.gz) >"$build/check.log" 2>&1
check_status=$?

output="$build/torchshape.Rcheck/tests/testthat.Rout"
[ -f "$output" ] || output="$output.fail"
if [ -f "$output" ]; then
  summary=$(grep -E '^\[ FAIL [0-9]+' "$output" | tail -n 1)
  echo "$summary"
  r_failed=$(echo "$summary" | sed -n 's/.*FAIL \([0-9]*\).*/\1/p')
  r_passed=$(echo "$summary" | sed -n 's/.*PASS \([0-9]*\).*/\1/p')
  passed=$((passed + ${r_passed:-0}))
  failed=$((failed + ${r_failed:-1}))
fi
status=$(sed -n 's/^Status: //p' "$build/check.log")
echo "Status: $status"
if [ "$check_status" -ne 0 ] || [ "$status" != "OK" ]; then
  cat "$build/check.log"
  [ -f "$output" ] && tail -n 60 "$output"
  finish 1
fi
finish 0
