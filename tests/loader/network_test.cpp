#include "n2d2/loader/network.hpp"

#include <gtest/gtest.h>

#include "n2d2/graph/text.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/ops/conv.hpp"

#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

const std::string kFc = "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\n[fc.Target]\n";

/// Lines of the graph's text that are nodes or outputs, without places.
std::string nodes_of(const Network& net) {
  std::string out;
  for (const std::string& line : split(graph::to_text(net.graph), '\n'))
    if (!line.starts_with("constant") && !line.starts_with("input") && !line.empty())
      out += line.substr(0, line.find(" @")) + "\n";
  return out;
}

std::vector<int64_t> shape_of(const Network& net, const std::string& value) {
  return net.graph.value(*net.graph.find_value(value)).type.shape.dims();
}

const Parameter& parameter(const Network& net, const std::string& name) {
  for (const Parameter& p : net.parameters)
    if (net.graph.value(p.constant).name == name) return p;
  throw std::runtime_error("no parameter " + name);
}

std::string fields(const std::vector<std::pair<std::string, std::string>>& list) {
  std::string out;
  for (const auto& [key, value] : list) out += key + "=" + value + " ";
  return out;
}

// ---- structure -------------------------------------------------------------------------------------------

TEST(Network, PutsAnActivationNodeAfterItsLayerAndChildrenReadIt) {
  const Network net =
      network_of(kInput +
                 "[c]\nInput=sp\nType=Conv\nKernelSize=5\nNbOutputs=3\nActivationFunction=Rectifier\n"
                 "[p]\nInput=c\nType=Pool\nPoolDims=2 2\nStride=2\nNbOutputs=3\nPooling=Max\n"
                 "Mapping.Size=1\n[p.Target]\n");
  EXPECT_EQ(nodes_of(net),
            "c : f32 1x3x24x24 = Conv(sp, c_weights, c_biases) KernelDims=\"5 5\" NbOutputs=\"3\"\n"
            "c_act : f32 1x3x24x24 = Relu(c)\n"
            "p : f32 1x3x12x12 = Pool(c_act) PoolDims=\"2 2\" Stride=\"2 2\" Pooling=\"Max\"\n"
            "output p\n");
  graph::verify(net.graph);
}

TEST(Network, HasNoNodeForALinearActivationButOneForASaturation) {
  const Network net = network_of(kInput +
                                 "[a]\nInput=sp\nType=Fc\nNbOutputs=4\nActivationFunction=Linear\n"
                                 "[b]\nInput=a\nType=Fc\nNbOutputs=4\nActivationFunction=Linear\n"
                                 "ActivationFunction.Clipping=2\n"
                                 "[c]\nInput=b\nType=Fc\nNbOutputs=4\nActivationFunction=Saturation\n"
                                 "ActivationFunction.Threshold=0.5\n[c.Target]\n");
  EXPECT_EQ(nodes_of(net),
            "a : f32 1x4x1x1 = Fc(sp, a_weights, a_biases) NbOutputs=\"4\"\n"
            "b : f32 1x4x1x1 = Fc(a, b_weights, b_biases) NbOutputs=\"4\"\n"
            "b_act : f32 1x4x1x1 = Saturation(b) Threshold=\"2\"\n"
            "c : f32 1x4x1x1 = Fc(b_act, c_weights, c_biases) NbOutputs=\"4\"\n"
            "c_act : f32 1x4x1x1 = Saturation(c) Threshold=\"0.5\"\n"
            "output c_act\n");
}

TEST(Network, MakesAFunctionOfEveryOtherActivation) {
  const auto text = [](const std::string& keys) {
    const std::string all =
        nodes_of(network_of(kInput + "[a]\nInput=sp\nType=Fc\nNbOutputs=4\n" + keys + "[a.Target]\n"));
    const size_t from = all.find("= ", all.find("a_act")) + 2;
    return all.substr(from, all.find('\n', from) - from);
  };
  const std::string key = "ActivationFunction=";
  EXPECT_EQ(text(key + "Logistic\n"), "Nonlinearity(a)");
  EXPECT_EQ(text(key + "LogisticWithLoss\n"), "Nonlinearity(a) WithLoss=\"1\"");
  EXPECT_EQ(text(key + "Softplus\n"), "Nonlinearity(a) Function=\"Softplus\"");
  EXPECT_EQ(text(key + "Swish\n"), "Nonlinearity(a) Function=\"Swish\"");
  EXPECT_EQ(text(key + "Tanh\n"), "Nonlinearity(a) Function=\"Tanh\"");
  EXPECT_EQ(text(key + "Tanh\nActivationFunction.Alpha=0.5\n"),
            "Nonlinearity(a) Function=\"Tanh\" Alpha=\"0.5\"");
  EXPECT_EQ(text(key + "TanhLeCun\n"), "Nonlinearity(a) Function=\"Tanh\" Alpha=\"1.1439333333333332\"");
}

