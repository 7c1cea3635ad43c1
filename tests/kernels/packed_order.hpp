// Answers: in which order do tests hand packed weights to kernels?
//
// Written from the words of packed.hpp and narrow.hpp, not with their code.
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

// The field of a narrow weight: its upper bits, or how many steps it lies above the lowest one.
inline int field_of(int weight, int bits, bool is_odd) {
  const int step = 256 >> bits;
  return is_odd ? (weight + 128 - step / 2) / step : ((weight + 256) / step) % (1 << bits);
}
// Weights of which `of_byte[k]` are the fields of a byte, lowest bits first.
template <class OfByte>
std::vector<int8_t> narrowed(const std::vector<int8_t>& weights, int bits, bool is_odd, size_t bytes,
                             const OfByte& of_byte) {
  std::vector<int8_t> out;
  for (size_t i = 0; i < bytes; ++i) {
    int byte = 0;
    for (int field = 0; field < 8 / bits; ++field) {
      const long at = of_byte(static_cast<long>(i), field);
      if (at >= 0) byte += field_of(weights[static_cast<size_t>(at)], bits, is_odd) << (field * bits);
    }
    out.push_back(static_cast<int8_t>(byte > 127 ? byte - 256 : byte));
  }
  return out;
}
// Rows of windows, each from a byte on.
inline std::vector<int8_t> narrow_rows(const std::vector<int8_t>& weights, int outputs, int bits,
                                       bool is_odd) {
  const long window = static_cast<long>(weights.size()) / outputs, fields = 8 / bits;
  const long bytes = (window + fields - 1) / fields;
  return narrowed(weights, bits, is_odd, static_cast<size_t>(outputs * bytes), [&](long byte, int field) {
    const long in_row = byte % bytes * fields + field;
    return in_row < window ? byte / bytes * window + in_row : -1;
  });
}
// Groups of 64 weights in the order of pack().
inline std::vector<int8_t> narrow_groups(const std::vector<int8_t>& packed, int bits, bool is_odd) {
  const long bytes = 8L * bits;
  return narrowed(packed, bits, is_odd, packed.size() * static_cast<size_t>(bits) / 8,
                  [&](long byte, int field) { return byte / bytes * 64 + byte % bytes + field * bytes; });
}

// Rows of a window whose weights may be packed, of so many channels (kPackedPatch); 0: they may not be.
template <class C>
int packed_rows(const C& config, int channels) {
  const int row = (config.kernel_w * channels + 3) / 4 * 4;
  return config.groups == 1 && (channels % 4 == 0 || config.kernel_h * row <= 448) ? config.kernel_h : 0;
}

}  // namespace n2d2::kernels_test
