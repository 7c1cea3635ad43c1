// Which small networks have the shapes that kernels are not made for?
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "n2d2/ops/border.hpp"
#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/depth_to_space.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/layer_norm.hpp"
#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/ops/matmul.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/recurrent.hpp"
#include "n2d2/ops/resize.hpp"
#include "n2d2/ops/softmax.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {

/// One to four layers on maps of 1 to 5 rows and columns, seldom more: windows wider than the map, padding
/// wider than the window, strides beyond the map, dilation, maps of one row, one column and one pixel, 1 to
/// 67 channels. Some end like a detector: the channels of each map come last, and rows of them are joined.
class OddNet {
 public:
  /// Chain: a layer with many outputs, layers that are channel by channel, and one of few outputs that reads
  /// pixel by pixel. BothSigns: functions whose values seldom are below 0, behind each other and behind
  /// layers of any kind. Moves: transposed convolutions and layers that move values, among others. Sequences:
  /// recurrent layers on maps of one row or one column, among others. Tokens: normalizations and attentions
  /// of some heads, among others. Joins: the larger and smaller of maps, constants that vary along maps,
  /// borders of one value, functions of all channels.
  enum class Kind { Layers, Chain, BothSigns, Moves, Sequences, Tokens, Joins };
  explicit OddNet(uint64_t seed, Kind kind = Kind::Layers)
      : rng_(seed, "odd network"),
        leaks_(seed, "odd functions"),
        gates_(seed, "odd gates"),
        moves_(seed, "odd moves"),
        steps_(seed, "odd sequences"),
        tokens_(seed, "odd tokens"),
        joins_(seed, "odd joins"),
        kind_(kind),
        net_(Shape{1, channels(), extent(), extent()}, seed) {
    kind == Kind::Chain ? add_chain() : add_layers();
  }
  graph::Graph& graph() { return net_.graph; }
  Rng& rng() { return rng_; }
  const Shape& input() const { return net_.graph.value(net_.data).type.shape; }

 private:
  void add_layers() {
    graph::ValueId last = net_.data;
    const int layers = pick(1, 4);
    std::vector<graph::ValueId> maps;
    for (int i = 0; i < layers; ++i) maps.push_back(last = add_layer("n" + std::to_string(i), last));
    net_.graph.set_outputs({rng_.chance(0.2) ? add_heads(maps) : last});
  }

  void add_chain() {
    const auto relu = [&](const std::string& name, graph::ValueId in) {
      return rng_.chance(0.5) ? net_.relu(name, in) : in;
    };
    graph::ValueId last = net_.data;
    if (rng_.chance(0.2)) {
      last = net_.fc("last", relu("relu", net_.fc("first", last, pick(16, 67), true)), pick(1, 6), true);
      net_.graph.set_outputs({last});
      return;
    }
    last = relu("relu", add_conv("first", last, 1, pick(16, 67)));
    for (int i = pick(1, 2); i > 0; --i) {
      const std::string name = "between" + std::to_string(i);
      const int channels = static_cast<int>(shape(last).c());
      last = rng_.chance(0.3) ? add_pool(name, last) : add_conv(name, last, channels, channels);
      last = relu(name + "_relu", last);
    }
    net_.graph.set_outputs({net_.conv("last", last, pick(1, 6), 1, true)});
  }

  int pick(int low, int high) {
    return low + static_cast<int>(rng_.below(static_cast<uint64_t>(high - low + 1)));
  }
  int64_t extent() { return rng_.chance(0.25) ? 1 : rng_.chance(0.9) ? pick(1, 5) : pick(6, 23); }
  int64_t channels() { return rng_.chance(0.7) ? pick(1, 20) : pick(1, 67); }
  const Shape& shape(graph::ValueId id) const { return net_.graph.value(id).type.shape; }

