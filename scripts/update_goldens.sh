#!/usr/bin/env bash
# Writes the golden files of tests/golden anew from a build folder: update_goldens.sh [build/release]. Read the
# difference before it is committed.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
cmake --build "$build" --target test_golden
N2D2_UPDATE_GOLDENS=1 "$(find "$build" -name test_golden -type f)" --gtest_brief=1
git --no-pager diff --stat -- tests/golden
