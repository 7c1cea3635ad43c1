// Networks that compute what they learnt, but whose channels lie far apart: what one scale for all loses, and
// what is left with defaults.
#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "n2d2/loader/network.hpp"
#include "n2d2/loader/weights_file.hpp"

#include "folder_test.hpp"
#include "run_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

using Json = nlohmann::json;

const std::string kData =
    "DefaultModel=Frame\n"
    "[database]\nType=Glyphs_Database\nLearn=1000\nValidation=150\nTest=400\nWidth=12\nHeight=12\n"
    "[sp]\nSize=12 12\nBatchSize=20\n"
    "[learn]\nSolvers.LearningRate=0.05\nSolvers.Momentum=0.9\n";

std::string layer(const std::string& name, const std::string& inputs, const std::string& keys) {
  return fmt::format("[{}]\nInput={}\nWeightsFiller=HeFiller\nConfigSection=learn\n{}", name, inputs, keys);
}

std::string ends(const std::string& input) {
  return layer("fc", input, "Type=Fc\nNbOutputs=10\n") +
         "[softmax]\nInput=fc\nType=Softmax\nNbOutputs=10\nWithLoss=1\n[softmax.Target]\n";
}

/// Factors of so many channels, from 1 to `ratio`, in no order.
std::vector<float> factors(size_t channels, double ratio) {
  std::vector<float> out;
  for (size_t c = 0; c < channels; ++c) {
    const auto place = static_cast<double>(c * 7 % channels) / static_cast<double>(channels - 1);
    out.push_back(static_cast<float>(std::pow(ratio, place)));
  }
  return out;
}

class HostileNetwork : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
  }
  void learn(const std::string& net, const char* epochs) {
    write("net.ini", net);
    run_net({"-seed", "1", "-learn-epoch", epochs});
    config::IniDocument ini = config::read_ini("net.ini");
    network_ = loader::network(ini, {1, false, {}});
    loader::load_weights(*network_, "weights_validation", false);
  }

  /// Calls `factor_of` with the place of each value of a parameter and the number of values of an output.
  template <class FactorOf>
  void scale(const std::string& name, size_t slot, FactorOf factor_of) {
    graph::Graph& graph = network_->graph;
    const graph::ValueId id = graph.node(graph.find_node(name).value()).inputs.at(slot);
    const std::span<const float> old = graph.value(id).constant->span<float>();
    Tensor scaled = Tensor::from(graph.value(id).type.shape, {old.begin(), old.end()});
    const size_t size = old.size() / static_cast<size_t>(scaled.shape()[0]);
    for (size_t i = 0; i < old.size(); ++i) scaled.data<float>()[i] *= factor_of(i, size);
    graph.set_constant(id, std::move(scaled));
  }
  void scale_outputs(const std::string& name, const std::vector<float>& by) {
    for (const size_t slot : {1U, 2U})
      scale(name, slot, [&](size_t i, size_t size) { return by.at(i / size); });
  }
  /// The layer may be depthwise: its kernels have one channel.
  void unscale_inputs(const std::string& name, const std::vector<float>& by) {
    scale(name, 1, [&](size_t i, size_t size) {
      const size_t of_channel = size % by.size() == 0 ? size / by.size() : size;
      return 1 / by.at(i / of_channel % by.size());
    });
  }

  struct Rates {
    double floats, integers;
  };
  Rates rates(std::vector<std::string> options) {
    loader::save_weights(network_->graph, "weights_hostile");
    options.insert(options.begin(),
                   {"-seed", "1", "-w", "weights_hostile", "-calibOnly", "-calib", "-1", "-test"});
    run_net(options);
    const Json target = Json::parse(read("calib_net_int8/statistics/score.json")).at("targets").at(0);
    return {100 * target.at("float_rate").get<double>(), 100 * target.at("integer_rate").get<double>()};
  }
  /// One scale a layer, the largest values, nearest weights, no equalization: more than 5 points are lost; by
  /// default at most one.
  void expect_that_defaults_help() {
    const Rates naive = rates(
        {"-quant-effort", "0", "-no-cle", "-act-clipping-mode", "None", "-act-rescale-per-output", "0"});
    EXPECT_GT(naive.floats, 60);
    EXPECT_GT(naive.floats - naive.integers, 5);
    const Rates by_default = rates({});
    EXPECT_EQ(by_default.floats, naive.floats);
    EXPECT_LE(by_default.floats - by_default.integers, 1);
  }

  std::optional<loader::Network> network_;
};

TEST_F(HostileNetwork, DepthwiseChannelsAThousandTimesApart) {
  const std::string depthwise =
      "Type=Conv\nKernelSize=3\nPadding=1\nNbOutputs=16\nMapping.ChannelsPerGroup=1\nActivationFunction="
      "Rectifier\n";
  learn(kData +
            layer("conv", "sp",
                  "Type=Conv\nKernelSize=3\nStride=2\nNbOutputs=16\nActivationFunction=Rectifier\n") +
            layer("depthwise", "conv", depthwise) +
            layer("pointwise", "depthwise",
                  "Type=Conv\nKernelSize=1\nNbOutputs=16\nActivationFunction=Rectifier\n") +
            ends("pointwise"),
        "12");
  const std::vector<float> before = factors(16, 1000), behind = factors(16, 1.0 / 1000);
  scale_outputs("conv", before);
  unscale_inputs("depthwise", before);
  scale_outputs("depthwise", behind);
  unscale_inputs("pointwise", behind);
  expect_that_defaults_help();
}

TEST_F(HostileNetwork, SumsOfChannelsTwoHundredTimesApart) {
  const std::string conv = "Type=Conv\nKernelSize=3\nPadding=1\nNbOutputs=16\n";
  learn(kData + layer("conv", "sp", "Type=Conv\nKernelSize=3\nStride=2\nNbOutputs=16\n") +
            layer("branch", "conv", conv) +
            "[sum]\nInput=conv,branch\nType=ElemWise\nOperation=Sum\nNbOutputs=16\nActivationFunction="
            "Rectifier\n" +
            layer("behind", "sum", conv + "ActivationFunction=Rectifier\n") + ends("behind"),
        "12");
  const std::vector<float> by = factors(16, 200);
  scale_outputs("conv", by);
  unscale_inputs("branch", by);
  scale_outputs("branch", by);
  unscale_inputs("behind", by);
  expect_that_defaults_help();
}

TEST_F(HostileNetwork, LeakyRectifiersWhoseChannelsAreFarApart) {
  const std::string leaky = "ActivationFunction=Rectifier\nActivationFunction.LeakSlope=0.1\n";
  learn(kData + layer("conv", "sp", "Type=Conv\nKernelSize=3\nStride=2\nNbOutputs=16\n" + leaky) +
            layer("conv2", "conv", "Type=Conv\nKernelSize=3\nPadding=1\nNbOutputs=16\n" + leaky) +
            layer("conv3", "conv2", "Type=Conv\nKernelSize=3\nNbOutputs=16\n" + leaky) + ends("conv3"),
        "12");
  const std::vector<float> first = factors(16, 300), second = factors(16, 1.0 / 300);
  scale_outputs("conv", first);
  unscale_inputs("conv2", first);
  scale_outputs("conv2", second);
  unscale_inputs("conv3", second);
  expect_that_defaults_help();
}

}  // namespace
}  // namespace n2d2::app
