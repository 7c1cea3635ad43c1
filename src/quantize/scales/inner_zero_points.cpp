#include "inner_zero_points.hpp"

#include <algorithm>
#include <array>
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

namespace n2d2::quantize {

namespace {

using graph::IntegerForm;
using graph::ValueId;

constexpr int kLast = 255;
/// The source of such thresholds, for the report.
constexpr const char* kSource = "zero point";
/// Biases at borders take time: a grid with a zero point errs less by 1 dB at least.
constexpr double kClearly = 0.794;

/// real = step * (q - zero) for q from 0 to 255, as unsigned bytes.
struct Grid {
  double step = 1;
  int zero = 0;

  int nearest(double x) const { return std::clamp(static_cast<int>(std::lround(x / step)) + zero, 0, kLast); }
  double real(int q) const { return step * (q - zero); }
  QuantParams quant_params() const {
    return {kBitsOfByte, false, -1, {static_cast<float>(step)}, {step * kLast}, static_cast<double>(zero)};
  }
};

Grid grid_over(double lo, double hi) {
  Grid out;
  out.step = (hi - lo) / kLast;
  out.zero = std::clamp(static_cast<int>(std::lround(-lo / out.step)), 0, kLast);
  return out;
}

/// The grid that a scale of bytes is.
Grid grid_of(const Scale& scale) {
  const double lowest = static_cast<double>(scale.quant_params().lowest());
  return {scale.step(), static_cast<int>(std::lround(scale.zero_point - lowest))};
}

struct Bin {
  double centre, count;
};

/// Bins that hold something, several beside each other as one where there are very many.
std::vector<Bin> bins_of(const Histogram& histogram) {
  constexpr int64_t kMost = 4096;
  const int64_t joined = std::max<int64_t>(1, histogram.bins() / kMost);
  std::vector<Bin> out;
  for (int64_t i = 0; i < histogram.bins(); i += joined) {
    Bin bin{0, 0};
    for (int64_t k = i; k < std::min(i + joined, histogram.bins()); ++k) {
      const auto count = static_cast<double>(histogram.counts()[static_cast<size_t>(k)]);
      bin.centre += count * histogram.centre(k);
      bin.count += count;
    }
    if (bin.count > 0) out.push_back({bin.centre / bin.count, bin.count});
  }
  return out;
}

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
    if (table.elements() != kLast + 1) return made;
    for (const uint8_t q : table.span<uint8_t>()) made.push_back(out.real(q));
    return made;
  }
  bool has_one_row() const { return !reals({}, {}).empty(); }

 private:
  IntegerForm form_;
  std::vector<const Tensor*> constants_;
  std::vector<double> wanted_;
};

struct Found {
  Grid grid;
  double error = std::numeric_limits<double>::infinity();
};

/// The grid over [lo, hi] of the least cost, its ends being shares of what the bins reach: every sixteenth,
/// then finer about the best.
template <class Cost>
Found best_grid(const std::vector<Bin>& bins, Cost cost) {
  constexpr std::array kParts{16, 64, 256};
  constexpr int kAbout = 3;
  const double lowest = std::min(0.0, bins.front().centre), highest = std::max(0.0, bins.back().centre);
  Found best;
  double low = 0.5, high = 0.5;  // shares at the middle of what was searched
  for (const int parts : kParts) {
    const bool is_first = parts == kParts.front();
    const auto range = [&](double about) {
      const int at = static_cast<int>(std::lround(about * parts));
      return is_first ? std::pair{0, parts}
                      : std::pair{std::max(0, at - kAbout), std::min(parts, at + kAbout)};
    };
    const auto [low_from, low_to] = range(low);
    const auto [high_from, high_to] = range(high);
    for (int l = low_to; l >= low_from; --l)
      for (int h = high_to; h >= high_from; --h) {
        const double lo = lowest * l / parts, hi = highest * h / parts;
        if (!(hi > lo)) continue;
        const Grid grid = grid_over(lo, hi);
        const double now = cost(grid);
        if (!(now < best.error)) continue;
        best = {grid, now};
        low = static_cast<double>(l) / parts, high = static_cast<double>(h) / parts;
      }
  }
  return best;
}

