// Which figures of layers are there, what are they called, and how are they shown?
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "n2d2/report/report.hpp"

namespace n2d2::report {

/// A column of the table of layers; those that are an overlay can be seen in the graph, too.
struct Column {
  std::string key;    ///< of report.json
  std::string title;  ///< with its unit
  bool is_overlay = false;
  bool is_text = false;
  double factor = 1;  ///< of the number that is shown: 100 for a share in percent
  int digits = 0;     ///< behind its point
  std::function<std::optional<double>(const Layer&)> number = {};
  std::function<std::string(const Layer&)> text = {};

  /// What is shown of a layer; "": it has none.
  std::string shown_of(const Layer& layer) const;
};

/// The columns that some layer has something for.
std::vector<Column> columns_of(const std::vector<Layer>& layers);

/// "12,345.6", with so many digits behind the point.
std::string number_text(double value, int digits);

/// "16x14x14".
std::string extents_text(const Layer& layer);

}  // namespace n2d2::report
