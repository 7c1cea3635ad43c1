#include "n2d2/quantize/check_integers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/quantize/zero_points.hpp"
#include "n2d2/tensor/integer_types.hpp"

#include "integer_table.hpp"
#include "shift_factors.hpp"

namespace n2d2::quantize {

namespace {

using graph::IntegerForm;
using graph::ScaleOf;

constexpr int kFewestBits = 2, kMostBits = 16, kBitsOfSums = 32;
/// What a product of sum and multiplier has to stay below.
const double kMostProduct = std::ldexp(1.0, 62);

double largest_magnitude(const QuantParams& quant) {
  return static_cast<double>(std::max(-quant.lowest(), quant.highest()));
}

template <class T>
double magnitude(const Tensor& tensor, int64_t first, int64_t count) {
  double sum = 0;
  for (const T value : tensor.span<T>().subspan(static_cast<size_t>(first), static_cast<size_t>(count)))
    sum += std::abs(static_cast<double>(value));
  return sum;
}

/// Sum of magnitudes of so many elements; the types are those of weights and biases.
double magnitude(const Tensor& tensor, int64_t first, int64_t count) {
  switch (tensor.dtype()) {
    case DataType::I8:
      return magnitude<int8_t>(tensor, first, count);
    case DataType::I16:
      return magnitude<int16_t>(tensor, first, count);
    case DataType::I32:
      return magnitude<int32_t>(tensor, first, count);
    default:
      return magnitude<int64_t>(tensor, first, count);
  }
}

/// Returns the largest magnitude of the biases of output `o` in all rows of biases.
double largest_bias(const Tensor& biases, int64_t o, int64_t outputs) {
  double largest = 0;
  for (; o < biases.elements(); o += outputs) largest = std::max(largest, magnitude(biases, o, 1));
  return largest;
}

class Check {
 public:
  Check(const graph::Graph& graph, const SourceLocation& where, Diagnostics& findings)
      : graph_(graph), where_(where), findings_(findings), bits_(quantized_bits(graph)) {}

  void run() {
    for (const graph::ValueId id : graph_.values())
      if (graph_.value(id).type.layout != Layout::Nchw)
        error(fmt::format("'{}': expected the layout nchw, got nhwc", graph_.value(id).name));
    for (const graph::ValueId id : graph_.values()) zero_point(graph_.value(id));
    if (bits_ == 0) return floats();
    for (const graph::ValueId id : graph_.values())
      if (!graph_.value(id).is_constant()) activation(graph_.value(id));
    if (findings_.has_errors()) return;
    for (const graph::NodeId id : graph_.schedule()) node(graph_.node(id));
  }

 private:
  void error(const std::string& message) { findings_.error(where_, message); }

  /// Only integers have biases for kinds of borders.
  void float_biases(const graph::Node& node) {
    for (size_t slot = 1; slot < node.inputs.size(); ++slot)
      if (node.op->input_role(slot) == "biases" && graph_.value(node.inputs[slot]).type.shape.rank() > 1)
        error(fmt::format("{}: several rows of biases, the input of the graph is float32", subject(node)));
  }

  void floats() {
    for (const graph::ValueId id : graph_.values())
      if (const graph::Value& value = graph_.value(id); value.type.dtype != DataType::F32)
        error(fmt::format("'{}' is {}, the input of the graph is float32", value.name,
                          to_string(value.type.dtype)));
    for (const graph::NodeId id : graph_.nodes()) float_biases(graph_.node(id));
    for (const graph::NodeId id : graph_.nodes())
      if (graph_.node(id).rescale)
        error(fmt::format("{}: rescales, the input of the graph is float32", subject(graph_.node(id))));
  }

