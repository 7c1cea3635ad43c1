// How are the rungs of a ladder written for people and for programs?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "n2d2/tensor/widths.hpp"

#include "accuracy_judge.hpp"
#include "climb.hpp"

namespace n2d2::app {

/// All rungs, the first one as it was asked for; the last one is what ships if it holds.
struct LadderReport {
  std::vector<Rung> rungs;
  AccuracyJudge::Right floats;                             ///< `integers` is without meaning
  std::map<std::string, LayerWidths, std::less<>> widths;  ///< that were chosen
  std::string goal, samples;
  bool has_labels = true;
  bool is_fewest = false;
  /// Standard error of the drop of the last rung, in points.
  double error = 0;
};

int64_t most_right(const LadderReport& report);
std::string console_text(const LadderReport& report);
/// Content of statistics/ladder.json (docs/use/quantization.md).
std::string ladder_json(const LadderReport& report);

}  // namespace n2d2::app