TEST(Network, AnActivationLayerIsATanhByDefault) {
  const Network net = network_of(kInput + "[a]\nInput=sp\nType=Activation\nNbOutputs=1\n[a.Target]\n");
  EXPECT_EQ(nodes_of(net), "a : f32 1x1x28x28 = Nonlinearity(sp) Function=\"Tanh\"\noutput a\n");
}

TEST(Network, SaysWhichOperandsOfAnElemwiseAreRepeated) {
  const std::string gate =
      kInput +
      "[p]\nInput=sp\nType=Pool\nPoolDims=28 28\nPooling=Average\nMapping.Size=1\n"
      "NbOutputs=1\n[e]\nInput=sp,p\nType=ElemWise\nOperation=Prod\nNbOutputs=1\n[e.Target]\n";
  EXPECT_EQ(shape_of(network_of(gate), "e"), (std::vector<int64_t>{1, 1, 28, 28}));
  const std::string said = warnings_of(gate);
  EXPECT_NE(said.find("[e] Input: 'p' of 1x1x1x1 is repeated over 1x1x28x28"), std::string::npos) << said;
  EXPECT_EQ(said.find("'sp'"), std::string::npos) << said;
}

TEST(Network, ConcatenatesSeveralInputsButNotThoseOfAnElemwise) {
  const std::string branches = kInput +
                               "[a]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=2\n"
                               "[b]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=2\n";
  Network net = network_of(branches + "[l]\nInput=a,b\nType=Conv\nKernelSize=1\nNbOutputs=3\n[l.Target]\n");
  EXPECT_NE(nodes_of(net).find("l_concat : f32 1x4x28x28 = Concat(a, b)\nl : f32 1x3x28x28 = Conv(l_concat,"),
            std::string::npos);
  EXPECT_EQ(parameter(net, "l_weights").parts, (std::vector<int64_t>{2, 2}));

  net = network_of(branches + "[l]\nInput=a,b\nType=ElemWise\nOperation=Sum\nNbOutputs=2\n[l.Target]\n");
  EXPECT_NE(nodes_of(net).find("l : f32 1x2x28x28 = ElemWise(a, b)"), std::string::npos);

  net = network_of(branches + "[l]\nInput=a,b\nType=Fc\nNbOutputs=3\n[l.Target]\n");
  EXPECT_EQ(parameter(net, "l_weights").parts, (std::vector<int64_t>{2 * 28 * 28, 2 * 28 * 28}));

  net = network_of(branches +
                   "[l]\nInput=a,b\nType=Activation\nActivationFunction=Linear\nNbOutputs=4\n[l.Target]\n");
  EXPECT_NE(nodes_of(net).find("l_concat : f32 1x4x28x28 = Concat(a, b)\noutput l_concat\n"),
            std::string::npos);

  net = network_of(
      branches + "[l]\nInput=b,a\nType=Activation\nActivationFunction=Rectifier\nNbOutputs=4\n[l.Target]\n");
  EXPECT_NE(nodes_of(net).find("l : f32 1x4x28x28 = Relu(l_concat)\noutput l\n"), std::string::npos);
}

