#include "inner_zero_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/prelu.hpp"
#include "n2d2/quantize/wide_outputs.hpp"
#include "n2d2/quantize/zero_points.hpp"
#include "n2d2/tensor/integer_types.hpp"

#include "join_zero_points.hpp"

namespace n2d2::quantize {

namespace {

using graph::IntegerForm;
using graph::ValueId;

/// A table as a function of reals: what it should make of each bin, and what it makes of each integer.
class TableOfBins {
 public:
  TableOfBins(const graph::Graph& graph, const graph::Node& node, const std::vector<Bin>& bins)
      : form_(graph::integer_form(graph, node)) {
    std::vector<const Tensor*> in{nullptr};
    for (size_t slot = 1; slot < node.inputs.size(); ++slot)
      in.push_back(constants_.emplace_back(graph.value(node.inputs[slot]).constant.get()));
    Tensor x(Shape{1, 1, 1, static_cast<int64_t>(bins.size())}), y(x.shape());
    for (size_t i = 0; i < bins.size(); ++i) x.data<float>()[i] = static_cast<float>(bins[i].centre);
    in[0] = &x;
    Tensor* out = &y;
    node.op->forward({in, std::span(&out, 1), false, {}, nullptr});
    for (const float value : y.span<float>()) wanted_.push_back(static_cast<double>(value));
  }

  double wanted(size_t bin) const { return wanted_[bin]; }
  /// The real value of the entry of each integer; empty where each channel has a row of its own.
  std::vector<double> reals(const Grid& in, const Grid& out) const {
    const QuantParams from = in.quant_params(), to = out.quant_params();
    const Tensor table = form_.table({from, to, constants_});
    std::vector<double> made;
    if (table.elements() != Grid::kLast + 1) return made;
    for (const uint8_t q : table.span<uint8_t>()) made.push_back(out.real(q));
    return made;
  }
  bool has_one_row() const { return !reals({}, {}).empty(); }

 private:
  IntegerForm form_;
  std::vector<const Tensor*> constants_;
  std::vector<double> wanted_;
};

double error_behind(const TableOfBins& table, const std::vector<Bin>& bins, const Grid& in, const Grid& out) {
  const std::vector<double> reals = table.reals(in, out);
  double sum = 0;
  for (size_t i = 0; i < bins.size(); ++i) {
    const double off = reals[static_cast<size_t>(in.nearest(bins[i].centre))] - table.wanted(i);
    sum += bins[i].count * off * off;
  }
  return sum;
}

class Places {
 public:
  Places(const graph::Graph& graph, const Ranges& ranges, const Options& options, Scales& scales)
      : graph_(graph), ranges_(ranges), options_(options), scales_(scales) {
    settled_ = values_of_sums(graph, options.output_bits);
  }

  void run() {
    for (const graph::NodeId id : graph_.schedule()) {
      const ValueId value = graph_.node(id).outputs.at(0);
      if (done_.contains(value)) continue;
      const graph::Node* table = table_behind(value);
      if (table == nullptr || !settle_pair(value, *table)) settle(value);
    }
  }

 private:
  static bool is_byte(const Scale& scale) { return scale.bits == kBitsOfByte && scale.reached_bits == 0; }

  /// Whether what makes the value can shift it, and what reads it takes that.
  bool may(ValueId id) const {
    return scales_.at(id).is_signed && !settled_.contains(id) &&
           can_have_zero_point(graph_, ranges_, scales_, id, Through::Moves);
  }

  /// The only reader of a value, if it is a table whose entries nothing clamps.
  const graph::Node* table_behind(ValueId id) const {
    if (!graph_.has_single_use(id) || !may(id)) return nullptr;
    const graph::Node& reader = graph_.node(graph_.value(id).uses[0].node);
    const IntegerForm form = graph::integer_form(graph_, reader);
    const bool has_table =
        form.scale == graph::ScaleOf::Own && form.table && form.factors.empty() && !reader.clamp;
    return has_table && is_byte(scales_.at(reader.outputs.at(0))) ? &reader : nullptr;
  }

  void take(ValueId id, const Grid& grid) {
    set_grid(grid, options_.allow_unsigned, scales_.at(id));
    done_.insert(id);
  }

  /// The grid of the value by itself: one with a zero point, or what it has.
  Grid own_grid(ValueId id) const {
    const Grid has = grid_of(scales_.at(id));
    if (!may(id)) return has;
    const std::vector<Bin> bins = bins_of(*histogram_of(graph_, ranges_, id));
    const Found found = best_grid(bins, [&](const Grid& grid) { return error_on(bins, grid); });
    return found.error < kClearly * error_on(bins, has) ? found.grid : has;
  }

  void settle(ValueId id) {
    if (!may(id)) return;
    if (const Grid own = own_grid(id); own != grid_of(scales_.at(id))) take(id, own);
  }

