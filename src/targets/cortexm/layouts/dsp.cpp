#include "dsp.hpp"

#include <algorithm>
#include <cstdlib>

#include "../../../../export/CPP_CortexM/kernels/words_dsp.hpp"

namespace n2d2::targets::cortexm::dsp {

namespace {

constexpr int64_t kSumLimit = int64_t{1} << 23;
constexpr int kQuad = 4;     // outputs whose narrow weights are one number
constexpr int kNarrow = 16;  // weights of 4 bits are multiples of it

int words_of(const Filters& f) {
  return N2D2_Export::window_words(f.rows, f.columns * f.channels);
}

/// Largest magnitude of sums of an output, biases included.
int64_t magnitude(const Filters& f, const int8_t* weights, const Terms& terms, int output) {
  int64_t positive = 0, negative = 0, bias = 0;
  for (int i = 0; i < f.weights_of_output(); ++i) {
    const int w = weights[static_cast<size_t>(output) * f.weights_of_output() + i];
    (w > 0 ? positive : negative) += std::abs(w);
  }
  for (int row = 0; row < terms.bias_rows; ++row)
    bias = std::max(bias, std::abs(int64_t{terms.bias[static_cast<size_t>(row) * f.outputs + output]}));
  return bias + (terms.signed_inputs ? 128 * (positive + negative) : 255 * std::max(positive, negative));
}

}  // namespace

size_t scratch_bytes(const Filters& filters, int tile_pixels) {
  return static_cast<size_t>(N2D2_Export::tile_bytes(tile_pixels, words_of(filters))) + 3;
}

std::vector<int8_t> pack_filters(const Filters& f, const int8_t* weights) {
  const int words = words_of(f), run = f.columns * f.channels, window = f.weights_of_output();
  const int outputs = f.outputs_of_group(), padded = f.padded_outputs();
  std::vector<int8_t> packed(static_cast<size_t>(f.groups) * padded * words * 2);
  for (int g = 0; g < f.groups; ++g)
    for (int o = 0; o < outputs; o += 2)
      for (int i = 0; i < window; ++i) {
        const int8_t* even = weights + (static_cast<size_t>(g) * outputs + o) * window + i;
        const int a = even[0], b = o + 1 < outputs ? even[window] : 0;
        const int half = i / run * 2 * N2D2_Export::run_words(run) + N2D2_Export::half_of(i % run, run);
        int8_t* to = packed.data() + (static_cast<size_t>(g) * padded + o) * words * 2 + half * 2;
        to[0] = static_cast<int8_t>(b), to[1] = static_cast<int8_t>(a - (b < 0 ? 1 : 0));
      }
  return packed;
}

std::string unpackable(const Filters& f, const int8_t* weights, const Terms& terms) {
  const size_t window = static_cast<size_t>(f.weights_of_output());
  for (int o = 0; o < f.outputs; ++o) {
    if (o % f.outputs_of_group() % 2 != 0) continue;
    const int64_t largest = magnitude(f, weights, terms, o);
    if (largest >= kSumLimit)
      return "sums of output " + std::to_string(o) + " reach " + std::to_string(largest) +
             ", more than 24 bits hold";
    if (o % f.outputs_of_group() + 1 == f.outputs_of_group()) continue;
    const int8_t *even = weights + o * window, *odd = even + window;
    for (size_t i = 0; i < window; ++i)
      if (even[i] == -128 && odd[i] < 0)
        return "output " + std::to_string(o) + " has a weight of -128 beside a negative one";
  }
  return {};
}

bool may_be_narrow(const Filters& f, const int8_t* weights, const Terms& terms) {
  if (f.groups != 1) return false;
  for (int o = 0; o < f.outputs; ++o) {
    if (o % kQuad >= 2 && magnitude(f, weights, terms, o) >= kSumLimit) return false;
    for (int i = 0; i < f.weights_of_output(); ++i)
      if (weights[o * f.weights_of_output() + i] % kNarrow != 0) return false;
  }
  for (int o = 0; o < f.outputs; o += kQuad)
    for (int i = 0; i < f.weights_of_output(); ++i) {
      int number = 0, unit = 1;
      for (int j = o; j < std::min(o + kQuad, f.outputs); ++j, unit *= kNarrow) {
        number += unit * (weights[j * f.weights_of_output() + i] / kNarrow);
        if (number < -kNarrow / 2 * unit) return false;
      }
    }
  return true;
}

std::vector<uint8_t> pack_narrow(const Filters& f, const int8_t* weights) {
  const int words = words_of(f), run = f.columns * f.channels, window = f.weights_of_output();
  std::vector<uint8_t> packed(static_cast<size_t>(f.outputs + kQuad - 1) / kQuad * words * 4);
  for (int o = 0; o < f.outputs; o += kQuad)
    for (int i = 0; i < window; ++i) {
      int number = 0;
      for (int j = std::min(o + kQuad, f.outputs) - 1; j >= o; --j)
        number += (weights[j * window + i] / kNarrow) << (4 * (j - o));
      const int half = i / run * 2 * N2D2_Export::run_words(run) + N2D2_Export::half_of(i % run, run);
      uint8_t* to = packed.data() + static_cast<size_t>(o) / kQuad * words * 4 + half * 2;
      to[0] = static_cast<uint8_t>(number), to[1] = static_cast<uint8_t>(number >> 8);
    }
  return packed;
}

void pad_quads(const Filters& f, std::vector<int32_t>& padded) {
  if (f.padded_outputs() % kQuad != 0) padded.resize(padded.size() + 2);
}

std::vector<int8_t> pack_depthwise(int channels, const int8_t* weights) {
  static constexpr int kOrder[4] = {0, 2, 1, 3};
  const int groups = (channels + 3) / 4;
  std::vector<int8_t> packed;
  packed.reserve(static_cast<size_t>(groups) * 72);
  for (int g = 0; g < groups; ++g)
    for (int ky = 0; ky < 3; ++ky)
      for (int kx = 2; kx >= 0; --kx)
        for (const int i : kOrder) {
          const int c = 4 * g + i;
          const int8_t w = c < channels ? weights[(ky * 3 + kx) * channels + c] : int8_t{0};
          packed.push_back(w), packed.push_back(static_cast<int8_t>(w < 0 ? -1 : 0));
        }
  return packed;
}

}  // namespace n2d2::targets::cortexm::dsp
