// Does an export decide as well as it is asked to, and if not, what helps? (-max-drop, -min-accuracy)
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "n2d2/export/stimulus.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/pipeline/pipeline.hpp"
#include "n2d2/targets/target.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// What an export of integers is made of, and becomes.
struct LadderStart {
  const loader::Network& net;  ///< its graph: the floats that become integers, their weights not rounded
  const Options& options;
  const targets::Export& target;
  const pipeline::Request& request;
};

/// What was climbed, for the export.
struct LadderResult {
  exporter::ExtraFiles files;                             ///< written below statistics/
  std::vector<std::pair<std::string, std::string>> rows;  ///< of the README
};

/// Climbs one rung after the other until the integers of the export decide as well as -max-drop and
/// -min-accuracy ask for: the setting as it is, weights learnt by blocks (-quant-effort 2), 16 bits for the
/// fewest values, 8 bits for weights of fewer. Accuracy, RAM and flash of each rung are those of the planned
/// export, on samples that did not calibrate. Changes the rounding and the widths of `calibration` and of
/// `quantize`; those that `calibration` has already are taken without being measured. Prints all rungs.
/// ExportError where none of them is enough, with what each reached.
LadderResult climb_ladder(const LadderStart& start, quantize::StoredCalibration& calibration,
                          quantize::Options& quantize);

}  // namespace n2d2::app
