#include "oracle/naive_network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/border.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/depth_to_space.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/layer_norm.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/ops/matmul.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/recurrent.hpp"
#include "n2d2/ops/resize.hpp"
#include "n2d2/ops/softmax.hpp"
#include "n2d2/ops/transpose.hpp"

#include "oracle/naive_curves.hpp"
#include "oracle/naive_sequence.hpp"

namespace n2d2::oracle {

namespace {

using IntMap = Map<int64_t>;

int64_t element(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DataType::U8:
      return t.data<uint8_t>()[i];
    case DataType::U16:
      return t.data<uint16_t>()[i];
    case DataType::I8:
      return t.data<int8_t>()[i];
    case DataType::I16:
      return t.data<int16_t>()[i];
    case DataType::I32:
      return t.data<int32_t>()[i];
    case DataType::I64:
      return t.data<int64_t>()[i];
    default:
      throw std::runtime_error("oracle: a parameter is not an integer");
  }
}

std::vector<int64_t> elements(const Tensor& t) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < t.elements(); ++i) out.push_back(element(t, i));
  return out;
}

/// How much of a window lies on the map and on the padding around it that counts.
int64_t counted_taps(const ops::Pool& op, const IntMap& in, int y, int x) {
  int64_t taps = 0;
  for (int ky = 0; ky < op.kernel.y; ++ky)
    for (int kx = 0; kx < op.kernel.x; ++kx) {
      const int row = y * op.stride.y + ky, column = x * op.stride.x + kx;  // of the padded map
      const int last_row = op.padding.top + in.h + op.padding.bottom - op.uncounted.bottom;
      const int last_column = op.padding.left + in.w + op.padding.right - op.uncounted.right;
      if (row >= op.uncounted.top && row < last_row && column >= op.uncounted.left && column < last_column)
        ++taps;
    }
  return taps;
}

/// Where output o of a Resize lies on the input, in 1024ths of a pixel: the corners on each other, or the
/// pixel before o in / out.
int64_t place_of(int o, int out, int in, bool between) {
  if (between) return static_cast<int64_t>(std::llround(1024.0 * o * (in - 1) / (out - 1)));
  return static_cast<int64_t>(o) * in / out * 1024;
}

/// O,I,KH,KW to the oracle's O,KH,KW,I.
std::vector<int64_t> conv_weights(const Tensor& t) {
  const Shape& s = t.shape();
  std::vector<int64_t> out;
  for (int64_t o = 0; o < s[0]; ++o)
    for (int64_t y = 0; y < s[2]; ++y)
      for (int64_t x = 0; x < s[3]; ++x)
        for (int64_t i = 0; i < s[1]; ++i) out.push_back(element(t, ((o * s[1] + i) * s[2] + y) * s[3] + x));
  return out;
}

/// O x (c, y, x) to O,H,W,C.
std::vector<int64_t> fc_weights(const Tensor& t, const IntMap& in) {
  std::vector<int64_t> out;
  const int64_t row = static_cast<int64_t>(in.h) * in.w * in.c;
  for (int64_t o = 0; o < t.shape()[0]; ++o)
    for (int y = 0; y < in.h; ++y)
      for (int x = 0; x < in.w; ++x)
        for (int c = 0; c < in.c; ++c)
          out.push_back(element(t, o * row + (static_cast<int64_t>(c) * in.h + y) * in.w + x));
  return out;
}

class Network {
 public:
  explicit Network(const graph::Graph& graph) : graph_(graph) {}

  std::map<std::string, IntMap> run(const IntMap& input) {
    maps_[graph_.inputs().at(0)] = input;
    for (const graph::NodeId id : graph_.schedule()) {
      const graph::Node& node = graph_.node(id);
      maps_[node.outputs.at(0)] = compute(node);
    }
    std::map<std::string, IntMap> out;
    for (const auto& [id, map] : maps_) out[graph_.value(id).name] = map;
    return out;
  }

