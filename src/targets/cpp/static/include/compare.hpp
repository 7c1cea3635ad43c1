// Answers: does each cell's output equal the framework's?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>
#include <vector>

#include "feature_map.hpp"

namespace N2D2_Export {

// A stimulus has a reference for each cell or none, and those that have one come first: what is missing makes the
// comparison fail. Integers must be equal. Floats may differ by 1e-4 of the larger of 1 and the reference: the order of a float sum
// depends on the instructions.
class Comparison {
 public:
  // Folder of <stimulus>/<cell>.txt.
  explicit Comparison(const std::string& folder)
      : folder_(folder), has_reference_(false), ran_(0), found_(0) {}

  // Compares with <folder>/<stimulus>/<cell>.txt if there is such a file.
  void add(const std::string& stimulus, const std::string& cell, const FeatureMap& map);

  // Fails unless something was compared and nothing is missing.
  void check() const;
  bool equal() const;
  // How many of the stimuli that ran were compared, then a line for each cell: values, largest difference, count of differences,
  // the first of them.
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
  std::string stimulus_;              // the one that runs
  bool has_reference_;                // whether a cell of it has one
  int ran_, found_;                   // stimuli, and those of them with references
  std::vector<std::string> missing_;  // files that are not there, and ought to be if a later one is
  std::vector<std::string> gaps_;     // those of them that come before a file that is there
};

}  // namespace N2D2_Export
