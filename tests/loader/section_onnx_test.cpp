#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/ops/pool.hpp"

#include "ini_text.hpp"
#include "onnx/onnx_text.hpp"

namespace n2d2::loader {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
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

/// As recipes of N2D2 quantize a network that learnt before: weights by defaults, rectifiers by their nodes.
TEST_F(SectionOnnx, LayersLearnQuantized) {
  write(onnx::input("x", {0, 2, 6, 6}) + onnx::output("y") + onnx::reals("w", {2, 2, 1, 1}, {1, 2, 3, 4}) +
        onnx::reals("v", {2, 2, 1, 1}, {4, 3, 2, 1}) + onnx::node("Conv", {"x", "w"}, "c") +
        onnx::node("Relu", {"c"}, "r") + onnx::node("Conv", {"r", "v"}, "d") +
        onnx::node("Add", {"d", "r"}, "s") + onnx::node("Relu", {"s"}, "y"));
  const Network net =
      network_of(ini("ONNX_init=1\n",
                     "[y.Target]\n[net:Conv_def]\nQWeight=LSQ\nQWeight.Range=255\nQWeightSolver=SGD\n"
                     "QWeightSolver.LearningRate=0.001\nQWeightSolver.Momentum=0.9\n"
                     "[ReluQ_def]\nActivationFunction=Linear\nQAct=LSQ\nQAct.Range=255\nQActSolver=SGD\n"
                     "QActSolver.LearningRate=0.001\n[r]ReluQ_def\n[s]ReluQ_def\nQAct.Signed=1\n"
                     "[y]ReluQ_def\nActivationFunction=Rectifier\nQAct=SAT\nQAct.Alpha=8\n"
                     "[d]net:Conv_def\nQWeight.Range=15\n"));
  graph::verify(net.graph);
  EXPECT_THAT(types(net), ElementsAre("Conv", "QuantizeActivation", "Conv", "ElemWise", "QuantizeActivation",
                                      "Relu", "QuantizeActivation"));
  const auto node = [&](const std::string& name) -> const graph::Node& {
    return net.graph.node(*net.graph.find_node(name));
  };
  // Both readers of the rectifier read the quantizer in its place.
  EXPECT_EQ(node("d").inputs.at(0), node("r_QAct").outputs.at(0));
  EXPECT_EQ(node("s").inputs.at(1), node("r_QAct").outputs.at(0));
  EXPECT_EQ(net.graph.outputs().at(0), node("y_QAct").outputs.at(0));
  std::map<std::string, std::string> ranges;
  for (const Parameter& parameter : net.parameters)
    if (parameter.quantizer) {
      ranges[net.graph.value(parameter.constant).name] =
          parameter.quantizer->fields_text().empty()
              ? "Range=255"
              : "Range=" + parameter.quantizer->fields_text()[0].second;
      ASSERT_NE(parameter.step_solver, nullptr);
      EXPECT_EQ(parameter.step_solver->base_rate(), 0.001);
    }
  EXPECT_EQ(ranges,
            (std::map<std::string, std::string>{{"c_weights", "Range=255"}, {"d_weights", "Range=15"}}));
  // Three steps and clip values learn, beside the weights.
  EXPECT_EQ(net.parameters.size(), 5U);
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

TEST_F(SectionOnnx, ASoftmaxBehindWhichAnotherTargetOrLayerStandsIsNotScoredByItself) {
  const std::string graph = onnx::input("x", {0, 2, 6, 6}) + onnx::output("y") +
                            onnx::reals("s", {}, {0.00390625F}) + onnx::u8("z", 0) +
                            onnx::integers("flat", {1, 72}) + onnx::node("Reshape", {"x", "flat"}, "f") +
                            onnx::node("Softmax", {"f"}, "p");
  // As exporters write it: the probabilities are rounded.
  write(graph + onnx::node("QuantizeLinear", {"p", "s", "z"}, "q") +
        onnx::node("DequantizeLinear", {"q", "s", "z"}, "y"));
  EXPECT_THAT(targets(network_of(ini("", "[y.Target]\n"))), ElementsAre("y.Target"));
  EXPECT_THAT(targets(network_of(ini("", ""))), ElementsAre("p.Target"));
  write(graph + onnx::node("Relu", {"p"}, "y"));
  EXPECT_THAT(targets(network_of(ini("", "[y.Target]\n"))), ElementsAre("y.Target"));
}

TEST_F(SectionOnnx, ASoftmaxThatAnIdentityNamesIsOneTarget) {
  write(onnx::input("x", {0, 2, 6, 6}) + onnx::output("scores") + onnx::integers("flat", {1, 72}) +
        onnx::node("Reshape", {"x", "flat"}, "f") + onnx::node("Softmax", {"f"}, "p") +
        onnx::node("Identity", {"p"}, "scores"));
  EXPECT_THAT(targets(network_of(ini("", "[scores.Target]\n"))), ElementsAre("scores.Target"));
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

// ---- Transpose=1
// -------------------------------------------------------------------------------------------

/// The first output of the graph for a sample of [sp].
std::vector<float> run(const Network& net, const Tensor& sample) {
  compute::Executor executor(net.graph, {.backend = compute::Backend::Reference});
  executor.forward(sample);
  const Tensor out = executor.read(net.graph.outputs().at(0));
  return {out.span().begin(), out.span().end()};
}

/// A Conv 1x3 with a pad, an operand for each row, a Pool 2x1, a Gemm of 3 and its Softmax on 2 channels of 4
/// rows and 6 columns.
std::string lying_cnn() {
  std::vector<float> weights, matrix;
  for (int i = 0; i < 18; ++i) weights.push_back(0.25F * static_cast<float>(i * 7 % 11 - 5));
  for (int i = 0; i < 108; ++i) matrix.push_back(0.125F * static_cast<float>(i * 5 % 13 - 6));
  const auto row = [](int64_t y, int64_t x) { return std::vector<int64_t>{y, x}; };
  return onnx::input("x", {0, 2, 4, 6}) + onnx::output("y") + onnx::reals("w", {3, 2, 1, 3}, weights) +
         onnx::reals("k", {4, 1}, {1, -2, 3, -4}) + onnx::reals("m", {36, 3}, matrix) +
         onnx::node("Conv", {"x", "w"}, "c", onnx::attribute("pads", {0, 1, 0, 1})) +
         onnx::node("Add", {"c", "k"}, "a") + onnx::node("Relu", {"a"}, "r") +
         onnx::node("MaxPool", {"r"}, "p",
                    onnx::attribute("kernel_shape", row(2, 1)) + onnx::attribute("strides", row(2, 1))) +
         onnx::node("Flatten", {"p"}, "f") + onnx::node("MatMul", {"f", "m"}, "g") +
         onnx::node("Softmax", {"g"}, "y");
}

Tensor sample_of(const Shape& shape) {
  Rng rng(5, "sample");
  Tensor out(shape);
  for (float& x : out.span()) x = static_cast<float>(rng.uniform(-1, 1));
  return out;
}

TEST_F(SectionOnnx, TransposeBehindATransposeIsThePlainNetwork) {
  write(lying_cnn());
  const std::string source = "[database]\n[sp]\nSizeX=6\nSizeY=4\nNbChannels=2\nBatchSize=4\n";
  const std::string onnx = "Type=ONNX\nFile=" + path_ + "\n", target = "[y.Target]\n";
  const Network plain = network_of(source + "[net]\nInput=sp\n" + onnx + target);
  const Network turned = network_of(source + "[turn]\nInput=sp\nType=Transpose\nNbOutputs=2\nPerm=1 0 2 3\n" +
                                    "[net]\nInput=turn\nTranspose=1\n" + onnx + target);
  EXPECT_EQ(turned.graph.value(*turned.graph.find_value("p")).type.shape, (Shape{1, 3, 6, 2}));
  EXPECT_EQ(targets(turned), targets(plain));
  EXPECT_EQ(turned.parameters.size(), plain.parameters.size());
  const Tensor sample = sample_of({1, 2, 4, 6});
  const std::vector<float> expected = run(plain, sample);
  ASSERT_EQ(expected.size(), 3U);
  // Double sums in another order, rounded to float32.
  EXPECT_THAT(run(turned, sample), ::testing::Pointwise(::testing::FloatNear(1e-6F), expected));
  // The size that [sp] gives without the Transpose is not the file's.
  EXPECT_THAT(
      findings_of(source + "[net]\nInput=sp\nTranspose=1\n" + onnx + target),
      HasSubstr("input 'x': the file expects 2x4x6, it is given 2x6x4 (channels x height x width, exchanged "
                "by Transpose=1)"));
  EXPECT_EQ(network_of(source + "[net]\nInput=sp\nTranspose=0\n" + onnx + target).graph.nodes().size(),
            plain.graph.nodes().size());
}

TEST_F(SectionOnnx, TransposeKeepsParametersTargetsAndLayersBehind) {
  write(lying_cnn());
  const std::string tail =
      "[net:Conv_def]\nWeightsSolver=Adam\n[cls]\nInput=net,f\nType=Fc\nNbOutputs=5\n[cls.Target]\n"
      "[r]\nActivationFunction=Saturation\n[y.Target-Top5]\nTopN=2\n";
  Network net = network_of(
      "[database]\n[sp]\nSizeX=4\nSizeY=6\nNbChannels=2\nBatchSize=4\n[net]\nInput=sp\nTranspose=1\n"
      "Type=ONNX\nFile=" +
      path_ + "\n" + tail);
  fill(net);
  graph::verify(net.graph);
  EXPECT_THAT(types(net),
              ElementsAre("Conv", "ElemWise", "Saturation", "Pool", "Reshape", "Fc", "Softmax", "Fc"));
  EXPECT_THAT(targets(net), ::testing::UnorderedElementsAre("cls.Target", "y.Target-Top5"));
  const graph::Value& weights = net.graph.value(*net.graph.find_value("c_weights"));
  EXPECT_EQ(weights.type.shape, (Shape{3, 2, 3, 1}));
  ASSERT_FALSE(net.parameters.empty());
  EXPECT_EQ(net.parameters[0].constant, weights.id);
}

TEST_F(SectionOnnx, SectionsMayTurnOneByOne) {
  write(lying_cnn());
  const std::string second = path_ + "2";
  std::ofstream(second, std::ios::binary)
      << onnx::proto_of(onnx::input("i", {0, 3, 2, 6}) + onnx::output("o") +
                        onnx::node("GlobalMaxPool", {"i"}, "o"))
             .SerializeAsString();
  const Network net = network_of(
      "[database]\n[sp]\nSizeX=6\nSizeY=4\nNbChannels=2\nBatchSize=4\n[one]\nInput=sp\nType=ONNX\nFile=" +
      path_ +
      "\n[turn]\nInput=one,p\nType=Transpose\nNbOutputs=3\nPerm=1 0 2 "
      "3\n[two]\nInput=turn\nType=ONNX\nTranspose=1\n"
      "File=" +
      second + "\n[o.Target]\n");
  fs::remove(second);
  EXPECT_EQ(net.graph.value(*net.graph.find_value("turn")).type.shape, (Shape{1, 3, 6, 2}));
  const auto* pool = graph::as<ops::Pool>(net.graph.node(*net.graph.find_node("o")));
  EXPECT_EQ(pool->kernel, (Dims{2, 6}));
}

TEST_F(SectionOnnx, AnIgnoreThatNamesNothingIsAWarning) {
  const std::string warnings = warnings_of(ini("Ignore=yy y\n"));
  EXPECT_THAT(warnings,
              HasSubstr("net.ini:10: [net] Ignore: the file has no tensor 'yy', nothing is left out; "
                        "did you mean 'y'?"));
  EXPECT_THAT(targets(network_of(ini("Ignore=yy y\n"))), ElementsAre("g.Target"));
  EXPECT_THAT(findings_of(ini("Ignore=yy\n"), {1, true, {}}), HasSubstr("has no tensor 'yy'"));
}

TEST_F(SectionOnnx, ATargetOfNothingListsTheTensors) {
  EXPECT_EQ(
      findings_of(ini("", "[cc.Target]\n")),
      "net.ini:10: [cc.Target]: layer 'cc' does not exist; did you mean 'c'?\n"
      "  hint: names in the ONNX file, the last first: 'y', 'g', 'f', 'p', 'r', 'n', 'c', 'Conv_0', 'x'");
}

TEST_F(SectionOnnx, ATargetOfAConstantSaysSo) {
  write(onnx::small_cnn() + onnx::output("k") + onnx::reals("anchors", {2}, {1, 2}) +
        onnx::node("Identity", {"anchors"}, "k"));
  EXPECT_EQ(findings_of(ini("", "[y.Target]\n[k.Target]\n")),
            "net.ini:11: [k.Target]: output 'k' of the ONNX file is a constant\n"
            "  hint: '-outputs y' (Outputs=y of an INI section) leaves it out");
  EXPECT_THAT(targets(network_of(ini("Outputs=y\n", "[y.Target]\n"))), ElementsAre("y.Target"));
}

TEST_F(SectionOnnx, AFileThatFailsIsTheOnlyFinding) {
  fs::remove(path_);
  const std::string findings =
      findings_of(ini("",
                      "[g.Target]\n[cls]\nInput=net,g\nType=Fc\nNbOutputs=2\nConfigSection=c\n"
                      "[c]\nNoBias=1\n[net:Conv_def]\nConfigSection=c\n"),
                  {1, true, {}});
  EXPECT_EQ(findings_of(ini("", "")), findings) << "a Softmax of the file may be the target";
  EXPECT_EQ(findings, fmt::format("net.ini:9: [net] File: no file '{}'", path_));
}

TEST_F(SectionOnnx, WhichLayersHaveBiasesTheFileSays) {
  const std::string text = ini("", "[g.Target]\n[net:Conv_def]\nConfigSection=conf\n[conf]\nNoBias=");
  EXPECT_EQ(findings_of(text + "0\n"), "no findings");
  EXPECT_EQ(findings_of(text + "1\n"), "no findings");
  const std::string told = warnings_of(text + "0\n") + warnings_of(text + "1\n");
  EXPECT_THAT(told, HasSubstr("] NoBias: "));
  EXPECT_THAT(told, HasSubstr("changes nothing, the ONNX file says which layers have biases"));
}

TEST_F(SectionOnnx, BitsAreThoseOfLayers) {
  for (const char* section : {"c", "net:Conv_def"}) {
    const Network net = network_of(ini("", fmt::format("[g.Target]\n[{}]\nNbBits=4\n", section)));
    ASSERT_EQ(net.widths.size(), 1U) << section;
    EXPECT_EQ(net.widths.begin()->second, (LayerWidths{4, 4})) << section;
  }
  EXPECT_THAT(findings_of(ini("NbBits=4\n")),
              HasSubstr("[net] NbBits: a key of layers, not of an ONNX section"));
}

TEST_F(SectionOnnx, FindingsNameWhatIsWrong) {
  EXPECT_THAT(findings_of(ini("Ignored=y\n") + "[cls]\nInput=q\nType=Fc\nNbOutputs=2\n"),
              HasSubstr("[cls] Input: layer 'q' does not exist"));
  EXPECT_THAT(warnings_of(ini("Ignored=y\n")),
              HasSubstr("[net] Ignored: unknown key of an ONNX section, ignored"));
  EXPECT_THAT(findings_of(ini("", "[cc.Target]\n")), HasSubstr("[cc.Target]: layer 'cc' does not exist"));
  EXPECT_THAT(findings_of(ini("", "[g]\nInput=sp\nType=Fc\nNbOutputs=2\n[g.Target]\n")),
              HasSubstr("[net]: the file has a tensor 'g', which a layer is called, too"));
  EXPECT_THAT(
      findings_of(ini(
          "", "[net:Conv_def]\nSubSample=2\n[g]\nInputWidth=3\nConfigSection=unit\n[unit]\nNormalize=1\n")),
      AllOf(HasSubstr("[net:Conv_def] SubSample: '2' is not supported yet"),
            HasSubstr("[g] InputWidth: '3' is not supported yet"),
            HasSubstr("[g] Normalize: '1' is not supported yet")));
  fs::remove(path_);
  EXPECT_THAT(findings_of(ini("")), HasSubstr("[net] File: no file '"));
  write(onnx::small_cnn() + onnx::input("second", {1, 2, 6, 6}));
  EXPECT_THAT(findings_of(ini("")),
              HasSubstr("[net] Input: 1 parents, the file has 2 inputs: 'x', 'second'"));
}

TEST_F(SectionOnnx, OneParentHasAllInputsOfTheFile) {
  write(onnx::small_cnn() + onnx::input("second", {1, 5}));
  const auto joined = [&](const std::string& channels, const std::string& keys) {
    return "[database]\n[sp]\nSize=1 1\nNbChannels=" + channels +
           "\n[net]\nInput=sp\nType=ONNX\nFile=" + path_ + "\nJoinedInputs=1\n" + keys + "[g.Target]\n";
  };
  const Network net = network_of(joined("77", "InputFactors=3 1\n"));
  EXPECT_THAT(types(net), AllOf(Contains("Padding"), Contains("Scaling")));
  ASSERT_EQ(net.inputs.size(), 2U);
  EXPECT_EQ(net.inputs[1].name, "second");
  EXPECT_EQ(net.inputs[1].first, 72);
  EXPECT_EQ(net.inputs[1].size, 5);
  EXPECT_THAT(
      findings_of(joined("76", "")),
      HasSubstr("[net] JoinedInputs: the inputs of the file have 77 elements (72 + 5), expected as many "
                "channels of one pixel, the parent has 76x1x1\n"
                "  hint: NbChannels=77, SizeX=1, SizeY=1"));
  EXPECT_THAT(findings_of(joined("77", "InputFactors=1\n")),
              HasSubstr("[net] InputFactors: expected 2 numbers, one for each input of the file, got 1"));
  write(onnx::small_cnn() + onnx::input("second", {1, 72}));
  EXPECT_THAT(
      findings_of("[database]\n[sp]\nSize=6 6\nNbChannels=2\n[part]\nInput=sp\nType=Conv\nKernelDims=1 1\n"
                  "NbOutputs=2\n[net]\nInput=sp,part\nType=ONNX\nFile=" +
                  path_ + "\nStates=y=x\n[g.Target]\n"),
      HasSubstr("input 'x' is no part of the network's input (JoinedInputs)"));
  write(onnx::small_cnn() + onnx::input("second", {5}));
  EXPECT_EQ(network_of(joined("77", "")).inputs.at(1).size, 5) << "one axis gets a batch";
  write(onnx::small_cnn() + onnx::input("second", {1, 1, 1, 1, 5}));
  EXPECT_THAT(
      findings_of(joined("77", "")),
      HasSubstr("[net] JoinedInputs: input 'second' of the file is 1 x 1 x 1 x 1 x 5, expected a batch and "
                "one to three fixed extents"));
}

TEST_F(SectionOnnx, InputsOfOneNumberMayBeConstants) {
  write(onnx::input("x", {0, 2, 6, 6}) + onnx::input("rate", {}) + onnx::output("g") +
        onnx::node("Mul", {"x", "rate"}, "g"));
  EXPECT_THAT(types(network_of(ini("Constants=rate=3\n"))), Contains("Scaling"));
  EXPECT_THAT(findings_of(ini("Constants=speed=3\n")), HasSubstr("constants: the file has no input 'speed'"));
}

}  // namespace
}  // namespace n2d2::loader
