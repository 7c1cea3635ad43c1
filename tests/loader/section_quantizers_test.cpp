#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/random.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/loader/help.hpp"
#include "n2d2/loader/weights_file.hpp"
#include "n2d2/ops/quantize_activation.hpp"
#include "n2d2/quantize/clipping.hpp"

#include "ini_text.hpp"
#include "training/keys.hpp"
#include "working_folder.hpp"

namespace n2d2::loader {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// An Fc with these lines, which the target is on; lines of the section begin at line 8.
std::string fc(const std::string& lines) {
  return kInput + "[fc]\nInput=sp\nType=Fc\n" + lines + "NbOutputs=10\n[fc.Target]\n";
}

const Parameter& parameter(const Network& net, const std::string& name) {
  for (const Parameter& p : net.parameters)
    if (net.graph.value(p.constant).name == name) return p;
  throw std::runtime_error("no parameter " + name);
}

std::string text_of(const training::WeightQuantizer& quantizer) {
  std::string out(quantizer.type());
  for (const auto& [key, value] : quantizer.fields_text()) out += " " + key + "=" + value;
  return out;
}

std::string text_of(const training::Solver& solver) {
  std::string out(solver.type());
  for (const auto& [key, value] : solver.fields_text()) out += " " + key + "=" + value;
  return out;
}

const ops::QuantizeActivation& activation(const Network& net, const std::string& node) {
  return *graph::as<ops::QuantizeActivation>(net.graph.node(*net.graph.find_node(node)));
}

TEST(SectionQuantizers, ReadsTheWeightQuantizerOfASection) {
  const Network net =
      network_of(fc("QWeight=SAT\nQWeight.Range=15\nQWeight.QuantMode=Symmetric\n"
                    "QWeight.ApplyScaling=1\n"));
  const Parameter& weights = parameter(net, "fc_weights");
  ASSERT_NE(weights.quantizer, nullptr);
  EXPECT_EQ(text_of(*weights.quantizer), "SAT Range=15 QuantMode=Symmetric ApplyScaling=1");
  EXPECT_EQ(weights.quantizer->weights().shape, (Shape{10, 784}));
  EXPECT_EQ(weights.quantizer->weights().seed, 1U);
  EXPECT_EQ(weights.step_solver, nullptr);
  EXPECT_EQ(parameter(net, "fc_biases").quantizer, nullptr);
  EXPECT_TRUE(has_learnt_quantizers(net));
  EXPECT_FALSE(has_learnt_quantizers(network_of(fc(""))));
}

TEST(SectionQuantizers, ParametersOfAConfigSectionWin) {
  const Network net =
      network_of(fc("QWeight=LSQ\nQWeight.Range=15\nQWeight.PerChannel=1\nQWeightSolver=SGD\n"
                    "QWeightSolver.LearningRate=0.5\nConfigSection=c\n") +
                 "[c]\nQWeight.Range=7\nQWeightSolver.Momentum=0.9\nSolvers.LearningRate=0.1\n"
                 "Solvers.Decay=0.1\n");
  const Parameter& weights = parameter(net, "fc_weights");
  EXPECT_EQ(text_of(*weights.quantizer), "LSQ Range=7 PerChannel=1");
  EXPECT_EQ(text_of(*weights.step_solver), "SGD LearningRate=0.5 Momentum=0.9");
  EXPECT_EQ(text_of(*weights.solver), "SGD LearningRate=0.1 Decay=0.1");
}

TEST(SectionQuantizers, InheritsAndOverrides) {
  const Network net =
      network_of(kInput +
                 "[def]\nType=Conv\nKernelSize=3\nNbOutputs=4\nQWeight=SAT\nQWeight.Range=15\n"
                 "QWeight.QuantMode=Symmetric\nActivationFunction=Linear\nQAct=SAT\nQAct.Range=15\n"
                 "QAct.Alpha=6.0\nQActSolver=SGD\nQActSolver.LearningRate=0.05\n"
                 "[a]def\nInput=sp\n[b]def\nInput=a\nQWeight.Range=1\nQWeight.QuantMode=Default\n"
                 "QAct.Range=255\n[b.Target]\n");
  EXPECT_EQ(text_of(*parameter(net, "a_weights").quantizer), "SAT Range=15 QuantMode=Symmetric");
  EXPECT_EQ(text_of(*parameter(net, "b_weights").quantizer), "SAT Range=1");
  EXPECT_EQ(activation(net, "a_QAct").levels, 15);
  EXPECT_EQ(activation(net, "b_QAct").levels, 255);
  const Parameter& alpha = parameter(net, "a_QAct_SAT_Alpha");
  EXPECT_EQ(net.graph.value(alpha.constant).constant->span()[0], 6);
  EXPECT_EQ(text_of(*alpha.solver), "SGD LearningRate=0.05");
}

TEST(SectionQuantizers, TheActivationQuantizerStandsBehindTheActivation) {
  const Network net = network_of(fc("ActivationFunction=Rectifier\nQAct=LSQ\nQAct.Range=15\n"));
  EXPECT_THAT(graph::to_text(net.graph),
              HasSubstr("fc_QAct : f32 1x10x1x1 = QuantizeActivation(fc_act, "
                        "fc_QAct_LSQ_StepSize) Method=\"LSQ\" Range=\"15\" Init=\"Batch\""));
  // Its step follows from the first batch, and learns by its own solver, with the defaults of that.
  const Parameter& step = parameter(net, "fc_QAct_LSQ_StepSize");
  EXPECT_EQ(net.graph.value(step.constant).constant->span()[0], 0);
  EXPECT_EQ(text_of(*step.solver), "SGD");
}

TEST(SectionQuantizers, TheFirstStepMayBeGivenOrCalibrated) {
  const std::string lsq = "ActivationFunction=Linear\nQAct=LSQ\n";
  const Network given =
      network_of(fc(lsq + "QAct.SetOptInitStepSize=0\nQAct.StepSize=0.25\nQAct.Signed=1\n"));
  EXPECT_EQ(activation(given, "fc_QAct").init, ops::StepInit::Given);
  EXPECT_TRUE(activation(given, "fc_QAct").is_signed);
  EXPECT_EQ(given.graph.value(parameter(given, "fc_QAct_LSQ_StepSize").constant).constant->span()[0], 0.25F);
  const Network calibrated = network_of(fc("ActivationFunction=Linear\nQAct=SAT\nQAct.Init=Calibrated\n"));
  EXPECT_EQ(activation(calibrated, "fc_QAct").init, ops::StepInit::Calibrated);
  EXPECT_EQ(calibrated.graph.value(parameter(calibrated, "fc_QAct_SAT_Alpha").constant).constant->span()[0],
            0);
}

TEST(SectionQuantizers, ElementwiseLayersMayHaveOne) {
  const Network net =
      network_of(kInput +
                 "[a]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=2\n[b]\nInput=sp\nType=Conv\n"
                 "KernelSize=1\nNbOutputs=2\n[sum]\nInput=a,b\nType=ElemWise\nOperation=Sum\n"
                 "NbOutputs=2\nActivationFunction=Linear\nQAct=SAT\nQAct.Alpha=8.0\n[sum.Target]\n");
  EXPECT_EQ(activation(net, "sum_QAct").method, ops::QuantizeMethod::SAT);
}

TEST(SectionQuantizers, EachInputHasItsPartOfTheWeights) {
  const Network net =
      network_of(kInput +
                 "[a]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=2\n[b]\nInput=sp\nType=Conv\n"
                 "KernelSize=1\nNbOutputs=3\n[l]\nInput=a,b\nType=Conv\nKernelSize=1\nNbOutputs=4\n"
                 "QWeight=SAT\n[l.Target]\n");
  EXPECT_EQ(parameter(net, "l_weights").quantizer->weights().parts, (std::vector<int64_t>{2, 3}));
}

TEST(SectionQuantizers, ErrorsNameTheKey) {
  EXPECT_EQ(findings_of(fc("QWeight=SAT\nQWeight.Range=0\n")),
            "net.ini:9: [fc] QWeight: Range: expected an integer >= 1 and <= 65535, got '0'");
  EXPECT_EQ(findings_of(fc("QWeight=SAT\nQWeight.QuantMode=Symmetric\nQWeight.Range=1\n")),
            "net.ini:10: [fc] QWeight: Range: expected an integer >= 2 with QuantMode=Symmetric, got '1'\n"
            "  hint: binary weights are Range=1 with QuantMode=Default");
  EXPECT_EQ(findings_of(fc("QWeight=LSQ\nQWeight.Range=16\n")),
            "net.ini:9: [fc] QWeight: Range: expected an odd integer >= 3 with LSQ, got '16'\n"
            "  hint: b bits are 2^b - 1 steps: 255, 15, 7 or 3");
  EXPECT_EQ(findings_of(fc("QWeight=Sat\n")),
            "net.ini:8: [fc] QWeight: unknown quantizer 'Sat'; did you mean 'SAT'?");
  EXPECT_EQ(findings_of(fc("QWeight=LSQ\nQWeightSolver=SDG\n")),
            "net.ini:9: [fc] QWeightSolver: unknown solver 'SDG'; known: Adam, SGD");
  EXPECT_EQ(findings_of(fc("ActivationFunction=Linear\nQAct=PACT\n")),
            "net.ini:9: [fc] QAct: unknown quantizer 'PACT'\n  hint: known: LSQ, SAT");
  EXPECT_EQ(findings_of(fc("ActivationFunction=Linear\nQAct=SAT\nQAct.Range=0\n")),
            "net.ini:10: [fc] QAct: Range: expected an integer >= 1 and <= 65535, got '0'");
  EXPECT_EQ(findings_of(fc("ActivationFunction=Linear\nQAct=SAT\nQAct.Alpha=0\n")),
            "net.ini:10: [fc] QAct: Alpha: expected a number that is not 0, got '0'");
  EXPECT_EQ(findings_of(fc("ActivationFunction=Linear\nQAct=LSQ\nQAct.Signed=1\nQAct.Range=4\n")),
            "net.ini:11: [fc] QAct: Range: expected an odd integer >= 3 with Signed=1, got '4'\n"
            "  hint: b bits are 2^b - 1 steps: 255, 15, 7 or 3");
  EXPECT_EQ(findings_of(fc("ActivationFunction=Linear\nQAct=LSQ\nQAct.StepSize=-1\n")),
            "net.ini:10: [fc] QAct: StepSize: expected a number > 0, got '-1'");
}

TEST(SectionQuantizers, CalibratesWhereThereIsAStep) {
  EXPECT_EQ(
      text_of(*parameter(network_of(fc("QWeight=LSQ\nQWeight.Init=Calibrated\n")), "fc_weights").quantizer),
      "LSQ Init=Calibrated");
  const std::string hint = "\n  hint: QWeight=LSQ has a step; without the key the weights begin as they are";
  EXPECT_EQ(
      findings_of(fc("QWeight=SAT\nQWeight.Init=Calibrated\n")),
      "net.ini:9: [fc] QWeight.Init: nothing to calibrate with QWeight=SAT: the grid of SAT follows from "
      "the largest weight" +
          hint);
  EXPECT_EQ(
      findings_of(fc("QWeight=Prune\nQWeight.Init=Calibrated\n")),
      "net.ini:9: [fc] QWeight.Init: nothing to calibrate with QWeight=Prune: Prune has no grid" + hint);
  EXPECT_THAT(warnings_of(fc("QWeight=LSQ\nQWeight.Init=Calibrated\nQWeight.StepSize=2\n")),
              HasSubstr("net.ini:10: [fc] QWeight.StepSize: no effect with QWeight.Init=Calibrated"));
  EXPECT_THAT(warnings_of(fc("ActivationFunction=Linear\nQAct=SAT\nQAct.Init=Calibrated\nQAct.Alpha=6\n")),
              HasSubstr("net.ini:11: [fc] QAct.Alpha: no effect with QAct.Init=Calibrated"));
  EXPECT_THAT(warnings_of(fc("ActivationFunction=Linear\nQAct=SAT\nQAct.Init=Calibrated\n")),
              Not(HasSubstr("no effect")));
}

/// What calibration after learning finds for these values, in steps of its grid.
double threshold_after_learning(std::span<const float> values, int bits, bool is_signed) {
  float most = 0;
  for (const float value : values) most = std::max(most, std::abs(value));
  quantize::Histogram histogram(is_signed ? -double{most} : 0, most, 65536);
  for (const float value : values)
    if (is_signed || value >= 0) histogram.insert(value);
  const double threshold = quantize::clipping("MSE", "test").threshold(histogram, {bits, is_signed});
  return threshold / (is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1);
}

TEST(SectionQuantizers, CalibratedStepsAreThoseOfCalibrationAfterLearning) {
  constexpr double kSameThreshold = 5 * 7.0 / 1000;  // candidates that are as good to a histogram
  std::vector<float> values(8000);
  Rng rng(9);
  for (float& value : values) value = static_cast<float>(rng.normal());
  values[5] = 7;  // no grid of 16 levels should stretch to it
  for (const int bits : {8, 4, 3}) {
    const std::string range = std::to_string((1 << bits) - 1);
    const auto near = [&](double found, bool is_signed) {
      const double expected = threshold_after_learning(values, bits, is_signed);
      EXPECT_NEAR(found, expected, kSameThreshold / ((1 << (is_signed ? bits - 1 : bits)) - 1))
          << bits << is_signed;
    };
    Diagnostics diagnostics;
    const std::map<std::string, std::string> keys{{"Range", range}, {"Init", "Calibrated"}};
    auto lsq = training::make_quantizer("LSQ", training::MapKeys(keys), diagnostics);
    lsq->bind({"w", Shape{80, 100}, {}, {}, 1, 0});
    lsq->start(values);
    near(lsq->steps()[0], true);
    ops::QuantizeActivation op;
    op.levels = (1 << bits) - 1;
    op.init = ops::StepInit::Calibrated;
    near(op.first_value(values) / op.levels, false);
    op.method = ops::QuantizeMethod::LSQ;
    near(op.first_value(values), false);
    op.is_signed = true;
    near(op.first_value(values), true);
  }
}

TEST(SectionQuantizers, HelpHasWhatTheyRead) {
  const auto tables = quantizer_help("SAT");
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[1].title, "QAct=SAT");
  std::vector<std::string> names;
  for (const FieldHelp& field : tables[1].fields) names.emplace_back(field.info.name);
  EXPECT_EQ(names, (std::vector<std::string>{"Range", "Alpha", "Init"}));
  EXPECT_EQ(quantizer_help("Prune").size(), 1U);
  const auto has = [](const std::string& type, std::string_view key) {
    const auto fields = layer_fields(type);
    return std::any_of(fields.begin(), fields.end(), [&](const FieldHelp& f) { return f.info.name == key; });
  };
  EXPECT_TRUE(has("Conv", "QWeight") && has("Fc", "QWeightSolver") && has("BatchNorm", "QAct"));
  EXPECT_FALSE(has("Deconv", "QWeight"));
}

