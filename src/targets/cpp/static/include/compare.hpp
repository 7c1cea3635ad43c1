// Answers: does each cell's output equal the framework's?
// Part of an exported project; may be used without condition.
#pragma once

#include <string>
#include <vector>

#include "feature_map.hpp"

namespace N2D2_Export {

// Integers must be equal. Floats may differ by 1e-4 of the larger of 1 and the reference: the order of a float sum
// depends on the instructions.
class Comparison {
 public:
  // Folder of <stimulus>/<cell>.txt; the reference of the first K stimuli may be there, the others are not compared.
  explicit Comparison(const std::string& folder) : folder_(folder) {}

  // Compares with <folder>/<stimulus>/<cell>.txt if there is such a file.
  void add(const std::string& stimulus, const std::string& cell, const FeatureMap& map);

  // Values compared over all cells.
  long compared() const;
  bool equal() const;
  // One line per cell: values, largest difference, count of differences, the first of them.
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
};

}  // namespace N2D2_Export
