// Answers: which instruction sets can a program of `make DISPATCH=1` hold beside SSE2, and which of them has
// this processor? x86-64 and GCC alone: clang++-14 cannot ask for AVX-VNNI.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace n2d2::e2e {

/// Names as the Makefile has them, the best one last, and whether this machine runs them.
inline std::vector<std::pair<std::string, bool>> instruction_sets() {
  return {{"avx2", __builtin_cpu_supports("avx2") != 0},
          {"avxvnni", __builtin_cpu_supports("avxvnni") != 0},
          {"avx512vnni", __builtin_cpu_supports("avx512vnni") != 0}};
}

}  // namespace n2d2::e2e