TEST(Network, TurnsAnEvenBlockMappingIntoGroupsAndAnyOtherIntoConnections) {
  const std::string first = kInput + "[a]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=4\n";
  Network net = network_of(
      first + "[d]\nInput=a\nType=Conv\nKernelSize=3\nNbOutputs=4\nMapping.ChannelsPerGroup=1\n[d.Target]\n");
  EXPECT_EQ(graph::as<ops::Conv>(net.graph.node(*net.graph.find_node("d")))->groups, 4);
  EXPECT_EQ(shape_of(net, "d_weights"), (std::vector<int64_t>{4, 1, 3, 3}));

  net = network_of(
      first + "[d]\nInput=a\nType=Conv\nKernelSize=3\nNbOutputs=2\nMapping(a)=1 0 1 1 1 1 0 1\n[d.Target]\n");
  const auto* conv = graph::as<ops::Conv>(net.graph.node(*net.graph.find_node("d")));
  EXPECT_EQ(conv->groups, 1);
  EXPECT_EQ(conv->connections, (std::vector<int>{1, 0, 1, 1, 1, 1, 0, 1}));
  EXPECT_EQ(shape_of(net, "d_weights"), (std::vector<int64_t>{2, 4, 3, 3}));
}

TEST(Network, PoolsAConcatenationByOffsets) {
  const Network net =
      network_of(kInput +
                 "[a]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=2\n"
                 "[b]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=3\n"
                 "[p]\nInput=a,b\nType=Pool\nPoolDims=2 2\nStride=2\nNbOutputs=5\nPooling=Max\n"
                 "Mapping.Size=1\nMapping(a).NbIterations=2\nMapping(b).NbIterations=3\n"
                 "Mapping(b).OffsetX=2\n[p.Target]\n");
  EXPECT_NE(nodes_of(net).find("p : f32 1x5x14x14 = Pool(p_concat)"), std::string::npos);
}

TEST(Network, BuildsByLevelThenInFileOrder) {
  const Network net =
      network_of(kInput +
                 "[z.Target]\n[z]\nInput=x , y\nType=ElemWise\nOperation=Sum\nNbOutputs=2\n"
                 "[y]\nInput=sp\nType=Fc\nNbOutputs=2\n[x]\nInput=sp\nType=Fc\nNbOutputs=2\n");
  EXPECT_EQ(nodes_of(net),
            "y : f32 1x2x1x1 = Fc(sp, y_weights, y_biases) NbOutputs=\"2\"\n"
            "x : f32 1x2x1x1 = Fc(sp, x_weights, x_biases) NbOutputs=\"2\"\n"
            "z : f32 1x2x1x1 = ElemWise(x, y) Operation=\"Sum\"\noutput z\n");
}

TEST(Network, ComputesPropertiesForLayersThatComeLater) {
  const Network net =
      network_of(kInput +
                 "[c]\nInput=sp\nType=Conv\nKernelSize=5\nStride=2\nNbOutputs=3\n"
                 "[p]\nInput=c\nType=Pool\nPoolWidth=[c]_OutputsWidth\nPoolHeight=[c]_OutputsHeight\n"
                 "NbOutputs=[c]_NbOutputs\nPooling=Average\nMapping.ChannelsPerGroup=1\n[p.Target]\n");
  EXPECT_EQ(shape_of(net, "p"), (std::vector<int64_t>{1, 3, 1, 1}));
}

TEST(Network, InsertsABatchnormBehindConvolutionsThatHaveNone) {
  const Network net =
      network_of("InsertBatchNormAfterConv=1\n" + kInput +
                 "[a]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=2\nActivationFunction=Rectifier\n"
                 "[b]\nInput=a\nType=Conv\nKernelSize=1\nNbOutputs=2\n"
                 "[n]\nInput=b\nType=BatchNorm\nNbOutputs=2\n[n.Target]\n");
  EXPECT_EQ(nodes_of(net),
            "a : f32 1x2x28x28 = Conv(sp, a_weights, a_biases) KernelDims=\"1 1\" NbOutputs=\"2\"\n"
            "a_bn : f32 1x2x28x28 = BatchNorm(a, a_bn_scales, a_bn_biases, a_bn_means, a_bn_variances)\n"
            "a_act : f32 1x2x28x28 = Relu(a_bn)\n"
            "b : f32 1x2x28x28 = Conv(a_act, b_weights, b_biases) KernelDims=\"1 1\" NbOutputs=\"2\"\n"
            "n : f32 1x2x28x28 = BatchNorm(b, n_scales, n_biases, n_means, n_variances)\n"
            "output n\n");
}

