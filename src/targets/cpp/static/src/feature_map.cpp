// Part of an exported project; may be used without condition.
#include "../include/feature_map.hpp"

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "../include/fail.hpp"

namespace N2D2_Export {
namespace {

double element(const void* data, ElementType type, ptrdiff_t i) {
  switch (type) {
    case kElementU8:
      return static_cast<const uint8_t*>(data)[i];
    case kElementI8:
      return static_cast<const int8_t*>(data)[i];
    case kElementU16:
      return static_cast<const uint16_t*>(data)[i];
    case kElementI16:
      return static_cast<const int16_t*>(data)[i];
    case kElementI32:
      return static_cast<const int32_t*>(data)[i];
    case kElementFloat:
      break;
  }
  return static_cast<double>(static_cast<const float*>(data)[i]);
}

}  // namespace

double FeatureMap::at(int channel, int y, int x) const {
  return values[(static_cast<size_t>(channel) * static_cast<size_t>(height) + static_cast<size_t>(y)) *
                    static_cast<size_t>(width) +
                static_cast<size_t>(x)];
}

FeatureMap copy_map(const void* data, ElementType type, int width, int height, int channels, int pixel,
                    int row, int ring, int first, int turn) {
  FeatureMap map;
  map.width = width, map.height = height, map.channels = channels;
  map.integers = type != kElementFloat;
  map.values.reserve(static_cast<size_t>(width) * static_cast<size_t>(height) *
                     static_cast<size_t>(channels));
  for (int c = 0; c < channels; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const ptrdiff_t straight = static_cast<ptrdiff_t>(y) * row + static_cast<ptrdiff_t>(x) * pixel + c;
        const ptrdiff_t turns = ring > 0 ? (y + first) / ring : 0;
        map.values.push_back(element(data, type, straight - turns * turn));
      }
  return map;
}

void write_map(const std::string& path, const FeatureMap& map) {
  std::ofstream file(path.c_str());
  if (!file) fail(path + ": cannot be written");
  file.precision(map.integers ? 10 : 9);
  size_t i = 0;
  for (int c = 0; c < map.channels; ++c) {
    file << c << ":\n";
    for (int y = 0; y < map.height; ++y) {
      for (int x = 0; x < map.width; ++x) file << (x > 0 ? " " : "") << map.values[i++];
      file << "\n";
    }
    file << "\n";
  }
  file.close();
  if (!file) fail(path + ": cannot be written");
}

bool read_map(const std::string& path, const FeatureMap& like, FeatureMap& map) {
  expect_no_pipe(path);
  std::ifstream file(path.c_str());
  if (!file) return false;
  map = like;
  std::string word;
  size_t i = 0;
  for (int c = 0; c < map.channels; ++c) {
    std::ostringstream title;
    title << c << ":";
    if (!(file >> word) || word != title.str())
      fail(path + ": expected '" + title.str() + "', found '" + word + "'");
    for (int n = 0; n < map.height * map.width; ++n) {
      char* end = 0;
      const bool found = static_cast<bool>(file >> word);
      map.values[i++] = std::strtod(word.c_str(), &end);
      if (!found || end == word.c_str() || *end != '\0')
        fail(path + ": channel " + title.str() + " expected a number");
    }
  }
  if (file >> word) fail(path + ": expected the end of the file, found '" + word + "'");
  return true;
}

}  // namespace N2D2_Export