 private:
  const IntMap& in(const graph::Node& node, size_t slot) const { return maps_.at(node.inputs.at(slot)); }
  const Tensor& constant(const graph::Node& node, size_t slot) const {
    return *graph_.value(node.inputs.at(slot)).constant;
  }
  std::vector<int64_t> biases(const graph::Node& node, int64_t outputs) const {
    std::vector<int64_t> out(static_cast<size_t>(outputs), 0);
    if (node.inputs.size() > 2)
      for (int64_t i = 0; i < outputs; ++i) out[static_cast<size_t>(i)] = element(constant(node, 2), i);
    return out;
  }

  /// 2^-e for each of them is the factor.
  static std::vector<int> exponents_of(const Rescale& r, size_t entry) {
    std::vector<int> exponents;
    for (int bit = 31; bit >= 0; --bit)
      if ((static_cast<uint32_t>(r.multiplier.at(entry)) >> bit & 1U) != 0)
        exponents.push_back(r.shift - bit);
    return exponents;
  }

  /// One accumulator to one output integer; `entry` is the output channel (or 0).
  static int64_t rescale(const graph::Node& node, int64_t x, size_t entry) {
    const Rescale& r = node.rescale.value();
    x += r.start;
    if (!r.multiplier.empty()) {
      const size_t i = r.multiplier.size() == 1 ? 0 : entry;
      const bool is_shift = r.mode == RescaleMode::SingleShift || r.mode == RescaleMode::DoubleShift;
      if (is_shift) return rescale_shifted(x, exponents_of(r, i), r.lo, r.hi);
      return rescale_fixed(x, r.multiplier.at(i), r.shift, r.lo, r.hi);
    }
    const size_t i = r.factor.size() == 1 ? 0 : entry;
    return rescale_float(x, r.factor.at(i), r.lo, r.hi);
  }

  static IntMap rescaled(const graph::Node& node, IntMap map) {
    for (size_t i = 0; i < map.v.size(); ++i)
      map.v[i] = rescale(node, map.v[i], i % static_cast<size_t>(map.c));
    return map;
  }

  int64_t zero(const graph::Node& node, size_t slot) const {
    const auto& quant = graph_.value(node.inputs.at(slot)).type.quant;
    return quant ? static_cast<int64_t>(quant->zero_point) : 0;
  }

  IntMap compute(const graph::Node& node) const {
    const Shape& out = graph_.value(node.outputs.at(0)).type.shape;
    const int h = static_cast<int>(out.h()), w = static_cast<int>(out.w());
    if (const auto* conv = graph::as<ops::Conv>(node)) {
      const Window window{conv->kernel.x,   conv->kernel.y,   conv->stride.x,     conv->stride.y,
                          conv->dilation.x, conv->dilation.y, conv->padding.left, conv->padding.top};
      const std::vector<int64_t> weights = conv_weights(constant(node, 1));
      const bool has_rows = node.inputs.size() > 2 && constant(node, 2).elements() > out.c();
      if (conv->groups > 1 && conv->groups == in(node, 0).c && zero(node, 0) != 0 && !has_rows) {
        const IntMap map = oracle::framed(in(node, 0), window, h, w, zero(node, 0));
        return rescaled(node, oracle::conv(map, oracle::within(window), h, w, conv->groups, weights,
                                           biases(node, out.c())));
      }
      return rescaled(
          node, has_rows
                    ? oracle::conv_with_rows(in(node, 0), window, h, w, conv->groups, weights,
                                             elements(constant(node, 2)), static_cast<int>(out.c()))
                    : oracle::conv(in(node, 0), window, h, w, conv->groups, weights, biases(node, out.c())));
    }
    if (graph::as<ops::Fc>(node) != nullptr)
      return rescaled(
          node, oracle::fc(in(node, 0), fc_weights(constant(node, 1), in(node, 0)), biases(node, out.c())));
    if (const auto* pool = graph::as<ops::Pool>(node)) {
      const Window window{pool->kernel.x,     pool->kernel.y,   pool->stride.x, pool->stride.y, 1, 1,
                          pool->padding.left, pool->padding.top};
      if (pool->pooling == ops::Pooling::Max)
        return oracle::max_pool(in(node, 0), window, h, w, pool->count_zeros);
      const int64_t outside = pool->uncounted == Pads{} ? zero(node, 0) : 0;
      IntMap sums = oracle::window_sum(oracle::framed(in(node, 0), window, h, w, outside),
                                       oracle::within(window), h, w);
      if (pool->uncounted == Pads{}) return rescaled(node, std::move(sums));
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
          for (int k = 0; k < sums.c; ++k)
            sums.at(y, x, k) = rescale(node, sums.at(y, x, k),
                                       static_cast<size_t>(counted_taps(*pool, in(node, 0), y, x) - 1));
      return sums;
    }
    return compute_elementwise(node, h, w, static_cast<int>(out.c()));
  }