  struct Side {
    int kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;
  };
  /// Along one axis; the window lies on the padded map at least once.
  Side side(int64_t size, bool dilates) {
    Side s;
    s.kernel = rng_.chance(0.3) ? 1 : pick(2, 5);
    s.stride = rng_.chance(0.6) ? 1 : pick(2, 6);
    if (dilates && rng_.chance(0.2)) s.dilation = pick(2, 3);
    if (rng_.chance(0.6)) s.before = pick(0, rng_.chance(0.2) ? 7 : s.kernel);
    if (rng_.chance(0.6)) s.after = pick(0, rng_.chance(0.2) ? 7 : s.kernel);
    const int reach = (s.kernel - 1) * s.dilation + 1,
              missing = reach - static_cast<int>(size) - s.before - s.after;
    if (missing > 0) (rng_.chance(0.5) ? s.before : s.after) += missing;
    return s;
  }

  graph::ValueId add_conv(const std::string& name, graph::ValueId in) {
    const int in_c = static_cast<int>(shape(in).c());
    if (rng_.chance(0.35)) return add_conv(name, in, in_c, in_c * (rng_.chance(0.8) ? 1 : pick(2, 3)));
    const int groups = in_c % 2 == 0 && rng_.chance(0.15) ? 2 : 1;
    return add_conv(name, in, groups, groups * static_cast<int>(groups > 1 ? pick(1, 12) : channels()));
  }
  graph::ValueId add_conv(const std::string& name, graph::ValueId in, int groups, int outputs) {
    const Side x = side(shape(in).w(), true), y = side(shape(in).h(), true);
    ops::Conv op;
    op.kernel = {x.kernel, y.kernel};
    op.stride = {x.stride, y.stride};
    op.dilation = {x.dilation, y.dilation};
    op.padding = {x.before, y.before, x.after, y.after};
    op.groups = groups;
    op.nb_outputs = outputs;
    return net_.conv(name, in, op, rng_.chance(0.8));
  }

  /// A maximum needs a pixel of the map in each window.
  Side seen_side(int64_t size) {
    for (;;) {
      const Side s = side(size, false);
      const int last =
          (static_cast<int>(size) + s.before + s.after - s.kernel) / s.stride * s.stride - s.before;
      if (s.before < s.kernel && s.after < s.kernel && last < size) return s;
    }
  }

  graph::ValueId add_pool(const std::string& name, graph::ValueId in) {
    const Side x = seen_side(shape(in).w()), y = seen_side(shape(in).h());
    ops::Pool op;
    op.kernel = {x.kernel, y.kernel};
    op.stride = {x.stride, y.stride};
    op.padding = {x.before, y.before, x.after, y.after};
    op.pooling = rng_.chance(0.5) ? ops::Pooling::Max : ops::Pooling::Average;
    op.count_zeros = op.pooling == ops::Pooling::Max && rng_.chance(0.3);
    return net_.layer(name, op, {in});
  }

  graph::ValueId add_layer(const std::string& name, graph::ValueId in) {
    if (kind_ == Kind::BothSigns && rng_.chance(0.8)) return add_function(name, in);
    if (kind_ == Kind::Moves && moves_.chance(0.7)) return add_move(name, in);
    if (kind_ == Kind::Sequences && steps_.chance(0.7)) return add_sequence(name, in);
    if (kind_ == Kind::Tokens && tokens_.chance(0.7)) return add_of_tokens(name, in);
    if (kind_ == Kind::Joins && joins_.chance(0.7)) return add_join(name, in);
    switch (pick(0, 9)) {
      case 0:
        return add_pool(name, in);
      case 1:
        return net_.fc(name, in, pick(1, 40), rng_.chance(0.8));
      case 2:
        return net_.sum(name, {in, in}, {1, rng_.uniform(-1, 1)});
      case 3:
        return net_.concat(name, {in, net_.relu(name + "_other", in)});
      case 4:
        return net_.padding(name, in, {pick(0, 3), pick(0, 3), pick(0, 3), pick(0, 3)});
      case 5:
        return net_.relu(name, add_conv(name + "_conv", in), leaks_.chance(0.3) ? 0.1 : 0);
      default:
        return add_function(name, in);
    }
  }