  /// Whether a value is wide: 16 or 32 bits, more than the input has. Only two kinds of values with 32 bits
  /// are: an output of the graph that no node reads, and a value whose only reader moves its integers to a
  /// wide value. Layers without weights make such values of 16 bits alone.
  bool is_wide(const graph::Value& value) const {
    const std::optional<QuantParams>& quant = value.type.quant;
    if (!quant || quant->bits <= bits_ || (quant->bits != kMostBits && quant->bits != kBitsOfSums))
      return false;
    if (graph_.is_output(value.id)) return value.uses.empty();
    if (value.uses.size() != 1) return false;
    const graph::Node& reader = graph_.node(value.uses[0].node);
    return graph::integer_form(graph_, reader).scale == ScaleOf::OfInput &&
           is_wide(graph_.value(reader.outputs.at(0)));
  }

  void activation(const graph::Value& value) {
    const std::optional<QuantParams>& quant = value.type.quant;
    if (value.type.dtype == DataType::F32)
      return error(fmt::format("'{}' is float32, the input of the graph is an integer", value.name));
    if (!quant || quant->axis != -1) return error(fmt::format("'{}': expected one scale", value.name));
    if (quant->bits == kBitsOfSums && is_wide(value)) {
      if (!quant->is_signed || value.type.dtype != integer_type(quant->bits, true))
        error(fmt::format("'{}': expected {}, got {}", value.name, to_string(integer_type(quant->bits, true)),
                          to_string(value.type.dtype)));
      return;
    }
    if (bits_ < kFewestBits || bits_ > kMostBits)
      return error(
          fmt::format("'{}': expected {} to {} bits, got {}", value.name, kFewestBits, kMostBits, bits_));
    if (quant->bits != bits_ && quant->bits != kBitsOfByte && quant->bits != kMostBits) {
      const bool is_other = bits_ != kBitsOfByte && bits_ != kMostBits;
      return error(fmt::format("'{}': expected {}8 or 16 bits, got {}", value.name,
                               is_other ? fmt::format("{} bits as in the input, ", bits_) : "", quant->bits));
    }
    if (const DataType type = integer_type(quant->bits, quant->is_signed); value.type.dtype != type)
      error(
          fmt::format("'{}': expected {}, got {}", value.name, to_string(type), to_string(value.type.dtype)));
  }

  /// Integers of inputs and of layers that shift them may have one, and those moved from there.
  void zero_point(const graph::Value& value) {
    if (!value.type.quant || value.type.quant->zero_point == 0) return;
    if (value.is_constant()) return error(fmt::format("'{}': a constant has a zero point", value.name));
    if (value.producer) {
      const IntegerForm form = graph::integer_form(graph_, graph_.node(value.producer));
      if (form.scale == ScaleOf::OfInput || form.scale == ScaleOf::Shared) return;
      if (!makes_zero_point(form))
        return error(fmt::format("'{}': has a zero point, which {} does not make", value.name,
                                 subject(graph_.node(value.producer))));
      if (const double zero = value.type.quant->zero_point; zero != std::floor(zero))
        error(fmt::format("'{}': expected an integer as zero point, got {}", value.name, zero));
    }
    if (const std::string reason =
            refuses_zero_point(graph_, value.id, value.type.quant->zero_point, Through::Concats);
        !reason.empty())
      error(fmt::format("'{}': cannot have a zero point: {}", value.name, reason));
  }

  void node(const graph::Node& node) {
    if (find_without_integers(graph_, node, findings_)) return;
    const IntegerForm form = graph::integer_form(graph_, node);
    if (form.table) return table(node, form);
    if (form.parameters) return parameters(node, form);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (!graph_.value(node.inputs[slot]).is_constant() || (form.weighted && (slot == 1 || slot == 2)))
        continue;
      if (slot == 0 || node.op->input_role(slot) != "operands")
        return error(fmt::format("{}: input {} is a constant, which integers are not computed with",
                                 subject(node), slot));
      if (!operand(node, slot)) return;
    }
    if (form.scale != ScaleOf::Own) return mover(node);
    const bool is_sum = form.adds == graph::Addends::Inputs;
    if (form.weighted ? !weights(node) : !is_sum && !one_width(node)) return;
    rescale(node, form);
  }

