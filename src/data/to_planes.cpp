#include "to_planes.hpp"

#include <array>

namespace n2d2::data {

namespace {

/// (x - shift) / divide of each element of an integer picture (spec data 5).
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

template <class T, class Convert>
void planes(const Image& image, float* to, const Convert& convert) {
  const T* from = image.span<T>().data();
  const auto channels = static_cast<size_t>(image.channels());
  const size_t pixels = static_cast<size_t>(image.elements()) / channels;
  for (size_t c = 0; c < channels; ++c, ++from)
    for (size_t i = 0; i < pixels; ++i) *to++ = convert(from[i * channels]);
}

template <class T>
void planes(const Image& image, Normalization n, float* to) {
  const auto convert = [n](T x) { return (static_cast<float>(x) - n.shift) / n.divide; };
  if constexpr (std::is_same_v<T, uint8_t>) {
    std::array<float, 256> table;
    for (size_t x = 0; x < table.size(); ++x) table[x] = convert(static_cast<uint8_t>(x));
    planes<T>(image, to, [&table](uint8_t x) { return table[x]; });
  } else {
    planes<T>(image, to, convert);
  }
}

}  // namespace

void to_planes(const Image& image, bool signed_mapping, float* to) {
  const Normalization n = normalization(image.depth(), signed_mapping);
  switch (image.depth()) {
    case DataType::U8:
      return planes<uint8_t>(image, n, to);
    case DataType::I8:
      return planes<int8_t>(image, n, to);
    case DataType::U16:
      return planes<uint16_t>(image, n, to);
    case DataType::I16:
      return planes<int16_t>(image, n, to);
    case DataType::I32:
      return planes<int32_t>(image, n, to);
    default:
      return planes<float>(image, n, to);
  }
}

}  // namespace n2d2::data