TEST(SectionQuantizers, KeysWithoutEffectAreSaidOnce) {
  EXPECT_THAT(warnings_of(fc("QAct=SAT\nQAct.Alpha=6\n")),
              HasSubstr("net.ini:8: [fc] QAct: no effect without ActivationFunction"));
  EXPECT_THAT(warnings_of(fc("QWeight.Range=15\n")),
              HasSubstr("[fc] QWeight.Range: no effect without QWeight"));
  EXPECT_THAT(warnings_of(fc("QWeight=LSQ\nQWeight.QuantMode=Symmetric\n")),
              HasSubstr("[fc] QWeight.QuantMode: no effect with QWeight=LSQ"));
  EXPECT_THAT(warnings_of(fc("QWeight=SAT\nQWeightSolver=SGD\n")),
              HasSubstr("[fc] QWeightSolver: no effect with QWeight=SAT"));
  EXPECT_THAT(warnings_of(fc("ActivationFunction=Linear\nQAct=SAT\nQAct.StepSize=1\n")),
              HasSubstr("[fc] QAct.StepSize: no effect with QAct=SAT"));
  EXPECT_THAT(warnings_of(fc("QWeight=SAT\nQWeight.Rangee=15\n")),
              HasSubstr("[fc] QWeight.Rangee: unknown parameter, ignored; did you mean 'Range'?"));
  const std::string twice = warnings_of(kInput +
                                        "[def]\nType=Conv\nKernelSize=3\nNbOutputs=4\nQWeight.Range=15\n"
                                        "[a]def\nInput=sp\n[b]def\nInput=a\n[b.Target]\n");
  EXPECT_THAT(twice, HasSubstr("QWeight.Range: no effect"));
  EXPECT_EQ(twice.find("no effect"), twice.rfind("no effect")) << twice;
  EXPECT_EQ(
      warnings_of(fc("QWeight=SAT\nQWeight.Range=15\nActivationFunction=Linear\nQAct=SAT\nQAct.Alpha=6\n"
                     "QActSolver=SGD\nQActSolver.LearningRate=0.1\n")),
      warnings_of(fc("")));
}

