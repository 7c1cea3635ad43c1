#include "n2d2/quantize/given_scales.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/prelu.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/passes/declared_range.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/quantize/wide_outputs.hpp"
#include "n2d2/quantize/zero_points.hpp"
#include "n2d2/tensor/integer_types.hpp"

#include "assign_scales.hpp"
#include "insert_rescaling.hpp"

namespace n2d2::quantize {

namespace {

using graph::ScaleOf;
using graph::ValueId;

/// Scale, sign and zero point, and the bounds of the file's integers.
struct Exact {
  QuantParams quant;
  Clamp clamp;
  /// The file's integers do not reach all of ours.
  bool is_narrower = false;
};

constexpr const char* kSymmetric =
    "quantize with symmetric activations (ONNX Runtime: ActivationSymmetric), or calibrate the float model";

/// Steps that values of this range can take; all of them where it is open.
ops::FakeQuantize::Steps reachable(const ops::FakeQuantize::Steps& steps, const Clamp& range, float step) {
  ops::FakeQuantize::Steps out = steps;
  const float lo = std::nearbyint(range.lo / step), hi = std::nearbyint(range.hi / step);
  if (lo > static_cast<float>(out.least))
    out.least = static_cast<int64_t>(std::min(lo, static_cast<float>(out.most)));
  if (hi < static_cast<float>(out.most))
    out.most = static_cast<int64_t>(std::max(hi, static_cast<float>(out.least)));
  return out;
}

/// What cannot be reached need not fit.
ops::FakeQuantize::Steps reachable_steps(const graph::Graph& graph, const graph::Node& node) {
  const auto& round = *graph::as<ops::FakeQuantize>(node);
  if (round.zero_point[0] == 0) return round.steps(0);
  return reachable(round.steps(0), passes::declared_ranges(graph, Clamp{}).at(node.inputs.at(0)),
                   round.step(0));
}

/// Whether integers without a zero point hold these steps, in signed or in unsigned integers.
bool fits(const ops::FakeQuantize::Steps& steps, const QuantParams& quant) {
  return steps.least >= quant.lowest() && steps.most <= quant.highest();
}

/// Whether a node rounds to a grid that asks for a zero point inside the network.
bool asks_for_zero_point(const graph::Graph& graph, graph::NodeId id, const Options& options) {
  const auto* round = id ? graph::as<ops::FakeQuantize>(graph.node(id)) : nullptr;
  if (round == nullptr || round->bits != kBitsOfByte || round->scale.size() != 1 ||
      round->zero_point.size() != 1)
    return false;
  const ops::FakeQuantize::Steps steps = reachable_steps(graph, graph.node(id));
  const bool fits_unsigned = options.allow_unsigned && fits(steps, {kBitsOfByte, false, -1, {}});
  return !fits_unsigned && !fits(steps, {kBitsOfByte, true, -1, {}});
}

/// Rectifiers beside such grids become tables.
void tabulate(graph::Graph& graph, const Options& options) {
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    const auto* relu = graph::as<ops::Relu>(node);
    if (relu == nullptr || relu->clipping > 0 || node.clamp) continue;
    const ValueId in = node.inputs.at(0), out = node.outputs.at(0);
    const bool leaves = relu->leak_slope != 0 && graph.has_single_use(out) &&
                        asks_for_zero_point(graph, graph.value(out).uses[0].node, options);
    if (!leaves && !asks_for_zero_point(graph, graph.value(in).producer, options)) continue;
    const ValueId slope =
        graph.add_constant(graph.unique_name(node.name + "_slope"),
                           Tensor::from(Shape{1, 1, 1, 1}, {static_cast<float>(relu->leak_slope)}));
    graph.replace(id, std::make_unique<ops::PRelu>(), {in, slope});
  }
}

class Adoption {
 public:
  Adoption(graph::Graph& graph, const Options& options) : graph_(graph), options_(options) {}

  void run() {
    while (const auto id = first()) settle(*id);
    findings_.finish<ExportError>();
  }

