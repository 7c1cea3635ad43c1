#include "grids.hpp"

#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::quantize {

QuantParams Grid::quant_params() const {
  return {kBitsOfByte, false, -1, {static_cast<float>(step)}, {step * kLast}, static_cast<double>(zero)};
}

Grid grid_over(double lo, double hi) {
  Grid out;
  out.step = (hi - lo) / Grid::kLast;
  out.zero = std::clamp(static_cast<int>(std::lround(-lo / out.step)), 0, Grid::kLast);
  return out;
}

Grid grid_of(const Scale& scale) {
  const double lowest = static_cast<double>(scale.quant_params().lowest());
  return {scale.step(), static_cast<int>(std::lround(scale.zero_point - lowest))};
}

void set_grid(const Grid& grid, bool allow_unsigned, Scale& scale) {
  scale.is_signed = !allow_unsigned;
  scale.threshold = grid.step * scale.full_scale();
  scale.zero_point = grid.zero + static_cast<double>(scale.quant_params().lowest());
  scale.source = "zero point";
}

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

double error_on(const std::vector<Bin>& bins, const Grid& grid) {
  double sum = 0;
  for (const Bin& bin : bins) {
    const double off = grid.real(grid.nearest(bin.centre)) - bin.centre;
    sum += bin.count * off * off;
  }
  return sum;
}

const Histogram* histogram_of(const graph::Graph& graph, const Ranges& ranges, graph::ValueId id) {
  const auto found = ranges.values.find(judged_value(graph, id));
  if (found == ranges.values.end() || !found->second.histogram) return nullptr;
  return found->second.histogram->total() > 0 ? &*found->second.histogram : nullptr;
}

}  // namespace n2d2::quantize
