#!/usr/bin/env bash
# Installs, builds and runs the tests.
#
#   scripts/test.sh        what a commit is held to
#   scripts/test.sh all    the same with every case of every matrix
#   N2D2_DRAW=3 scripts/test.sh    the same with the cases of that draw (tests/drawn.hpp), as a run has printed it
#
# Under the sanitizers: unit, suite, errors, property, ten seconds of each fuzz target. Then the release build's: all labels but
# errors, which have just run; of its unit tests those that optimized code could fail. Phases and the slowest tests are
# printed and written to build/test_times.txt; the last lines are ctest's.
set -euo pipefail
cd "$(dirname "$0")/.."
times=build/test_times.txt
mkdir -p build
: > "$times"

phase() {  # phase NAME COMMAND...
  echo "== $1"
  local begin=$SECONDS result=0
  "${@:2}" || result=$?
  printf '%6d s  %s\n' $((SECONDS - begin)) "$1" >> "$times"
  return $result
}

# The same draw for the same sources: the first digits of the commit, or of the hash of what lies there without git.
drawn() {
  local id
  id=$(git rev-parse HEAD 2>/dev/null || find src tests export -type f -print0 | sort -z | xargs -0 cat | sha1sum)
  echo $((16#${id:0:7} % 16))
}
if [ "${1:-}" = all ]; then
  export N2D2_DRAW=all
else
  export N2D2_DRAW="${N2D2_DRAW:-$(drawn)}"
fi
echo "== cases: N2D2_DRAW=$N2D2_DRAW"

# The presets compile many sources together; each one is compiled alone in one draw of sixteen, and in the dev preset.
compile_alone() { scripts/compile_alone.py build/asan; }
configure() { cmake --preset "$@" >/dev/null; }

phase "setup" scripts/setup.sh
configure asan
phase "sanitizers: build" cmake --build --preset asan
phase "sanitizers: some sources alone" compile_alone
phase "sanitizers: tests" ctest --preset asan -j "$(nproc)" --output-junit "$PWD/build/asan_tests.xml"
configure release -DN2D2_UNIT_TESTS=OPTIMIZED -DN2D2_HOST_OPTIMIZATION=-O1 -DN2D2_WHOLE_PROGRAMS=ON
phase "release: build" cmake --build --preset release
# The longest tests, each taken by one draw of four: the first of each line by the same. Of the kernels for Cortex-M, every family
# runs on one core in each run; its other cores and levels of optimization are drawn.
long=(export.pictures export.every_way export.long_chains export.stack
      export.warnings export.threads kernels.stack kernels.aarch64_instructions
      export.audiomoth export.aarch64 modules.extending export.onnx_alone
      cortexm.mve_random.{m55.small,m55.intrinsics,m85,m55_nomve}
      cortexm.dsp_conv.{m4.intrinsics,m33.small,m33_nodsp} cortexm.dsp_elementwise.m33
      cortexm.mve_elements.m85 cortexm.dsp_depthwise.{m4.intrinsics,m33.small,m33_nodsp}
      cortexm.scalar_conv2d.{m3,m0plus.small,m23,m33_nodsp}
      cortexm.scalar_depthwise.{m0plus.small,m23,m33_nodsp,m3})
undrawn=$(tests/e2e/drawn.py "${long[@]}")
echo "== not drawn: $undrawn"
status=0
phase "release: tests" ctest --preset release -LE errors -E "$undrawn" -j "$(nproc)" --output-junit "$PWD/build/release_tests.xml" \
  > >(tee build/release_tests.log) 2>&1 || status=$?

scripts/slowest_tests.py build/asan_tests.xml build/release_tests.xml >> "$times"
echo "== phases and slowest tests"
cat "$times"
sed -n '/% tests passed/,$p' build/release_tests.log
exit $status