TEST(Network, HelpersAndConstantsGiveWayToLayersOfTheirName) {
  const Network net = network_of(kInput +
                                 "[a]\nInput=sp\nType=Fc\nNbOutputs=2\nActivationFunction=Rectifier\n"
                                 "[a_act]\nInput=a\nType=Fc\nNbOutputs=2\n[a_weights]\nInput=a_act\nType=Fc\n"
                                 "NbOutputs=2\n[a_weights.Target]\n");
  EXPECT_EQ(nodes_of(net),
            "a : f32 1x2x1x1 = Fc(sp, a_weights_2, a_biases) NbOutputs=\"2\"\n"
            "a_act_2 : f32 1x2x1x1 = Relu(a)\n"
            "a_act : f32 1x2x1x1 = Fc(a_act_2, a_act_weights, a_act_biases) NbOutputs=\"2\"\n"
            "a_weights : f32 1x2x1x1 = Fc(a_act, a_weights_weights, a_weights_biases) NbOutputs=\"2\"\n"
            "output a_weights\n");
}

TEST(Network, TargetsComeInTheOrderOfTheirLayers) {
  const Network net = network_of(kData +
                                 "[b.Target]\n[a.Target-2]\n[a.Target]\nTopN=2\n"
                                 "[a]\nInput=sp\nType=Fc\nNbOutputs=10\n[b]\nInput=a\nType=Softmax\n"
                                 "NbOutputs=10\nWithLoss=1\n");
  ASSERT_EQ(net.targets.size(), 3U);
  EXPECT_EQ(net.targets[0].section, "a.Target-2");
  EXPECT_EQ(net.targets[1].section, "a.Target");
  EXPECT_EQ(net.targets[1].target.options().top_n, 2);
  EXPECT_EQ(net.targets[2].section, "b.Target");
  EXPECT_EQ(net.targets[2].folder, "b.Target");
  ASSERT_EQ(net.graph.outputs().size(), 3U);
  EXPECT_EQ(net.graph.value(net.graph.outputs()[2]).name, "b");
  graph::verify(net.graph);
}

TEST(Network, RefusesALayerThatIsCalledLikeTheProvider) {
  const std::string finding =
      " Input: a section of this name is the input of the network, not a layer\n"
      "  hint: rename the layer, or leave out 'Input'";
  EXPECT_TRUE(findings_of(kInput + "Input=sp\nType=Fc\nNbOutputs=2\n" + kFc)
                  .starts_with("net.ini:2: [sp]" + finding));
  EXPECT_EQ(findings_of("[database]\n[env]\nSize=28 28\n[sp]\nInput=env\nType=Fc\nNbOutputs=2\n" + kFc),
            "net.ini:4: [sp]" + finding);
}

TEST(Network, ReadsAnEnvSectionBeforeSp) {
  const Network net = network_of(
      kInput +
      "[env]\nSizeX=28\nSizeY=28\nBatchSize=2\n[fc]\nInput=sp\nType=Fc\nNbOutputs=10\n[fc.Target]\n");
  EXPECT_EQ(net.batch_size, 2);
  EXPECT_EQ(net.graph.value(net.graph.inputs().at(0)).name, "env");
}

// ---- parameters ------------------------------------------------------------------------------------------

TEST(Network, MergesSolverParametersInTheOrderOfTheSpecification) {
  const Network net =
      network_of(kInput +
                 "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\nSolvers=SGD\nSolvers.Momentum=0.1\n"
                 "Solvers.Decay=0.2\nConfigSection=base,late\n[fc.Target]\n"
                 "[base]\nSolvers.Momentum=0.3\nWeightsSolver.LearningRate=0.4\nBiasSolver.LearningRate=1\n"
                 "[late]\nBiasSolver.LearningRate=0.5\n");
  EXPECT_EQ(fields(parameter(net, "fc_weights").solver->fields_text()),
            "LearningRate=0.4 Momentum=0.3 Decay=0.2 ");
  EXPECT_EQ(fields(parameter(net, "fc_biases").solver->fields_text()),
            "LearningRate=0.5 Momentum=0.3 Decay=0.2 ");
}