  /// Slope by 65536ths, rounded half away from zero.
  static IntMap leaked(const ops::Relu& op, IntMap x) {
    if (op.leak_slope == 0) return x;
    const double below = std::round(65536 * op.leak_slope);
    for (int64_t& v : x.v) v = v > 0 ? v * 65536 : v * static_cast<int64_t>(below);
    return x;
  }

  IntMap resized(const graph::Node& node, int h, int w, int c) const {
    const auto& op = *graph::as<ops::Resize>(node);
    const IntMap& from = in(node, 0);
    const bool between = op.mode == ops::ResizeMode::BilinearTF;
    const auto positions = between ? ops::ResizePositions::AlignCorners : ops::ResizePositions::Asymmetric;
    if (op.positions != positions || op.rounding != ops::ResizeRounding::Floor)
      throw std::runtime_error("oracle: no rule for these positions of a Resize");
    IntMap out(h, w, c);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        for (int k = 0; k < c; ++k) {
          const int64_t row = place_of(y, h, from.h, between), column = place_of(x, w, from.w, between);
          const int top = static_cast<int>(row / 1024), left = static_cast<int>(column / 1024);
          if (!between) {
            out.at(y, x, k) = from.at(top, left, k);
            continue;
          }
          const int bottom = std::min(top + 1, from.h - 1), right = std::min(left + 1, from.w - 1);
          const int64_t down = row % 1024, across = column % 1024;
          out.at(y, x, k) = (1024 - down) * (1024 - across) * from.at(top, left, k) +
                            (1024 - down) * across * from.at(top, right, k) +
                            down * (1024 - across) * from.at(bottom, left, k) +
                            down * across * from.at(bottom, right, k);
        }
    return between ? rescaled(node, out) : out;
  }

