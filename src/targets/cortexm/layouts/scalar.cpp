#include "scalar.hpp"

#include <algorithm>
#include <cstdlib>

namespace n2d2::targets::cortexm::scalar {

namespace {

int8_t stored(int weight) {
  return static_cast<int8_t>(static_cast<uint8_t>(weight + 128));
}

}  // namespace

size_t scratch_bytes(const Filters& filters) {
  constexpr size_t kToAlign = 3;
  return static_cast<size_t>(8) * filters.padded_inputs() + kToAlign;
}

std::string unpackable(int outputs, int inputs, const int8_t* weights, const int32_t* bias, int rows) {
  constexpr int64_t kMost = int64_t{1} << 29, kLargestInput = 255;
  for (int o = 0; o < outputs; ++o) {
    int64_t sum = 0, largest = 0;
    for (int i = 0; i < inputs; ++i) sum += std::abs(weights[static_cast<ptrdiff_t>(o) * inputs + i]);
    for (int r = 0; r < rows; ++r)
      largest = std::max<int64_t>(
          largest, std::abs(static_cast<int64_t>(bias[static_cast<ptrdiff_t>(r) * outputs + o])));
    if (kLargestInput * sum + largest > kMost)
      return "sums of output " + std::to_string(o) + " may reach " +
             std::to_string(kLargestInput * sum + largest) + ", more than 2^29";
  }
  return {};
}

std::vector<int8_t> pack_filters(const Filters& filters, const int8_t* weights) {
  const int real = filters.weights_of_output(), inputs = filters.padded_inputs();
  const int outputs = filters.outputs_of_group(), padded = filters.padded_outputs();
  std::vector<int8_t> packed(static_cast<size_t>(filters.groups) * padded * inputs, stored(0));
  for (int g = 0; g < filters.groups; ++g)
    for (int o = 0; o < outputs; ++o) {
      const int8_t* from = weights + static_cast<ptrdiff_t>(g * outputs + o) * real;
      int8_t* to = packed.data() + static_cast<ptrdiff_t>(g * padded + o / 2 * 2) * inputs + o % 2;
      for (int i = 0; i < real; ++i) to[2 * i] = stored(from[i]);
    }
  return packed;
}

std::vector<int32_t> pack_biases(const Filters& filters, const int8_t* weights, const int32_t* bias, int rows,
                                 bool signed_inputs) {
  const int real = filters.weights_of_output();
  std::vector<int32_t> biases(bias, bias + static_cast<ptrdiff_t>(rows) * filters.outputs);
  if (signed_inputs)
    for (int o = 0; o < filters.outputs; ++o) {
      int32_t sum = 0;
      for (int i = 0; i < real; ++i) sum += weights[static_cast<ptrdiff_t>(o) * real + i];
      for (int r = 0; r < rows; ++r) biases[static_cast<size_t>(r) * filters.outputs + o] -= 128 * sum;
    }
  return pad_outputs(filters, biases.data(), rows);
}

std::vector<int8_t> pack_depthwise(int channels, const int8_t* weights) {
  constexpr int kTaps = 9;
  std::vector<int8_t> packed(static_cast<size_t>(kTaps) * channels);
  for (int c = 0; c < channels; ++c)
    for (int t = 0; t < kTaps; ++t) packed[static_cast<size_t>(c) * kTaps + t] = weights[t * channels + c];
  return packed;
}

}  // namespace n2d2::targets::cortexm::scalar
