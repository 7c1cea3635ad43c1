// A model that was quantized before: no calibration, its own scales.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "data/arrays.hpp"
#include "folder_test.hpp"
#include "onnx/onnx_text.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

using onnx::attribute;
using onnx::integers_of_type;
using onnx::node;
using onnx::reals;
using onnx::s8;
using onnx::u8;

/// Conv 3x3 with stride 2 and a Gemm on 1x12x12; `zero` is the zero point of the tensor between them, `last`
/// what ends the graph, `of_input` the zero point of the input.
std::string small_model(int zero, const std::string& last, const std::string& of_input = u8("iz", 0)) {
  std::vector<int> conv, gemm;
  for (int i = 0; i < 4 * 9; ++i) conv.push_back(i * 37 % 255 - 127);
  for (int i = 0; i < 10 * 100; ++i) gemm.push_back(i * 53 % 256 - 128);
  return onnx::input("x", {0, 1, 12, 12}) + reals("xs", {}, {0.015625F}) + u8("z", 0) + s8("wz", 0) +
         integers_of_type(3, "w", {4, 1, 3, 3}, conv) + reals("ws", {}, {0.015625F}) +
         integers_of_type(3, "v", {10, 100}, gemm) + reals("vs", {}, {0.03125F}) +
         reals("hs", {}, {0.0625F}) + u8("hz", zero) + of_input +
         node("QuantizeLinear", {"x", "xs", "iz"}, "xq") +
         node("DequantizeLinear", {"xq", "xs", "iz"}, "xr") +
         node("DequantizeLinear", {"w", "ws", "wz"}, "wr") +
         node("Conv", {"xr", "wr"}, "c", attribute("strides", {2, 2})) +
         node("QuantizeLinear", {"c", "hs", "hz"}, "hq") +
         node("DequantizeLinear", {"hq", "hs", "hz"}, "hr") + node("Flatten", {"hr"}, "f") +
         node("DequantizeLinear", {"v", "vs", "wz"}, "vr") +
         node("Gemm", {"f", "vr"}, "g", attribute("transB", 1)) + last;
}

/// The end of a model whose scores are rounded to steps of 0.5.
std::string rounded_scores() {
  return reals("gs", {}, {0.5F}) + node("QuantizeLinear", {"g", "gs", "wz"}, "gq") +
         node("DequantizeLinear", {"gq", "gs", "wz"}, "y") + onnx::output("y");
}

class QuantizedModel : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
  }
  void write_model(const std::string& graph, const std::string& target) {
    std::ofstream("model.onnx", std::ios::binary) << onnx::proto_of(graph).SerializeAsString();
    write("net.ini",
          "[database]\nType=Glyphs_Database\nLearn=20\nValidation=10\nTest=30\nWidth=12\nHeight=12\n"
          "[sp]\nSize=12 12\nBatchSize=10\n[net]\nInput=sp\nType=ONNX\nFile=model.onnx\n[" +
              target + ".Target]\n");
  }
  static std::string message(const std::vector<std::string>& arguments) {
    try {
      run_net(arguments);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }
  const std::vector<std::string> export_{"-seed",   "1",   "-w",         "/dev/null",
                                         "-export", "CPP", "-db-export", "2"};
  std::vector<std::string> with(std::vector<std::string> more) const {
    more.insert(more.begin(), export_.begin(), export_.end());
    return more;
  }
};

TEST_F(QuantizedModel, IsExportedWithItsScalesAndWithoutCalibration) {
  write_model(small_model(0, rounded_scores()), "y");
  const std::string out = run_net(with({"-test"}));
  EXPECT_TRUE(has(out, "Scales: all of them come with the model\n")) << out;
  EXPECT_FALSE(has(out, "no integers for the weights")) << out;
  EXPECT_TRUE(has(out, "Final recognition rate: ")) << out;
  const auto json = nlohmann::json::parse(read("export_CPP_int8/statistics/quantization.json"));
  std::vector<double> scales;
  for (const auto& layer : json["layers"]) {
    scales.push_back(layer["scale"]);
    EXPECT_EQ(layer["clipping"], layer["type"] == "Reshape" ? "input" : "model");
  }
  EXPECT_EQ(scales, (std::vector<double>{0.015625, 0.0625, 0.5}));
  EXPECT_FALSE(json["layers"][1]["signed"]);
  EXPECT_EQ(json["samples"], 0);
}

