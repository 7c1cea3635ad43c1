// Answers: which values has a cell's output, and what is their text?
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

// Copies the rows that a DumpFn gets to a map; the first rows create it.
void add_rows(const MapRows& rows, FeatureMap& map);
// Returns a map that exists as a whole, without gaps.
FeatureMap copy_map(const void* data, ElementType type, int width, int height, int channels);

// Writes the text: for each channel a line `<channel>:`, a line of values for each row, an empty line.
void write_map(const std::string& path, const FeatureMap& map);

// Reads the text into the shape of `like`. Returns false if there is no such file, fails if it does not fit.
bool read_map(const std::string& path, const FeatureMap& like, FeatureMap& map);

}  // namespace N2D2_Export
