// What does a quantized graph compute? A naive 64-bit oracle, and statistics without an executor.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "n2d2/quantize/quantize_graph.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {

/// Statistics of one batch, for clipping mode None.
inline quantize::Ranges observe(const Graph& graph, const Tensor& batch) {
  quantize::Ranges ranges;
  ranges.samples = batch.shape().n();
  for (const auto& [id, tensor] : evaluate_all(graph, batch)) {
    quantize::Statistics& s = ranges.values[id];
    s.smallest = tensor.span<float>()[0];
    for (const float x : tensor.span<float>()) {
      s.min = std::min(s.min, double{x});
      s.max = std::max(s.max, double{x});
      s.smallest = std::min(s.smallest, double{x});
    }
  }
  return ranges;
}

/// observe() with what is measured of each channel.
inline quantize::Ranges observe_channels(const Graph& graph, const Tensor& batch) {
  quantize::Ranges ranges = observe(graph, batch);
  for (const auto& [id, tensor] : evaluate_all(graph, batch)) {
    quantize::Statistics& s = ranges.values.at(id);
    const auto channels = static_cast<size_t>(tensor.shape().c());
    const auto pixels = static_cast<size_t>(tensor.shape().h() * tensor.shape().w());
    s.channel_sums.assign(channels, 0);
    s.channel_squares.assign(channels, 0);
    s.channel_peaks.assign(channels, 0);
    std::vector<double> peaks(channels * static_cast<size_t>(batch.shape().n()));  // of each sample
    for (size_t i = 0; i < tensor.span<float>().size(); ++i) {
      const double x = tensor.span<float>()[i];
      const size_t c = i / pixels % channels;
      ++s.count;
      s.sum += x;
      s.sum_of_squares += x * x;
      s.channel_sums[c] += x;
      s.channel_squares[c] += x * x;
      s.channel_peaks[c] = std::max(s.channel_peaks[c], std::abs(x));
      peaks[i / pixels] = std::max(peaks[i / pixels], std::abs(x));
    }
    s.channel_peak_sums.assign(channels, 0);
    s.channel_peak_squares.assign(channels, 0);
    for (size_t i = 0; i < peaks.size(); ++i) {
      s.channel_peak_sums[i % channels] += peaks[i];
      s.channel_peak_squares[i % channels] += peaks[i] * peaks[i];
    }
  }
  return ranges;
}

/// Statistics by name, for graphs that are still to be built.
struct NamedRanges {
  std::map<std::string, quantize::Statistics> values;

  /// Returns the ranges of the values that the graph has.
  quantize::Ranges of(const Graph& graph) const {
    quantize::Ranges ranges;
    ranges.samples = 1;
    for (const auto& [name, statistics] : values)
      if (const auto id = graph.find_value(name)) ranges.values[*id] = statistics;
    return ranges;
  }
};

/// Sets the range of each value by hand.
inline NamedRanges ranges_of(std::map<std::string, std::pair<double, double>> limits) {
  NamedRanges ranges;
  for (const auto& [name, limit] : limits) {
    quantize::Statistics& s = ranges.values[name];
    s.min = std::min(0.0, limit.first);
    s.max = std::max(0.0, limit.second);
    s.smallest = limit.first;
  }
  return ranges;
}

inline quantize::Options without_clipping(int bits = 8, RescaleMode mode = RescaleMode::FloatingPoint) {
  quantize::Options options;
  options.bits = bits;
  options.activation_clipping = "None";
  options.rescaling = mode;
  return options;
}

using Integers = std::vector<int64_t>;

inline Integers integers_of(const Tensor& tensor) {
  Integers out;
  for (int64_t i = 0; i < tensor.elements(); ++i) switch (tensor.dtype()) {
      case DataType::I8:
        out.push_back(tensor.data<int8_t>()[i]);
        break;
      case DataType::U8:
        out.push_back(tensor.data<uint8_t>()[i]);
        break;
      case DataType::I16:
        out.push_back(tensor.data<int16_t>()[i]);
        break;
      case DataType::U16:
        out.push_back(tensor.data<uint16_t>()[i]);
        break;
      case DataType::I32:
        out.push_back(tensor.data<int32_t>()[i]);
        break;
      case DataType::I64:
        out.push_back(tensor.data<int64_t>()[i]);
        break;
      case DataType::F32:
        throw std::runtime_error("not an integer tensor");
    }
  return out;
}

