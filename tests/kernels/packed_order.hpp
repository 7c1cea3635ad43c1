// Answers: in which order do tests hand packed weights to kernels?
//
// Written from the words of packed.hpp, not with its code.
#pragma once

#include <cstdint>
#include <vector>

namespace n2d2::kernels_test {

// The order [o / 16][row][i / 4][o % 16][i % 4] of [o][row][i].
inline std::vector<int8_t> pack(const std::vector<int8_t>& weights, int outputs, int rows) {
  const int run = static_cast<int>(weights.size()) / outputs / rows, groups = (run + 3) / 4;
  std::vector<int8_t> out(static_cast<size_t>((outputs + 15) / 16) * rows * groups * 64);
  for (int o = 0; o < outputs; ++o)
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < run; ++i) {
        const int group = (o / 16 * rows + r) * groups + i / 4;
        out[static_cast<size_t>(group) * 64 + o % 16 * 4 + i % 4] =
            weights[(static_cast<size_t>(o) * rows + r) * run + i];
      }
  return out;
}

// Rows of a window whose weights may be packed, of so many channels (kPackedPatch); 0: they may not be.
template <class C>
int packed_rows(const C& config, int channels) {
  const int row = (config.kernel_w * channels + 3) / 4 * 4;
  return config.groups == 1 && (channels % 4 == 0 || config.kernel_h * row <= 448) ? config.kernel_h : 0;
}

}  // namespace n2d2::kernels_test
