// Which element of a smaller operand meets an element of a map? The one at the same place, along axes of one
// element the only one.
#pragma once

#include <cstdint>

#include "n2d2/tensor/shape.hpp"

namespace n2d2::ops {

/// Steps of an operand N,C,H,W in memory while one walks over a map; 0 along an axis on which it has one
/// element.
struct Steps {
  int64_t n = 0, c = 0, h = 0, w = 0;

  explicit Steps(const Shape& operand) {
    int64_t step = 1;
    const auto next = [&](int64_t extent) {
      const int64_t own = extent == 1 ? 0 : step;
      step *= extent;
      return own;
    };
    w = next(operand.w());
    h = next(operand.h());
    c = next(operand.c());
    n = next(operand.n());
  }
  int64_t at(int64_t in, int64_t ic, int64_t ih, int64_t iw) const {
    return in * n + ic * c + ih * h + iw * w;
  }
};

/// Calls body(i, n, c, y, x) for element i of the map, in order.
template <class Body>
void for_elements(const Shape& map, Body&& body) {
  int64_t i = 0;
  for (int64_t n = 0; n < map.n(); ++n)
    for (int64_t c = 0; c < map.c(); ++c)
      for (int64_t y = 0; y < map.h(); ++y)
        for (int64_t x = 0; x < map.w(); ++x) body(i++, n, c, y, x);
}

/// Whether each extent of the operand is that of the map, or 1.
inline bool fits_beside(const Shape& operand, const Shape& map) {
  for (size_t axis = 0; axis < 4; ++axis)
    if (operand[axis] != map[axis] && operand[axis] != 1) return false;
  return true;
}

}  // namespace n2d2::ops
