// Which number does a network see for a byte of a picture?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "n2d2/tensor/joined_input.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2 {

/// The last part of a chain of transformations, as a table: what it makes of each byte of a picture that has
/// the size of the network's input. Steps that move or mix pixels come before it and are the caller's.
struct PixelTable {
  static constexpr int kValues = 256;

  /// What the channels of the picture are called, in the order in which they are given: R, G, B; Y for grey;
  /// else what the steps made of them.
  std::vector<std::string> channels;
  /// For each channel of the network, the channel of the picture it is made of.
  std::vector<int> source;
  /// 1,C,1,256 f32: what channel c sees for each byte of its source.
  Tensor values;
  /// An example: a picture, row by row, as it is given.
  std::vector<uint8_t> picture;
  /// Why there is no table; empty: there is one.
  std::string reason = "there is no picture";
  /// Where samples are floats and one step shifts and scales them: channel c sees (x - mean[c]) /
  /// deviation[c]. Else empty.
  std::vector<double> mean, deviation;
  /// Where the input of the network is that of a file of several inputs: these.
  std::vector<JoinedInput> inputs;
};

}  // namespace n2d2
