// Answers: what are the values of a cell's output, and how do they look as text?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>
#include <vector>

#include "map_rows.h"

namespace N2D2_Export {

struct FeatureMap {
  int width, height, channels;
  bool integers;
  std::vector<double> values;  // CHW

  FeatureMap() : width(0), height(0), channels(0), integers(true) {}
  double at(int channel, int y, int x) const;
};

// Takes the rows that a DumpFn gets into a map, which the first of them make.
void add_rows(const MapRows& rows, FeatureMap& map);
// A map that is there as a whole, without gaps.
FeatureMap copy_map(const void* data, ElementType type, int width, int height, int channels);

// Text form: per channel a line `<channel>:`, a line of values per row, an empty line.
void write_map(const std::string& path, const FeatureMap& map);

// Reads the text form into the shape of `like`; false if there is no such file, fails if it does not fit.
bool read_map(const std::string& path, const FeatureMap& like, FeatureMap& map);

}  // namespace N2D2_Export