  /// Whether a layer that is no sum and has no weights keeps to the integers of its inputs; else it is said
  /// that it does not.
  bool one_width(const graph::Node& node) {
    const graph::Value& made = graph_.value(node.outputs.at(0));
    const int in = bits_of(node.inputs.at(0));
    for (const graph::ValueId id : node.inputs)
      if (const graph::Value& value = graph_.value(id); is_read(value) && bits_of(id) != in) {
        error(fmt::format("{}: expected {} bits of '{}' as of '{}', got {}", subject(node), in, value.name,
                          graph_.value(node.inputs[0]).name, bits_of(id)));
        return false;
      }
    if (bits_of(made.id) == in || (is_wide(made) && made.type.quant->is_signed)) return true;
    error(fmt::format("{}: expected {} bits as in its input, got {}", subject(node), in, bits_of(made.id)));
    return false;
  }

  void table(const graph::Node& node, const IntegerForm& form) {
    if (const std::string fault = fault_of_table(graph_, node, form); !fault.empty())
      return error(fmt::format("{}: {}", subject(node), fault));
    if (form.scale == ScaleOf::OfInput) return mover(node);
    if (!one_width(node)) return;
    if (!form.factors.empty()) return rescale(node, form);
    if (node.rescale) error(fmt::format("{}: rescales, but looks up integers", subject(node)));
  }

  void parameters(const graph::Node& node, const IntegerForm& form) {
    if (const std::string fault = fault_of_parameters(graph_, node, form); !fault.empty())
      return error(fmt::format("{}: {}", subject(node), fault));
    if (one_width(node)) rescale(node, form);
  }

  void mover(const graph::Node& node) {
    if (node.rescale) error(fmt::format("{}: rescales, but only moves integers", subject(node)));
    const TensorType& out = graph_.value(node.outputs.at(0)).type;
    for (const graph::ValueId input : node.inputs)
      if (!graph_.value(input).is_constant() && !(graph_.value(input).type.quant == out.quant))
        error(fmt::format("{}: moves integers of '{}', whose scale is another", subject(node),
                          graph_.value(input).name));
  }

  int bits_of(graph::ValueId id) const { return graph_.value(id).type.quant->bits; }

  /// Whether a value has integers of a scale that a layer computes with: all but tables.
  static bool is_read(const graph::Value& value) { return !value.is_constant() || value.type.quant; }

  /// Whether a constant operand has one scale and the integers of it; else it is said that it has not.
  bool operand(const graph::Node& node, size_t slot) {
    const graph::Value& value = graph_.value(node.inputs.at(slot));
    const std::optional<QuantParams>& quant = value.type.quant;
    const bool fits =
        quant && quant->axis == -1 &&
        (quant->bits == kBitsOfByte || quant->bits == kMostBits || quant->bits == bits_of(node.inputs[0])) &&
        value.type.dtype == integer_type(quant->bits, quant->is_signed);
    if (!fits)
      error(fmt::format("{}: expected a constant of integers with one scale as operand {}, got '{}'",
                        subject(node), slot, value.name));
    return fits;
  }

  bool is_constant_of(const graph::Node& node, size_t slot, DataType type) {
    const graph::Value& value = graph_.value(node.inputs.at(slot));
    if (value.is_constant() && value.type.dtype == type && value.type.quant) return true;
    error(fmt::format("{}: expected a constant of {} with scales as {}, got '{}'", subject(node),
                      to_string(type), node.op->input_role(slot), value.name));
    return false;
  }

  /// Weights of more than a byte are multiplied with inputs of more than a byte alone.
  DataType type_of_weights(const graph::Node& node) const {
    const std::optional<QuantParams>& quant = graph_.value(node.inputs[1]).type.quant;
    const int in = bits_of(node.inputs[0]);
    return integer_type(quant && in > kBitsOfByte ? std::min(quant->bits, kMostBits) : in, true);
  }