  /// The steps of `in` behind the table, from the least value that the table makes; none: they do not reach
  /// all values that it makes.
  static std::optional<Grid> with_steps_of(const Grid& in, const TableOfBins& table,
                                           const std::vector<Bin>& bins) {
    double lo = 0, hi = 0;
    for (size_t i = 0; i < bins.size(); ++i) {
      const double x = bins[i].centre;
      if (x < in.real(0) || x > in.real(Grid::kLast)) continue;
      lo = std::min(lo, table.wanted(i)), hi = std::max(hi, table.wanted(i));
    }
    const Grid out{in.step, static_cast<int>(std::lround(-lo / in.step))};
    if (out.zero > Grid::kLast || hi > out.real(Grid::kLast) + in.step / 2) return std::nullopt;
    return out;
  }

  /// False where each channel has a function of its own.
  bool settle_pair(ValueId id, const graph::Node& node) {
    const ValueId behind = node.outputs.at(0);
    const std::vector<Bin> bins = bins_of(*histogram_of(graph_, ranges_, id));
    const TableOfBins table(graph_, node, bins);
    if (!table.has_one_row() || scales_.at(behind).threshold == 0) return false;
    const Grid in = grid_of(scales_.at(id)), out = grid_of(scales_.at(behind)), own = own_grid(behind);
    const double now = error_behind(table, bins, in, out);
    const Found apart =
        best_grid(bins, [&](const Grid& grid) { return error_behind(table, bins, grid, own); });
    Found alike;
    if (may(behind))
      alike = best_grid(bins, [&](const Grid& grid) {
        const std::optional<Grid> same = with_steps_of(grid, table, bins);
        return same ? error_behind(table, bins, grid, *same) : std::numeric_limits<double>::infinity();
      });
    if (std::min(apart.error, alike.error) >= kClearly * now) return false;
    if (alike.error < apart.error) {
      take(id, alike.grid);
      take(behind, *with_steps_of(alike.grid, table, bins));
      return true;
    }
    take(id, apart.grid);
    if (own != out) take(behind, own);
    done_.insert(behind);
    return true;
  }

  const graph::Graph& graph_;
  const Ranges& ranges_;
  const Options& options_;
  Scales& scales_;
  std::set<ValueId> settled_, done_;
};

struct Leaky {
  graph::NodeId id;
  std::unique_ptr<graph::Operator> op;
};

/// Layers whose values leave the network with more bits than others have.
std::set<graph::NodeId> wide_nodes(const graph::Graph& graph, const Options& options) {
  std::set<graph::NodeId> out;
  for (size_t i = 0; i < options.output_bits.size(); ++i) {
    if (options.output_bits[i] <= options.bits) continue;
    const WideChain chain = wide_chain(graph, graph.outputs().at(i));
    out.insert(chain.nodes.begin(), chain.nodes.end());
  }
  return out;
}

/// Makes tables of rectifiers that leak, whose own kernel knows no zero point; returns what they were. What
/// leaves the network with the bits of sums has no table.
std::vector<Leaky> tabulate(graph::Graph& graph, const Options& options, const Scales& scales) {
  const std::set<graph::NodeId> wide = wide_nodes(graph, options);
  std::vector<Leaky> out;
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    const auto* relu = graph::as<ops::Relu>(node);
    if (relu == nullptr || relu->leak_slope == 0 || relu->clipping > 0 || node.clamp) continue;
    if (scales.at(node.inputs.at(0)).bits != kBitsOfByte || wide.contains(id)) continue;
    out.push_back({id, node.op->clone()});
    const graph::ValueId slope =
        graph.add_constant(graph.unique_name(node.name + "_slope"),
                           Tensor::from(Shape{1, 1, 1, 1}, {static_cast<float>(relu->leak_slope)}));
    graph.replace(id, std::make_unique<ops::PRelu>(), {node.inputs.at(0), slope});
  }
  return out;
}

/// The value whose integers these are, in other places.
ValueId moved_from(const graph::Graph& graph, ValueId value) {
  for (;;) {
    const graph::NodeId producer = graph.value(value).producer;
    if (!producer || graph::integer_form(graph, graph.node(producer)).scale != graph::ScaleOf::OfInput)
      return value;
    value = graph.node(producer).inputs.at(0);
  }
}

}  // namespace

void place_inner_zero_points(graph::Graph& graph, const Ranges& ranges, const Options& options,
                             Scales& scales) {
  const bool has_factors =
      options.rescaling != RescaleMode::SingleShift && options.rescaling != RescaleMode::DoubleShift;
  const bool is_wanted =
      options.zero_points && options.effort > 0 && options.bits == kBitsOfByte && has_factors;
  if (!is_wanted) return;
  std::vector<Leaky> leaky;
  if (!options.plain_zero_points) leaky = tabulate(graph, options, scales);
  place_joined_zero_points(graph, ranges, options, scales);
  Places(graph, ranges, options, scales).run();
  for (Leaky& each : leaky) {
    const graph::Node& node = graph.node(each.id);
    const ValueId in = node.inputs.at(0), out = node.outputs.at(0);
    if (scales.at(moved_from(graph, in)).zero_point == 0 && scales.at(out).zero_point == 0)
      graph.replace(each.id, std::move(each.op), {in});
  }
}

}  // namespace n2d2::quantize