TEST(SectionQuantizers, WeightsOfADeconvAreNotQuantized) {
  EXPECT_EQ(findings_of(kInput +
                        "[d]\nInput=sp\nType=Deconv\nKernelSize=2\nNbOutputs=1\nQWeight=SAT\n[d.Target]\n"),
            "net.ini:10: [d] QWeight: 'SAT' is not supported yet");
}

TEST(SectionQuantizers, QuantizeReplacesMasters) {
  Network net = network_of(fc("QWeight=SAT\nQWeight.Range=3\n"));
  fill(net);
  graph::Graph copy = net.graph;
  quantize(net, copy);
  const graph::ValueId weights = parameter(net, "fc_weights").constant;
  std::set<float> levels(copy.value(weights).constant->span().begin(),
                         copy.value(weights).constant->span().end());
  EXPECT_EQ(levels, (std::set<float>{-1, -1.0F / 3, 1.0F / 3, 1}));
  const auto masters = net.graph.value(weights).constant->span();
  EXPECT_GT(std::set<float>(masters.begin(), masters.end()).size(), 1000U);
}

// ---- files -----------------------------------------------------------------------------------------------

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(SectionQuantizers, WhatQuantizersLearntHasFiles) {
  const WorkingFolder folder;
  const std::string text =
      kInput +
      "[a]\nInput=sp\nType=Conv\nKernelDims=28 28\nNbOutputs=2\nQWeight=LSQ\nQWeight.PerChannel=1\n"
      "ActivationFunction=Linear\nQAct=SAT\nQAct.Alpha=6.5\n"
      "[b]\nInput=a\nType=Fc\nNbOutputs=2\nQWeight=Prune\nQWeight.PruningMode=Static\n"
      "QWeight.Threshold=0.5\nActivationFunction=Linear\nQAct=LSQ\nQAct.SetOptInitStepSize=0\n"
      "QAct.StepSize=0.125\n[b.Target]\n";
  Network net = network_of(text);
  fill(net);
  for (const Parameter& p : net.parameters)
    if (p.quantizer) p.quantizer->start(net.graph.value(p.constant).constant->span());
  training::WeightQuantizer& lsq = *parameter(net, "a_weights").quantizer;
  lsq.steps()[0] = 0.25F;
  lsq.steps()[1] = 0.1F;
  save_weights(net.graph, "w", quantizer_states(net));
  EXPECT_EQ(read("w/a_alphaW_LSQ.syntxt"), "0.25\n0.1\n");
  EXPECT_EQ(read("w/a_QAct_SAT_Alpha.syntxt"), "6.5\n");
  EXPECT_EQ(read("w/b_QAct_LSQ_StepSize.syntxt"), "0.125\n");
  const std::string masks = read("w/b_masks.syntxt");
  EXPECT_EQ(std::count(masks.begin(), masks.end(), '0'), 2) << masks;
  EXPECT_EQ(std::count(masks.begin(), masks.end(), '\n'), 2) << masks;

  Network other = network_of(text);
  fill(other);
  other.graph.mutable_constant(parameter(other, "a_QAct_SAT_Alpha").constant).fill(1);
  const LoadReport report = load_weights(other, "w", false);
  EXPECT_EQ(report.missing, 0);
  EXPECT_EQ(quantizer_states(other)[0].second.steps, (std::vector<float>{0.25F, 0.1F}));
  EXPECT_EQ(quantizer_states(other)[1].second.mask, quantizer_states(net)[1].second.mask);
  EXPECT_EQ(other.graph.value(parameter(other, "a_QAct_SAT_Alpha").constant).constant->span()[0], 6.5F);

  std::filesystem::remove("w/a_alphaW_LSQ.syntxt");
  try {
    load_weights(other, "w", false);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("w/a_alphaW_LSQ.syntxt: no such file"));
  }
  EXPECT_EQ(load_weights(other, "w", true).missing, 1);
  std::ofstream("w/a_alphaW_LSQ.syntxt") << "0.25\n-1\n";
  try {
    load_weights(other, "w", false);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("w/a_alphaW_LSQ.syntxt: expected steps > 0, got '-1'"));
  }
  std::ofstream("w/a_alphaW_LSQ.syntxt") << "0.25\n";
  try {
    load_weights(other, "w", false);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected 2 values for the alphaW_LSQ of [a]"));
  }
}

}  // namespace
}  // namespace n2d2::loader