  /// What follows some convolutions has a table of integers; some are branches of a sum or a concatenation.
  graph::ValueId add_function(const std::string& name, graph::ValueId in) {
    if (leaks_.chance(kind_ == Kind::BothSigns ? 0.2 : 0.7)) return add_conv(name, in);
    const graph::ValueId made = add_conv(name + "_conv", in);
    const auto swish = [&](const std::string& own, graph::ValueId value) {
      ops::Nonlinearity op;
      op.function = ops::Function::HardSwish, op.alpha = 1.0 / 6, op.beta = 0.5;
      return net_.layer(own, op, {value});
    };
    const int channels = static_cast<int>(shape(made).c());
    switch (leaks_.below(7)) {
      case 0:
      case 1:
        return net_.relu(name, made, 0.1);
      case 2:
      case 3:
        return swish(name, made);
      case 4: {
        const graph::ValueId branch =
            net_.conv(name + "_branch", net_.relu(name + "_leaky", made, 0.1), channels, 1);
        return net_.sum(name, {branch, made}, {1, leaks_.uniform(-1, 1)});
      }
      case 5: {
        const graph::ValueId other =
            net_.conv(name + "_branch", made, 1 + static_cast<int>(leaks_.below(20)), 1);
        return net_.concat(name, {net_.relu(name + "_leaky", made, 0.1), swish(name + "_swish", other)});
      }
      default:
        return between(name, swish(name + "_swish", made));
    }
  }

  graph::ValueId add_join(const std::string& name, graph::ValueId in) {
    switch (joins_.below(8)) {
      case 0:
        return add_border(name, in);
      case 5:
      case 6: {
        ops::Lrn op;
        op.n = 1 + static_cast<int>(joins_.below(9));
        op.alpha = joins_.uniform(0, 2), op.beta = joins_.uniform(0.4, 1.2), op.k = joins_.uniform(0.5, 2);
        return net_.layer(name, op, {joins_.chance(0.5) ? net_.relu(name + "_relu", in) : in});
      }
      case 7:
        return net_.conv(name, net_.layer(name + "_log", ops::LogSoftmax(), {in}),
                         1 + static_cast<int>(joins_.below(20)), 1);
      case 1:
      case 2:
        return add_beside_constant(name, in);
      default:
        return add_extreme(name, in);
    }
  }

  /// The value is seldom on a grid, sometimes beyond it.
  graph::ValueId add_border(const std::string& name, graph::ValueId in) {
    ops::Border op;
    op.mode = ops::BorderMode::Constant;
    op.value = joins_.chance(0.2) ? -1e30 : joins_.uniform(-1, 1);
    for (int* side : {&op.left, &op.top, &op.right, &op.bottom}) *side = static_cast<int>(joins_.below(4));
    return net_.layer(name, op, {joins_.chance(0.5) ? net_.relu(name + "_relu", in, 0.1) : in});
  }

  /// A constant with one element along some axes.
  graph::ValueId add_beside_constant(const std::string& name, graph::ValueId in) {
    using Operation = ops::ElemWiseOperation;
    ops::ElemWise op;
    op.operation =
        std::array{Operation::Sum, Operation::Prod, Operation::Max, Operation::Min}[joins_.below(4)];
    op.constants_from = 1;
    if (op.operation == Operation::Sum && joins_.chance(0.5)) op.weights = {joins_.uniform(-1, 1), 0.5};
    const Shape map = shape(in);
    const auto extent = [&](int64_t whole) { return joins_.chance(0.3) ? 1 : whole; };
    Tensor operands = random_tensor(Shape{1, extent(map.c()), extent(map.h()), extent(map.w())}, joins_);
    if (joins_.chance(0.3))
      for (float& x : operands.span<float>()) x = std::abs(x);
    return net_.layer(name, op, {in, net_.constant(name + "_operands", std::move(operands))});
  }

