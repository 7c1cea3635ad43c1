/// How do weights, biases and factors of a layer lie for the DSP instructions of Cortex-M, and which layers
/// may?
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace n2d2::targets::cortexm::dsp {

/// The filters of a convolution: `outputs` windows of rows x columns x channels. `channels` are those of a
/// group.
struct Filters {
  int outputs, rows, columns, channels, groups;

  int outputs_of_group() const { return outputs / groups; }
  /// Outputs of a group with the one that fills its last pair.
  int padded_outputs() const { return (outputs_of_group() + 1) / 2 * 2; }
  int weights_of_output() const { return rows * columns * channels; }
};

/// The values that inputs may have, and the biases: `bias_rows` rows of one for each output.
struct Terms {
  bool signed_inputs;
  const int32_t* bias;
  int bias_rows;
};

/// Bytes of scratch that tiles of so many pixels take at any address (conv2d_dsp.hpp).
size_t scratch_bytes(const Filters& filters, int tile_pixels);

/// Packs weights [outputs][rows][columns][channels] as words_dsp.hpp draws them. Requires unpackable() to be
/// "".
std::vector<int8_t> pack_filters(const Filters& filters, const int8_t* weights);

/// Why a layer has no such weights, "" if it has. A sum of an even output must fit 24 bits, because it is the
/// difference of two sums shifted right by 8: 255 * (sum of weights of one sign) + |bias| < 2^23 for unsigned
/// inputs.
/// -128 of an even output beside a negative weight of the odd one leaves the byte a - (b < 0).
std::string unpackable(const Filters& filters, const int8_t* weights, const Terms& terms);

/// Whether weights may be stored in 4 bits (tile_narrow_dsp.hpp): they are of one group and multiples of
/// 16, numbers of four outputs fit 16 bits, and sums of two of them 24 bits. Requires unpackable() to be
/// "".
bool may_be_narrow(const Filters& filters, const int8_t* weights, const Terms& terms);

/// Packs weights that may be narrow.
std::vector<uint8_t> pack_narrow(const Filters& filters, const int8_t* weights);

/// Adds what tiles of narrow weights read behind padded biases.
void pad_quads(const Filters& filters, std::vector<int32_t>& padded);

/// Pads `rows` rows of one value an output as the layers read biases and factors. T is int32_t or float.
template <class T>
std::vector<T> pad_outputs(const Filters& filters, const T* values, int rows) {
  const int from = filters.outputs_of_group(), to = filters.padded_outputs();
  std::vector<T> padded(static_cast<size_t>(rows) * filters.groups * to);
  for (int i = 0; i < rows * filters.groups; ++i)
    for (int o = 0; o < from; ++o) padded[static_cast<size_t>(i) * to + o] = values[i * from + o];
  return padded;
}

/// Packs depthwise weights [3][3][channels] as depthwise_dsp.hpp reads them: 16 bits a weight, in bytes.
std::vector<int8_t> pack_depthwise(int channels, const int8_t* weights);

/// Pads one value a channel to a multiple of 4 channels.
template <class T>
std::vector<T> pad_channels(int channels, const T* values) {
  std::vector<T> padded(values, values + channels);
  padded.resize(static_cast<size_t>(channels + 3) / 4 * 4);
  return padded;
}

}  // namespace n2d2::targets::cortexm::dsp
