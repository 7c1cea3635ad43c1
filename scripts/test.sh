#!/usr/bin/env bash
# Installs, builds and runs every test: under the sanitizers (unit, suite, errors, property, ten seconds of each fuzz
# target), then the release build's, all labels; of its unit tests those that optimized code could fail, for the others have
# just run. The last lines are ctest's.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh

echo "== sanitizers: build"
cmake --preset asan >/dev/null
cmake --build --preset asan
echo "== sanitizers: tests"
ctest --preset asan -j "$(nproc)"

echo "== release: build"
cmake --preset release -DN2D2_UNIT_TESTS=OPTIMIZED >/dev/null
cmake --build --preset release
echo "== release: tests"
ctest --preset release -j "$(nproc)"
