// How does NumPy read a tensor? The .npy format.
#pragma once

#include <string>

#include "n2d2/tensor/tensor.hpp"

namespace n2d2 {

/// The bytes of a .npy file, version 1.0: header, then the elements in logical order (N,C,H,W),
/// little-endian.
std::string npy(const Tensor& tensor);

}  // namespace n2d2
