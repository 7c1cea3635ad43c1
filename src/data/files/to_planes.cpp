#include "to_planes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "pixels.hpp"

namespace n2d2::data {

namespace {

/// (x - shift) / divide of each element of an integer picture.
struct Normalization {
  float shift = 0, divide = 1;
};

Normalization normalization(DataType depth, bool signed_mapping) {
  switch (depth) {
    case DataType::U8:
      return signed_mapping ? Normalization{128, 128} : Normalization{0, 255};
    case DataType::I8:
      return signed_mapping ? Normalization{128, 128} : Normalization{0, 127};
    case DataType::U16:
      return signed_mapping ? Normalization{32768, 32768} : Normalization{0, 65535};
    case DataType::I16:
      return signed_mapping ? Normalization{32768, 32768} : Normalization{0, 32767};
    case DataType::I32:
      return {0, 2147483647.0F};
    default:
      return {};
  }
}

/// The nearest of the levels from min to max; x where there are none.
float quantized(float x, const InputMapping& mapping) {
  if (mapping.levels == 0) return x;
  const double step = (mapping.max - mapping.min) / (mapping.levels - 1);
  const double kept = std::clamp(static_cast<double>(x), mapping.min, mapping.max);
  return static_cast<float>(mapping.min + std::round((kept - mapping.min) / step) * step);
}

template <class T, class Convert>
void planes(const Image& image, float* to, const Convert& convert) {
  const T* from = image.span<T>().data();
  const auto channels = static_cast<size_t>(image.channels());
  const size_t pixels = static_cast<size_t>(image.elements()) / channels;
  for (size_t c = 0; c < channels; ++c, ++from)
    for (size_t i = 0; i < pixels; ++i) *to++ = convert(from[i * channels]);
}

template <class T>
void planes(const Image& image, const InputMapping& mapping, float* to) {
  const Normalization n = normalization(image.depth(), mapping.is_signed);
  const auto convert = [&](T x) { return quantized((static_cast<float>(x) - n.shift) / n.divide, mapping); };
  if constexpr (std::is_same_v<T, uint8_t>) {
    std::array<float, 256> table;
    for (size_t x = 0; x < table.size(); ++x) table[x] = convert(static_cast<uint8_t>(x));
    planes<T>(image, to, [&table](uint8_t x) { return table[x]; });
  } else {
    planes<T>(image, to, convert);
  }
}

}  // namespace

void to_planes(const Image& image, const InputMapping& mapping, float* to) {
  with_type(image.depth(), [&](auto zero) { planes<decltype(zero)>(image, mapping, to); });
}

}  // namespace n2d2::data
