/// How do weights, biases and factors of a layer lie for a Cortex-M without DSP instructions, and which
/// layers may?
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace n2d2::targets::cortexm::scalar {

/// The filters of a convolution: `outputs` windows of rows x columns x channels. `channels` are those of a
/// group.
struct Filters {
  int outputs, rows, columns, channels, groups;

  int outputs_of_group() const { return outputs / groups; }
  /// Outputs of a group with the one that fills its last pair.
  int padded_outputs() const { return (outputs_of_group() + 1) / 2 * 2; }
  int weights_of_output() const { return rows * columns * channels; }
  /// Inputs of a window with those that fill it.
  int padded_inputs() const { return (weights_of_output() + 3) / 4 * 4; }
};

/// Bytes of scratch of conv2d_scalar.hpp.
size_t scratch_bytes(const Filters& filters);

/// Why a layer is not computed by conv2d_scalar.hpp or depthwise_scalar.hpp, "" if it is: no sum may exceed
/// 2^29, 255 * (sum of an output's |w|) + |bias| <= 2^29. Weights [outputs][inputs], biases [rows][outputs].
std::string unpackable(int outputs, int inputs, const int8_t* weights, const int32_t* bias, int rows);

/// Packs weights [outputs][rows][columns][channels] as conv2d_scalar.hpp reads them.
std::vector<int8_t> pack_filters(const Filters& filters, const int8_t* weights);

/// Packs biases [rows][outputs]: of signed inputs, which are read with 128 added, less 128 times the sum of
/// an output's weights.
std::vector<int32_t> pack_biases(const Filters& filters, const int8_t* weights, const int32_t* bias, int rows,
                                 bool signed_inputs);

/// Pads `rows` rows of one value an output as the layers read factors. T is int32_t or float.
template <class T>
std::vector<T> pad_outputs(const Filters& filters, const T* values, int rows) {
  const int from = filters.outputs_of_group(), to = filters.padded_outputs();
  std::vector<T> padded(static_cast<size_t>(rows) * filters.groups * to);
  for (int i = 0; i < rows * filters.groups; ++i)
    for (int o = 0; o < from; ++o) padded[static_cast<size_t>(i) * to + o] = values[i * from + o];
  return padded;
}

/// Packs depthwise weights [3][3][channels] as depthwise_scalar.hpp reads them: [channels][3][3].
std::vector<int8_t> pack_depthwise(int channels, const int8_t* weights);

}  // namespace n2d2::targets::cortexm::scalar
