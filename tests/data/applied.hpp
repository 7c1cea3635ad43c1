// What does one step make of a picture?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "samples.hpp"

namespace n2d2::data {

inline Image applied(const std::string& type, MapKeys::Map keys, Image image, uint64_t draw = 1) {
  Rng rng(draw);
  transformation(type + "Transformation", std::move(keys))->apply(image, rng);
  return image;
}

inline std::vector<int> row(const Image& image) {
  const auto bytes = values<uint8_t>(image);
  return {bytes.begin(), bytes.end()};
}

/// Bytes that differ from place to place and channel to channel.
inline Image noise(int width, int height, int channels, uint64_t seed = 1) {
  Image out(width, height, channels);
  Rng rng(seed, "noise");
  for (uint8_t& x : out.span<uint8_t>()) x = static_cast<uint8_t>(rng.below(256));
  return out;
}

}  // namespace n2d2::data