/// Rescales one accumulator by the formulas of the modes.
inline int64_t rescaled(const Rescale& r, int64_t x, size_t entry) {
  x += r.start;
  if (r.mode == RescaleMode::FloatingPoint) {
    const float y = static_cast<float>(x) * r.factor.at(entry);
    return std::llrint(std::min(std::max(y, static_cast<float>(r.lo)), static_cast<float>(r.hi)));
  }
  const int64_t half = r.shift > 0 ? int64_t{1} << (r.shift - 1) : 0;
  return std::min(std::max((x * r.multiplier.at(entry) + half) >> r.shift, r.lo), r.hi);
}

/// The row of biases along an axis of each output: windows that leave the input have one of their own,
/// neighbours that do not share one.
inline std::vector<int64_t> bias_rows(int64_t in, int64_t out, int64_t kernel, int64_t stride,
                                      int64_t dilation, int64_t pad) {
  std::vector<int64_t> rows{0};
  const auto leaves = [&](int64_t o) {
    return o * stride < pad || o * stride - pad + (kernel - 1) * dilation >= in;
  };
  for (int64_t o = 1; o < out; ++o) rows.push_back(rows.back() + (leaves(o) || leaves(o - 1) ? 1 : 0));
  return rows;
}

/// Runs one sample, given as integers (channel, y, x); logical order throughout, before adapt_layout.
class IntegerNet {
 public:
  IntegerNet(const Graph& graph, Integers input) : graph_(graph) {
    values_[graph.inputs().at(0)] = std::move(input);
    for (const NodeId id : graph.schedule()) values_[graph.node(id).outputs.at(0)] = run(graph.node(id));
  }
  const Integers& operator[](ValueId id) const { return values_.at(id); }
  const Integers& operator[](std::string_view name) const { return values_.at(*graph_.find_value(name)); }

 private:
  const Shape& shape(ValueId id) const { return graph_.value(id).type.shape; }
  const Integers& in(const graph::Node& node, size_t slot = 0) const {
    return values_.at(node.inputs.at(slot));
  }
  Integers constant(const graph::Node& node, size_t slot) const {
    return node.inputs.size() > slot ? integers_of(*graph_.value(node.inputs[slot]).constant) : Integers();
  }
  int64_t pixel(const graph::Node& node, int64_t c, int64_t y, int64_t x, bool& inside) const {
    const Shape& s = shape(node.inputs[0]);
    inside = y >= 0 && y < s.h() && x >= 0 && x < s.w();
    return inside ? in(node)[static_cast<size_t>((c * s.h() + y) * s.w() + x)] : 0;
  }

  Integers run(const graph::Node& node) const {
    if (const auto* conv = graph::as<ops::Conv>(node)) return run_conv(node, *conv);
    if (const auto* pool = graph::as<ops::Pool>(node)) return run_pool(node, *pool);
    if (const auto* pad = graph::as<ops::Padding>(node)) return run_padding(node, *pad);
    if (graph::as<ops::Fc>(node)) return run_fc(node);
    if (graph::as<ops::ElemWise>(node)) return run_sum(node);
    if (graph::as<ops::Reshape>(node)) return in(node);
    Integers out;
    if (graph::as<ops::Concat>(node)) {
      for (size_t i = 0; i < node.inputs.size(); ++i)
        out.insert(out.end(), in(node, i).begin(), in(node, i).end());
      return out;
    }
    const Shape& s = shape(node.outputs[0]);
    for (size_t i = 0; i < in(node).size(); ++i) {
      const size_t channel = i / static_cast<size_t>(s.h() * s.w());
      const size_t entries = std::max(node.rescale->factor.size(), node.rescale->multiplier.size());
      out.push_back(rescaled(*node.rescale, in(node)[i], entries > 1 ? channel : 0));
    }
    return out;
  }

