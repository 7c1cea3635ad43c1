// How is what calibration measured kept, so that another machine makes the same integers of it?
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/round_weights.hpp"
#include "n2d2/tensor/widths.hpp"

namespace n2d2::quantize {

/// A setting that was tried, and how far its outputs are off (output_snr).
struct TriedSetting {
  std::string name;  ///< as ChosenSetting::name
  double snr = 0;    ///< dB
  friend bool operator==(const TriedSetting&, const TriedSetting&) = default;
};

/// What was chosen by how far the outputs are off.
struct ChosenSetting {
  std::string name;  ///< Setting::name; empty: what was asked for
  std::string activation_clipping = "MSE";
  int effort = 1;
  /// All that were tried, this one among them; none where there were no samples to judge by.
  std::vector<TriedSetting> tried = {};
  /// Bits of layers that were chosen by what is right, beside those that were asked for; none where nothing
  /// asked for that.
  std::optional<std::map<std::string, LayerWidths, std::less<>>> widths = {};
  friend bool operator==(const ChosenSetting&, const ChosenSetting&) = default;
};

/// Everything in an integer export that depends on how a processor computes floats: from here on there are
/// the four operations and the square root of IEEE 754 alone, but for tables (IntegerForm::table), whose
/// entries are rounded.
struct StoredCalibration {
  /// What it was measured with, by name: it holds for nothing else.
  std::vector<std::pair<std::string, std::string>> origin;
  /// Ranges of the network before equalize_channels(); none where nothing was equalized.
  std::optional<Ranges> before;
  Ranges ranges;
  /// Integers of weights, where they were rounded by what samples show.
  std::optional<Rounding> rounding = {};
  std::optional<ChosenSetting> chosen = {};
  friend bool operator==(const StoredCalibration&, const StoredCalibration&) = default;
};

/// Topology, fields and constants of a graph as 16 digits, equal wherever the model lies.
std::string fingerprint(const graph::Graph& graph);

/// Lines of text: the version, the origin, each reading (a value by its escaped name, its sums, a line for
/// those of its channels, bins that count), weights as hexadecimal bytes, a line an output, and a hash of all
/// lines before it. Numbers are the shortest that
/// read back as the same bits.
std::string to_text(const graph::Graph& graph, const StoredCalibration& calibration);

/// Writes the text of to_text() to `sink` piece by piece. The text of a large network has a hundred million
/// bytes.
void print(const graph::Graph& graph, const StoredCalibration& calibration,
           const std::function<void(std::string_view)>& sink);

/// Reads that for the same graph. `expected` is the origin it must have, `where` the file. ConfigError with
/// every name whose origin is another, and for a text that is cut, changed, of another version, or of other
/// values than the graph has.
StoredCalibration stored_calibration(const graph::Graph& graph, std::string_view text,
                                     const std::string& where,
                                     const std::vector<std::pair<std::string, std::string>>& expected);

}  // namespace n2d2::quantize
