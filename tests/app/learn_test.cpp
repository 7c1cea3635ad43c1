#include <csignal>

#include "n2d2/base/log.hpp"

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"

namespace n2d2::app {
namespace {

namespace fs = std::filesystem;

class Learn : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write("net.ini", kSmallNet);
  }
  static std::string with(const std::string& from, const std::string& to) {
    std::string text = kSmallNet;
    text.replace(text.find(from), from.size(), to);
    return text;
  }
  static std::string refusal(const std::vector<std::string>& arguments) {
    try {
      run_net(arguments);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Learn, LeavesAStateWithWhichALongerRunGoesOnToTheBytesOfAStraightOne) {
  run_net({"-seed", "1", "-learn-epoch", "1"});
  for (const char* file : {"net_state/state.txt", "net_state/values.bin", "net_state_validation/state.txt"})
    EXPECT_TRUE(fs::exists(file)) << file;
  fs::remove("seed.dat");
  const std::string out = run_net({"-l", "net_state", "-learn-epoch", "3"});
  EXPECT_TRUE(has(out, "Seed: 1\n")) << out;
  EXPECT_TRUE(has(out, "Learning goes on from 'net_state': 200 of 600 stimuli are done\n")) << out;
  EXPECT_FALSE(has(out, "is kept as")) << out;
  EXPECT_EQ(read("seed.dat"), "1\n");
  const std::string state = read("net_state/state.txt"),
                    weights = read("weights_validation/fc_weights.syntxt");
  fs::remove_all("net_state");
  fs::remove_all("net_state_validation");
  fs::remove_all("weights_validation");
  run_net({"-seed", "1", "-learn-epoch", "3"});
  EXPECT_EQ(read("weights_validation/fc_weights.syntxt"), weights);
  EXPECT_EQ(read("net_state/state.txt"), state);
}

TEST_F(Learn, TestsTheWeightsOfAState) {
  const std::string learnt = run_net({"-seed", "1", "-learn-epoch", "1"});
  fs::remove_all("weights_validation");
  const std::string tested = run_net({"-l", "net_state_validation", "-test"});
  EXPECT_TRUE(has(tested, "Weights: 'net_state_validation'\n")) << tested;
  EXPECT_TRUE(has(tested, scores_in(learnt))) << tested;
}

TEST_F(Learn, GoesOnWithARunThatWasOverAndRestoresItsBestWeights) {
  const std::string learnt = run_net({"-seed", "1", "-learn-epoch", "2"});
  const std::string weights = read("weights_validation/fc_weights.syntxt");
  fs::remove_all("weights_validation");
  const std::string out = run_net({"-l", "net_state", "-learn-epoch", "2"});
  EXPECT_TRUE(has(out, "'net_state': the run is over, nothing is left to learn\n")) << out;
  EXPECT_TRUE(has(out, scores_in(learnt))) << out;
  EXPECT_EQ(read("weights_validation/fc_weights.syntxt"), weights);
}

TEST_F(Learn, RefusesAStateOfAnotherRunByWhatDiffers) {
  run_net({"-seed", "1", "-learn-epoch", "1"});
  const std::string before = read("net_state/state.txt");
  const std::string hint = "\n  hint: a state continues the run that wrote it; '-w' takes weights alone";
  EXPECT_EQ(refusal({"-l", "net_state", "-seed", "2", "-learn-epoch", "1", "-valid-metric", "Accuracy"}),
            "net_state: seed: the state has '1', this run '2'" + hint +
                "\nnet_state: -valid-metric: the state has 'Sensitivity', this run 'Accuracy'");
  write("net.ini", with("LearningRate=0.1", "LearningRate=0.2"));
  EXPECT_EQ(
      refusal({"-l", "net_state", "-learn-epoch", "1"}),
      "net_state: solver of conv_weights and 3 more: the state has 'SGD LearningRate=0.1 Momentum=0.9', "
      "this run 'SGD LearningRate=0.2 Momentum=0.9'" +
          hint);
  EXPECT_EQ(refusal({"-l", "net_state", "-test"}), "");
  write("net.ini", with("Learn=200", "Learn=201"));
  EXPECT_TRUE(has(refusal({"-l", "net_state", "-learn-epoch", "1"}),
                  "net_state: Learn samples: the state has '200, "));
  write("net.ini", with("NbOutputs=4", "NbOutputs=5"));
  EXPECT_EQ(
      refusal({"-l", "net_state", "-test"})
          .find(
              "net_state: layer constant conv_weights: the state has 'f32 4x1x3x3', this run 'f32 5x1x3x3'" +
              hint),
      0U);
  write("net.ini", "# lines may move\n" + kSmallNet);
  EXPECT_EQ(refusal({"-l", "net_state", "-test"}), "");
  EXPECT_EQ(read("net_state/state.txt"), before);
}

TEST_F(Learn, RefusesAStateThatHasLearntMore) {
  run_net({"-seed", "1", "-learn-epoch", "2"});
  EXPECT_EQ(refusal({"-l", "net_state", "-learn-epoch", "1"}),
            "net_state: the state has learnt from 400 stimuli, this run ends after 200\n"
            "  hint: a larger -learn-epoch continues it");
}

TEST_F(Learn, KeepsTheWeightsOfAnEarlierRunBeside) {
  run_net({"-seed", "1", "-learn-epoch", "3"});
  const std::string weights = read("weights_validation/fc_weights.syntxt");
  write("net.ini", with("LearningRate=0.1", "LearningRate=0"));
  const std::string out = run_net({"-seed", "1", "-learn-epoch", "1"});
  EXPECT_TRUE(has(out, "'weights_validation' of an earlier run is kept as 'weights_validation.1' (")) << out;
  EXPECT_TRUE(has(out, "the weights of an earlier run are better: ")) << out;
  EXPECT_EQ(read("weights_validation.1/fc_weights.syntxt"), weights);
  EXPECT_TRUE(fs::exists("net_state_validation.1/state.txt"));
  EXPECT_FALSE(fs::exists("net_state.1"));  // that run was over
}

TEST_F(Learn, RemovesWhatTheSameRunHasLearntAgain) {
  run_net({"-seed", "1", "-learn-epoch", "3"});
  const std::string out = run_net({"-seed", "1", "-learn-epoch", "3"});
  for (const char* folder : {"weights_validation", "net_state_validation"})
    EXPECT_TRUE(has(out, fmt::format("'{}.1' is the same as '{}' and is removed\n", folder, folder))) << out;
  EXPECT_FALSE(fs::exists("weights_validation.1"));
}

TEST_F(Learn, WritesNothingWhenThereIsNothingToLearnFrom) {
  write("net.ini", with("Learn=200", "Learn=0"));
  EXPECT_TRUE(has(refusal({"-seed", "1", "-learn-epoch", "1"}), "expected stimuli in the Learn partition"));
  for (const char* name : {"seed.dat", "weights_init", "net_state"}) EXPECT_FALSE(fs::exists(name)) << name;
}

TEST_F(Learn, SaysThatASoftmaxWithoutLossStaysAtChance) {
  std::string text = with("WithLoss=1", "");
  text.replace(text.find("LearningRate=0.1"), 16, "LearningRate=1e-6");
  write("net.ini", text);
  const std::string out = run_net({"-seed", "1", "-learn-epoch", "1"});
  EXPECT_TRUE(has(out, "net.ini:27: [softmax] after learning ")) << out;
  EXPECT_TRUE(has(out, "which is chance for 10 classes; a Softmax without WithLoss=1 learns")) << out;
  EXPECT_TRUE(has(out, "hint: 'WithLoss=1' learns with the cross-entropy\n")) << out;
}

TEST_F(Learn, SaysThatTheLossIsThatOfAGuess) {
  std::string text =
      with("WeightsFiller=XavierFiller", "WeightsFiller=ConstantFiller\nWeightsFiller.Value=0");
  text.replace(text.find("LearningRate=0.1"), 16, "LearningRate=1e-9");
  write("net.ini", text);
  const std::string out = run_net({"-seed", "1", "-learn-epoch", "1"});
  EXPECT_TRUE(has(out, "the loss stays at 2.303, which is ln(10), that of a guess among 10 classes")) << out;
  write("net.ini", with("Learn=200", "Learn=200"));
  EXPECT_FALSE(has(run_net({"-seed", "1", "-learn-epoch", "5"}), "the loss stays at"));
}

TEST_F(Learn, DoesNotBlameASoftmaxThatHasLearnt) {
  write("net.ini", with("WithLoss=1", ""));
  const std::string out = run_net({"-seed", "1", "-learn-epoch", "10", "-log-epoch", "10"});
  EXPECT_FALSE(has(out, "chance")) << out;
}

}  // namespace
}  // namespace n2d2::app