  /// The larger or smaller of a map, another one or a value a channel, and sometimes a constant.
  graph::ValueId add_extreme(const std::string& name, graph::ValueId in) {
    const int channels = static_cast<int>(shape(in).c());
    ops::ElemWise op;
    op.operation = joins_.chance(0.5) ? ops::ElemWiseOperation::Max : ops::ElemWiseOperation::Min;
    const graph::ValueId other = joins_.chance(0.7) ? net_.conv(name + "_other", in, channels, 1)
                                                    : net_.fc(name + "_other", in, channels, true);
    std::vector<graph::ValueId> inputs{in,
                                       joins_.chance(0.5) ? net_.relu(name + "_relu", other, 0.1) : other};
    if (joins_.chance(0.3)) {
      op.constants_from = 2;
      inputs.push_back(
          net_.constant(name + "_operands", random_tensor(Shape{1, 1, shape(in).h(), 1}, joins_)));
    }
    return net_.layer(name, op, std::move(inputs));
  }

  int moved_by(int low, int high) {
    return low + static_cast<int>(moves_.below(static_cast<uint64_t>(high - low + 1)));
  }

  graph::ValueId add_move(const std::string& name, graph::ValueId in) {
    const Shape map = shape(in);
    switch (moves_.below(6)) {
      case 0:
      case 1:
        return add_deconv(name, in);
      case 2: {
        ops::DepthToSpace op;
        op.block_size = moved_by(1, 3), op.block_rows = moved_by(0, 3);
        op.order = moves_.chance(0.5) ? ops::BlockOrder::Dcr : ops::BlockOrder::Crd;
        const Dims block = op.block();
        op.to_depth = map.w() % block.x == 0 && map.h() % block.y == 0 && map.c() < 20 && moves_.chance(0.5);
        if (op.to_depth) return net_.layer(name, op, {in});
        if (map.w() * block.x > 2 && map.h() * block.y > 2 && moves_.chance(0.5))
          op.crop = {moved_by(0, 1), moved_by(0, 1), moved_by(0, 1), moved_by(0, 1)};
        return net_.layer(name, op, {net_.conv(name + "_deep", in, moved_by(1, 6) * block.x * block.y, 1)});
      }
      case 3: {
        std::vector<int> perm{0, 1, 2};
        for (int i = moved_by(0, 5); i > 0; --i) std::next_permutation(perm.begin(), perm.end());
        return net_.transpose(name, in, perm);
      }
      case 4: {
        std::vector<int> dims{static_cast<int>(map.w()), static_cast<int>(map.h()),
                              static_cast<int>(map.c())};
        std::next_permutation(dims.begin(), dims.end());
        if (moves_.chance(0.3)) dims = {dims[0] * dims[1], 1, dims[2]};
        return net_.reshape(name, in, dims);
      }
      default: {
        ops::Border op;
        op.mode = moves_.chance(0.5) ? ops::BorderMode::Reflect : ops::BorderMode::Edge;
        const bool mirrors = op.mode == ops::BorderMode::Reflect;
        const int across = mirrors ? std::min<int>(3, static_cast<int>(map.w()) - 1) : 3;
        const int down = mirrors ? std::min<int>(3, static_cast<int>(map.h()) - 1) : 3;
        op.left = moved_by(0, across), op.right = moved_by(0, across);
        op.top = moved_by(0, down), op.bottom = moved_by(0, down);
        return net_.layer(name, op, {in});
      }
    }
  }

