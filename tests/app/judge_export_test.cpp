#include "judge_export.hpp"

#include "n2d2/config/ini_document.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/ops/nonlinearity.hpp"

#include "run_net.hpp"
#include "small_net.hpp"

namespace n2d2::app {
namespace {

/// Gives what the judge gives, but for one element of a layer.
class WrongBuild final : public targets::Build {
 public:
  WrongBuild(const compute::Judge& judge, std::string layer, float by)
      : judge_(judge), layer_(std::move(layer)), by_(by) {}
  bool runs() const override { return true; }
  std::vector<targets::LayerOutput> layers(const Tensor& sample) const override {
    std::vector<targets::LayerOutput> out;
    for (auto& [name, tensor] : judge_.run(sample)) {
      if (name == layer_) tensor.data<float>()[tensor.shape().w() + 2] += by_;
      out.push_back({name, to_layout(tensor, Layout::Nhwc), name});
    }
    return out;
  }
  void write(const exporter::Samples&, exporter::FileTree&) const override {}

 private:
  const compute::Judge& judge_;
  std::string layer_;
  float by_;
};

class JudgeExport : public ::testing::Test {
 protected:
  JudgeExport() : net_(network()), judge_(net_.graph) {}

  static loader::Network network() {
    const log::Capture quiet;
    config::IniDocument ini = config::parse_ini(kSmallNet, "net.ini");
    loader::Network net = loader::network(ini, {1, false, {}});
    loader::fill(net);
    return net;
  }
  /// What is thrown, or said.
  std::string verdict(const targets::Build& build, int samples) const {
    const log::Capture capture;
    try {
      judge_export(net_, judge_, build, samples);
    } catch (const InternalError& error) {
      return error.what();
    }
    return capture.text(log::Level::Info);
  }

  loader::Network net_;
  compute::Judge judge_;
};

TEST_F(JudgeExport, SaysHowManyValuesOfHowManySamplesAreEqual) {
  const WrongBuild right(judge_, "", 0);
  // input 144, conv and its activation 4 x 5 x 5, fc and softmax 10
  EXPECT_EQ(
      verdict(right, 3),
      "Judge: 1,456 values of 4 layers in 3 samples and one of random values, none different beyond the "
      "rounding of sums\n");
  EXPECT_EQ(verdict(right, 1),
            "Judge: 728 values of 4 layers in 1 sample and one of random values, none different beyond the "
            "rounding of sums\n");
}

TEST_F(JudgeExport, NamesTheFirstLayerAndElementThatDiffer) {
  const std::string text = verdict(WrongBuild(judge_, "conv", 100), 3);
  EXPECT_TRUE(has(text,
                  "internal error: the kernels of this export do not compute what 'conv' means: sample 0, "
                  "channel 0, row 1, column 2: expected "))
      << text;
  EXPECT_TRUE(has(text, " (1 of its values differ); please report it with the network '")) << text;
}

/// A sine of large values: their last bits are radians.
TEST_F(JudgeExport, SaysWhereANetworkAmplifiesTheRoundingOfFloats) {
  graph::Graph& graph = net_.graph;
  const graph::ValueId conv = *graph.find_value("conv");
  ops::Nonlinearity sine;
  sine.function = ops::Function::Sin;
  graph.add(std::make_unique<ops::Nonlinearity>(sine), "sine", {conv}, {});
  const graph::Value& weights = graph.value(graph.node(graph.value(conv).producer).inputs.at(1));
  Tensor large = *weights.constant;
  for (float& w : large.span()) w *= 1e6F;
  graph.set_constant(weights.id, std::move(large), {});
  const compute::Judge judge(graph);
  const log::Capture capture;
  judge_export(net_, judge, WrongBuild(judge, "sine", 0.01F), 1);
  const std::string said = capture.text(log::Level::Info);
  EXPECT_TRUE(has(said, "Judge: 'sine' is ")) << said;
  EXPECT_TRUE(has(said, " in the export; the network amplifies the rounding of float sums, and ")) << said;
  EXPECT_THROW(judge_export(net_, judge, WrongBuild(judge, "sine", 1000), 1), InternalError);
}

TEST_F(JudgeExport, SaysThatNobodyJudgedWhereNobodyIsAsked) {
  EXPECT_EQ(verdict(WrongBuild(judge_, "conv", 100), 0),
            "JudgeSamples=0: no independent interpreter has checked what the kernels compute\n");
}

}  // namespace
}  // namespace n2d2::app