TEST_F(QuantizedModel, SaysWhichOptionsHaveNothingToActOn) {
  write_model(small_model(0, rounded_scores()), "y");
  const std::string out = run_net(with({"-calib", "3", "-act-clipping-mode", "None", "-wt-clipping-mode",
                                        "MSE", "-act-rescale-per-output", "0"}));
  EXPECT_TRUE(has(out,
                  "Scales: all of them come with the model; without effect: -calib, -act-clipping-mode, "
                  "-wt-clipping-mode, -act-rescale-per-output\n"))
      << out;
}

TEST_F(QuantizedModel, IsScoredInFloatAsItWouldBeInIntegers) {
  write_model(small_model(0, rounded_scores()), "y");
  const auto rate = [](const std::string& out) { return out.substr(out.find("Final recognition rate")); };
  const std::string integers = rate(run_net(with({"-test"})));
  EXPECT_EQ(integers.substr(0, integers.find('(')),
            rate(run_net({"-seed", "1", "-w", "/dev/null", "-test"})).substr(0, integers.find('(')));
}

TEST_F(QuantizedModel, SaysWhichScalesAreMissingAndMeasuresThose) {
  std::string graph = small_model(0, rounded_scores());
  const std::string rounding =
      node("QuantizeLinear", {"c", "hs", "hz"}, "hq") + node("DequantizeLinear", {"hq", "hs", "hz"}, "hr");
  const size_t at = graph.find(rounding);
  ASSERT_NE(at, std::string::npos);
  graph.replace(at, rounding.size(), node("Identity", {"c"}, "hr"));
  write_model(graph, "y");
  EXPECT_EQ(message(export_),
            "the model brings no scale for 'c'\n  hint: '-calib -1' measures what is missing on all stimuli");
  const std::string out = run_net(with({"-calib", "-1"}));
  EXPECT_TRUE(has(out, "Scales: those of 'c' are measured, the others come with the model\n")) << out;
  EXPECT_FALSE(has(out, "Equalization")) << out;
  const auto json = nlohmann::json::parse(read("export_CPP_int8/statistics/quantization.json"));
  EXPECT_EQ(json["layers"][0]["clipping"], "model");
}

/// 32 bits hold all that the sums of the last layer can be.
TEST_F(QuantizedModel, ScoresWithoutAScaleNeedNoSamples) {
  write_model(small_model(0, onnx::output("g")), "g");
  const std::string out = run_net(export_);
  EXPECT_TRUE(has(out, "Scales: all of them come with the model\n")) << out;
  const auto json = nlohmann::json::parse(read("export_CPP_int8/statistics/quantization.json"));
  EXPECT_EQ(json["layers"].back()["clipping"], "sums");
}

TEST_F(QuantizedModel, AZeroPointOfTheScoresAloneIsLeftOut) {
  const std::string scores =
      reals("gs", {}, {0.5F}) + s8("gz", 58) + node("QuantizeLinear", {"g", "gs", "gz"}, "gq") +
      node("DequantizeLinear", {"gq", "gs", "gz"}, "gd") + node("Softmax", {"gd"}, "y") + onnx::output("y");
  write_model(small_model(0, scores), "y");
  const std::string out = run_net(with({"-test"}));
  EXPECT_TRUE(has(out, "[gq] FakeQuantize ends the network and is left out: its integers have zero point 58"))
      << out;
  EXPECT_TRUE(has(out, "Scales: all of them come with the model\n")) << out;
}

