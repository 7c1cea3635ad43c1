#!/usr/bin/env bash
# Installs, builds, and runs the main job on the embedded Glyphs database: train, quantize, export, compile, score.
# demo.sh [FOLDER]: where the export goes (default: build/demo).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
scripts/setup.sh
cmake --preset release -DN2D2_TESTS=OFF -B build/demo-build >/dev/null
cmake --build build/demo-build --target n2d2
n2d2=$root/build/demo-build/src/app/n2d2

mkdir -p "${1:-build/demo}"
cd "${1:-build/demo}"
start=$SECONDS
echo "== train and test (float)"
"$n2d2" "$root/models/lenet_glyphs.ini" -seed 1 -learn-epoch 8 -log-epoch 1 -test | tee train.log
echo "== calibrate, quantize, export, test (int8, in process)"
"$n2d2" "$root/models/lenet_glyphs.ini" -seed 1 -export CPP -nbbits 8 -calib -1 -db-export -1 -test | tee export.log
echo "== compile and score the exported program"
make -s -C export_CPP_int8
(cd export_CPP_int8 && ./bin/run_export >run.log; tail -1 run.log)

rate() { grep 'Final recognition rate' "$1" | tail -1 | sed 's/.*rate: \([0-9.]*%\) .*/\1/'; }
echo
echo "float score               $(rate train.log)"
echo "int8 score, in process    $(rate export.log)"
echo "int8 score, exported      $(sed -n 's/^Score: //p' export_CPP_int8/run.log)"
grep -E '^(RAM|Weights)' export.log || true
echo "memory picture            $PWD/export_CPP_int8/statistics/memory/memory_mapping.png"
echo "time after the build      $((SECONDS - start)) s"