TEST(Network, ChoosesSolversAndFillersByName) {
  const Network net =
      network_of(kInput +
                 "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\nWeightsSolver=Adam\nWeightsSolver.Beta1=0.5\n"
                 "WeightsFiller=HeFiller\nWeightsFiller.Scaling=0.5\nBiasFiller=ConstantFiller\n"
                 "BiasFiller.Value=3\n[fc.Target]\n");
  EXPECT_EQ(parameter(net, "fc_weights").solver->type(), "Adam");
  EXPECT_EQ(parameter(net, "fc_biases").solver->type(), "SGD");
  EXPECT_EQ(fields(parameter(net, "fc_weights").filler->fields_text()), "Scaling=0.5 ");
  EXPECT_EQ(fields(parameter(net, "fc_biases").filler->fields_text()), "Value=3 ");
}

TEST(Network, FillsWhatALayerStartsWith) {
  Network net = network_of(kInput +
                           "[c]\nInput=sp\nType=Conv\nKernelSize=3\nNbOutputs=2\nBiasFiller=ConstantFiller\n"
                           "BiasFiller.Value=3\n[n]\nInput=c\nType=BatchNorm\nNbOutputs=2\n[n.Target]\n");
  fill(net);
  const auto values = [&](const char* name) {
    const auto span = net.graph.value(*net.graph.find_value(name)).constant->span();
    return std::vector<float>(span.begin(), span.end());
  };
  EXPECT_EQ(values("c_biases"), (std::vector<float>{3, 3}));
  EXPECT_EQ(values("n_scales"), (std::vector<float>{1, 1}));
  EXPECT_EQ(values("n_variances"), (std::vector<float>{0, 0}));
  EXPECT_NE(values("c_weights").at(0), 0);
  EXPECT_EQ(parameter(net, "n_means").solver, nullptr);
}

TEST(Network, HasNoBiasWhereAConfigSectionSaysSo) {
  const Network net = network_of(kInput +
                                 "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\nConfigSection=c\n[fc.Target]\n"
                                 "[c]\nNoBias=1\nBackPropagate=0\nBiasSolver.LearningRate=1\n");
  EXPECT_FALSE(net.graph.find_value("fc_biases"));
  ASSERT_EQ(net.gradient_stops.size(), 1U);
  EXPECT_EQ(net.graph.node(net.gradient_stops[0]).name, "fc");
}

TEST(Network, UsesTheConfigSectionOfItsModel) {
  const Network net = network_of(
      "DefaultModel=Frame_CUDA\n" + kInput +
      "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\nConfigSection=a\nConfigSection(Frame_CUDA)=b\n[fc.Target]\n"
      "[a]\nNoBias=0\n[b]\nNoBias=1\n");
  EXPECT_FALSE(net.graph.find_value("fc_biases"));
}

TEST(Network, OneSeedGivesOneNetwork) {
  const auto text = [](uint64_t seed) {
    Network net = network_of(kInput + kFc, {seed, false, {}});
    fill(net);
    return graph::to_text(net.graph);
  };
  EXPECT_EQ(text(1), text(1));
  EXPECT_NE(text(1), text(2));
}

// ---- findings --------------------------------------------------------------------------------------------

TEST(Network, ReportsAllFindingsOfARunInFileOrder) {
  EXPECT_EQ(findings_of("Foo=1\n" + kData +
                        "[a]\nInput=sp\nType=Conv\nKernelSize=99\nNbOutputs=2\n"
                        "[b]\nInput=a\nType=Fcc\nNbOutputs=2\n"
                        "[c]\nInput=b\nType=Fc\nNbOutputs=0\n[c.Target]\nTopM=2\n"),
            "net.ini:1: unknown global key 'Foo'\n"
            "net.ini:10: [a] Conv: kernel 99x99 (width x height) is larger than the padded input 28x28\n"
            "  hint: the input is 'sp', 1x1x28x28\n"
            "net.ini:17: [b] Type: unknown layer type 'Fcc'; did you mean 'Fc'?\n"
            "  hint: known: Activation, BatchNorm, Conv, Deconv, Dropout, ElemWise, Fc, LRN, Normalize, "
            "ONNX, Padding, Pool, Reshape, Resize, Scaling, Softmax, TargetBias, Threshold, Transformation, "
            "Transpose, Unpool\n"
            "net.ini:22: [c] NbOutputs: expected an integer >= 1, got '0'\n"
            "net.ini:24: [c.Target] TopM: unknown key; did you mean 'TopN'?");
}

