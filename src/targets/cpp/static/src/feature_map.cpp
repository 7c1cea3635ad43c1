// Part of an exported project; may be used without condition.
#include "../include/feature_map.hpp"

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "../include/fail.hpp"

namespace N2D2_Export {
namespace {

double element(const void* data, int type, ptrdiff_t i) {
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

void add_rows(const MapRows& rows, FeatureMap& map) {
  if (rows.from == 0) {
    map.width = rows.width, map.height = rows.height, map.channels = rows.channels;
    map.integers = rows.type != kElementFloat;
    map.values.assign(static_cast<size_t>(rows.width) * static_cast<size_t>(rows.height) *
                          static_cast<size_t>(rows.channels),
                      0.0);
  }
  for (int c = 0; c < rows.channels; ++c) {
    size_t i = (static_cast<size_t>(c) * static_cast<size_t>(rows.height) + static_cast<size_t>(rows.from)) *
               static_cast<size_t>(rows.width);
    for (int y = rows.from; y < rows.from + rows.rows; ++y)
      for (int x = 0; x < rows.width; ++x) {
        const ptrdiff_t straight =
            static_cast<ptrdiff_t>(y) * rows.row + static_cast<ptrdiff_t>(x) * rows.pixel + c;
        const ptrdiff_t turns = rows.ring > 0 ? (y + rows.first) / rows.ring : 0;
        map.values[i++] = element(rows.data, rows.type, straight - turns * rows.turn);
      }
  }
}

FeatureMap copy_map(const void* data, ElementType type, int width, int height, int channels) {
  const MapRows rows = {"", 0, data, type, width, height, channels, channels, width * channels,
                        0,  0, 0,    0,    height};
  FeatureMap map;
  add_rows(rows, map);
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
