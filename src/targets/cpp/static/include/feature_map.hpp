// Answers: what are the values of a cell's output, and how do they look as text?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>
#include <vector>

#include "Network.hpp"

namespace N2D2_Export {

struct FeatureMap {
  int width, height, channels;
  bool integers;
  std::vector<double> values;  // CHW

  FeatureMap() : width(0), height(0), channels(0), integers(true) {}
  double at(int channel, int y, int x) const;
};

// Copies what a DumpFn gets.
FeatureMap copy_map(const void* data, ElementType type, int width, int height, int channels, int pixel,
                    int row, int ring, int first, int turn);

// Text form: per channel a line `<channel>:`, a line of values per row, an empty line.
void write_map(const std::string& path, const FeatureMap& map);

// Reads the text form into the shape of `like`; false if there is no such file, fails if it does not fit.
bool read_map(const std::string& path, const FeatureMap& like, FeatureMap& map);

}  // namespace N2D2_Export
