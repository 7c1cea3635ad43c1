// Elements that Reshapes regroup: whatever order the exchanged network keeps them in, it says so, and is
// right.
#include "n2d2/passes/turn_maps.hpp"

#include <gtest/gtest.h>

#include "n2d2/graph/verify.hpp"
#include "n2d2/ops/all.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/ops/pixel_reshape.hpp"
#include "n2d2/ops/prelu.hpp"

#include "passes/random_net.hpp"

namespace n2d2::passes {
namespace {

using graph::split_of;
using graph::turned;
using testing::ValueId;

// Double sums in another order, rounded to float32, layer after layer.
constexpr double kReordered = 1e-4;

/// A random network whose Reshapes and Transposes mix height, width and channels.
class MixedNet {
 public:
  explicit MixedNet(uint64_t seed) : net(Shape{1, 4, 3, 2 + static_cast<int64_t>(seed % 3)}, seed) {
    values_.push_back(net.data);
    for (int i = 0; i < 8; ++i) values_.push_back(layer("n" + std::to_string(i), last()));
    net.graph.set_outputs({values_.back()});
  }
  testing::Net net;

 private:
  ValueId last() const { return values_.back(); }
  const Shape& shape(ValueId id) const { return net.graph.value(id).type.shape; }
  uint64_t below(uint64_t n) { return net.rng.below(n); }

  /// Three random extents of as many elements.
  std::vector<int> factors(int64_t elements) {
    std::vector<int> out{1, 1, 1};
    for (int64_t prime = 2; elements > 1; ++prime)
      for (; elements % prime == 0; elements /= prime) out[below(3)] *= static_cast<int>(prime);
    return out;
  }
  /// A sum, product or maximum with a value of the same shape, or with constants over some of the axes.
  ValueId pair(const std::string& name, ValueId in) {
    ops::ElemWise op;
    op.operation = below(2) == 0 ? ops::ElemWiseOperation::Sum : ops::ElemWiseOperation::Max;
    for (const ValueId other : values_)
      if (other != in && shape(other) == shape(in) && below(2) == 0) return net.layer(name, op, {in, other});
    op.constants_from = 1;
    return net.layer(name, op, {in, net.constant(name + "_operands", over_some(in))});
  }
  Tensor over_some(ValueId in) {
    Shape extents = shape(in);
    for (size_t axis = 1; axis < 4; ++axis)
      if (below(2) == 0) extents[axis] = 1;
    return testing::random_tensor(extents, net.rng);
  }
  ValueId per_channel(const std::string& name, ValueId in) {
    std::vector<double> factors;
    for (int64_t c = 0; c < net.channels(in); ++c) factors.push_back(net.rng.uniform(0.05, 0.5));
    if (below(2) == 0) return net.scaling(name, in, factors);
    ops::FakeQuantize op;
    op.scale = factors;
    return net.layer(name, op, {in});
  }
  ValueId over_channels(const std::string& name, ValueId in) {
    if (below(3) == 0) return net.softmax(name, in);
    if (below(2) == 0) return net.layer(name, ops::LogSoftmax{}, {in});
    return net.layer(name, ops::Lrn{}, {in});
  }
  ValueId layer(const std::string& name, ValueId in) {
    std::vector<int> perm{0, 1, 2};
    switch (below(13)) {
      case 0:
      case 1:
      case 2:
        return net.reshape(name, in, factors(shape(in).elements()));
      case 3:
        std::swap(perm[0], perm[below(3)]);
        std::swap(perm[1], perm[1 + below(2)]);
        return net.transpose(name, in, perm);
      case 4:
        return net.relu(name, in, 0.5);
      case 5:
        return net.batchnorm(name, in);
      case 6:
        return net.layer(name, ops::PRelu{}, {in, net.constant(name + "_slopes", over_some(in))});
      case 7:
        return per_channel(name, in);
      case 8:
        return over_channels(name, in);
      case 9:
        return pair(name, in);
      case 10:
        return net.concat(name, {in, in});
      case 11:
        return below(2) == 0 ? net.conv(name, in, 4, 1) : net.fc(name, in, 12);
      default:
        return net.padding(name, in, {1, 0, 0, 0});
    }
  }

