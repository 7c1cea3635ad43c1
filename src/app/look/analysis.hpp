// What would become of a network? Its layers with their sizes, and its export, found without a single sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "n2d2/loader/network.hpp"
#include "n2d2/report/report.hpp"
#include "n2d2/targets/footprint.hpp"
#include "n2d2/targets/target.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

enum class Learns { NothingToLearn, Yes, No };

/// A node of the network as it was built.
struct LayerAnalysis {
  std::string name, type;
  SourceLocation where;
  /// Names of the layers it reads, and of the shapes 1,C,H,W that it reads and makes.
  std::vector<std::string> parents;
  std::vector<Shape> inputs;
  Shape output;
  int64_t parameters = 0;  ///< weights, biases and the like, in elements
  int64_t products = 0;    ///< multiply-accumulates a sample
  int64_t elements = 0;    ///< of the output, of a sample
  Learns learns = Learns::NothingToLearn;
  /// Whether it has a form in integers, in the export or before it is part of another layer.
  bool has_integers = true;
  /// Whether the export takes it, and what becomes of it: the name of its kernel, "in 'conv1'", or "left
  /// out".
  bool is_exportable = true;
  std::string becomes;
  /// Instructions of its kernel, where the target is a microcontroller; 0 where it has no call.
  double instructions = 0;
  bool is_rough = false;
};

/// Memory of the export, in bytes.
struct ExportSizes {
  int64_t ram = 0, lower_bound = 0;
  int64_t weights = 0, other_constants = 0;
  /// Whether there was a picture, which says what bytes stand for: where that is no multiple of a scale,
  /// layers that pad the input have a row of biases for each kind of border, which are missing here without
  /// it.
  bool knows_bytes = true;
};

struct Analysis {
  std::string network, input;
  Shape input_shape;
  std::vector<LayerAnalysis> layers;
  /// "CPP" and bits, > 0 integer.
  std::string export_type;
  int bits = 8;
  /// None where something is refused, or where the target is no program.
  std::optional<ExportSizes> sizes;
  /// Where the target is a microcontroller.
  std::optional<targets::Footprint> footprint;
  /// Everything that keeps the network from being exported, each with the nearest rewrite as its hint.
  std::vector<Diagnostic> refused;

  /// Layers, and where the export is planned what becomes of them and the memory map.
  report::Report report;

  int64_t parameters() const;
  int64_t products() const;
  int64_t elements() const;
};

ExportSizes sizes_of(const program::Program& program);

/// What the way of an export up to the planned program comes to, with made-up ranges.
struct PlannedExport {
  std::optional<ExportSizes> sizes;
  std::vector<Diagnostic> refused;
};
/// Plans an export; the network is left as it was.
PlannedExport plan_export(loader::Network& net, const targets::Export& target, const Options& options);

/// Goes the way of an export up to the planned program. Ranges of values are made up, 1 for each that is not
/// given: which integers there are depends on them, how many there are does not. The first Test picture is
/// read if there is one. The parameters of `net` have values, initial ones will do.
Analysis analyse(loader::Network net, const targets::Export& target, const Options& options);

}  // namespace n2d2::app
