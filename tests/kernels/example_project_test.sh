#!/bin/sh
# Builds the example project as an exporter would write it and checks the driver's answers, exit statuses and files.
# usage: example_project_test.sh <source root> <scratch folder> [compiler ...]
set -eu
root=$1
scratch=$2
shift 2
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
expect_status() { # status, text of the message, command...
  status=$1 text=$2
  shift 2
  found=0
  "$@" >out.txt 2>&1 || found=$?
  [ "$found" = "$status" ] || fail "$*: exit status $found, expected $status: $(cat out.txt)"
  grep -qF -- "$text" out.txt || fail "$*: no '$text' in: $(cat out.txt)"
}
assemble() { # folder
  mkdir -p "$1/include/kernels"
  cp -r "$root/export/CPP/static/." "$1"
  cp "$root"/export/CPP/kernels/*.hpp "$1/include/kernels"
  cp -r "$root/tests/kernels/example_project/." "$1"
}
strict="-std=c++11 -pedantic -Wall -Wextra -Wshadow -Werror -fno-exceptions -fno-rtti"

for cxx in "$@"; do
  echo "== $cxx: each kernel header alone"
  for header in "$root"/export/CPP/kernels/*.hpp; do
    case $header in *_avx512.hpp) flags="-mavx512f -mavx512bw -mavx512vl -mavx512vnni" ;; *) flags="" ;; esac
    echo "#include \"$header\"" | $cxx $strict $flags -fsyntax-only -x c++ - || fail "$header"
  done
  echo "== $cxx: build without optimisation and without OpenMP, compare"
  assemble "$cxx-O0"
  make -s -C "$cxx-O0" CXX="$cxx" CXXFLAGS="-O0 -Werror -Wshadow" OPENMP=0
  (cd "$cxx-O0" && expect_status 0 "Score: 75.000000%" bin/run_export -compare reference)
done

echo "== build with the project's own flags"
assemble project
cd project
make -s -j2 CXXFLAGS="-Werror"
make -q CXXFLAGS="-Werror" || fail "a second make has something to do"
expect_status 0 "Score: 75.000000%" bin/run_export -compare reference -topn 2 -confusion -time 3
grep -qF "fc1: 6 values, 0 different" out.txt || fail "no report of fc1"
expect_status 0 "2/2 (100.000000%)" bin/run_export -nb 2
expect_status 0 "1/1" bin/run_export -stimulus stimuli/env1.pgm
expect_status 0 "usage: run_export" bin/run_export -h
expect_status 2 "-foo: unknown option" bin/run_export -foo
expect_status 2 "-nb: expected a positive integer, found '0'" bin/run_export -nb 0
expect_status 2 "-nb: expected a value" bin/run_export -nb
expect_status 2 "missing.pgm: cannot be opened" bin/run_export -stimulus missing.pgm
expect_status 2 "nowhere: no reference for any cell" bin/run_export -compare nowhere
expect_status 0 "clean" make help

cp -r reference changed
sed -i '2s/^[0-9]*/1000/' changed/env1/pool1.txt
expect_status 1 "first: env1 channel 0 row 0 column 0: expected 1000" bin/run_export -compare changed
sed -i '1s/0/7/' changed/env1/pool1.txt
expect_status 2 "changed/env1/pool1.txt: expected '0:', found '7:'" bin/run_export -compare changed

head -c 60 stimuli/env0.pgm >short.pgm
expect_status 2 "short.pgm: expected 68 bytes after the header, found 49" bin/run_export -stimulus short.pgm
(cat stimuli/env0.pgm && echo) >long.pgm
expect_status 2 "long.pgm: expected 68 bytes after the header, found 69" bin/run_export -stimulus long.pgm
sed '2s/8 8/8 9/' stimuli/env0.pgm >tall.pgm
expect_status 2 "tall.pgm: height: expected 8, found '9'" bin/run_export -stimulus tall.pgm
sed '1s/P5/P6/' stimuli/env0.pgm >color.pgm
expect_status 2 "color.pgm: format: expected P5, found 'P6'" bin/run_export -stimulus color.pgm

echo "== the inference part needs no heap, no exceptions, no streams"
objects="build/dnn/src/*.o build/src/Network.o"
if nm -uC $objects | grep -E 'malloc|calloc|realloc|free|operator new|operator delete|__cxa|std::|printf'; then
  fail "the inference part uses the above"
fi

echo "== saved outputs, score file, list instead of a directory"
make -s save_outputs CXXFLAGS="-O1 -DOUTPUTFILE -DNO_DIRENT -DBENCHMARK"
expect_status 0 "forward:" bin/run_export -stimulus stimuli/env1.pgm
for cell in conv1 pool1 fc1; do
  cmp "outputs/${cell}_output.txt" "reference/env1/$cell.txt" || fail "outputs/${cell}_output.txt"
done
[ "$(sed -n 2p outputs/max_output.txt)" = 2 ] || fail "outputs/max_output.txt"
[ "$(sed -n 1p outputs/env_output.txt)" = "0:" ] || fail "outputs/env_output.txt"
expect_status 0 "Score: 75.000000%" bin/run_export
[ "$(cat success_rate.txt)" = 75 ] || fail "success_rate.txt"
make -s clean
[ ! -e bin ] && [ ! -e build ] || fail "clean left something"
echo "all passed"
