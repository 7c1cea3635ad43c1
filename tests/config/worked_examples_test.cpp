// The worked examples of the INI specification, section 9, and the pitfalls of sections 10 and models 6.
#include <gtest/gtest.h>

#include "files.hpp"

namespace n2d2::config {
namespace {

constexpr std::string_view kLayered = R"ini($W=28
$LR=0.02
DefaultModel=Frame

[database]
Type=MNIST_IDX_Database
Validation=0.1

[sp]
SizeX=$(${W} + 4)
SizeY=[sp]SizeX
BatchSize=64

[sp.Transformation]
Type=PadCropTransformation
Width=[sp]SizeX
Height=[sp]SizeY

[base_conv]                 ; no Input key: just a set of defaults
Type=Conv
KernelDims=3 3
Padding=1
ActivationFunction=Rectifier
WeightsFiller=HeFiller
ConfigSection=train.config

[c1] base_conv
Input=sp
NbOutputs=8

[c2] base_conv
Input=c1
NbOutputs=[c1]NbOutputs     ; 8
Stride=2
ActivationFunction.LeakSlope=0.1

[head]
Input=c2
Type=Fc
NbOutputs=10
ActivationFunction=Linear
WeightsFiller=XavierFiller
ConfigSection=train.config,head.config

[head.Target]

[train.config]
NoBias=1
Solvers.LearningRate=${LR}
Solvers.LearningRatePolicy=StepDecay
Solvers.LearningRateStepSize=[sp]_EpochSize

[head.config]
NoBias=0                    ; overrides train.config for "head" only
)ini";

TEST(WorkedExamples, VariablesMathReferencesInheritanceAndLayeredConfig) {
  const log::Capture capture;
  IniDocument ini = parse(kLayered);
  ini.define("sp", "_EpochSize", "54000");
  EXPECT_EQ(value(ini, "sp", "SizeX"), "32");
  EXPECT_EQ(value(ini, "sp.Transformation", "Height"), "32");
  EXPECT_EQ(value(ini, "c2", "NbOutputs"), "8");
  EXPECT_EQ(value(ini, "c2", "Type"), "Conv");
  EXPECT_EQ(value(ini, "c2", "KernelDims"), "3 3");
  EXPECT_EQ(place(ini, "c2", "KernelDims"), "m/a.ini:21");
  const auto sections = ini.list("head", "ConfigSection");
  ASSERT_TRUE(sections);
  const auto head = ini.config_source("head", *sections);
  EXPECT_EQ(head->find("NoBias")->text, "0");
  EXPECT_EQ(head->find("Solvers.LearningRate")->text, "0.02");
  EXPECT_EQ(ini.config_source("c1", {"train.config"})->find("NoBias")->text, "1");
  EXPECT_EQ(ini.config_source("c1", {"train.config"}, "Solvers.")->find("LearningRateStepSize")->text,
            "54000");
  EXPECT_EQ(ini.section_names().size(), 11U);
  EXPECT_EQ(capture.text(), "");
}

TEST(WorkedExamples, BranchesWithMappings) {
  const IniDocument ini = parse(
      "[base_conv]\nType=Conv\n[c1] base_conv\n[left] base_conv\nInput=c1\nNbOutputs=16\n[right] "
      "base_conv\nInput=c1\n"
      "NbOutputs=24\n[merge]\nInput=left,right\nType=Pool\nNbOutputs=40\nMapping.Size=1\n"
      "Mapping(left).NbIterations=16\nMapping(right).OffsetX=16\n");
  EXPECT_EQ(ini.list("merge", "Input"), (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(ini.source("merge", "Mapping(right).")->find("OffsetX")->text, "16");
  EXPECT_EQ(ini.source("merge", "Mapping.")->find("Size")->text, "1");
}

constexpr std::string_view kPairTemplate = R"tpl({% for i in range(DEPTH) %}
[{{SECTION_NAME}}.c{{i}}] base_conv
Input=${PREV_SECTION_NAME}
NbOutputs={{WIDTH}}
{% endfor %}
{% if TAIL exists %}
[{{SECTION_NAME}}.out] base_conv
Input=${PREV_SECTION_NAME}
NbOutputs={{TAIL}}
{% endif %}
)tpl";

TEST(WorkedExamples, Template) {
  const Files files{{"m/pair.tpl", std::string(kPairTemplate)}};
  const IniDocument ini = parse(
      "[base_conv]\nType=Conv\n[stem]\n[blk@pair.tpl]\nDEPTH=2\nWIDTH=32\n[blk2@pair.tpl]\nDEPTH=1\nWIDTH="
      "64\nTAIL=8\n"
      "[fc]\nNbOutputs=[blk2.out]NbOutputs\n",
      files);
  EXPECT_EQ(ini.section_names(), (std::vector<std::string>{"", "base_conv", "stem", "blk", "blk.c0", "blk.c1",
                                                           "blk2", "blk2.c0", "blk2.out", "fc"}));
  EXPECT_EQ(value(ini, "blk.c0", "Input"), "stem");
  EXPECT_EQ(value(ini, "blk.c1", "Input"), "blk.c0");
  EXPECT_EQ(value(ini, "blk2.c0", "Input"), "blk.c1");
  EXPECT_EQ(value(ini, "blk.c1", "NbOutputs"), "32");
  EXPECT_EQ(value(ini, "blk.c1", "Type"), "Conv");
  EXPECT_EQ(value(ini, "fc", "NbOutputs"), "8");
  EXPECT_EQ(place(ini, "blk.c1", "NbOutputs"), "m/pair.tpl:4");
}

TEST(WorkedExamples, CrlfGivesTheSameDocument) {
  std::string crlf = "\xEF\xBB\xBF";
  for (const char c : kLayered) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
  IniDocument unix_lines = parse(kLayered), dos_lines = parse(crlf);
  unix_lines.define("sp", "_EpochSize", "1");
  dos_lines.define("sp", "_EpochSize", "1");
  EXPECT_EQ(print(dos_lines), print(unix_lines));
}

TEST(WorkedExamples, CrlfMatrixWithContinuations) {
  EXPECT_EQ(value(parse("[c]\r\nMapping(p)=1 0 \\\r\n0 1 \\\r\n1 1\r\nNbOutputs=2\r\n"), "c", "Mapping(p)"),
            "1 0 0 1 1 1");
}

TEST(WorkedExamples, QuotedCommentCharacter) {
  EXPECT_EQ(value(parse("[s]\nWeightsMinMean=\"0.1; 5%\"\n"), "s", "WeightsMinMean"), "0.1; 5%");
}

TEST(WorkedExamples, CommentsAndBlanksAroundValues) {
  const log::Capture capture;
  const IniDocument ini =
      parse("$X=0   ; comment\n$WarmUpIT= 0\n$R=255;->15\n[s]\nA=${X} ${WarmUpIT} ${R}\n");
  EXPECT_EQ(value(ini, "s", "A"), "0 0 255");
}

TEST(WorkedExamples, SectionNameInASharedConfigSectionIsTheLayer) {
  const IniDocument ini = parse("[a]\n[b]\n[shared]\nFile=${SECTION_NAME}.bin\n");
  EXPECT_EQ(ini.config_source("a", {"shared"})->find("File")->text, "a.bin");
  EXPECT_EQ(ini.config_source("b", {"shared"})->find("File")->text, "b.bin");
}

}  // namespace
}  // namespace n2d2::config