  /// The type of the biases where there are some. Sums may have 64 bits where 32 would do.
  DataType type_of_sums(const graph::Node& node) const {
    const bool has_long_biases =
        node.inputs.size() > 2 && graph_.value(node.inputs[2]).type.dtype == DataType::I64;
    return weighted_sum_type(type_of_weights(node), bits_of(node.inputs[0]),
                             has_long_biases ? sum_limit(DataType::I64) : 0);
  }

  /// Whether the sums of weights, inputs and biases fit; else it is said why not.
  bool weights(const graph::Node& node) {
    bool whole = is_constant_of(node, 1, type_of_weights(node));
    if (node.inputs.size() > 2) whole = is_constant_of(node, 2, type_of_sums(node)) && whole;
    if (!whole) return false;
    const double bound = accumulator_bound(node);
    if (bound <= sum_limit(type_of_sums(node))) return true;
    error(fmt::format("{}: sums reach {:.6g}, more than the accumulator holds", subject(node), bound));
    return false;
  }

  double accumulator_bound(const graph::Node& node) const {
    const Tensor& weights = *graph_.value(node.inputs[1]).constant;
    const int64_t outputs = weights.shape()[0], row = weights.elements() / outputs;
    const double largest = largest_magnitude(*graph_.value(node.inputs[0]).type.quant);
    double bound = 0;
    for (int64_t o = 0; o < outputs; ++o) {
      double sum = largest * magnitude(weights, o * row, row);
      if (node.inputs.size() > 2) sum += largest_bias(*graph_.value(node.inputs[2]).constant, o, outputs);
      bound = std::max(bound, sum);
    }
    return bound;
  }

  /// Largest accumulator of a node that rescales.
  double largest_sum(const graph::Node& node, const IntegerForm& form) const {
    if (form.weighted) return accumulator_bound(node);
    if (form.unit) return form.unit->largest;
    if (form.adds == graph::Addends::Product) {
      auto product = static_cast<double>(form.taps);
      for (const graph::ValueId input : node.inputs)
        product *= largest_magnitude(*graph_.value(input).type.quant) +
                   std::abs(graph_.value(input).type.quant->zero_point);
      return product + std::abs(static_cast<double>(node.rescale->start));
    }
    return static_cast<double>(form.taps) * largest_magnitude(*graph_.value(node.inputs.at(0)).type.quant) +
           std::abs(static_cast<double>(node.rescale->start));
  }

  size_t factors_of(const graph::Node& node, const IntegerForm& form) const {
    if (form.adds == graph::Addends::Inputs) return node.inputs.size();
    if (form.weighted) return static_cast<size_t>(graph_.value(node.outputs.at(0)).type.shape.c());
    return form.factors.at(0).size();
  }

  void rescale(const graph::Node& node, const IntegerForm& form) {
    if (!node.rescale) return error(fmt::format("{}: has no rescale", subject(node)));
    const Rescale& r = *node.rescale;
    const QuantParams& out = *graph_.value(node.outputs.at(0)).type.quant;
    const bool is_fixed = r.mode != RescaleMode::FloatingPoint;
    const bool is_sum = form.adds == graph::Addends::Inputs;
    const bool is_always_fixed = is_sum || out.bits > kMostBits;
    if (is_always_fixed && !is_fixed)
      return error(
          fmt::format("{}: cannot rescale by {}", subject(node), ValueText<RescaleMode>::print(r.mode)));
    const size_t wanted = factors_of(node, form);
    if (r.factor.size() != (is_fixed ? 0 : wanted) || r.multiplier.size() != (is_fixed ? wanted : 0))
      return error(fmt::format("{}: rescale: expected {} {}, got {} factors and {} multipliers",
                               subject(node), wanted, is_fixed ? "multipliers" : "factors", r.factor.size(),
                               r.multiplier.size()));
    if (r.lo < out.lowest() || r.hi > out.highest() || r.lo > r.hi)
      error(fmt::format("{}: rescale: expected bounds within {} and {}, got {} and {}", subject(node),
                        out.lowest(), out.highest(), r.lo, r.hi));
    const double limit = sum_limit(sum_type(bits_of(node.inputs.at(0))));
    if (!is_sum && !form.weighted && largest_sum(node, form) > limit)
      error(fmt::format("{}: sums reach {:.6g}, more than the accumulator holds", subject(node),
                        largest_sum(node, form)));
    if (r.start != 0 && !form.starts)
      error(fmt::format("{}: rescale: its sums start from 0 alone, got {}", subject(node), r.start));
    if (is_fixed) multipliers(node, r, is_sum ? std::nullopt : std::optional(largest_sum(node, form)));
  }

