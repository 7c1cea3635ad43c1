// What do two constants give, element by element?
#pragma once

#include "read/array.hpp"

namespace n2d2::onnx {

/// What joins two operands.
enum class Sign { Add, Sub, Mul, Div, Max, Min };

double apply(Sign sign, double a, double b);
/// Integers wrap like those of the machine; a quotient is cut off. Refused for a division by 0.
int64_t apply(Sign sign, int64_t a, int64_t b);
/// After numpy's broadcast. Refused when one holds integers and the other reals.
Array fold_two(Sign sign, const Array& a, const Array& b);

}  // namespace n2d2::onnx
