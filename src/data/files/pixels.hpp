// How is something done with the values of a picture, whatever their depth?
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "n2d2/data/image.hpp"

namespace n2d2::data {

/// Calls body with the span of the picture's elements, of their own type.
template <class Picture, class Body>
void with_pixels(Picture& image, const Body& body) {
  switch (image.depth()) {
    case DataType::U8:
      return body(image.template span<uint8_t>());
    case DataType::I8:
      return body(image.template span<int8_t>());
    case DataType::U16:
      return body(image.template span<uint16_t>());
    case DataType::I16:
      return body(image.template span<int16_t>());
    case DataType::I32:
      return body(image.template span<int32_t>());
    default:
      return body(image.template span<float>());
  }
}

/// Integers: rounded half to even, kept within the range of T. Floats: x.
template <class T>
T saturated(double x) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else {
    using Limits = std::numeric_limits<T>;
    const double kept =
        std::clamp(std::nearbyint(x), static_cast<double>(Limits::min()), static_cast<double>(Limits::max()));
    return static_cast<T>(kept);
  }
}

/// Calls body(T{}) with the element type of the depth.
template <class Body>
void with_type(DataType depth, const Body& body) {
  switch (depth) {
    case DataType::U8:
      return body(uint8_t{});
    case DataType::I8:
      return body(int8_t{});
    case DataType::U16:
      return body(uint16_t{});
    case DataType::I16:
      return body(int16_t{});
    case DataType::I32:
      return body(int32_t{});
    default:
      return body(float{});
  }
}

/// What stands for white: the largest integer of the depth, 1 for floats.
inline double full_scale(DataType depth) {
  double scale = 1;
  with_type(depth, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_floating_point_v<T>) scale = static_cast<double>(std::numeric_limits<T>::max());
  });
  return scale;
}

/// The picture with value x of channel c replaced by f(x, c), in this depth. Bytes go through a table.
template <class F>
Image mapped(const Image& image, DataType depth, const F& f) {
  Image out(image.width(), image.height(), image.channels(), depth);
  const auto channels = static_cast<size_t>(image.channels());
  with_pixels(out, [&](auto to) {
    using To = typename decltype(to)::value_type;
    with_pixels(image, [&](auto from) {
      using From = std::remove_const_t<typename decltype(from)::element_type>;
      if constexpr (std::is_same_v<From, uint8_t>) {
        std::vector<To> table(channels * 256);
        for (size_t i = 0; i < table.size(); ++i)
          table[i] = saturated<To>(f(static_cast<double>(i % 256), i / 256));
        for (size_t i = 0; i < from.size(); i += channels)
          for (size_t c = 0; c < channels; ++c) to[i + c] = table[c * 256 + from[i + c]];
      } else {
        for (size_t i = 0; i < from.size(); ++i)
          to[i] = saturated<To>(f(static_cast<double>(from[i]), i % channels));
      }
    });
  });
  return out;
}

/// Calls body(value, channel) for every value.
template <class Body>
void each_value(const Image& image, const Body& body) {
  const auto channels = static_cast<size_t>(image.channels());
  with_pixels(image, [&](auto values) {
    for (size_t i = 0; i < values.size(); ++i) body(static_cast<double>(values[i]), i % channels);
  });
}

}  // namespace n2d2::data
