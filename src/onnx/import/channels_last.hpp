// What does a tensor N,H,W,C mean in a graph whose maps are N,C,H,W? The same bytes of an export.
#pragma once

#include <optional>
#include <string_view>

#include "read/array.hpp"

namespace n2d2::onnx {

/// Whether a tensor of this rank has a form with its last axis in front of the others: N,L,C and N,H,W,C
/// have.
bool can_be_channels_last(const Extents& dims);
/// N,C,H,W of N,H,W,C; N,C,L of N,L,C.
Extents channels_first(const Extents& dims);
/// N,H,W,C of N,C,H,W; N,L,C of N,C,L.
Extents channels_last(const Extents& dims);
/// The axes that a Transpose takes for these.
bool puts_channels_first(const std::vector<size_t>& order);
bool puts_channels_last(const std::vector<size_t>& order);
/// A constant beside a tensor N,...,C of this rank as it goes beside the tensor N,C,... of the same values;
/// nothing where it has more axes.
std::optional<Array> constant_channels_first(const Array& constant, size_t rank);
/// Operators that treat each element alike: those of one tensor, other inputs being single numbers.
bool takes_elements(std::string_view type);
/// Operators that treat each element alike, of several tensors.
bool joins_elements(std::string_view type);

}  // namespace n2d2::onnx
