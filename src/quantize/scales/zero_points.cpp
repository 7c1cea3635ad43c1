#include "n2d2/quantize/zero_points.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/softmax.hpp"

namespace n2d2::quantize {

namespace {

/// Chains of transformations round floats at each step: relative to the largest value.
constexpr double kStepRounding = 1e-5;
/// A zero point that is nearer than this to a multiple of one half is that multiple; in steps of the byte
/// grid.
constexpr double kHalves = 1e-3;

/// Whether only differences of the integers that it reads count, which have no zero point.
bool counts_differences(const graph::Node& node) {
  return graph::as<ops::Softmax>(node) != nullptr || graph::as<ops::LogSoftmax>(node) != nullptr;
}

/// Why the node cannot read integers with a zero point at this place.
std::string refuses(const graph::Graph& graph, const graph::Use& use, double zero, Through through) {
  const graph::Node& node = graph.node(use.node);
  const bool rounds = graph::as<ops::FakeQuantize>(node) != nullptr;
  const graph::IntegerForm form = rounds ? graph::moved_integers() : graph::integer_form(graph, node);
  if (form.reads_zeros && zero != std::floor(zero))
    return fmt::format("{} takes integers alone", subject(node));
  if (form.weighted && form.inside_sums && use.slot == 0) return {};
  const bool looks_up = form.scale == graph::ScaleOf::Own && form.table && form.factors.empty();
  if (use.slot == 0 && (form.parameters || looks_up || counts_differences(node))) return {};
  if (form.starts) return {};
  const bool is_joined = through != Through::Moves && form.scale == graph::ScaleOf::Shared;
  const bool keeps_zeros = !form.adds_zeros || through == Through::Paddings;
  const bool moves = is_joined || (form.scale == graph::ScaleOf::OfInput && keeps_zeros);
  if (!moves) return fmt::format("{} takes none", subject(node));
  for (const graph::ValueId out : node.outputs)
    if (std::string reason = refuses_zero_point(graph, out, zero, through); !reason.empty()) return reason;
  return {};
}

std::span<const float> row_of(const PixelTable& table, int64_t channel) {
  return table.values.span<float>().subspan(static_cast<size_t>(channel * PixelTable::kValues),
                                            PixelTable::kValues);
}

/// Whether bytes, or 255 less them, stand for these reals.
bool is_on(const ByteGrid& grid, std::span<const float> row) {
  const double largest = std::max(std::abs(row.front()), std::abs(row.back()));
  const bool falls = row.back() < row.front();
  for (size_t v = 0; v < row.size(); ++v) {
    const auto q = static_cast<double>(falls ? row.size() - 1 - v : v);
    if (!(std::abs(grid.step * (q - grid.zero_point) - static_cast<double>(row[v])) <=
          kStepRounding * largest))
      return false;
  }
  return true;
}

}  // namespace

bool makes_zero_point(const graph::IntegerForm& form) {
  return form.scale == graph::ScaleOf::Own &&
         (form.weighted || form.starts || (form.table && form.factors.empty()));
}

std::string refuses_zero_point(const graph::Graph& graph, graph::ValueId input, double zero,
                               Through through) {
  const graph::Value& value = graph.value(input);
  if (graph.is_output(input)) return fmt::format("'{}' leaves the network", value.name);
  for (const graph::Use& use : value.uses)
    if (std::string reason = refuses(graph, use, zero, through); !reason.empty()) return reason;
  return {};
}

std::optional<ByteGrid> byte_grid(const PixelTable& table) {
  if (!table.reason.empty()) return std::nullopt;
  const std::span<const float> first = row_of(table, 0);
  const auto [least, most] = std::minmax_element(first.begin(), first.end());
  ByteGrid grid;
  grid.step =
      (static_cast<double>(*most) - static_cast<double>(*least)) / static_cast<double>(first.size() - 1);
  if (!(grid.step > 0)) return std::nullopt;
  grid.zero_point = -static_cast<double>(*least) / grid.step;
  const double half = std::round(2 * grid.zero_point) / 2 + 0.0;  // no -0
  if (std::abs(grid.zero_point - half) < kHalves) grid.zero_point = half;
  for (int64_t c = 0; c < table.values.shape().c(); ++c)
    if (!is_on(grid, row_of(table, c))) return std::nullopt;
  return grid;
}

Ranges ranges_of_bytes(const graph::Graph& graph, const ByteGrid& grid) {
  constexpr double kLargestByte = 255;
  Ranges out;
  for (const graph::ValueId id : graph.inputs()) {
    Statistics& statistics = out.values[id];
    statistics.smallest = -grid.step * grid.zero_point;
    statistics.min = std::min(0.0, statistics.smallest);
    statistics.max = std::max(0.0, grid.step * (kLargestByte - grid.zero_point));
  }
  return out;
}

}  // namespace n2d2::quantize