double error_on(const std::vector<Bin>& bins, const Grid& grid) {
  double sum = 0;
  for (const Bin& bin : bins) {
    const double off = grid.real(grid.nearest(bin.centre)) - bin.centre;
    sum += bin.count * off * off;
  }
  return sum;
}

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
  bool is_byte(const Scale& scale) const { return scale.bits == kBitsOfByte && scale.reached_bits == 0; }

  const Histogram* histogram(ValueId id) const {
    const auto found = ranges_.values.find(judged_value(graph_, id));
    if (found == ranges_.values.end() || !found->second.histogram) return nullptr;
    return found->second.histogram->total() > 0 ? &*found->second.histogram : nullptr;
  }

  /// Whether what makes the value can shift it, and what reads it takes that.
  bool may(ValueId id) const {
    const Scale& scale = scales_.at(id);
    const graph::Node& maker = graph_.node(graph_.value(id).producer);
    const IntegerForm form = graph::integer_form(graph_, maker);
    return !scale.is_given && scale.is_signed && is_byte(scale) && scale.threshold > 0 &&
           !settled_.contains(id) && makes_zero_point(form) && histogram(id) != nullptr &&
           refuses_zero_point(graph_, id).empty();
  }

  /// The only reader of a value, if it is a table whose entries nothing clamps.
  const graph::Node* table_behind(ValueId id) const {
    if (!graph_.has_single_use(id) || !may(id)) return nullptr;
    const graph::Node& reader = graph_.node(graph_.value(id).uses[0].node);
    const IntegerForm form = graph::integer_form(graph_, reader);
    const bool has_table = form.table && form.factors.empty() && !reader.clamp;
    return has_table && is_byte(scales_.at(reader.outputs.at(0))) ? &reader : nullptr;
  }

  void take(ValueId id, const Grid& grid) {
    Scale& scale = scales_.at(id);
    scale.is_signed = !options_.allow_unsigned;
    scale.threshold = grid.step * scale.full_scale();
    scale.zero_point = grid.zero + static_cast<double>(scale.quant_params().lowest());
    scale.source = kSource;
    done_.insert(id);
  }

  /// The grid of the value by itself: one with a zero point, or what it has.
  Grid own_grid(ValueId id) const {
    const Grid has = grid_of(scales_.at(id));
    if (!may(id)) return has;
    const std::vector<Bin> bins = bins_of(*histogram(id));
    const Found found = best_grid(bins, [&](const Grid& grid) { return error_on(bins, grid); });
    return found.error < kClearly * error_on(bins, has) ? found.grid : has;
  }

  static bool is_same(const Grid& a, const Grid& b) { return a.step == b.step && a.zero == b.zero; }

  void settle(ValueId id) {
    if (!may(id)) return;
    if (const Grid own = own_grid(id); !is_same(own, grid_of(scales_.at(id)))) take(id, own);
  }

  /// The steps of `in` behind the table, from the least value that the table makes; none: they do not reach
  /// all values that it makes.
  static std::optional<Grid> with_steps_of(const Grid& in, const TableOfBins& table,
                                           const std::vector<Bin>& bins) {
    double lo = 0, hi = 0;
    for (size_t i = 0; i < bins.size(); ++i) {
      const double x = bins[i].centre;
      if (x < in.real(0) || x > in.real(kLast)) continue;
      lo = std::min(lo, table.wanted(i)), hi = std::max(hi, table.wanted(i));
    }
    const Grid out{in.step, static_cast<int>(std::lround(-lo / in.step))};
    if (out.zero > kLast || hi > out.real(kLast) + in.step / 2) return std::nullopt;
    return out;
  }

  /// False where each channel has a function of its own.
  bool settle_pair(ValueId id, const graph::Node& node) {
    const ValueId behind = node.outputs.at(0);
    const std::vector<Bin> bins = bins_of(*histogram(id));
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
    if (!is_same(own, out)) take(behind, own);
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

}  // namespace

void place_inner_zero_points(graph::Graph& graph, const Ranges& ranges, const Options& options,
                             Scales& scales) {
  const bool has_factors =
      options.rescaling != RescaleMode::SingleShift && options.rescaling != RescaleMode::DoubleShift;
  const bool is_wanted =
      options.zero_points && options.effort > 0 && options.bits == kBitsOfByte && has_factors;
  if (!is_wanted) return;
  std::vector<Leaky> leaky = tabulate(graph, options, scales);
  Places(graph, ranges, options, scales).run();
  for (Leaky& each : leaky) {
    const graph::Node& node = graph.node(each.id);
    const ValueId in = node.inputs.at(0), out = node.outputs.at(0);
    if (scales.at(in).zero_point == 0 && scales.at(out).zero_point == 0)
      graph.replace(each.id, std::move(each.op), {in});
  }
}

}  // namespace n2d2::quantize