TEST_F(QuantizedModel, ASoftmaxThatIsRoundedAtTheEndIsLeftOut) {
  const std::string scores = reals("gs", {}, {0.5F}) + node("QuantizeLinear", {"g", "gs", "wz"}, "gq") +
                             node("DequantizeLinear", {"gq", "gs", "wz"}, "gd") +
                             node("Softmax", {"gd"}, "p") + reals("ps", {}, {0.00390625F}) +
                             node("QuantizeLinear", {"p", "ps", "z"}, "pq") +
                             node("DequantizeLinear", {"pq", "ps", "z"}, "y") + onnx::output("y");
  write_model(small_model(0, scores), "y");
  const std::string out = run_net(with({"-test"}));
  EXPECT_TRUE(has(out, "[p] Softmax ends the network and is left out")) << out;
  EXPECT_TRUE(has(out, "Scales: all of them come with the model\n")) << out;
}

TEST_F(QuantizedModel, SaysWhichWeightsAreFloats) {
  std::string graph = small_model(0, rounded_scores());
  const std::string integers = node("DequantizeLinear", {"v", "vs", "wz"}, "vr");
  const size_t at = graph.find(integers);
  ASSERT_NE(at, std::string::npos);
  std::vector<float> weights(1000, 0.25F);
  weights[7] = 0.5F;
  graph.replace(at, integers.size(), reals("vr", {10, 100}, weights));
  write_model(graph, "y");
  const std::string out = run_net(export_);
  EXPECT_TRUE(has(out, "the model brings no integers for the weights of 'g': they are rounded now")) << out;
}

/// The Conv has no padding, the integers are those of the file; the headers say what they stand for.
TEST_F(QuantizedModel, AnInputKeepsItsZeroPoint) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {u8("iz", 3), "constexpr int ENV_ZERO_POINT = 3;"},
      {s8("iz", -10), "constexpr int ENV_ZERO_POINT = -10;"}};
  for (const auto& [of_input, line] : cases) {
    write_model(small_model(0, rounded_scores(), of_input), "y");
    const std::string out = run_net(with({"-test"}));
    EXPECT_TRUE(has(out, "Scales: all of them come with the model\n")) << out;
    const auto rate = [](const std::string& text) {
      const std::string found = text.substr(text.find("Final recognition rate"));
      return found.substr(0, found.find('('));
    };
    EXPECT_EQ(rate(out), rate(run_net({"-seed", "1", "-w", "/dev/null", "-test"})));
    const std::string env = read("export_CPP_int8/dnn/include/env.hpp");
    EXPECT_TRUE(has(env, line)) << env;
    EXPECT_TRUE(has(env, "constexpr float ENV_SCALE = 0.015625f;")) << env;
    const auto json = nlohmann::json::parse(read("export_CPP_int8/statistics/quantization.json"));
    EXPECT_EQ(json["layers"][0]["zero_point"], line == cases[0].second ? 3 : -10);
    EXPECT_FALSE(json["layers"][1].contains("zero_point"));
  }
}

TEST_F(QuantizedModel, AnInputWithAZeroPointHasNoneWhereNobodyTakesOne) {
  write_model(small_model(0, rounded_scores(), u8("iz", 3)), "y");
  write("symmetric.ini", "InputZeroPoint=0\n");
  const std::string out = run_net(with({"-export-parameters", "symmetric.ini"}));
  EXPECT_TRUE(has(out,
                  "zero points of the model are left out of 'sp' (the export has none): these values have "
                  "integers without one, whose steps are up to 1.98 times as large"))
      << out;
  EXPECT_TRUE(has(read("export_CPP_int8/dnn/include/env.hpp"), "constexpr int ENV_ZERO_POINT = 0;"));
  write("fake.ini", "FakeQuantization=1\n");
  run_net({"-seed", "1", "-w", "/dev/null", "-export", "ONNX", "-export-parameters", "fake.ini"});
  EXPECT_TRUE(std::filesystem::exists("export_ONNX_int8/model.onnx"));
}

