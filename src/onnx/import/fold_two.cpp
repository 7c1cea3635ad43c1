#include "fold_two.hpp"

#include <algorithm>

#include "node.hpp"

namespace n2d2::onnx {

double apply(Sign sign, double a, double b) {
  switch (sign) {
    case Sign::Add:
      return a + b;
    case Sign::Sub:
      return a - b;
    case Sign::Mul:
      return a * b;
    case Sign::Max:
      return std::max(a, b);
    case Sign::Min:
      return std::min(a, b);
    case Sign::Div:
      break;
  }
  return a / b;
}

int64_t apply(Sign sign, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (sign) {
    case Sign::Add:
      return static_cast<int64_t>(x + y);
    case Sign::Sub:
      return static_cast<int64_t>(x - y);
    case Sign::Mul:
      return static_cast<int64_t>(x * y);
    case Sign::Max:
      return std::max(a, b);
    case Sign::Min:
      return std::min(a, b);
    case Sign::Div:
      break;
  }
  if (b == 0) refuse("an integer is divided by 0");
  return b == -1 ? static_cast<int64_t>(0 - x) : a / b;
}

Array fold_two(Sign sign, const Array& a, const Array& b) {
  if (a.is_integer != b.is_integer) refuse("one operand is integer, the other real");
  Array out = a.like(broadcast(a.dims, b.dims));
  for_broadcast(out.dims, a.dims, b.dims, [&](int64_t i, int64_t at_a, int64_t at_b) {
    const auto k = static_cast<size_t>(i), x = static_cast<size_t>(at_a), y = static_cast<size_t>(at_b);
    if (out.is_integer)
      out.integers[k] = apply(sign, a.integers[x], b.integers[y]);
    else
      out.reals[k] =
          static_cast<float>(apply(sign, static_cast<double>(a.reals[x]), static_cast<double>(b.reals[y])));
  });
  return out;
}

}  // namespace n2d2::onnx
