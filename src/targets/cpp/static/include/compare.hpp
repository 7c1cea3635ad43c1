// Answers: does each cell's output equal the framework's?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>
#include <vector>

#include "feature_map.hpp"

namespace N2D2_Export {

// A stimulus has a reference for each cell or for none, and stimuli with references come first. A missing
// file makes the comparison fail. Integers must be equal. Floats may differ by 1e-4 of the larger of 1 and
// the reference, because the order of a float sum depends on the instructions.
class Comparison {
 public:
  // Takes the folder of <stimulus>/<cell>.txt.
  explicit Comparison(const std::string& folder)
      : folder_(folder), has_reference_(false), ran_(0), found_(0) {}

  // Compares with <folder>/<stimulus>/<cell>.txt if there is such a file.
  void add(const std::string& stimulus, const std::string& cell, const FeatureMap& map);

  // Fails if nothing was compared or a file is missing.
  void check() const;
  bool equal() const;
  // Prints how many of the stimuli were compared, then a line for each cell: number of values, largest
  // difference, number of differences, place of the first one.
  std::string report() const;
  std::string json() const;

 private:
  struct Cell {
    std::string name;
    long compared;
    long different;
    double largest;
    std::string first;
  };

  Cell& cell(const std::string& name);

  std::string folder_;
  std::vector<Cell> cells_;
  std::string stimulus_;              // the stimulus that runs
  bool has_reference_;                // whether one of its cells has a reference
  int ran_, found_;                   // number of stimuli, and of those with references
  std::vector<std::string> missing_;  // absent files, which must exist if a later one does
  std::vector<std::string> gaps_;     // absent files before an existing one
};

}  // namespace N2D2_Export