  std::vector<ValueId> values_;
};

struct Counts {
  int turned = 0, ordered = 0, refused = 0;
};

/// Where the old map has what the new one has, by the definition.
std::vector<int64_t> on_its_side(const Shape& old) {
  std::vector<int64_t> index(static_cast<size_t>(old.elements()));
  for (int64_t i = 0; i < old.elements(); ++i) {
    const int64_t x = i % old.w(), y = i / old.w() % old.h(), c = i / (old.w() * old.h());
    index[static_cast<size_t>((c * old.w() + x) * old.h() + y)] = i;
  }
  return index;
}

Tensor exchanged(const Tensor& map) {
  const Shape& s = map.shape();
  Tensor out(Shape{s.n(), s.c(), s.w(), s.h()});
  const std::vector<int64_t> index = on_its_side(s);
  for (size_t i = 0; i < index.size(); ++i) out.span()[i] = map.span()[static_cast<size_t>(index[i])];
  return out;
}

void expect_right(testing::Net& net, Counts& counts) {
  const Shape shape = net.graph.value(net.data).type.shape;
  graph::Graph to;
  const auto in = to.add_input("data", {turned(shape), DataType::F32, Layout::Nchw, {}});
  const TurnedGraph swapped =
      add_turned(to, net.graph, {in},
                 [&](const graph::Node&, const std::string&, const std::string&) { ++counts.refused; });
  graph::verify(to);
  if (!swapped.guessed.empty()) return;
  const Tensor x = testing::random_tensor(shape, net.rng);
  const auto old = testing::evaluate_all(net.graph, x), found = testing::evaluate_all(to, exchanged(x));
  for (const auto& [value, tensor] : old) {
    const auto order = swapped.orders.find(value);
    const bool is_ordered = order != swapped.orders.end();
    (is_ordered ? counts.ordered : counts.turned) += 1;
    const std::vector<int64_t> index = is_ordered ? order->second->index : on_its_side(tensor.shape());
    const Tensor& result = found.at(swapped.values.at(value));
    ASSERT_EQ(result.elements(), tensor.elements());
    ASSERT_EQ(result.shape().h(), is_ordered ? tensor.shape().h() : tensor.shape().w());
    double most = 1;
    for (const float y : tensor.span()) most = std::max(most, std::abs(static_cast<double>(y)));
    for (size_t i = 0; i < index.size(); ++i)
      ASSERT_NEAR(result.span()[i], tensor.span()[static_cast<size_t>(index[i])], kReordered * most)
          << net.graph.value(value).name << " " << i;
  }
}

TEST(TurnMaps, EveryValueIsWhatItsOrderSays) {
  Counts counts;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    MixedNet mixed(seed);
    ASSERT_NO_FATAL_FAILURE(expect_right(mixed.net, counts));
  }
  // All three happen often.
  EXPECT_GT(counts.turned, 1000);
  EXPECT_GT(counts.ordered, 1000);
  EXPECT_GT(counts.refused, 500);
  RecordProperty("turned", counts.turned);
  RecordProperty("ordered", counts.ordered);
  RecordProperty("refused", counts.refused);
}

TEST(TurnMaps, RandomNetworksLayerByLayer) {
  Counts counts;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    testing::RandomNet random(seed);
    ASSERT_NO_FATAL_FAILURE(expect_right(random.net(), counts));
  }
  EXPECT_GT(counts.turned, 2000);
  EXPECT_LT(counts.refused, 100);  // what reads the inside of a channel shuffle
}

/// 2x5x7 as 35 channels, one a position, of a row of 2: the channels are in another order, the row is not.
struct PositionsAsChannels : ::testing::Test {
  testing::Net net{Shape{1, 2, 5, 7}};
  ValueId row = net.transpose("row", net.reshape("view", net.data, {1, 35, 2}), {2, 0, 1});

  void expect_kept() {
    Counts counts;
    expect_right(net, counts);
    EXPECT_EQ(counts.refused, 0);
    EXPECT_GE(counts.ordered, 3);
  }
  void expect_refused() {
    Counts counts;
    expect_right(net, counts);
    EXPECT_EQ(counts.refused, 1);
  }
};

TEST_F(PositionsAsChannels, ConstantsAndWeightsFollowTheirChannels) {
  ASSERT_EQ(net.graph.value(row).type.shape, (Shape{1, 35, 1, 2}));
  ops::ElemWise op;
  op.constants_from = 1;
  const ValueId sum = net.layer(
      "sum", op, {row, net.constant("operands", testing::random_tensor(Shape{1, 35, 1, 1}, net.rng))});
  net.conv("conv", sum, 3, 1);
  expect_kept();
}

TEST_F(PositionsAsChannels, RefusesGroupsAndTablesOfChannels) {
  net.depthwise("conv", row, 1);
  expect_refused();
}

TEST_F(PositionsAsChannels, RefusesATableOfConnections) {
  ops::Conv op;
  op.kernel = {1, 1};
  op.nb_outputs = 2;
  for (int i = 0; i < 70; ++i) op.connections.push_back(i % 3 > 0 ? 1 : 0);
  net.conv("conv", row, op);
  expect_refused();
}

TEST_F(PositionsAsChannels, RefusesAStride) {
  ops::Conv op;
  op.kernel = {1, 1};
  op.nb_outputs = 2;
  op.stride = {2, 1};
  net.conv("conv", row, op);
  expect_refused();
}

TEST_F(PositionsAsChannels, RefusesAPad) {
  ops::Conv op;
  op.kernel = {1, 1};
  op.nb_outputs = 2;
  op.padding = {1, 0, 0, 0};
  net.conv("conv", row, op);
  expect_refused();
}

TEST_F(PositionsAsChannels, RefusesGroupsOfASoftmax) {
  ops::Softmax op;
  op.group_size = 5;
  net.layer("softmax", op, {row});
  expect_refused();
}

