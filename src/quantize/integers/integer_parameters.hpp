// Which integers are the weights and biases of a layer?
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scales/assign_scales.hpp"

namespace n2d2::quantize {

/// Weights and biases of a Conv or Fc as integers, per output o (rows of the weight tensor):
///   W_int = round(W Qb / w_o) u, in [-Qw, Qw]
///   b_int = round(b Qw Qx / (T_in w_o) - z S_o)    in double
/// Both round half away from zero. Qw = Qb u: Qb is the full scale of the bits that weights have, u the step
/// that puts them into the upper bits of a byte (1 for all of it). z is the zero point of the input, S_o the
/// sum of W_int over the taps that lie inside it: where there are several kinds of borders
/// (IntegerForm::inside_sums), each has a row of biases.
struct IntegerParameters {
  /// I8 or I16 in [-Qs, Qs]; I32 or I64 (weighted_sum_type), `outputs` elements or rows of them.
  Tensor weights, biases;
  /// w_o, one an output (all equal when the layer has one).
  std::vector<double> ranges;
  /// max over o of sum |W_int| max |x_int| + max |b_int|.
  double accumulator_bound = 0;
  /// sum |W_int| max |x_int| + max |b_int| of each output o.
  std::vector<double> bounds;
  int64_t clipped_weights = 0;
  /// Largest change of a bias, in real units.
  double bias_correction = 0;
  std::vector<int64_t> dead_outputs, doubled_outputs;
};

/// What weights of so many bits are multiples of where they are held by integers of `held` bits.
int64_t weight_unit(int bits, int held);
/// The integer of w_o: the full scale of these weights.
double weight_full_scale(int bits, int held);

/// What else the integers of a layer depend on.
struct LayerContext {
  Scale in;
  /// Bits of the weights, and of the integers that hold them.
  int weight_bits = 8, held_bits = 8;
  /// Scales that came with the weights, one or one an output, else null: w_o = Qw s then, nothing is clipped,
  /// and integers reach -Qs - 1.
  const QuantParams* given = nullptr;
  /// Mean over the calibration samples of each input channel, for the inputs of each group; empty when biases
  /// are not to be corrected. `taps` weights beside each other are multiplied with one channel.
  std::vector<double> expected = {};
  int64_t taps = 1;
  /// IntegerForm::inside_sums; may be empty where the input has no zero point.
  std::function<std::vector<std::vector<int64_t>>(const Tensor&)> inside_sums = {};
  /// What 0 is in the integers of the output, in real units: zero point times step. Biases add it.
  double out_zero = 0;
  /// The w_o to take in place of one, of output o, where not all give factors that the rescaling mode has;
  /// weights beyond it are clipped.
  std::function<double(size_t, double)> settle = {};
};

/// `weights` has `outputs` rows; `biases` may be empty (then they are 0). w_o is maxabs of the row, or of the
/// layer without options.per_output, 1 where all weights are 0; doubled until the accumulator fits.
///
/// Biases are corrected: rounding the weights moves the mean of output o by sum (W_int s_w - W) E[x], which
/// is taken off b_o (Nagel et al. 2019, "Data-Free Quantization Through Weight
/// Equalization and Bias Correction", section 4.2).
IntegerParameters integer_parameters(const Tensor& weights, const Tensor& biases, int64_t outputs,
                                     const LayerContext& context, const Options& options);

/// ExportError where the scales of the model make other integers than those of this export.
void check_given(const graph::Node& node, int given_bits, int bits, int bits_of_input,
                 const IntegerParameters& parameters);

/// What the report says of outputs whose weights are all 0, or whose scale was doubled.
std::vector<std::string> notes_of(const IntegerParameters& parameters);

}  // namespace n2d2::quantize