  /// Values of the input at other places.
  IntMap moved(const graph::Node& node, int h, int w, int c) const {
    const IntMap& from = in(node, 0);
    IntMap out(h, w, c);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        for (int k = 0; k < c; ++k) {
          if (const auto* blocks = graph::as<ops::DepthToSpace>(node))
            out.at(y, x, k) =
                blocks->to_depth ? of_block(*blocks, from, y, x, k)
                                 : of_depth(*blocks, from, y + blocks->crop.top, x + blocks->crop.left, k, c);
          if (const auto* transpose = graph::as<ops::Transpose>(node)) {
            // Axis i of the output is axis Perm[i] of the input: 0 X, 1 Y, 2 Z.
            int place[3];
            const int made[3] = {x, y, k};
            for (size_t i = 0; i < 3; ++i) place[transpose->perm[i]] = made[i];
            out.at(y, x, k) = from.at(place[1], place[0], place[2]);
          }
          if (const auto* border = graph::as<ops::Border>(node)) {
            const int row = y - border->top, column = x - border->left;
            const bool is_map = row >= 0 && row < from.h && column >= 0 && column < from.w;
            if (border->mode == ops::BorderMode::Constant)
              out.at(y, x, k) = is_map ? from.at(row, column, k) : element(constant(node, 1), 0);
            else
              out.at(y, x, k) =
                  from.at(shown(border->mode, row, from.h), shown(border->mode, column, from.w), k);
          }
        }
    return out;
  }
  /// ONNX: reshaped to [b, a, C, H, W] (DCR: a rows, b columns of a block) or [C, a, b, H, W] (CRD).
  static int64_t of_depth(const ops::DepthToSpace& op, const IntMap& deep, int y, int x, int k,
                          int channels) {
    const int b = op.block_size, a = op.block_rows > 0 ? op.block_rows : b;
    const int row = y % a, column = x % b;
    const int channel =
        op.order == ops::BlockOrder::Dcr ? (row * b + column) * channels + k : (k * a + row) * b + column;
    return deep.at(y / a, x / b, channel);
  }
  static int64_t of_block(const ops::DepthToSpace& op, const IntMap& shallow, int y, int x, int k) {
    const int b = op.block_size, a = op.block_rows > 0 ? op.block_rows : b;
    const bool block_first = op.order == ops::BlockOrder::Dcr;
    const int pixel = block_first ? k / shallow.c : k % (a * b),
              channel = block_first ? k % shallow.c : k / (a * b);
    return shallow.at(y * a + pixel / b, x * b + pixel % b, channel);
  }
  static int shown(ops::BorderMode mode, int at, int size) {
    if (mode == ops::BorderMode::Edge) return std::clamp(at, 0, size - 1);
    return at < 0 ? -at : at >= size ? size - 1 - (at - (size - 1)) : at;
  }

  static std::vector<int64_t> part(const std::vector<int64_t>& all, int64_t first, int64_t count) {
    return {all.begin() + first, all.begin() + first + count};
  }

  IntMap sequence(const graph::Node& node, int h, int w, int c) const {
    const auto& op = *graph::as<ops::Recurrent>(node);
    const IntMap& x = in(node, 0);
    std::vector<std::vector<int64_t>> steps;
    for (int t = 0; t < x.h * x.w; ++t) steps.push_back(part(x.v, static_cast<int64_t>(t) * x.c, x.c));
    IntMap out(h, w, c);
    for (int d = 0; d < (op.direction == ops::Direction::Both ? 2 : 1); ++d) {
      SequenceCell cell;
      cell.kind = op.cell == ops::Cell::Lstm  ? SequenceCell::Kind::Lstm
                  : op.cell == ops::Cell::Gru ? SequenceCell::Kind::Gru
                                              : SequenceCell::Kind::Rnn;
      cell.linear = op.linear_before_reset, cell.units = op.hidden;
      const int64_t rows = op.hidden * (op.cell == ops::Cell::Lstm ? 4 : op.cell == ops::Cell::Gru ? 3 : 1);
      const std::vector<int64_t> table = elements(constant(node, 3));
      cell.shift = table[0];
      cell.weights = part(elements(constant(node, 1)), d * rows * x.c, rows * x.c);
      cell.recurrent = part(elements(constant(node, 2)), d * rows * op.hidden, rows * op.hidden);
      cell.table = part(table, 4 + 4 * d * rows, 4 * rows);
      cell.round = [&](int64_t v, int unit) {
        return rescale(node, v, static_cast<size_t>(d * op.hidden + unit));
      };
      std::vector<std::vector<int64_t>> order = steps;
      const bool is_reverse = d == 1 || op.direction == ops::Direction::Reverse;
      if (is_reverse) std::reverse(order.begin(), order.end());
      std::vector<std::vector<int64_t>> made = run_steps(cell, order);
      if (op.last_step) made = {made.back()};
      if (is_reverse) std::reverse(made.begin(), made.end());
      for (size_t t = 0; t < made.size(); ++t)
        for (int j = 0; j < op.hidden; ++j)
          out.v[t * static_cast<size_t>(c) + static_cast<size_t>(d * op.hidden + j)] =
              made[t][static_cast<size_t>(j)];
    }
    return out;
  }