TEST_F(PositionsAsChannels, RefusesCoefficientsOfChannels) {
  ops::ElemWise op;
  op.coeff_mode = ops::CoeffMode::PerChannel;
  op.weights = {1, 2, 3};
  net.layer("sum", op, {row, row});
  expect_refused();
}

TEST_F(PositionsAsChannels, RefusesAPixelThatWasNot) {
  net.layer("sum", ops::ElemWise{}, {row, net.fc("gate", net.data, 35)});
  expect_refused();
}

/// Why layers of a network have no meaning when height and width are exchanged: "layer: reason".
std::vector<std::string> reasons_of(const testing::Net& net) {
  const Shape shape = net.graph.value(net.data).type.shape;
  graph::Graph to;
  const auto in = to.add_input("data", {turned(shape), DataType::F32, Layout::Nchw, {}});
  std::vector<std::string> reasons;
  add_turned(to, net.graph, {in},
             [&](const graph::Node& node, const std::string& reason, const std::string&) {
               reasons.push_back(node.name + ": " + reason);
             });
  return reasons;
}

TEST(TurnMaps, RefusesToKeepTheOrderOfMoreElementsThanMemoryTakes) {
  constexpr int kSide = 1 << 14;
  testing::Net net(Shape{1, 1, kSide, kSide});
  net.reshape("flat", net.data, {1, 1, kSide * kSide});
  EXPECT_EQ(reasons_of(net),
            (std::vector<std::string>{"flat: with height and width exchanged, it regroups 268435456 "
                                      "elements of maps, at most 67108864 are"}));
  testing::Net line(Shape{1, kSide, 1, kSide});
  line.reshape("flat", line.data, {1, 1, kSide * kSide});
  line.reshape("same", line.data, {kSide, 1, kSide});
  EXPECT_TRUE(reasons_of(line).empty());
  constexpr int kMany = 5000;
  testing::Net many(Shape{1, 1, 128, 128});
  ValueId flat = many.reshape("flat", many.data, {1, 128, 128});
  const ValueId wide = many.conv("wide", many.reshape("row", many.data, {128 * 128, 1, 1}), kMany, 1);
  many.concat("joined", {wide, wide});
  EXPECT_EQ(reasons_of(many).size(), 1U);
  flat = many.reshape("pixels", flat, {1, 1, 128 * 128});
  many.concat("twice", std::vector<ValueId>(kMany, flat));
  EXPECT_EQ(reasons_of(many).size(), 2U);
}

TEST(TurnMaps, ASplitMovesChannelsAndPositionsByThemselves) {
  const Shape shape{1, 2, 1, 3};
  const auto split = split_of({{5, 3, 4, 2, 0, 1}, ""}, shape);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->channels, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(split->positions, (std::vector<int64_t>{2, 0, 1}));
  EXPECT_FALSE(split_of({{5, 3, 4, 0, 1, 2}, ""}, shape));
  EXPECT_FALSE(split_of({{0, 3, 1, 4, 2, 5}, ""}, shape));
}

TEST(TurnMaps, PixelsOfALineKeepTheirOrder) {
  const auto reshape = [](const Shape& input, const Shape& output) {
    testing::Net net(input);
    net.layer("pixels", *ops::pixel_reshape_to(output), {net.data});
    return reasons_of(net);
  };
  EXPECT_TRUE(reshape({1, 2, 1, 6}, {1, 4, 3, 1}).empty());
  EXPECT_EQ(reshape({1, 2, 2, 3}, {1, 4, 3, 1}).size(), 1U);
  EXPECT_EQ(reshape({1, 4, 3, 1}, {1, 2, 2, 3}).size(), 1U);
}

/// The rule of the base class refuses before it looks at anything; the others look.
bool says_what_it_means(const graph::Operator& op) {
  graph::TurnedNode nothing;
  try {
    op.turned(nothing);
  } catch (const ModelError& error) {
    return error.findings().front().message.find("is not known") == std::string::npos;
  } catch (const std::exception&) {
  }
  return true;
}

TEST(TurnMaps, EveryOperatorSaysWhatItMeans) {
  for (const std::string& type : ops::registry().names())
    EXPECT_TRUE(says_what_it_means(*ops::registry().find(type)->make())) << type;
}

/// An operator of which nothing is known.
struct Mirror final : graph::OperatorBase<Mirror> {
  static constexpr const char* kType = "Mirror";
  template <class V>
  static void fields(V&&) {}
  std::vector<Shape> infer(std::span<const Shape> in) const override { return {in[0]}; }
  void forward(const graph::ForwardArgs&) const override {}
};

TEST(TurnMaps, RefusesAnOperatorThatSaysNothing) {
  EXPECT_FALSE(says_what_it_means(Mirror{}));
  testing::Net net(Shape{1, 2, 5, 7});
  net.layer("a", Mirror{}, {net.data});
  net.layer("b", Mirror{}, {net.data});
  EXPECT_EQ(reasons_of(net),
            (std::vector<std::string>{"a: what it does with height and width exchanged is not known",
                                      "b: what it does with height and width exchanged is not known"}));
}

}  // namespace
}  // namespace n2d2::passes