  /// The pixels of the map as steps, where it has several rows and columns.
  graph::ValueId add_sequence(const std::string& name, graph::ValueId in) {
    const auto drawn = [&](int low, int high) {
      return low + static_cast<int>(steps_.below(static_cast<uint64_t>(high - low + 1)));
    };
    const Shape map = shape(in);
    const int pixels = static_cast<int>(map.h() * map.w());
    if (map.h() > 1 && map.w() > 1)
      in = net_.reshape(
          name + "_steps", in,
          steps_.chance(0.5) ? std::vector<int>{pixels, 1, -1} : std::vector<int>{1, pixels, -1});
    ops::Recurrent op;
    op.cell = static_cast<ops::Cell>(drawn(0, 2)), op.direction = static_cast<ops::Direction>(drawn(0, 2));
    op.hidden = steps_.chance(0.8) ? drawn(1, 9) : drawn(10, 40);
    op.linear_before_reset = steps_.chance(0.5), op.last_step = steps_.chance(0.3);
    const auto constant = [&](const char* role, const Shape& of, double most = 1) {
      return net_.constant(name + role, random_tensor(of, steps_, -most, most));
    };
    // A state that forgets: rounding of floats does not grow from step to step.
    const double least = 1.0 / op.hidden;
    return net_.layer(
        name, op,
        {in, constant("_weights", {op.rows(), map.c()}),
         constant("_recurrent", {op.rows(), op.hidden}, least), constant("_biases", {2 * op.rows()})});
  }

  graph::ValueId add_deconv(const std::string& name, graph::ValueId in) {
    ops::Deconv op;
    const int channels = static_cast<int>(shape(in).c());
    const bool is_depthwise = moves_.chance(0.2);
    op.kernel = {moved_by(1, 5), moved_by(1, 5)};
    op.stride = {moved_by(1, 3), moved_by(1, 3)};
    if (moves_.chance(0.7)) op.stride.y = op.stride.x;
    if (moves_.chance(0.2)) op.dilation = {moved_by(1, 3), moved_by(1, 3)};
    op.groups = is_depthwise ? channels : channels % 2 == 0 && moves_.chance(0.2) ? 2 : 1;
    op.nb_outputs = is_depthwise ? channels : op.groups * moved_by(1, 8);
    if (moves_.chance(0.3)) op.output_padding = {moved_by(0, op.stride.x - 1), moved_by(0, op.stride.y - 1)};
    const auto whole = [](int64_t size, int kernel, int stride, int dilation, int more) {
      return static_cast<int>(stride * (size - 1) + (kernel - 1) * dilation + 1 + more);
    };
    const auto cut = [&](int size) {
      return moves_.chance(0.3) ? 0 : moved_by(0, std::min(7, (size - 1) / 2));
    };
    const int wide = whole(shape(in).w(), op.kernel.x, op.stride.x, op.dilation.x, op.output_padding.x);
    const int high = whole(shape(in).h(), op.kernel.y, op.stride.y, op.dilation.y, op.output_padding.y);
    op.padding = {cut(wide), cut(high), cut(wide), cut(high)};
    Tensor weights =
        random_tensor(Shape{op.nb_outputs, channels / op.groups, op.kernel.y, op.kernel.x}, moves_);
    std::vector<graph::ValueId> inputs{in, net_.constant(name + "_weights", std::move(weights))};
    if (moves_.chance(0.7))
      inputs.push_back(net_.constant(name + "_biases", random_tensor(Shape{op.nb_outputs}, moves_)));
    return net_.relu(name + "_relu", net_.layer(name, op, std::move(inputs)));
  }

