// Whose bits do keys of network files and of export parameters give?
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

class Widths : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
  }
  /// The small network with a BatchNorm that has the activation, and keys of its layers.
  static void write_net(const std::string& of_conv, const std::string& of_norm, const std::string& of_fc) {
    std::string text = kSmallNet;
    const auto put = [&](const std::string& before, const std::string& what) {
      const size_t at = text.find(before);
      ASSERT_NE(at, std::string::npos);
      text.insert(at, what);
    };
    put("[fc]\n", of_conv +
                      "[norm]\nInput=conv\nType=BatchNorm\nNbOutputs=4\nActivationFunction=Rectifier\n" +
                      of_norm);
    put("[softmax]\n", of_fc);
    text.replace(text.find("[fc]\nInput=conv"), 15, "[fc]\nInput=norm");
    const std::string activation = "NbOutputs=4\nActivationFunction=Rectifier\n";
    text.replace(text.find(activation), activation.size(),
                 "NbOutputs=4\n");  // of the conv, which comes first
    write("net.ini", text);
  }
  /// Exports with initial weights; returns what was printed.
  static std::string exported(const std::string& parameters = "", const std::string& bits = "8") {
    write("p.ini", parameters);
    return run_net({"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", bits, "-calib", "20",
                    "-db-export", "2", "-export-parameters", "p.ini"});
  }
  struct Layer {
    int bits = 0, weights = 0;
  };
  static Layer layer(const std::string& name, const std::string& folder = "export_CPP_int8") {
    const auto report = nlohmann::json::parse(read(folder + "/statistics/quantization.json"));
    for (const auto& each : report.at("layers"))
      if (each.at("name") == name) return {each.at("bits").get<int>(), each.value("weight_bits", 0)};
    ADD_FAILURE() << "no layer " << name;
    return {};
  }
};

TEST_F(Widths, ABatchNormGivesTheValuesOfItsConv) {
  write_net("WeightNbBits=5\n", "ActivationNbBits=3\n", "");
  EXPECT_FALSE(has(exported(), "without effect"));
  EXPECT_EQ(layer("conv").bits, 3);
  EXPECT_EQ(layer("conv").weights, 5);
  EXPECT_EQ(layer("fc").weights, 8);
}

TEST_F(Widths, ExportParametersComeBeforeTheNetworkFile) {
  write_net("NbBits=5\n", "", "WeightNbBits=2\n");
  exported("[default]\nWeightNbBits=4\n[con*]\nWeightNbBits=3\n");
  EXPECT_EQ(layer("conv").weights, 3);
  EXPECT_EQ(layer("conv").bits, 5);
  EXPECT_EQ(layer("fc").weights, 4);
}

TEST_F(Widths, BitsBelowAByteAreThoseOfWeights) {
  write_net("", "", "WeightNbBits=8\n");
  exported("", "4");
  EXPECT_EQ(layer("conv", "export_CPP_int4").weights, 4);
  EXPECT_EQ(layer("conv", "export_CPP_int4").bits, 8);
  EXPECT_EQ(layer("fc", "export_CPP_int4").weights, 8);
}

TEST_F(Widths, ALayerOfBytesMayMakeWords) {
  write_net("ActivationNbBits=16\n", "", "");
  exported();
  EXPECT_EQ(layer("conv").bits, 16);
  EXPECT_EQ(layer("conv").weights, 8);
  EXPECT_EQ(layer("fc").bits, 32);
  exported("[default]\nActivationNbBits=12\n");
  EXPECT_EQ(layer("conv").bits, 12);
}

TEST_F(Widths, SectionsOfParametersAreThePlaceOfWhatHasNoKernel) {
  write_net("", "", "");
  try {
    exported("[con*]\nActivationNbBits=16\n[conv]\nWeightNbBits=16\n");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_TRUE(has(error.what(), "p.ini:3: [conv]: weights of 16 bits need inputs of more than 8 bits"))
        << error.what();
  }
}

TEST_F(Widths, SaysWhichKeysAreWithoutEffect) {
  write_net("", "WeightNbBits=4\n", "");
  EXPECT_TRUE(has(exported(), "[norm] WeightNbBits: without effect, the layer has no weights"));
}

}  // namespace
}  // namespace n2d2::app
