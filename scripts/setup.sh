#!/usr/bin/env bash
# Installs what n2d2 is built with (Debian 12), as root or through sudo. Does nothing when all is there.
set -euo pipefail

packages=(
  # tools
  ccache clang-14 clang-format-14 clang-tidy-14 cmake curl g++ gcovr git make ninja-build python3 python3-yaml
  libclang-rt-14-dev libomp-14-dev lld llvm-14
  # libraries: options, images, float compute, ONNX, text and log, JSON, templates, pictures, decompression
  libboost-program-options-dev
  libopencv-core-dev libopencv-imgcodecs-dev libopencv-imgproc-dev
  libdnnl-dev ocl-icd-opencl-dev
  libonnx-dev libprotobuf-dev protobuf-compiler
  libfmt-dev libspdlog-dev nlohmann-json3-dev libkainjow-mustache-dev libcairo2-dev fonts-dejavu-core libjpeg62-turbo-dev libpng-dev zlib1g-dev
  # several processes: the module n2d2-mpi
  libopenmpi-dev openmpi-bin
  # kernels of others, for exports that ask for them
  libpthreadpool-dev libxnnpack-dev
  # tests of kernels for AArch64
  g++-aarch64-linux-gnu googletest qemu-user
  # tests of exports for Cortex-M
  gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm
  # documentation
  mkdocs
  # tests of packages, and of completions
  dpkg-dev fish lintian pkg-config zsh
  # tests of report.html
  chromium-headless-shell nodejs
  # tests and benchmarks
  libbenchmark-dev libgmock-dev libgtest-dev libonnx-testdata librapidcheck-dev
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: every package is installed"
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: run as root, or install sudo" >&2; exit 2; }
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
