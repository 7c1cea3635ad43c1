#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "n2d2/graph/verify.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/lrn.hpp"

#include "ini_text.hpp"
#include "onnx/onnx_text.hpp"

namespace n2d2::build {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A file on the disk for one test.
class SectionOnnx : public ::testing::Test {
 protected:
  void write(const std::string& graph) {
    std::ofstream(path_, std::ios::binary) << onnx::proto_of(graph).SerializeAsString();
  }
  /// [sp] of 2x6x6 and a section [net], then more.
  std::string ini(const std::string& keys, const std::string& more = "[g.Target]\n") const {
    return "[database]\n[sp]\nSize=6 6\nNbChannels=2\nBatchSize=4\n[net]\nInput=sp\nType=ONNX\nFile=" +
           path_ + "\n" + keys + more;
  }
  void SetUp() override { write(onnx::small_cnn()); }
  void TearDown() override { fs::remove(path_); }

  const std::string path_ =
      (fs::temp_directory_path() / fmt::format("n2d2_section_{}.onnx", ::getpid())).string();
};

std::vector<std::string> targets(const Network& net) {
  std::vector<std::string> out;
  for (const TargetPlace& target : net.targets) out.push_back(target.section);
  return out;
}

std::vector<std::string> types(const Network& net) {
  std::vector<std::string> out;
  for (const graph::NodeId id : net.graph.schedule()) out.emplace_back(net.graph.op(id).type());
  return out;
}

TEST_F(SectionOnnx, CopiesTheMomentumOfABatchNormWhereN2d2CompatAsksForIt) {
  const auto momentum = [&] {
    const Network net = network_of(ini(""));
    return graph::as<ops::BatchNorm>(net.graph.node(*net.graph.find_node("n")))->momentum;
  };
  ::setenv("N2D2_COMPAT", "1", 1);
  const double copied = momentum();
  ::setenv("N2D2_COMPAT", "0", 1);
  const double turned = momentum();
  ::unsetenv("N2D2_COMPAT");
  EXPECT_FLOAT_EQ(static_cast<float>(copied), 0.9F);
  EXPECT_FLOAT_EQ(static_cast<float>(turned), 0.1F);
  EXPECT_EQ(momentum(), turned);
}

TEST_F(SectionOnnx, ReadsParametersOfDeconvAndLrn) {
  write(onnx::input("x", {0, 2, 6, 6}) + onnx::output("y") +
        onnx::reals("w", {2, 3, 1, 1}, {1, 2, 3, 4, 5, 6}) + onnx::node("ConvTranspose", {"x", "w"}, "d") +
        onnx::node("LRN", {"d"}, "y", onnx::attribute("size", 3)));
  const Network net =
      network_of(ini("",
                     "[y.Target]\n[net:Deconv_def]\nWeightsSolver=Adam\nConfigSection=stop\n[stop]\n"
                     "BackPropagate=0\n[net:LRN_def]\nConfigSection=norm\n[norm]\nK=7\n"));
  EXPECT_EQ(net.parameters.size(), 1U);
  EXPECT_EQ(net.gradient_stops, std::vector{*net.graph.find_node("d")});
  EXPECT_EQ(graph::as<ops::Lrn>(net.graph.node(*net.graph.find_node("y")))->k, 7);
}

TEST_F(SectionOnnx, BringsItsTensorsAsLayers) {
  Network net = network_of(ini(""));
  fill(net);
  graph::verify(net.graph);
  EXPECT_THAT(types(net), ElementsAre("Conv", "BatchNorm", "Relu", "Pool", "Reshape", "Fc", "Softmax"));
  EXPECT_THAT(targets(net), ElementsAre("g.Target", "y.Target"));  // a Softmax is scored by itself
  const auto weights = net.graph.find_value("c_weights");
  EXPECT_EQ(net.graph.value(*weights).constant->span()[0], 0.25F);
}

TEST_F(SectionOnnx, AnIgnoredSoftmaxHasNoTarget) {
  EXPECT_THAT(targets(network_of(ini("Ignore=y\n"))), ElementsAre("g.Target"));
  EXPECT_THAT(targets(network_of(ini("", "[y.Target-Top5]\nTopN=2\n"))), ElementsAre("y.Target-Top5"));
}

TEST_F(SectionOnnx, TargetsAndLayersNameNodesToo) {
  EXPECT_THAT(targets(network_of(ini("Ignore=y\n", "[Conv_0.Target]\n"))), ElementsAre("Conv_0.Target"));
}

TEST_F(SectionOnnx, LayersStandBeforeAndBehind) {
  const std::string before =
      "[database]\n[sp]\nSize=6 "
      "6\nNbChannels=2\nBatchSize=4\n[cls]\nInput=net,p\nType=Fc\nNbOutputs=5\n[cls.Target]\n"
      "[pre]\nInput=sp\nType=Activation\nActivationFunction=Rectifier\nNbOutputs=2\n"
      "[net]\nInput=pre\nType=ONNX\nIgnore=y\nFile=" +
      path_ + "\n[also]\nInput=f\nType=Fc\nNbOutputs=3\n";
  const Network net = network_of(before);
  EXPECT_THAT(types(net),
              ElementsAre("Relu", "Conv", "BatchNorm", "Relu", "Pool", "Reshape", "Fc", "Fc", "Fc"));
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).type.shape.c(), 5);
}

