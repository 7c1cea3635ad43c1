// How do weights come into the order of export/CPP/kernels/packed.hpp?
#pragma once

#include <memory>
#include <string>

#include "n2d2/tensor/tensor.hpp"

namespace n2d2::targets::cpp {

/// Why packed_windows gives none; "": it does.
std::string not_packed(const Tensor& weights, int64_t rows);
/// The same of packed_window.
std::string not_packed(const Tensor& weights);

/// Weights [outputs][rows of a window][run], 8 bits each, as [outputs / 16][rows][run / 4][16][4], zeros where there are none.
/// `rows` divides the window. Null where kernels read them as they are: other types, and channels that are no multiple of 4
/// in windows too large to be gathered (kPackedPatch of packed.hpp).
std::shared_ptr<const Tensor> packed_windows(const Tensor& weights, int64_t rows);

/// The same of windows of one run, of any length.
std::shared_ptr<const Tensor> packed_window(const Tensor& weights);

}  // namespace n2d2::targets::cpp
