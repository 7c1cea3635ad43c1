#include "compare_floats.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class CompareFloats : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
  }
  Json score() { return Json::parse(read("export_CPP_int8/statistics/score.json")); }
  /// The rate of a score, as printed.
  static std::string rate(const std::string& out) {
    const size_t at = out.find("Final recognition rate: ");
    return out.substr(at + 24, out.find('%', at) - at - 24);
  }
};

/// Paired counts of so many samples, one decision each, class 0 of 2 being right.
data::Agreement paired(int both, int only_floats, int only_integers) {
  Diagnostics diagnostics;
  const data::Target target =
      *data::make_target({}, std::vector<std::string>{"a", "b"}, 2, NoKeys("[t]"), diagnostics);
  data::Agreement out(target);
  const auto add = [&](int count, bool floats, bool integers) {
    const Tensor right = Tensor::from({1, 2, 1, 1}, {1, 0}), wrong = Tensor::from({1, 2, 1, 1}, {0, 1});
    for (int i = 0; i < count; ++i) {
      data::Score a(target), b(target);
      a.add(floats ? right : wrong, std::vector<int>{0});
      b.add(integers ? right : wrong, std::vector<int>{0});
      out.add(a, b, std::vector<int>{0}, floats ? right : wrong, integers ? right : wrong, 1);
    }
  };
  add(both, true, true), add(only_floats, true, false), add(only_integers, false, true);
  return out;
}

TEST(Verdict, TellsALossFromChance) {
  EXPECT_EQ(verdict(paired(5, 2, 2)), "integers are as good as floats on these samples");
  EXPECT_EQ(verdict(paired(5, 8, 2)),
            "the loss of the integers cannot be told from chance (McNemar's exact test: p = 0.109)");
  EXPECT_EQ(verdict(paired(5, 0, 1)),
            "the gain of the integers cannot be told from chance (McNemar's exact test: p = 1.000)");
  EXPECT_EQ(verdict(paired(5, 9, 1)),
            "the loss of the integers is more than chance (McNemar's exact test: p = 0.021)");
  EXPECT_EQ(verdict(paired(5, 0, 12)),
            "the gain of the integers is more than chance (McNemar's exact test: p < 0.001)");
}

TEST_F(CompareFloats, ScoresThemOnTheSameSamples) {
  write("net.ini", kSmallNet);
  run_net({"-seed", "1", "-learn-epoch", "2"});
  const std::string alone = run_net({"-seed", "1", "-test", "-w", "weights_validation"});
  const std::string out =
      run_net({"-seed", "1", "-export", "CPP", "-calib", "40", "-db-export", "1", "-test"});
  const Json target = score().at("targets").at(0);
  EXPECT_EQ(score().at("samples"), 60);
  EXPECT_EQ(target.at("target"), "softmax.Target");
  EXPECT_EQ(target.at("decisions"), 60);
  EXPECT_EQ(fmt::format("{:.2f}", 100 * target.at("float_rate").get<double>()), rate(alone));
  EXPECT_EQ(fmt::format("{:.2f}", 100 * target.at("integer_rate").get<double>()), rate(out));
  const Json& pairs = target.at("paired");
  const int both = pairs.at("both"), lost = pairs.at("only_floats"), won = pairs.at("only_integers");
  EXPECT_EQ(both + lost + won + pairs.at("neither").get<int>(), 60);
  EXPECT_NEAR(target.at("float_rate").get<double>(), (both + lost) / 60.0, 1e-9);
  EXPECT_NEAR(target.at("integer_rate").get<double>(), (both + won) / 60.0, 1e-9);
  EXPECT_GT(target.at("sqnr_db").get<double>(), 20);
  EXPECT_GT(target.at("agree").get<int>(), 50);
  EXPECT_THAT(out,
              HasSubstr(fmt::format("Integers against floats: classes agree in {:.2f} % ({} of 60), SQNR ",
                                    target.at("agree").get<int>() / 0.6, target.at("agree").get<int>())));
  EXPECT_THAT(out, HasSubstr("    Floats beside: forward: "));
  const std::string readme = read("export_CPP_int8/README.md");
  EXPECT_THAT(readme, HasSubstr("| classes as of floats (softmax.Target) | `"));
  EXPECT_THAT(readme, HasSubstr("| recognised by floats (softmax.Target) | `" + rate(alone) + " %` |"));
}

// What learnt had quantizers: it is this that the integers are compared with.
TEST_F(CompareFloats, OfANetworkThatLearntWithQuantizersAreThoseThatLearnt) {
  std::string net = kSmallNet;
  const std::string rectifier = "ActivationFunction=Rectifier\n";
  net.replace(
      net.find(rectifier), rectifier.size(),
      "ActivationFunction=Linear\nQAct=SAT\nQAct.Range=15\nQAct.Alpha=4\nQWeight=SAT\nQWeight.Range=15\n");
  write("net.ini", net);
  run_net({"-seed", "1", "-learn-epoch", "2"});
  const std::string alone = run_net({"-seed", "1", "-test", "-w", "weights_validation"});
  run_net({"-seed", "1", "-export", "CPP", "-calib", "40", "-db-export", "1", "-test"});
  const Json target = score().at("targets").at(0);
  EXPECT_EQ(fmt::format("{:.2f}", 100 * target.at("float_rate").get<double>()), rate(alone));
  EXPECT_GT(target.at("sqnr_db").get<double>(), 30) << "both round alike";
}

TEST_F(CompareFloats, OfDataHaveErrorsAndNoClasses) {
  std::string net = kSmallNet;
  net.replace(net.find("[fc]"), std::string::npos,
              "[fc]\nInput=conv\nType=Fc\nNbOutputs=144\nWeightsFiller=XavierFiller\nConfigSection=learn\n"
              "[back]\nInput=fc\nType=Reshape\nNbOutputs=1\nDims=12 12 1\n[back.Target]\nDataAsTarget=1\n"
              "[learn]\nSolvers.LearningRate=0.01\n");
  write("net.ini", net);
  const std::string out = run_net(
      {"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-calib", "40", "-db-export", "1", "-test"});
  const Json target = score().at("targets").at(0);
  EXPECT_FALSE(target.contains("agree"));
  EXPECT_GT(target.at("float_mse").get<double>(), 0);
  EXPECT_NEAR(target.at("float_mse").get<double>(), target.at("integer_mse").get<double>(),
              0.1 * target.at("float_mse").get<double>());
  EXPECT_THAT(out, HasSubstr("Integers against floats: SQNR "));
}

TEST_F(CompareFloats, AreNotThereInExportsOfFloats) {
  write("net.ini", kSmallNet);
  const std::string out = run_net(
      {"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "-32", "-db-export", "1", "-test"});
  EXPECT_FALSE(has(out, "Integers against floats")) << out;
  EXPECT_FALSE(std::filesystem::exists("export_CPP_float32/statistics/score.json"));
}

}  // namespace
}  // namespace n2d2::app
