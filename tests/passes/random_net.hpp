// Which networks did nobody think of?
#pragma once

#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/recurrent.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {

/// A random network of about ten layers; layers read any value of before, mostly the newest one.
class RandomNet {
 public:
  enum class Kind { Any, Integer, Shuffled };

  /// Integer: only layers that an integer export takes after the float pipeline. Shuffled: channel shuffles
  /// and transposed convolutions, too.
  explicit RandomNet(uint64_t seed, Kind kind = Kind::Any)
      : integer_(kind == Kind::Integer),
        shuffled_(kind == Kind::Shuffled),
        net_(Shape{1, 1 + static_cast<int64_t>(seed % 4), 7, 6}, seed),
        spread_(seed, "transposed convolutions"),
        steps_(seed, "sequences") {
    values_.push_back(net_.data);
    const uint64_t layers = 4 + below(9);
    for (uint64_t i = 0; i < layers; ++i) add_layer("n" + std::to_string(i));
    std::vector<ValueId> outputs;
    for (const ValueId id : values_)
      if ((net_.graph.value(id).uses.empty() && !is_left_out(id)) || net_.rng.chance(0.05))
        outputs.push_back(id);
    if (net_.rng.chance(0.3)) outputs.back() = net_.fc("last", outputs.back(), 3);
    net_.graph.set_outputs(outputs);
  }
  Net& net() { return net_; }

 private:
  /// A layer that nothing reads.
  bool is_left_out(ValueId id) { return shuffled_ && id != values_.back() && steps_.chance(0.3); }
  uint64_t below(uint64_t n) { return net_.rng.below(n); }
  int pick(int low, int high) { return low + static_cast<int>(below(static_cast<uint64_t>(high - low + 1))); }
  ValueId source() { return net_.rng.chance(0.75) ? values_.back() : values_[below(values_.size())]; }
  const Shape& shape(ValueId id) const { return net_.graph.value(id).type.shape; }
  bool is_small(ValueId id) const { return shape(id).h() < 4 || shape(id).w() < 4; }

  ops::Conv random_conv(ValueId in) {
    ops::Conv op;
    op.kernel = {pick(1, is_small(in) ? 1 : 3), pick(1, is_small(in) ? 1 : 3)};
    op.stride = {pick(1, 2), pick(1, 2)};
    if (net_.rng.chance(0.5)) op.padding = {pick(0, 1), pick(0, 1), pick(0, 1), pick(0, 1)};
    const int channels = static_cast<int>(shape(in).c());
    if (net_.rng.chance(0.3)) op.groups = channels;
    op.nb_outputs = op.groups * pick(1, op.groups > 1 ? 2 : 5);
    if (op.groups == 1 && net_.rng.chance(0.2))
      for (int i = 0; i < channels * op.nb_outputs; ++i) op.connections.push_back(pick(0, 2) > 0 ? 1 : 0);
    return op;
  }

  ValueId random_pool(const std::string& name, ValueId in) {
    const auto pooling = net_.rng.chance(0.5) ? ops::Pooling::Max : ops::Pooling::Average;
    const int kernel = is_small(in) ? 1 : pick(2, 3);
    Pads pads;
    if (kernel > 1 && net_.rng.chance(0.3)) pads = {1, 0, 1, 0};
    return net_.pool(name, in, pooling, kernel, pads);
  }

  ValueId random_padding(const std::string& name, ValueId in) {
    const int low = is_small(in) ? 0 : -1;
    return net_.padding(name, in, {pick(low, 2), pick(low, 2), pick(low, 1), pick(low, 1)});
  }

  /// Another value of the same shape, or the same one.
  ValueId partner(ValueId in) {
    for (const ValueId id : values_)
      if (id != in && shape(id) == shape(in)) return id;
    return in;
  }

  /// Two groups of channels, interleaved.
  ValueId shuffle(const std::string& name, ValueId in) {
    const Shape map = shape(in);
    const auto half = static_cast<int>(map.c() / 2), pixels = static_cast<int>(map.h() * map.w());
    const ValueId view = net_.reshape(name + "_view", in, {pixels, half, 2});
    return net_.reshape(name, net_.transpose(name + "_turn", view, {0, 2, 1}),
                        {static_cast<int>(map.w()), static_cast<int>(map.h()), 2 * half});
  }

