#include "learn/find_rate.hpp"

#include <algorithm>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"

namespace n2d2::app {
namespace {

class FindRate : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write("net.ini", kSmallNet);
  }
};

TEST_F(FindRate, SuggestsARateAndLeavesNothingElse) {
  const std::string out = run_net({"-find-lr", "600"});
  EXPECT_TRUE(has(out, "Suggested learning rate: ")) << out;
  EXPECT_FALSE(has(out, "Final recognition rate")) << out;
  const std::string data = read("find_lr_softmax.Target.dat");
  EXPECT_TRUE(data.starts_with("# stimuli rate loss mean\n0 1e-06 ")) << data;
  EXPECT_TRUE(has(data, "\n580 10 ") || has(out, "The loss is no number any more")) << data << out;
  for (const char* file : {"find_lr_softmax.Target.svg", "find_lr_softmax.Target.png"})
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  for (const char* file : {"weights", "weights_init", "weights_validation", "net_state", "seed.dat"})
    EXPECT_FALSE(std::filesystem::exists(file)) << file;
  run_net({"-find-lr", "600"});
  EXPECT_EQ(read("find_lr_softmax.Target.dat"), data) << "the same every time";
}

TEST_F(FindRate, BeginsWithTheWeightsThatAreGiven) {
  run_net({"-seed", "1", "-learn-epoch", "1"});
  const std::string learnt = read("weights_validation/fc_weights.syntxt");
  EXPECT_TRUE(has(run_net({"-seed", "1", "-find-lr", "40"}),
                  "No learning rate is suggested: the loss falls by no more than it scatters"));
  const std::string fresh = read("find_lr_softmax.Target.dat");
  run_net({"-seed", "1", "-find-lr", "40", "-w", "weights_validation"});
  EXPECT_NE(read("find_lr_softmax.Target.dat"), fresh);
  EXPECT_EQ(read("weights_validation/fc_weights.syntxt"), learnt);
}

TEST_F(FindRate, SaysWhereTheLossIsNoNumber) {
  training::RateSweep sweep;
  sweep.diverged_at = 0.25;
  training::RateCurve curve;
  EXPECT_EQ(
      suggestion_text(sweep, curve),
      "The loss is no number any more from a rate of 0.25 on: the sweep ends there\n"
      "No learning rate is suggested: the loss falls by no more than it scatters; more stimuli may tell\n");
  curve.rates = {0.001, 0.01, 0.1};
  curve.steepest = 1;
  curve.least = 2;
  EXPECT_EQ(suggestion_text({}, curve),
            "Suggested learning rate: 0.01 (the loss falls fastest there; it is least at 0.1)\n");
}

TEST_F(FindRate, WritesALineABatch) {
  training::RateSweep sweep;
  sweep.points = {{0, 1e-6, {2.5}}, {20, 10, {1.25}}};
  EXPECT_EQ(rates_text(sweep, training::rate_curve(sweep, 0)),
            "# stimuli rate loss mean\n0 1e-06 2.5 1.875\n20 10 1.25 1.875\n");
}

}  // namespace
}  // namespace n2d2::app
