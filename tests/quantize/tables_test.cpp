// Layers that look their integers up: what stands in the table, and what it is worth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/ops/prelu.hpp"
#include "n2d2/quantize/check_integers.hpp"

#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using ::testing::HasSubstr;

struct Tables : ::testing::Test {
  void run(ValueId output, RescaleMode mode = RescaleMode::FloatingPoint) {
    net.graph.set_outputs({output});
    Rng rng(3, "sample");
    const Tensor sample = random_tensor(Shape{1, 3, 4, 4}, rng, -1, 1);
    quantize::quantize_graph(net.graph, observe(net.graph, sample), without_clipping(8, mode));
    EXPECT_EQ(findings(), "");
  }
  std::string findings() const {
    Diagnostics findings;
    quantize::check_types(net.graph, {"net.graph", 0}, findings);
    return findings.has_errors() ? findings.errors()[0].message : "";
  }
  double scale(ValueId id) const { return static_cast<double>(net.graph.value(id).type.quant->scale.at(0)); }
  ValueId table(const char* node) const { return net.node(node).inputs.at(1); }

  Net net{Shape{1, 3, 4, 4}};
};

TEST_F(Tables, OfSlopesHaveARowForEachChannel) {
  const std::vector<float> slopes{0.25F, -0.5F, 2};
  const ValueId conv = net.conv("conv", net.data, 3, 1);
  const ValueId out = net.layer("prelu", ops::PRelu(),
                                {conv, net.constant("slopes", Tensor::from(Shape{1, 3, 1, 1}, slopes))});
  run(out);
  const Tensor& table = *net.graph.value(this->table("prelu")).constant;
  ASSERT_EQ(table.shape(), Shape({3, 256}));
  for (size_t c = 0; c < 3; ++c)
    for (int x = -128; x < 128; ++x) {
      const double y = x * scale(conv) * (x > 0 ? 1 : static_cast<double>(slopes[c]));
      EXPECT_NEAR(table.data<int8_t>()[static_cast<int>(c) * 256 + (x & 255)],
                  std::clamp(y / scale(out), -128.0, 127.0), 0.5 + 1e-4)
          << c << " " << x;
    }
}

TEST_F(Tables, SharesOfASoftmaxAddUpToOne) {
  for (const RescaleMode mode : {RescaleMode::FloatingPoint, RescaleMode::FixedPoint32}) {
    net = Net(Shape{1, 3, 4, 4});
    const ValueId out = net.layer("softmax", ops::Softmax(), {net.conv("conv", net.data, 3, 1)});
    run(out, mode);
    const Rescale& r = *net.node("softmax").rescale;
    const double factor = r.mode == RescaleMode::FixedPoint32
                              ? std::ldexp(static_cast<double>(r.multiplier.at(0)), -r.shift)
                              : static_cast<double>(r.factor.at(0));
    EXPECT_NEAR(graph::integer_form(net.graph, net.node("softmax")).unit->largest * factor * scale(out), 1,
                1e-6);
  }
}

TEST_F(Tables, PowersOfASoftmaxAreFromOneUpToTheFirst) {
  run(net.layer("softmax", ops::Softmax(), {net.conv("conv", net.data, 3, 1)}));
  const auto powers = net.graph.mutable_constant(table("softmax")).span<int32_t>();
  powers.back() = 1;
  EXPECT_EQ(findings(), "");
  for (const int32_t wrong : {0, powers[0] + 1}) {
    powers.back() = wrong;
    EXPECT_THAT(findings(), HasSubstr("expected one row that starts with"));
  }
  powers.back() = 1;
  powers[0] -= 1;
  EXPECT_THAT(findings(), HasSubstr("expected one row that starts with"));
}

}  // namespace
}  // namespace n2d2::testing
