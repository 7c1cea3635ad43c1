#include "n2d2/quantize/given_scales.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "n2d2/base/first_few.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/passes/declared_range.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/quantize/wide_outputs.hpp"
#include "n2d2/quantize/zero_points.hpp"
#include "n2d2/tensor/integer_types.hpp"

#include "assign_scales.hpp"
#include "file_grids.hpp"
#include "insert_rescaling.hpp"
#include "take_zero_points.hpp"

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

class Adoption {
 public:
  Adoption(graph::Graph& graph, const Options& options) : graph_(graph), options_(options) {}

  void run() {
    while (const auto id = first()) settle(*id);
    findings_.finish<ExportError>();
    tell_of_symmetric_values();
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
    const auto decided = decided_.find(id);
    const bool is_joined = decided != decided_.end();
    const std::optional<Exact> exact = is_joined ? decided->second : exact_form(node);
    if (!exact) return graph_.bypass(id);  // findings_ says why, or it ends the network
    const graph::Value& value = graph_.value(node.inputs.at(0));
    const auto bounds = bounds_.find(value.id);
    const bool is_bounded =
        !exact->is_narrower || (bounds != bounds_.end() && bounds->second == exact->clamp);
    if (value.type.quant == exact->quant && is_bounded) return graph_.bypass(id);
    if (value.type.quant || !is_read_alike(value, node)) {
      return insert_scaling(id, *exact);
    }
    if (!value.producer) return set_scale_of_input(id, value.id, *exact);
    const graph::Node& maker = graph_.node(value.producer);
    const graph::IntegerForm form = graph::integer_form(graph_, maker);
    switch (form.scale) {
      case ScaleOf::Own:
        if (exact->quant.zero_point == 0 || makes_zero_point(form)) return set_scale(id, value.id, *exact);
        return make_symmetric(id, *exact, is_joined);
      case ScaleOf::OfInput:
        return push_up(id, value.producer, is_joined ? exact : std::nullopt);
      case ScaleOf::Shared:
        return push_up(id, value.producer, exact);
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
    if (producer) {
      narrow(producer, exact.clamp);
      bounds_.emplace(value, exact.clamp);
    }
    graph_.bypass(id);
  }

  /// The layer that makes the value makes no zero point. Branches of a concatenation get the one of the
  /// others behind it, by a table.
  void make_symmetric(graph::NodeId id, const Exact& exact, bool is_joined) {
    const graph::Node& node = graph_.node(id);
    const graph::ValueId value = node.inputs.at(0);
    const std::optional<Exact> own = without_zero_point(
        node, fmt::format("{} makes none", subject(graph_.node(graph_.value(value).producer))));
    if (!own) return graph_.bypass(id);
    if (!is_joined) return set_scale(id, value, *own);
    TensorType type = graph_.value(value).type;
    type.quant = own->quant;
    graph_.set_type(value, std::move(type));
    insert_scaling(id, exact);
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
    bounds_.emplace(out, exact.clamp);
  }

  /// Rounding commutes with choosing and moving. `exact`: what was decided for all branches of a
  /// concatenation, whose ranges differ.
  void push_up(graph::NodeId id, graph::NodeId mover, const std::optional<Exact>& exact) {
    const std::unique_ptr<graph::Operator> round = graph_.op(id).clone();
    const SourceLocation origin = graph_.node(id).origin;
    for (size_t slot = 0; slot < graph_.node(mover).inputs.size(); ++slot) {
      const graph::Value& input = graph_.value(graph_.node(mover).inputs[slot]);
      if (input.is_constant()) continue;
      const graph::NodeId made = graph_.insert_before({mover, static_cast<int>(slot)}, round->clone(),
                                                      graph_.unique_name(input.name + "_rounded"), origin);
      if (exact) decided_.emplace(made, *exact);
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
    const ops::FakeQuantize::Steps steps = reachable_steps(node, passes::declared_ranges(graph_, Clamp{}));
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
    if (!options_.zero_points) return without_zero_point(node, "the export has none");
    if (value.producer && round.bits != kBitsOfByte)
      return without_zero_point(node, fmt::format("integers of {} bits have none", round.bits));
    // Others that read what is rounded read it without the zero point.
    const bool is_own = !value.type.quant && is_read_alike(value, node);
    if (const std::string reason = refuses_zero_point(graph_, is_own ? value.id : node.outputs.at(0),
                                                      round.zero_point[0], Through::Paddings);
        !reason.empty())
      return without_zero_point(node, reason);
    return as_in_file(round, static_cast<bool>(value.producer));
  }

  Exact as_in_file(const ops::FakeQuantize& round, bool is_made) const {
    Exact out{integers_as_in_file(round, options_), {}};
    const ops::FakeQuantize::Steps steps = round.steps(0);
    out.is_narrower = is_made && steps.most - steps.least < out.quant.highest() - out.quant.lowest();
    if (out.is_narrower) out.clamp = clamp_of(round);
    return out;
  }

  static Clamp clamp_of(const ops::FakeQuantize& round) {
    const ops::FakeQuantize::Steps steps = round.steps(0);
    const float step = round.step(0);
    return {static_cast<float>(steps.least) * step, static_cast<float>(steps.most) * step};
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

  /// `reason`: why the value has no zero point. What ends the network needs none: its order is that of the
  /// sums, which leave with more bits. All other values get integers without one.
  std::optional<Exact> without_zero_point(const graph::Node& node, const std::string& reason) {
    const auto& round = *graph::as<ops::FakeQuantize>(node);
    const graph::Value& value = graph_.value(node.inputs.at(0));
    if (value.producer && ends_network(node.outputs.at(0))) {
      log::notice(
          "{} ends the network and is left out: its integers have zero point {}, the output is what it "
          "rounds",
          subject(node), round.zero_point[0]);
      return std::nullopt;
    }
    Exact out{symmetric_integers(round), clamp_of(round)};
    out.is_narrower = static_cast<bool>(value.producer);
    if (symmetric_.empty()) first_reason_ = reason;
    if (symmetric_.insert(value.name).second)
      coarser_ = std::max(coarser_, out.quant.scale[0] / round.step(0));
    return out;
  }

  void tell_of_symmetric_values() const {
    if (symmetric_.empty()) return;
    log::notice(
        "zero points of the model are left out of {} ({}): these values have integers without one, whose "
        "steps are up to {:.2f} times as large",
        first_few({symmetric_.begin(), symmetric_.end()}), first_reason_, coarser_);
  }

  std::optional<Exact> refuse(const graph::Node& node, const std::string& reason, std::string hint) {
    findings_.error(node.origin, fmt::format("{}: {}", subject(node), reason), std::move(hint));
    return std::nullopt;
  }

  graph::Graph& graph_;
  const Options& options_;
  Diagnostics findings_;
  /// What roundings become that were pushed above a concatenation.
  std::map<graph::NodeId, Exact> decided_;
  /// Bounds of the file that values keep to.
  std::map<graph::ValueId, Clamp> bounds_;
  /// Names of values that lost the zero point of the file, the reason of the first, and how many times larger
  /// the steps are.
  std::set<std::string> symmetric_;
  std::string first_reason_;
  float coarser_ = 1;
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
  if (options.zero_points && !options.plain_zero_points) take_zero_points(graph, options);
  Adoption(graph, options).run();
  // What stood apart because a rounding was in between: a Reshape and its Fc, two Transposes, a Padding and
  // its Conv.
  constexpr std::string_view kAgain[] = {"merge_transpose", "remove_identity", "fuse_padding"};
  passes::run(graph, kAgain);
  border_paddings(graph);
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