 private:
  std::optional<graph::NodeId> first() const {
    for (const graph::NodeId id : graph_.schedule())
      if (graph::as<ops::FakeQuantize>(graph_.node(id))) return id;
    return std::nullopt;
  }

  /// Takes the node away, or moves it above the layer it reads.
  void settle(graph::NodeId id) {
    const graph::Node& node = graph_.node(id);
    const std::optional<Exact> exact = exact_form(node);
    if (!exact) return graph_.bypass(id);  // findings_ says why, or it ends the network
    const graph::Value& value = graph_.value(node.inputs.at(0));
    if (value.type.quant == exact->quant && !exact->is_narrower) return graph_.bypass(id);
    if (value.type.quant || !is_read_alike(value, node)) {
      return insert_scaling(id, *exact);
    }
    if (!value.producer) return set_scale_of_input(id, value.id, *exact);
    const graph::Node& maker = graph_.node(value.producer);
    const graph::IntegerForm form = graph::integer_form(graph_, maker);
    switch (form.scale) {
      case ScaleOf::Own:
        if (exact->quant.zero_point == 0 || makes_zero_point(form)) return set_scale(id, value.id, *exact);
        refuse_steps(node, fmt::format("{} makes none", subject(maker)));
        return graph_.bypass(id);
      case ScaleOf::OfInput:
      case ScaleOf::Shared:
        return push_up(id, value.producer);
      case ScaleOf::None:
        return insert_scaling(id, *exact);
    }
  }

  /// Everything that reads the value rounds it to the same grid.
  bool is_read_alike(const graph::Value& value, const graph::Node& node) const {
    return !graph_.is_output(value.id) &&
           std::all_of(value.uses.begin(), value.uses.end(),
                       [&](const graph::Use& use) { return graph_.op(use.node).equals(*node.op); });
  }

  void set_scale(graph::NodeId id, graph::ValueId value, const Exact& exact) {
    const graph::NodeId producer = graph_.value(value).producer;
    TensorType type = graph_.value(value).type;
    type.quant = exact.quant;
    graph_.set_type(value, std::move(type));
    if (producer) narrow(producer, exact.clamp);
    graph_.bypass(id);
  }

  /// Whoever feeds the network knows nothing of bounds: a layer behind the input keeps them.
  void set_scale_of_input(graph::NodeId id, graph::ValueId value, const Exact& exact) {
    if (!exact.is_narrower) return set_scale(id, value, exact);
    TensorType type = graph_.value(value).type;
    type.quant = exact.quant;
    graph_.set_type(value, std::move(type));
    insert_scaling(id, exact);
  }

  void narrow(graph::NodeId producer, const Clamp& clamp) {
    const graph::Node& node = graph_.node(producer);
    graph_.set_clamp(producer, node.clamp ? compose(*node.clamp, clamp) : clamp);
  }

  void insert_scaling(graph::NodeId id, const Exact& exact) {
    const graph::ValueId in = graph_.node(id).inputs.at(0);
    const std::optional<QuantParams>& from = graph_.value(in).type.quant;
    put_rescaling(graph_, id, in, exact.quant.zero_point != 0 || (from && from->zero_point != 0));
    const graph::ValueId out = graph_.node(id).outputs.at(0);
    TensorType type = graph_.value(out).type;
    type.quant = exact.quant;
    graph_.set_type(out, std::move(type));
    if (exact.is_narrower) narrow(id, exact.clamp);
  }

  /// Rounding commutes with choosing and moving.
  void push_up(graph::NodeId id, graph::NodeId mover) {
    const std::unique_ptr<graph::Operator> round = graph_.op(id).clone();
    const SourceLocation origin = graph_.node(id).origin;
    for (size_t slot = 0; slot < graph_.node(mover).inputs.size(); ++slot) {
      const graph::Value& input = graph_.value(graph_.node(mover).inputs[slot]);
      if (input.is_constant()) continue;
      graph_.insert_before({mover, static_cast<int>(slot)}, round->clone(),
                           graph_.unique_name(input.name + "_rounded"), origin);
    }
    graph_.bypass(id);
  }

