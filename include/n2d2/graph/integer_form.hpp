// How does a layer behave under integers? What quantization asks every operator, and all it knows of one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/tensor/quant_params.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::graph {

/// Which scale the outputs of a node have.
enum class ScaleOf {
  Own,      ///< values are rescaled: a scale is chosen for each output
  OfInput,  ///< integers are moved or chosen among: the scale of input 0
  Shared,   ///< data inputs side by side, channel after channel: one scale for all of them and the output
  None      ///< there are no integers
};

/// What a node with ScaleOf::Own adds up before the single rounding to the scale of the output.
enum class Addends {
  Taps,    ///< values of input 0, with weights if it has some; the sum is multiplied by one factor
  Inputs,  ///< one value of each data input, each multiplied by a factor of its own
  Product  ///< nothing: one value of each data input, multiplied with each other and by one factor
};

/// Integers whose scale follows from no input: `one` is the real value of the integer 1, `largest` is the
/// largest magnitude of the integers.
struct Unit {
  double one = 1, largest = 0;
};

/// What a table is made of: the integers of input 0 and of the output, and the values of inputs 1 and on,
/// which are constants.
struct TableArgs {
  const QuantParams& in;
  const QuantParams& out;
  std::vector<const Tensor*> constants = {};
  /// Mean of each channel of input 0 over the samples; empty where nothing was measured.
  std::vector<double> means = {};
};

/// What a table says of the node that reads it, where the table alone knows.
struct OfTable {
  /// Unit of the integers that are rescaled.
  std::function<Unit(const Tensor&)> unit;
  /// Why a constant is no such table; empty where it is one.
  std::function<std::string(const Tensor&)> fault;
};

/// Why something is not possible, and what helps.
struct Reason {
  std::string text, hint;
  friend bool operator==(const Reason&, const Reason&) = default;
};

/// One operator's answer, for inputs of given shapes. Members that are not named with a ScaleOf hold for all
/// of them.
struct IntegerForm {
  ScaleOf scale = ScaleOf::None;

  // ---- Own
  // ---------------------------------------------------------------------------------------------------
  Addends adds = Addends::Taps;
  /// Real factors of each data input: one, or one for each channel of the output, or for each index that
  /// integers() asks for. Weights come on top.
  std::vector<std::vector<double>> factors = {};
  /// Input 1 holds weights, a row for each channel of the output, and input 2, if there is one, biases.
  bool weighted = false;
  /// Computes, from the integer weights, the sum of the weights over the taps that are inside the input, for
  /// each kind of border (rows, in the order of the biases) and each output. Biases use these sums to make up
  /// for a zero point of input 0. Null: input 0 has no zero point.
  std::function<std::vector<std::vector<int64_t>>(const Tensor&)> inside_sums = {};
  /// How many values of one channel a sum takes: taps of a kernel, pixels of a window.
  int64_t taps = 1;
  /// Without weights: sums may start from another number than 0 (Rescale::start), which makes up for zero
  /// points. The weights of taps add up to `taps`; those outside the input count where reads_zeros is set.
  bool starts = false;
  /// Integers::zero of inputs is part of the definition: taps outside the input have that value, factors of a
  /// product count from it. Zero points of inputs are integers then.
  bool reads_zeros = false;
  /// Blocks of channels that do not meet in a sum.
  int64_t groups = 1;
  /// Whether each of so many input channels is a block of its own.
  bool is_depthwise(int64_t channels) const { return groups > 1 && groups == channels; }
  /// The clamp that the operator is.
  std::optional<Clamp> clamp = {};
  /// Makes what integers() and the kernel read behind input 0, in place of all other inputs. Without
  /// `factors` its entries are integers of the output, and nothing is rescaled. With ScaleOf::OfInput it
  /// is one integer, which stands among the values of the input.
  std::function<Tensor(const TableArgs&)> table = {};
  /// Makes what integers() and the kernel read behind input 0, in place of all other inputs, where that is
  /// more than a table; what leaves is rescaled. Zero points of input 0 are in it.
  std::function<std::vector<Tensor>(const TableArgs&)> parameters = {};
  /// "", or what is wrong with such parameters, whose shapes infer() has seen.
  std::function<std::string(std::span<const Tensor* const>)> parameter_fault = {};
  /// The operator reads its own outputs: nothing may change them on the way out, and they have the bits of
  /// input 0.
  bool feeds_back = false;
  /// Unit of the integers that are rescaled. None: the scale of input 0, and `taps` times the magnitude of
  /// input 0.
  std::optional<Unit> unit = {};
  /// Sets `unit` once the table is there (graph::integer_form).
  std::optional<OfTable> of_table = {};

  // ---- OfInput
  // -----------------------------------------------------------------------------------------------
  /// Not all values come through (a maximum): what does tells which threshold is right.
  bool chooses = false;
  /// Zeros stand among the values of the input.
  bool adds_zeros = false;

  // ---- any
  // ---------------------------------------------------------------------------------------------------
  /// Channel c of the output follows channel c of input 0 in proportion: f(s x) = s f(x) for s > 0. Of
  /// floats, too.
  bool by_channel = false;
  /// None: all reasons, as they follow "[name] Type: " in a message.
  std::vector<Reason> why_not = {};
};

inline IntegerForm no_integers(std::string reason, std::string hint = {}) {
  IntegerForm form;
  form.why_not.push_back({std::move(reason), std::move(hint)});
  return form;
}

/// Integers of input 0 in other places.
inline IntegerForm moved_integers() {
  IntegerForm form;
  form.scale = ScaleOf::OfInput;
  return form;
}

/// Each value of input 0 by itself, times a factor (one, or one a channel).
inline IntegerForm rescaled_values(std::vector<double> factor) {
  IntegerForm form;
  form.scale = ScaleOf::Own;
  form.factors = {std::move(factor)};
  return form;
}

}  // namespace n2d2::graph