  /// Every pixel is a token.
  graph::ValueId add_of_tokens(const std::string& name, graph::ValueId in) {
    const auto below = [&](uint64_t most) { return static_cast<int>(tokens_.below(most)); };
    if (tokens_.chance(0.4)) {
      ops::LayerNorm op;
      op.epsilon = tokens_.chance(0.2) ? 0 : tokens_.chance(0.5) ? 1e-5 : 0.5;
      op.centered = tokens_.chance(0.7);
      std::vector<graph::ValueId> inputs{
          in, net_.constant(name + "_scales", random_tensor(Shape{shape(in).c()}, tokens_))};
      if (tokens_.chance(0.7))
        inputs.push_back(net_.constant(name + "_biases", random_tensor(Shape{shape(in).c()}, tokens_)));
      return net_.layer(name, op, std::move(inputs));
    }
    const int heads = 1 + below(3);
    const auto features = [&](const std::string& of, graph::ValueId from, int size) {
      const graph::ValueId made = net_.conv(of, from, heads * size, 1, tokens_.chance(0.7));
      return tokens_.chance(0.2) ? net_.relu(of + "_leaky", made, 0.1) : made;
    };
    const graph::ValueId others = tokens_.chance(0.3) ? add_conv(name + "_others", in) : in;
    const int depth = 1 + below(9);
    ops::MatMul product;
    product.groups = heads, product.transposed = true,
    product.factor = 1 / std::sqrt(static_cast<double>(depth));
    graph::ValueId scores =
        net_.layer(name + "_scores", product,
                   {features(name + "_queries", in, depth), features(name + "_keys", others, depth)});
    if (tokens_.chance(0.8)) {
      ops::Softmax softmax;
      softmax.group_size = heads > 1 ? static_cast<int>(shape(scores).c()) / heads : 0;
      scores = net_.layer(name + "_shares", softmax, {scores});
    }
    product.transposed = false, product.factor = 1;
    return net_.layer(name, product, {scores, features(name + "_values", others, 1 + below(20))});
  }

  /// A layer whose sums are of whole windows.
  graph::ValueId between(const std::string& name, graph::ValueId in) {
    if (gates_.chance(0.4)) return gated(name, in);
    const Shape& map = shape(in);
    const bool is_wide = map.w() > 1 && leaks_.chance(0.7), is_high = map.h() > 1 && leaks_.chance(0.7);
    const Dims window{is_wide ? 2 : 1, is_high ? 2 : 1};
    if (leaks_.chance(0.4)) {
      ops::Pool op;
      op.pooling = ops::Pooling::Average;
      op.kernel = op.stride = window;
      return net_.layer(name, op, {in});
    }
    if (leaks_.chance(0.4)) {
      ops::Conv op;
      op.kernel = window;
      op.nb_outputs = op.groups = static_cast<int>(map.c());
      return net_.conv(name, in, op);
    }
    ops::Resize op;
    op.output_width = static_cast<int>(map.w()) + 1, op.output_height = static_cast<int>(map.h()) * 2;
    op.mode = ops::ResizeMode::BilinearTF, op.positions = ops::ResizePositions::AlignCorners;
    return net_.layer(name, op, {in});
  }

  /// Its product with another map, or with a value for each channel.
  graph::ValueId gated(const std::string& name, graph::ValueId in) {
    const int channels = static_cast<int>(shape(in).c());
    ops::ElemWise op;
    op.operation = ops::ElemWiseOperation::Prod;
    const graph::ValueId gate = gates_.chance(0.5) ? net_.conv(name + "_gate", in, channels, 1)
                                                   : net_.fc(name + "_gate", in, channels, true);
    return net_.layer(name, op, {in, net_.relu(name + "_leaky", gate, gates_.chance(0.5) ? 0.1 : 0)});
  }

  /// A Conv on each map, its output transposed to (y, x, channel) and cut into rows of equal length, all rows
  /// behind each other.
  graph::ValueId add_heads(const std::vector<graph::ValueId>& maps) {
    const int length = pick(1, 6);
    std::vector<graph::ValueId> rows;
    for (size_t i = 0; i < maps.size(); ++i) {
      const std::string name = "head" + std::to_string(i);
      const graph::ValueId head = net_.conv(name, maps[i], length * pick(1, 4), 1, rng_.chance(0.8));
      const graph::ValueId last = net_.transpose(name + "_last", head, {2, 0, 1});
      graph::ValueId row = net_.reshape(name + "_rows", last, {length, 1, -1});
      if (rng_.chance(0.2)) row = net_.relu(name + "_relu", row);
      rows.push_back(row);
    }
    const graph::ValueId all = rows.size() == 1 ? rows[0] : net_.concat("all", rows);
    return rng_.chance(0.3) ? net_.transpose("columns", all, {2, 1, 0}) : all;
  }

  Rng rng_, leaks_, gates_, moves_, steps_, tokens_, joins_;
  Kind kind_;
  Net net_;
};

}  // namespace n2d2::testing
