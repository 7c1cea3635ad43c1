// Does the integer network compute what the float network does, whatever the network is?
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/passes/pipelines.hpp"

#include "cases.hpp"
#include "passes/random_net.hpp"
#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

constexpr uint64_t kNetworks = cases(200, 4);

/// sqrt(mean (float - integer)^2 / mean float^2) over the outputs of the network.
double relative_error(const Graph& graph, const std::vector<Tensor>& expected, const IntegerNet& run) {
  double error = 0, power = 1e-12;
  for (size_t i = 0; i < expected.size(); ++i) {
    const ValueId id = graph.outputs()[i];
    const double scale = graph.value(id).type.quant->scale.at(0);
    double e = 0, p = 0;
    for (size_t j = 0; j < run[id].size(); ++j) {
      const double x = expected[i].span<float>()[j];
      e += (x - scale * static_cast<double>(run[id][j])) * (x - scale * static_cast<double>(run[id][j]));
      p += x * x;
    }
    error += e;
    power += p;
  }
  return std::sqrt(error / power);
}

void check_bounds(const Graph& graph, const IntegerNet& run, int bits) {
  for (const ValueId id : graph.values()) {
    const graph::Value& value = graph.value(id);
    const Integers integers = value.is_constant() ? integers_of(*value.constant) : run[id];
    if (value.is_constant() && value.type.quant->bits != bits) continue;  // a bias
    const QuantParams& q = *value.type.quant;
    const int64_t lowest = value.is_constant() ? -q.full_scale() : q.lowest();
    for (const int64_t x : integers)
      ASSERT_TRUE(x >= lowest && x <= q.highest()) << value.name << " holds " << x;
  }
}

struct Case {
  const char* name;
  int bits;
  RescaleMode mode;
  bool per_output;
  double tolerance;
};

class IntegerNetwork : public ::testing::TestWithParam<Case> {};

// At 16 bits hardly anything but a wrong factor, sign, bound or join can cause a difference; at 8 bits depth
// and cancellation do, so that only the typical network is judged.
TEST_P(IntegerNetwork, ComputesWhatTheFloatNetworkDoes) {
  const log::Capture quiet;
  std::vector<double> errors;
  int with_zero_point = 0;
  for (uint64_t seed = 0; seed < kNetworks; ++seed) {
    RandomNet random(seed, RandomNet::Kind::Integer);
    Net& net = random.net();
    passes::run(net.graph, passes::float_pipeline());
    const double low = seed % 2 == 0 ? 0 : -1;
    const Tensor input = random_tensor(net.graph.value(net.data).type.shape, net.rng, low, 1);
    const std::vector<Tensor> expected = evaluate(net.graph, input);
    quantize::Options options = without_clipping(GetParam().bits, GetParam().mode);
    options.per_output = GetParam().per_output;
    options.zero_points = seed % 2 == 1;
    options.bytes = quantize::ByteGrid{1 / 127.5, 127.5};
    const std::string before = graph::to_text(net.graph);
    quantize::quantize_graph(net.graph, observe(net.graph, input), options);
    graph::verify(net.graph);
    const QuantParams& quant = *net.graph.value(net.data).type.quant;
    with_zero_point += quant.zero_point == 0 ? 0 : 1;
    const IntegerNet run(net.graph, integers_of(quantize::quantize_input(input, quant)));
    check_bounds(net.graph, run, options.bits);
    errors.push_back(relative_error(net.graph, expected, run));
    ASSERT_LT(errors.back(), options.bits == 16 ? 0.02 : INFINITY) << "seed " << seed << "\n" << before;
  }
  EXPECT_EQ(static_cast<uint64_t>(with_zero_point) > kNetworks / 20, GetParam().bits == 8) << with_zero_point;
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], GetParam().tolerance);
  EXPECT_GT(errors[errors.size() / 2], 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, IntegerNetwork,
                         ::testing::Values(Case{"Float16Bits", 16, RescaleMode::FloatingPoint, true, 2e-4},
                                           Case{"Fixed16Bits", 16, RescaleMode::FixedPoint32, true, 2e-4},
                                           Case{"PerLayer16Bits", 16, RescaleMode::FloatingPoint, false,
                                                2e-4},
                                           Case{"Float8Bits", 8, RescaleMode::FloatingPoint, true, 0.02},
                                           Case{"Fixed8Bits", 8, RescaleMode::FixedPoint32, true, 0.02},
                                           Case{"Fixed16Of8Bits", 8, RescaleMode::FixedPoint16, true, 0.02},
                                           Case{"SingleShift8Bits", 8, RescaleMode::SingleShift, true, 0.03},
                                           Case{"DoubleShift8Bits", 8, RescaleMode::DoubleShift, true, 0.02}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace n2d2::testing
