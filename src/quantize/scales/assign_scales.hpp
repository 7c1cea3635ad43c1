// Which threshold and sign has each value?
#pragma once

#include <cmath>
#include <map>
#include <string>

#include "n2d2/graph/graph.hpp"
#include "n2d2/quantize/calibrate.hpp"
#include "n2d2/quantize/options.hpp"

namespace n2d2::quantize {

/// real = (q - zero_point) * threshold / full_scale(). What is chosen for a value; its QuantParams keep it.
struct Scale {
  /// Never 0 once assign_scales() is done.
  double threshold = 0;
  bool is_signed = true;
  int bits = 8;
  /// Not 0 only at inputs of the network, in place_inner_zero_points(), and where such integers are moved.
  double zero_point = 0;
  /// Where the threshold comes from, for the report: a clipping mode, "pixels", "zero point", "input", "join"
  /// or "model".
  std::string source;
  /// The model brought it; nothing may change it.
  bool is_given = false;
  /// Bits of the integers that the value reaches, where they are fewer than `bits`; else 0.
  int reached_bits = 0;

  double full_scale() const { return static_cast<double>(integers().full_scale()); }
  /// Bits that the report tells.
  int told_bits() const { return reached_bits > 0 ? reached_bits : bits; }
  /// max |x_int|.
  double largest_magnitude() const;
  /// At least max |x_int| and max |x_int - zero_point|.
  double largest_distance() const { return largest_magnitude() + std::abs(zero_point); }
  /// T / Q, the real value of one integer.
  double step() const { return threshold / full_scale(); }
  /// step() is rounded to a float here.
  float scale() const { return static_cast<float>(step()); }
  QuantParams quant_params() const;

 private:
  QuantParams integers() const { return {bits, is_signed, -1, {}}; }
};

/// Whose statistics tell the threshold of a value: its own, but where only a layer which chooses (a max pool)
/// reads it those of what comes through.
graph::ValueId judged_value(const graph::Graph& graph, graph::ValueId id);

/// Network inputs and values of layers that rescale.
bool has_own_threshold(const graph::Graph& graph, graph::ValueId id);

using Scales = std::map<graph::ValueId, Scale>;

/// The scale of every value that is not a constant. A concatenation brings its branches to one scale
/// (settle_joins), with Scalings by 1 inserted where nobody can make it. A value with TensorType::quant keeps
/// that scale and sign and needs no range. Where a layer makes values of fewer bits (Options::widths), its
/// clamp ends at their last steps.
Scales assign_scales(graph::Graph& graph, const Ranges& ranges, const Options& options);

}  // namespace n2d2::quantize
