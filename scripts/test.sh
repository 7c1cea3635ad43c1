#!/usr/bin/env bash
# Installs, builds and runs every test: under the sanitizers (unit, suite, errors, property, ten seconds of each fuzz
# target), then the release build's, all labels. The last lines are ctest's.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh

echo "== sanitizers: build"
cmake --preset asan >/dev/null
cmake --build --preset asan
echo "== sanitizers: tests"
ctest --preset asan -j "$(nproc)"

echo "== release: build"
cmake --preset release >/dev/null
cmake --build --preset release
echo "== release: tests"
ctest --preset release -j "$(nproc)"