  Integers run_conv(const graph::Node& node, const ops::Conv& op) const {
    const Shape &s = shape(node.inputs[0]), &d = shape(node.outputs[0]);
    const Integers w = constant(node, 1), b = constant(node, 2);
    const int64_t group_in = s.c() / op.groups, group_out = d.c() / op.groups;
    const auto down = bias_rows(s.h(), d.h(), op.kernel.y, op.stride.y, op.dilation.y, op.padding.top);
    const auto across = bias_rows(s.w(), d.w(), op.kernel.x, op.stride.x, op.dilation.x, op.padding.left);
    const bool has_rows = static_cast<int64_t>(b.size()) > d.c();
    Integers out;
    for (int64_t o = 0; o < d.c(); ++o)
      for (int64_t y = 0; y < d.h(); ++y)
        for (int64_t x = 0; x < d.w(); ++x) {
          const int64_t row =
              has_rows ? down[static_cast<size_t>(y)] * (across.back() + 1) + across[static_cast<size_t>(x)]
                       : 0;
          int64_t sum = b.empty() ? 0 : b.at(static_cast<size_t>(row * d.c() + o));
          for (int64_t c = 0; c < group_in; ++c)
            for (int64_t ky = 0; ky < op.kernel.y; ++ky)
              for (int64_t kx = 0; kx < op.kernel.x; ++kx) {
                bool inside = false;
                const int64_t v = pixel(node, o / group_out * group_in + c,
                                        y * op.stride.y + ky * op.dilation.y - op.padding.top,
                                        x * op.stride.x + kx * op.dilation.x - op.padding.left, inside);
                sum += v * w[static_cast<size_t>(((o * group_in + c) * op.kernel.y + ky) * op.kernel.x + kx)];
              }
          out.push_back(rescaled(*node.rescale, sum, static_cast<size_t>(o)));
        }
    return out;
  }

  Integers run_fc(const graph::Node& node) const {
    const Integers w = constant(node, 1), b = constant(node, 2), &x = in(node);
    Integers out;
    for (size_t o = 0; o < w.size() / x.size(); ++o) {
      int64_t sum = b.empty() ? 0 : b[o];
      for (size_t i = 0; i < x.size(); ++i) sum += w[o * x.size() + i] * x[i];
      out.push_back(rescaled(*node.rescale, sum, o));
    }
    return out;
  }

  Integers run_pool(const graph::Node& node, const ops::Pool& op) const {
    const Shape& d = shape(node.outputs[0]);
    Integers out;
    for (int64_t c = 0; c < d.c(); ++c)
      for (int64_t y = 0; y < d.h(); ++y)
        for (int64_t x = 0; x < d.w(); ++x) {
          int64_t sum = 0, largest = INT64_MIN;
          for (int64_t ky = 0; ky < op.kernel.y; ++ky)
            for (int64_t kx = 0; kx < op.kernel.x; ++kx) {
              bool inside = false;
              const int64_t v = pixel(node, c, y * op.stride.y + ky - op.padding.top,
                                      x * op.stride.x + kx - op.padding.left, inside);
              sum += v;
              if (inside || op.count_zeros) largest = std::max(largest, v);
            }
          out.push_back(op.pooling == ops::Pooling::Max ? largest : rescaled(*node.rescale, sum, 0));
        }
    return out;
  }

  Integers run_padding(const graph::Node& node, const ops::Padding& op) const {
    const Shape& d = shape(node.outputs[0]);
    Integers out;
    for (int64_t c = 0; c < d.c(); ++c)
      for (int64_t y = 0; y < d.h(); ++y)
        for (int64_t x = 0; x < d.w(); ++x) {
          bool inside = false;
          out.push_back(pixel(node, c, y - op.top, x - op.left, inside));
        }
    return out;
  }

  Integers run_sum(const graph::Node& node) const {
    const Rescale& r = *node.rescale;
    Integers out;
    for (size_t i = 0; i < in(node).size(); ++i) {
      int64_t sum = r.start + (r.shift > 0 ? int64_t{1} << (r.shift - 1) : 0);
      for (size_t p = 0; p < node.inputs.size(); ++p) sum += in(node, p)[i] * r.multiplier.at(p);
      out.push_back(std::min(std::max(sum >> r.shift, r.lo), r.hi));
    }
    return out;
  }

  const Graph& graph_;
  std::map<ValueId, Integers> values_;
};

}  // namespace n2d2::testing