  ValueId random_transpose(const std::string& name, ValueId in) {
    if (shuffled_ && shape(in).c() % 2 == 0 && net_.rng.chance(0.3)) return shuffle(name, in);
    std::vector<int> perm{0, 1, 2};
    std::swap(perm[0], perm[below(3)]);
    std::swap(perm[1], perm[1 + below(2)]);
    return net_.transpose(name, in, perm);
  }

  ValueId random_deconv(const std::string& name, ValueId in) {
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(spread_.below(static_cast<uint64_t>(high - low + 1)));
    };
    ops::Deconv op;
    op.kernel = {draw(1, 4), draw(1, 4)}, op.stride = {draw(1, 2), draw(1, 3)};
    op.padding = {draw(0, op.kernel.x / 2), draw(0, op.kernel.y / 2), 0, 0};
    op.nb_outputs = draw(1, 4);
    Tensor weights = random_tensor(Shape{op.nb_outputs, shape(in).c(), op.kernel.y, op.kernel.x}, spread_);
    return net_.layer(name, op, {in, net_.constant(name + "_weights", std::move(weights))});
  }

  /// The last state of a recurrent layer over the pixels of the map.
  ValueId last_state(const std::string& name, ValueId in) {
    const int steps = static_cast<int>(shape(in).h() * shape(in).w());
    ops::Recurrent op;
    op.cell = static_cast<ops::Cell>(steps_.below(3)), op.hidden = 1 + static_cast<int>(steps_.below(4));
    const auto constant = [&](const char* role, const Shape& of) {
      return net_.constant(name + role, random_tensor(of, steps_));
    };
    const ValueId row = net_.reshape(name + "_row", in, {steps, 1, 0});
    const ValueId states =
        net_.layer(name + "_states", op,
                   {row, constant("_weights", {op.rows(), shape(in).c()}),
                    constant("_recurrent", {op.rows(), op.hidden}), constant("_biases", {2 * op.rows()})});
    return net_.padding(name, states, {1 - steps, 0, 0, 0});
  }

  void add_layer(const std::string& name) {
    const ValueId in = source();
    if (shuffled_ && shape(in).h() * shape(in).w() < 60 && steps_.chance(0.05))
      return values_.push_back(last_state(name, in));
    if (shuffled_ && shape(in).h() * shape(in).w() < 100 && spread_.chance(0.1))
      return values_.push_back(random_deconv(name, in));
    if (!integer_ && net_.rng.chance(0.15)) return values_.push_back(random_transpose(name, in));
    switch (below(13)) {
      case 0:
      case 1:
      case 2:
        values_.push_back(net_.conv(name, in, random_conv(in), net_.rng.chance(0.7)));
        break;
      case 3:
        values_.push_back(net_.batchnorm(name, in));
        break;
      case 4:
        values_.push_back(
            net_.relu(name, in, !integer_ && pick(0, 3) == 0 ? 0.2 : 0, pick(0, 2) == 0 ? 1.5 : 0));
        break;
      case 5:
        values_.push_back(net_.saturation(name, in, net_.rng.uniform(0.5, 3)));
        break;
      case 6:
        values_.push_back(random_pool(name, in));
        break;
      case 7:
        values_.push_back(random_padding(name, in));
        break;
      case 8:
        values_.push_back(net_.scaling(name, in, {pick(0, 2) == 0 ? 1.0 : net_.rng.uniform(-2, 2)}));
        break;
      case 9:
        values_.push_back(net_.sum(name, {in, partner(in)}, {1, net_.rng.uniform(-1, 1)}));
        break;
      case 10:
        values_.push_back(net_.concat(name, {in, partner(in)}));
        break;
      case 11:
        values_.push_back(net_.dropout(name, in));
        break;
      default:
        values_.push_back(net_.rng.chance(0.5) ? net_.reshape(name, in, {0, 0, 0})
                                               : net_.fc(name, in, pick(1, 4)));
    }
  }

  bool integer_, shuffled_;
  Net net_;
  Rng spread_, steps_;
  std::vector<ValueId> values_;
};

}  // namespace n2d2::testing