  static bool has_multiplier(RescaleMode mode, int32_t multiplier) {
    constexpr int32_t kLargest16 = 32767;
    if (const int terms = shift_terms(mode); terms > 0)
      return multiplier > 0 && __builtin_popcount(static_cast<uint32_t>(multiplier)) <= terms;
    return mode != RescaleMode::FixedPoint16 || std::abs(static_cast<double>(multiplier)) <= kLargest16;
  }

  void multipliers(const graph::Node& node, const Rescale& r, const std::optional<double>& largest_sum) {
    double bound = 0, of_all = largest_sum ? 0 : std::abs(static_cast<double>(r.start));
    for (size_t i = 0; i < r.multiplier.size(); ++i) {
      if (!has_multiplier(r.mode, r.multiplier[i]))
        error(fmt::format("{}: rescale: {} has no multiplier {}", subject(node),
                          ValueText<RescaleMode>::print(r.mode), r.multiplier[i]));
      const double largest =
          largest_sum ? *largest_sum : largest_magnitude(*graph_.value(node.inputs[i]).type.quant);
      const double product = largest * std::abs(static_cast<double>(r.multiplier[i]));
      bound = std::max(bound, product);
      of_all += product;
    }
    if ((largest_sum ? bound : of_all) >= kMostProduct)
      error(fmt::format("{}: rescale: products of sum and multiplier do not fit 64 bits", subject(node)));
  }

  const graph::Graph& graph_;
  const SourceLocation& where_;
  Diagnostics& findings_;
  int bits_;
};

}  // namespace

int quantized_bits(const graph::Graph& graph) {
  for (const graph::ValueId id : graph.inputs())
    if (const TensorType& type = graph.value(id).type; type.dtype != DataType::F32)
      return type.quant ? type.quant->bits : static_cast<int>(8 * size_bytes(type.dtype));
  return 0;
}

RescaleMode rescaling_of(const graph::Graph& graph) {
  // Layers that have no form of the mode of the others are in Fixed-point16, and those that have none of it
  // in Fixed-point32.
  constexpr std::array kFromOthers = {RescaleMode::FixedPoint32, RescaleMode::FixedPoint16};
  std::set<RescaleMode> modes;
  for (const graph::NodeId id : graph.nodes()) {
    const graph::Node& node = graph.node(id);
    if (!node.rescale) continue;
    const IntegerForm form = graph::integer_form(graph, node);
    const auto& out = graph.value(node.outputs.at(0)).type.quant;
    const bool is_wide = out && out->bits > kMostBits;
    if (form.scale == ScaleOf::Own && form.adds != graph::Addends::Inputs && !is_wide)
      modes.insert(node.rescale->mode);
  }
  for (const RescaleMode other : kFromOthers)
    if (modes.size() > 1) modes.erase(other);
  return modes.empty() ? RescaleMode::FloatingPoint : *modes.begin();
}

void check_types(const graph::Graph& graph, const SourceLocation& where, Diagnostics& findings) {
  Check(graph, where, findings).run();
}

}  // namespace n2d2::quantize