TEST(Network, KeysAndWordsOfTenMillionLettersAreCutInMessages) {
  const std::string word(10'000'000, 'k');
  const std::string warnings =
      warnings_of(kData + "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\n" + word + "=1\n[fc.Target]\n");
  EXPECT_TRUE(warnings.starts_with("net.ini:13: [fc] kkkkkk")) << warnings.substr(0, 100);
  EXPECT_LT(warnings.size(), 1000U);  // of each word what can be read
  for (const char* key : {"Type", "NbOutputs", "Input", "ActivationFunction"})
    EXPECT_LT(
        findings_of(kData + "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\n" + key + "=" + word + "\n[fc.Target]\n")
            .size(),
        1000U)
        << key;
}

TEST(Network, WarnsAboutKeysOfALayerThatNobodyReads) {
  const std::string ini =
      kData +
      "[d]\nInput=sp\nType=Dropout\nNbOutputs=1\nDropout=0.2\nStride=2\nNbOutput=1\n"
      "[fc]\nInput=d\nType=Fc\nNbOutputs=10\nSolvers.Momentum=0.9\nWeightsFiller.Scaling=2\n"
      "[fc.Target]\n";
  EXPECT_EQ(
      warnings_of(ini),
      "net.ini:13: [d] Dropout: belongs in a ConfigSection, ignored here\n"
      "net.ini:14: [d] Stride: unknown key of layer type Dropout, ignored\n"
      "net.ini:15: [d] NbOutput: unknown key of layer type Dropout, ignored; did you mean 'NbOutputs'?\n"
      "net.ini:20: [fc] Solvers.Momentum: ignored without 'Solvers=' in this section; it belongs in a "
      "ConfigSection\n"
      "net.ini:21: [fc] WeightsFiller.Scaling: ignored without 'WeightsFiller=' in this section\n");
  EXPECT_NE(findings_of(ini, {1, true, {}}).find("net.ini:13: [d] Dropout: belongs in a ConfigSection"),
            std::string::npos);
}

TEST(Network, RefusesUnknownParametersOfObjectsAndConfigSections) {
  EXPECT_EQ(
      findings_of(kData + "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\nWeightsFiller=HeFiller\n"
                          "WeightsFiller.Scale=2\nConfigSection=c\n[fc.Target]\n[c]\nSolvers.Momentom=1\n"
                          "NbOutputs=3\n"),
      "net.ini:14: [fc] WeightsFiller.Scale: HeFiller has no parameter 'Scale'; it has VarianceNorm, "
      "MeanNorm, Scaling\n"
      "net.ini:18: [fc] Solvers.Momentom (in [c]): SGD has no parameter 'Momentom'; did you mean "
      "'Solvers.Momentum'?\n"
      "net.ini:19: [fc] NbOutputs (in [c]): belongs in the section of the layer, not in a ConfigSection");
}

TEST(Network, RefusesSolverParametersOfALayerWithoutSolver) {
  EXPECT_EQ(findings_of(kInput + "[d]\nInput=sp\nType=Dropout\nNbOutputs=1\nConfigSection=c\n[d.Target]\n"
                                 "[c]\nSolvers.Momentum=1\n"),
            "net.ini:12: [d] Solvers.Momentum (in [c]): unknown parameter of layer type Dropout");
}

TEST(Network, NoticesUnusedSections) {
  EXPECT_EQ(warnings_of(kData + kFc + "[old]\nA=1\n"), "net.ini:14: unused section [old]\n");
}

TEST(Network, AcceptsOldGlobalKeysWithAWarning) {
  EXPECT_EQ(
      warnings_of("DefaultModel=Transcode_CUDA\nNotation=x\nCheckWeightRange=1\nProgramMethod(X)=y\n" +
                  kData + kFc),
      "net.ini:1: DefaultModel: 'Transcode_CUDA' runs as 'Frame': without spikes, the layers are the same\n"
      "net.ini:2: Notation: no longer means anything, ignored\n");
}

}  // namespace
}  // namespace n2d2::loader