TEST_F(SectionOnnx, ParameterSectionsSetSolversAndFields) {
  const Network net = network_of(
      ini("Ignore=y\n",
          "[g.Target]\n[net:Conv_def]\nConfigSection=frozen\n[net:BatchNorm_def]\nConfigSection=norm\n[g]\n"
          "ConfigSection=new\n[frozen]\nBackPropagate=0\n[norm]\nMovingAverageMomentum=0\n[new]\n"
          "Solvers.LearningRate=0.5\n"));
  ASSERT_EQ(net.gradient_stops.size(), 1U);
  EXPECT_EQ(net.graph.node(net.gradient_stops[0]).name, "c");
  const auto norm = net.graph.find_node("n");
  EXPECT_EQ(graph::as<ops::BatchNorm>(net.graph.node(*norm))->momentum, 0);
  EXPECT_EQ(net.parameters.size(), 7U);  // w, four of the BatchNorm, two of the Fc
  for (const Parameter& parameter : net.parameters) EXPECT_EQ(parameter.filler, nullptr);
}

TEST_F(SectionOnnx, WithoutInitializersFillersDecide) {
  Network net = network_of(
      ini("ONNX_init=0\n", "[g.Target]\n[c]\nWeightsFiller=ConstantFiller\nWeightsFiller.Value=2\n"));
  fill(net);
  EXPECT_EQ(net.graph.value(*net.graph.find_value("c_weights")).constant->span()[5], 2.0F);
}

TEST_F(SectionOnnx, ASectionOfARectifierReplacesIt) {
  const Network clipped =
      network_of(ini("", "[g.Target]\n[r]\nActivationFunction=Rectifier\nActivationFunction.Clipping=6\n"));
  EXPECT_EQ(graph::as<ops::Relu>(clipped.graph.node(*clipped.graph.find_node("r")))->clipping, 6);
  EXPECT_THAT(types(network_of(ini("", "[g.Target]\n[r]\nQuiet=1\n"))), Not(::testing::Contains("Relu")));
}

TEST_F(SectionOnnx, ASectionOfAFunctionReplacesIt) {
  write(onnx::input("x", {0, 2, 6, 6}) + onnx::output("y") + onnx::node("Sigmoid", {"x"}, "y"));
  EXPECT_THAT(types(network_of(ini("", "[y.Target]\n[y]\nActivationFunction=Rectifier\n"))),
              ElementsAre("Relu"));
}

TEST_F(SectionOnnx, SlopesOfAPReluLearnFromTheValuesOfTheFile) {
  write(onnx::input("x", {0, 2, 6, 6}) + onnx::output("y") + onnx::reals("k", {2, 1, 1}, {0.25F, 0.5F}) +
        onnx::node("PRelu", {"x", "k"}, "y"));
  Network net =
      network_of(ini("ONNX_init=0\n",
                     "[y.Target]\n[net:PRelu_def]\nConfigSection=c\n[c]\nWeightsSolver.LearningRate=0.5\n"));
  fill(net);
  EXPECT_EQ(net.graph.value(*net.graph.find_value("y_slopes")).constant->span()[1], 0.5F);
  ASSERT_EQ(net.parameters.size(), 1U);
  ASSERT_NE(net.parameters[0].solver, nullptr);
  EXPECT_THAT(net.parameters[0].solver->fields_text(), ElementsAre(::testing::Pair("LearningRate", "0.5")));
}

TEST_F(SectionOnnx, OperandsThatAreNotLearntKeepTheirValuesWithoutInitializers) {
  write(onnx::input("x", {0, 2, 6, 6}) + onnx::output("y") + onnx::reals("k", {6}, {1, 2, 3, 4, 5, 6}) +
        onnx::node("Add", {"x", "k"}, "y"));
  Network net = network_of(ini("ONNX_init=0\n", "[y.Target]\n"));
  fill(net);
  EXPECT_EQ(net.graph.value(*net.graph.find_value("y_operands")).constant->span()[5], 6.0F);
}

TEST_F(SectionOnnx, NamesMayHoldColonsAndSlashes) {
  write(onnx::input("in:0", {0, 2, 6, 6}) + onnx::output("Mob/Conv2d:0") +
        onnx::node("Relu", {"in:0"}, "a b/c:0") + onnx::node("Relu", {"a b/c:0"}, "Mob/Conv2d:0"));
  const Network net = network_of(ini("",
                                     "[Mob/Conv2d:0.Target-Top5]\nTopN=1\n[cls]\nInput=net,a b/c:0\nType=Fc\n"
                                     "NbOutputs=3\n[cls.Target]\n"));
  EXPECT_THAT(targets(net), ElementsAre("Mob/Conv2d:0.Target-Top5", "cls.Target"));
}

TEST_F(SectionOnnx, FindingsNameWhatIsWrong) {
  EXPECT_THAT(findings_of(ini("Ignored=y\n") + "[cls]\nInput=q\nType=Fc\nNbOutputs=2\n"),
              HasSubstr("[cls] Input: layer 'q' does not exist"));
  EXPECT_THAT(warnings_of(ini("Ignored=y\n")),
              HasSubstr("[net] Ignored: unknown key of an ONNX section, ignored"));
  EXPECT_THAT(findings_of(ini("", "[cc.Target]\n")), HasSubstr("[cc.Target]: layer 'cc' does not exist"));
  EXPECT_THAT(findings_of(ini("Transpose=1\n")), HasSubstr("[net] Transpose: '1' is not supported yet"));
  EXPECT_THAT(findings_of(ini("", "[g]\nInput=sp\nType=Fc\nNbOutputs=2\n[g.Target]\n")),
              HasSubstr("[net]: the file has a tensor 'g', which a layer is called, too"));
  fs::remove(path_);
  EXPECT_THAT(findings_of(ini("")), HasSubstr("[net] File: no file '"));
  write(onnx::small_cnn() + onnx::input("second", {1, 2, 6, 6}));
  EXPECT_THAT(findings_of(ini("")),
              HasSubstr("[net] Input: 1 parents, the file has 2 inputs: 'x', 'second'"));
}

}  // namespace
}  // namespace n2d2::build