  /// The channels of each pixel, less their mean, by the root of the mean of their squares, as
  /// docs/make/integers.md says.
  IntMap normalized(const graph::Node& node) const {
    const auto& op = *graph::as<ops::LayerNorm>(node);
    const std::vector<int64_t> terms = elements(constant(node, 1));
    IntMap out = in(node, 0);
    const int64_t n = out.c;
    for (int y = 0; y < out.h; ++y)
      for (int x = 0; x < out.w; ++x) {
        int64_t total = 0, d = terms.at(0) + terms.at(1) * 1073741824;
        std::vector<int64_t> q;
        for (int k = 0; k < out.c; ++k) q.push_back(out.at(y, x, k) - zero(node, 0));
        for (const int64_t v : q) total += op.centered ? v : 0, d += n * v * v;
        d -= total * total;
        int h = 0;
        while (d > 0 && d < int64_t{1} << 60) d *= 4, ++h;
        int64_t root = 0;
        for (int64_t step = int64_t{1} << 31; step > 0; step /= 2)
          if ((root + step) * (root + step) <= d) root += step;
        for (int k = 0; k < out.c; ++k) {
          const int64_t r = d > 0 ? (int64_t{1} << 61) / root : 0;
          const int64_t norm = floor_by((n * q[k] - total) * r, 45 - h);
          out.at(y, x, k) = floor_by(norm * terms.at(4 + 2 * k), 20) + terms.at(5 + 2 * k);
        }
      }
    return out;
  }
  static int64_t floor_by(int64_t value, int bits) {
    const int64_t by = int64_t{1} << bits, whole = value / by;
    return value % by < 0 ? whole - 1 : whole;
  }

  /// Rows of matrices are pixels, columns the channels of a block.
  IntMap matrices(const graph::Node& node, int h, int w, int c) const {
    const auto& op = *graph::as<ops::MatMul>(node);
    const IntMap &a = in(node, 0), &b = in(node, 1);
    IntMap out(h, w, c);
    const int columns = c / op.groups, depth = a.c / op.groups, others = b.c / op.groups;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        for (int k = 0; k < c; ++k)
          for (int i = 0; i < depth; ++i) {
            const int block = k / columns, column = k % columns, row = op.transposed ? column : i;
            const int64_t of_b = b.at(row / b.w, row % b.w, block * others + (op.transposed ? i : column));
            out.at(y, x, k) += (a.at(y, x, block * depth + i) - zero(node, 0)) * (of_b - zero(node, 1));
          }
    return out;
  }

  /// A map, or a constant beside maps.
  IntMap operand(const graph::Node& node, size_t slot) const {
    const graph::Value& value = graph_.value(node.inputs.at(slot));
    if (!value.is_constant()) return in(node, slot);
    const Shape& shape = value.type.shape;
    IntMap out(static_cast<int>(shape.h()), static_cast<int>(shape.w()), static_cast<int>(shape.c()));
    for (int k = 0; k < out.c; ++k)
      for (int y = 0; y < out.h; ++y)
        for (int x = 0; x < out.w; ++x)
          out.at(y, x, k) = element(*value.constant, (static_cast<int64_t>(k) * out.h + y) * out.w + x);
    return out;
  }

  /// The largest or smallest real value, in units of 2^-shift of the output, then rounded.
  IntMap chosen(const graph::Node& node, const std::vector<IntMap>& maps) const {
    const bool is_largest = graph::as<ops::ElemWise>(node)->operation == ops::ElemWiseOperation::Max;
    const Rescale& r = node.rescale.value();
    IntMap out = maps.at(0);
    for (size_t at = 0; at < out.v.size(); ++at) {
      std::vector<int64_t> scaled;
      for (size_t i = 0; i < maps.size(); ++i)
        scaled.push_back((maps[i].v[at] - zero(node, i)) * r.multiplier.at(i));
      std::sort(scaled.begin(), scaled.end());
      out.v[at] =
          rescale_fixed((is_largest ? scaled.back() : scaled.front()) + r.start, 1, r.shift, r.lo, r.hi);
    }
    return out;
  }

