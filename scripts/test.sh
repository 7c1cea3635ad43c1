#!/usr/bin/env bash
# Installs, builds and runs every test: release (all labels), then the sanitizers (unit, suite, errors, property),
# then ten seconds of each fuzz target. The last lines are ctest's.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh

echo "== sanitizers: build"
cmake --preset asan >/dev/null
cmake --build --preset asan
echo "== sanitizers: tests"
ctest --preset asan -j "$(nproc)"

echo "== fuzz: build and run"
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzz_targets
ctest --preset fuzz -j "$(nproc)"

echo "== release: build"
cmake --preset release >/dev/null
cmake --build --preset release
echo "== release: tests"
ctest --preset release -j "$(nproc)"
