// How does a function of one value become a table of integers?
#pragma once

#include <functional>
#include <span>

#include "n2d2/graph/integer_form.hpp"
#include "n2d2/graph/integers.hpp"

namespace n2d2::ops {

/// Slot of a table among the inputs of a node. A table has rank 2, no other input has.
inline constexpr size_t kTableSlot = 1;
inline bool has_table(std::span<const Shape> in) {
  return in.size() > kTableSlot && in[kTableSlot].rank() == 2;
}

/// What integer 1 stands for.
double step_of(const QuantParams& quant);

/// A row for each channel (one: the same for all), in it an entry for each integer of the input, at the index
/// that its bits are as an unsigned number: the integer of the output nearest to f(real, channel), ties to
/// even from the output's zero point, which is an integer, saturated.
Tensor table_of_outputs(const graph::TableArgs& args, int64_t channels,
                        const std::function<double(double real, int64_t channel)>& f);

/// One entry: the integer nearest to a real number, ties to even, saturated.
Tensor table_of_one(const QuantParams& quant, double real);

/// Replaces each integer of input 0 by its entry.
void look_up_each(const graph::IntegerArgs& args);

}  // namespace n2d2::ops