  IntMap compute_elementwise(const graph::Node& node, int h, int w, int c) const {
    const std::string_view type = node.op->type();
    if (type == "ElemWise") {
      std::vector<IntMap> maps;
      for (size_t i = 0; i < node.inputs.size(); ++i)
        maps.push_back(oracle::repeated(operand(node, i), h, w, c));
      if (graph::as<ops::ElemWise>(node)->is_extreme()) return chosen(node, maps);
      if (graph::as<ops::ElemWise>(node)->operation == ops::ElemWiseOperation::Prod)
        for (size_t i = 0; i < maps.size(); ++i)
          for (int64_t& v : maps[i].v) v -= zero(node, i);
      if (graph::as<ops::ElemWise>(node)->operation == ops::ElemWiseOperation::Prod)
        return rescaled(node, oracle::product(maps));
      const Rescale& r = node.rescale.value();
      IntMap sum = oracle::weighted_sum(maps, std::vector<int64_t>(r.multiplier.begin(), r.multiplier.end()));
      for (int64_t& v : sum.v) v = rescale_fixed(v + r.start, 1, r.shift, r.lo, r.hi);
      return sum;
    }
    if (type == "Concat") {
      std::vector<IntMap> maps;
      for (size_t i = 0; i < node.inputs.size(); ++i) maps.push_back(in(node, i));
      return oracle::concat(maps);
    }
    if (type == "Relu") return rescaled(node, leaked(*graph::as<ops::Relu>(node), in(node, 0)));
    if (type == "Scaling" || type == "Saturation") return rescaled(node, in(node, 0));
    if (type == "Nonlinearity" || type == "PRelu" || type == "Threshold")
      return oracle::look_up(in(node, 0), elements(constant(node, 1)), constant(node, 1).shape()[1]);
    if (type == "Softmax") {
      const int group = graph::as<ops::Softmax>(node)->group_size;
      return rescaled(node, oracle::shares(in(node, 0), group > 0 ? group : c, elements(constant(node, 1))));
    }
    if (const auto* lrn = graph::as<ops::Lrn>(node))
      return rescaled(node, oracle::divided(in(node, 0), lrn->n, elements(constant(node, 1))));
    if (type == "LogSoftmax")
      return rescaled(node, oracle::logarithms(in(node, 0), elements(constant(node, 1))));
    if (type == "Resize") return resized(node, h, w, c);
    if (type == "Recurrent") return sequence(node, h, w, c);
    if (type == "LayerNorm") return rescaled(node, normalized(node));
    if (type == "MatMul") return rescaled(node, matrices(node, h, w, c));
    if (type == "Padding") {
      const auto& op = *graph::as<ops::Padding>(node);
      IntMap out(h, w, c);
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
          for (int k = 0; k < c; ++k) out.at(y, x, k) = in(node, 0).padded(y - op.top, x - op.left, k);
      return out;
    }
    if (type == "Reshape") {
      IntMap out(h, w, c);
      const IntMap& from = in(node, 0);
      for (int i = 0; i < h * w * c; ++i)
        out.at(i / w % h, i % w, i / (w * h)) =
            from.at(i / from.w % from.h, i % from.w, i / (from.w * from.h));
      return out;
    }
    if (type == "PixelReshape") {
      IntMap out(h, w, c);
      const IntMap& from = in(node, 0);
      for (int i = 0; i < h * w * c; ++i)
        out.at(i / (c * w), i / c % w, i % c) =
            from.at(i / (from.c * from.w), i / from.c % from.w, i % from.c);
      return out;
    }
    if (type == "DepthToSpace" || type == "Transpose" || type == "Border") return moved(node, h, w, c);
    throw std::runtime_error("oracle: no rule for " + std::string(type));
  }

  const graph::Graph& graph_;
  std::map<graph::ValueId, IntMap> maps_;
};

}  // namespace

std::map<std::string, IntMap> run_network(const graph::Graph& graph, const IntMap& input) {
  return Network(graph).run(input);
}

}  // namespace n2d2::oracle