/// Integers of a file, of which the reals are (q + 10) / 64.
TEST_F(QuantizedModel, FeatureFilesOfIntegersAreFedAsTheyAre) {
  std::ofstream("model.onnx", std::ios::binary)
      << onnx::proto_of(small_model(0, rounded_scores(), s8("iz", -10))).SerializeAsString();
  std::string bytes;
  for (int i = 0; i < 2 * 144; ++i) bytes += static_cast<char>(i * 7 % 256 - 128);
  write("features.npy", data::npy("|i1", "(2, 1, 12, 12)", bytes));
  run_net({"-export", "CPP", "-calib-npy", "features.npy", "-mean", "-10", "-std", "64", "-scale", "1"},
          "model.onnx");
  std::vector<std::string> stimuli;
  for (const auto& file : std::filesystem::directory_iterator("export_CPP_int8/stimuli"))
    stimuli.push_back(file.path().string());
  std::sort(stimuli.begin(), stimuli.end());
  std::string fed;
  for (const std::string& file : stimuli) {
    const std::string content = read(file);
    fed += content.substr(content.find("\n255\n") + 5, 144);
  }
  EXPECT_TRUE(fed == bytes);
}

/// A graph of integers with a zero point is the same program again, and an ONNX file.
TEST_F(QuantizedModel, AGraphFileKeepsTheZeroPointOfItsInput) {
  write_model(small_model(0, rounded_scores(), s8("iz", -10)), "y");
  run_net(with({"-dump", "graph"}));
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator("."))
    if (has(entry.path().string(), "quantize_graph.graph")) file = entry.path().filename().string();
  ASSERT_FALSE(file.empty());
  EXPECT_TRUE(has(read(file), " zero -10)\n"));
  const std::string first = read("export_CPP_int8/dnn/src/forward.cpp") +
                            read("export_CPP_int8/dnn/include/env.hpp") +
                            read("export_CPP_int8/dnn/include/cells/c.hpp");
  std::filesystem::remove_all("export_CPP_int8");
  run_net({"-export", "CPP", "-db-export", "2"}, file.c_str());
  EXPECT_EQ(read("export_CPP_int8/dnn/src/forward.cpp") + read("export_CPP_int8/dnn/include/env.hpp") +
                read("export_CPP_int8/dnn/include/cells/c.hpp"),
            first);
  run_net({"-export", "ONNX"}, file.c_str());
  EXPECT_TRUE(std::filesystem::exists("export_ONNX_int8/model.onnx"));
}

TEST_F(QuantizedModel, WhatHasNoExactFormIsRefusedAndNothingIsWritten) {
  write_model(small_model(40, rounded_scores()), "y");
  EXPECT_TRUE(has(message(with({"-nbbits", "16"})), "the model rounds to 8 bits, the export is of 16"));
  EXPECT_FALSE(std::filesystem::exists("export_CPP_int16"));
}

TEST_F(QuantizedModel, OneFindingSaysWhyItExportsNoFloats) {
  write_model(small_model(40, rounded_scores()), "y");
  EXPECT_EQ(message(with({"-nbbits", "-32"})),
            "net.ini:14: [xq] FakeQuantize: the model rounds values to integers, 3 in all, and a program of "
            "floats has no rounding\n  hint: '-nbbits 8' exports these integers; the model before it was "
            "quantized exports as floats");
}

TEST_F(QuantizedModel, AnyZeroPointBetweenLayersIsKept) {
  N2D2_NEEDS_TARGETS("CPP");
  write_model(small_model(40, rounded_scores()), "y");
  const auto rate = [](const std::string& out) {
    const size_t at = out.find("Final recognition rate");
    return out.substr(at, out.find('\n', at) - at);
  };
  const std::string integers = rate(run_net(with({"-test"})));
  const auto json = nlohmann::json::parse(read("export_CPP_int8/statistics/quantization.json"));
  EXPECT_EQ(json["layers"][1]["zero_point"], 40);
  EXPECT_EQ(rate(run_net({"-seed", "1", "-w", "/dev/null", "-test"})), integers);
}

TEST_F(QuantizedModel, AFloatModelNeedsCalibration) {
  write("net.ini", kSmallNet);
  EXPECT_EQ(message(export_),
            "-export CPP -nbbits 8: an integer export needs calibration\n"
            "  hint: '-calib -1' calibrates on all stimuli, '-nbbits -32' exports floats");
}

}  // namespace
}  // namespace n2d2::app