  std::optional<Exact> exact_form(const graph::Node& node) {
    const auto& round = *graph::as<ops::FakeQuantize>(node);
    const auto all_equal = [](const auto& list) {
      return std::all_of(list.begin(), list.end(), [&](auto x) { return x == list[0]; });
    };
    if (!all_equal(round.scale) || !all_equal(round.zero_point))
      return refuse(node, "its channels have scales of their own",
                    "quantize activations with one scale a tensor");
    if (round.bits != options_.bits)
      return refuse(
          node, fmt::format("the model rounds to {} bits, the export is of {}", round.bits, options_.bits),
          fmt::format("'-nbbits {}'", round.bits));
    const float step = round.step(0);
    const ops::FakeQuantize::Steps file = round.steps(0);
    const ops::FakeQuantize::Steps steps = reachable_steps(graph_, node);
    for (const bool is_signed : {file.least < 0, file.least >= 0}) {
      QuantParams quant{round.bits, is_signed, -1, {step}};
      if (!fits(steps, quant)) continue;
      if (!is_signed && !options_.allow_unsigned) continue;
      const bool is_narrower = file.least > quant.lowest() || file.most < quant.highest();
      const Clamp clamp{static_cast<float>(file.least) * step, static_cast<float>(file.most) * step};
      return Exact{std::move(quant), clamp, is_narrower};
    }
    if (steps.least >= 0)
      return refuse(node, "the model rounds to unsigned integers, which -no-unsigned forbids",
                    "leave the option out");
    const graph::Value& value = graph_.value(node.inputs.at(0));
    if (!options_.zero_points) return refuse_steps(node, "");
    if (value.producer && round.bits != kBitsOfByte)
      return refuse_steps(node, fmt::format("integers of {} bits have none", round.bits));
    if (const std::string reason = refuses_zero_point(graph_, value.id, round.zero_point[0], Concats::Take);
        !reason.empty())
      return refuse_steps(node, reason);
    return as_in_file(round, static_cast<bool>(value.producer));
  }

  /// The file's own integers, less 128 where none may be unsigned.
  Exact as_in_file(const ops::FakeQuantize& round, bool is_made) const {
    Exact out{{round.bits, round.is_signed || !options_.allow_unsigned, -1, {round.step(0)}}, {}};
    const ops::FakeQuantize::Steps steps = round.steps(0);
    out.quant.zero_point = static_cast<double>(out.quant.lowest() - steps.least);
    out.is_narrower = is_made && steps.most - steps.least < out.quant.highest() - out.quant.lowest();
    if (out.is_narrower)
      out.clamp = {static_cast<float>(steps.least) * round.step(0),
                   static_cast<float>(steps.most) * round.step(0)};
    return out;
  }

  /// Whether the value only leaves the network, directly or through what comes into a shape or is rounded.
  bool ends_network(graph::ValueId id) const {
    const auto& uses = graph_.value(id).uses;
    return (graph_.is_output(id) || !uses.empty()) &&
           std::all_of(uses.begin(), uses.end(), [&](const auto& use) {
             const graph::Node& user = graph_.node(use.node);
             const bool is_alike =
                 graph::as<ops::Reshape>(user) != nullptr || graph::as<ops::FakeQuantize>(user) != nullptr;
             return is_alike && ends_network(user.outputs.at(0));
           });
  }

  /// `reason`: why its input has no zero point. What ends the network needs none: its order is that of the
  /// sums, which leave with more bits.
  std::optional<Exact> refuse_steps(const graph::Node& node, const std::string& reason) {
    if (graph_.value(node.inputs.at(0)).producer && ends_network(node.outputs.at(0))) {
      log::notice(
          "{} ends the network and is left out: its integers have zero point {}, the output is what it "
          "rounds",
          subject(node), graph::as<ops::FakeQuantize>(node)->zero_point[0]);
      return std::nullopt;
    }
    const auto& round = *graph::as<ops::FakeQuantize>(node);
    const ops::FakeQuantize::Steps steps = reachable_steps(graph_, node);
    return refuse(
        node,
        fmt::format("its integers with zero point {} stand for {} to {} steps, which neither a signed nor "
                    "an unsigned integer without zero point can hold{}",
                    round.zero_point[0], steps.least, steps.most,
                    reason.empty() ? "" : fmt::format(" (zero point: {})", reason)),
        kSymmetric);
  }

