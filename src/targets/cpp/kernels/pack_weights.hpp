// How do weights come into the orders of export/CPP/kernels/packed.hpp and narrow.hpp?
#pragma once

#include <memory>
#include <string>

#include "n2d2/program/program.hpp"

namespace n2d2::targets::cpp {

/// Returns why packed_windows() gives null; "" where it packs the weights.
std::string not_packed(const Tensor& weights, int64_t rows);
/// Returns why packed_window() gives null; "" where it packs the weights.
std::string not_packed(const Tensor& weights);

/// Weights [outputs][rows of a window][run], 8 bits each, as [outputs / 16][rows][run / 4][16][4], zeros
/// where there are none.
/// `rows` divides the window. Null where kernels read them as they are: other types, and channels that are no
/// multiple of 4 in windows too large to be gathered (kPackedPatch of packed.hpp).
std::shared_ptr<const Tensor> packed_windows(const Tensor& weights, int64_t rows);

/// Packs weights whose window is a single run, of any length. Null where the weights are not of 8 bits.
std::shared_ptr<const Tensor> packed_window(const Tensor& weights);

/// Returns the storage of fewest bits that holds all weights; 8 bits where they are no bytes.
program::Storage fewest_bits(const Tensor& weights, bool may_be_odd);

/// Returns the fields of Constant::data, row by row, or of Constant::packed, group by group, in the orders
/// of export/CPP/kernels/narrow.hpp. Weights that the storage does not hold are an InternalError.
Tensor narrow_rows(const Tensor& weights, program::Storage storage);
Tensor narrow_groups(const Tensor& packed, program::Storage storage);

}  // namespace n2d2::targets::cpp