  std::optional<Exact> refuse(const graph::Node& node, const std::string& reason, std::string hint) {
    findings_.error(node.origin, fmt::format("{}: {}", subject(node), reason), std::move(hint));
    return std::nullopt;
  }

  graph::Graph& graph_;
  const Options& options_;
  Diagnostics findings_;
};

/// A clamp on values of a grid stays on it, unless the model says otherwise.
void keep_grid_of_clamps(graph::Graph& graph) {
  for (const graph::NodeId id : graph.schedule()) {
    if (!graph::integer_form(graph, graph.node(id)).clamp) continue;
    const graph::Value& out = graph.value(graph.node(id).outputs.at(0));
    const std::optional<QuantParams>& quant = graph.value(graph.node(id).inputs.at(0)).type.quant;
    if (out.type.quant || !quant) continue;
    TensorType type = out.type;
    type.quant = quant;
    graph.set_type(out.id, std::move(type));
  }
}

}  // namespace

bool has_given_scales(const graph::Graph& graph) {
  const auto nodes = graph.nodes();
  const auto values = graph.values();
  return std::any_of(
             nodes.begin(), nodes.end(),
             [&](graph::NodeId id) { return graph::as<ops::FakeQuantize>(graph.node(id)) != nullptr; }) ||
         std::any_of(values.begin(), values.end(),
                     [&](graph::ValueId id) { return graph.value(id).type.quant.has_value(); });
}

void adopt_given_scales(graph::Graph& graph, const Options& options) {
  if (options.zero_points && !options.plain_zero_points) tabulate(graph, options);
  Adoption(graph, options).run();
  // What stood apart because a rounding was in between: a Reshape and its Fc, two Transposes, a Padding and
  // its Conv.
  constexpr std::string_view kAgain[] = {"merge_transpose", "remove_identity", "fuse_padding"};
  passes::run(graph, kAgain);
  keep_grid_of_clamps(graph);
}

std::vector<std::string> values_without_scale(const graph::Graph& graph, std::span<const int> output_bits) {
  std::vector<std::string> names;
  const std::set<graph::ValueId> known = values_of_sums(graph, output_bits);
  for (const graph::ValueId id : graph.values()) {
    const graph::Value& value = graph.value(id);
    if (!value.is_constant() && !value.type.quant && has_own_threshold(graph, id) && !known.contains(id))
      names.push_back(value.name);
  }
  return names;
}

namespace {

/// Whether integers of any width hold the weights as they are: those of an output are 0 and one magnitude.
bool are_exact(const Tensor& weights) {
  const int64_t outputs = weights.shape()[0], each = weights.elements() / std::max<int64_t>(1, outputs);
  for (int64_t o = 0; o < outputs; ++o) {
    float magnitude = 0;
    for (const float w : weights.span().subspan(static_cast<size_t>(o * each), static_cast<size_t>(each))) {
      if (w != 0 && magnitude != 0 && std::abs(w) != magnitude) return false;
      magnitude = std::max(magnitude, std::abs(w));
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> weights_without_scale(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    for (size_t slot = 1; slot < node.inputs.size(); ++slot) {
      const graph::Value& weights = graph.value(node.inputs[slot]);
      const bool is_float = node.op->input_role(slot) == "weights" && !weights.type.quant;
      if (is_float &&
          !(weights.is_constant() && weights.type.dtype == DataType::F32 && are_exact(*weights.constant)))
        names.push_back(node.name);
    }
  }
  return names;
}

}  // namespace n2d2::quantize
