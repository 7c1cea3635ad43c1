#include "look/pre_samples.hpp"

#include <algorithm>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"

namespace n2d2::app {
namespace {

class PreSamples : public FolderTest {};

TEST_F(PreSamples, ShowAStimulusAfterEveryStep) {
  write("net.ini", kSmallNet +
                       "[sp.Transformation-1]\nType=RangeAffineTransformation\nFirstOperator=Divides\n"
                       "FirstValue=255\n"
                       "[sp.OnTheFlyTransformation]\nType=FlipTransformation\nApplyTo=LearnOnly\n"
                       "RandomHorizontalFlip=1\n"
                       "[sp.Transformation-2]\nType=FlipTransformation\nApplyTo=TestOnly\nVerticalFlip=1\n");
  const std::string out = run_net({"-seed", "1", "-pre-samples", "7"});
  EXPECT_TRUE(has(out, "Learn stimulus 7: 4 pictures in 'pre_samples_7'\n")) << out;
  const std::string steps = read("pre_samples_7/steps.txt");
  EXPECT_TRUE(steps.starts_with("# file size values step\n00_stored 12x12x1 u8 ")) << steps;
  EXPECT_TRUE(has(steps, "\n01_RangeAffineTransformation 12x12x1 f32 ")) << steps;
  EXPECT_TRUE(has(steps, " [sp.Transformation-1] RangeAffineTransformation FirstOperator=Divides")) << steps;
  EXPECT_TRUE(has(steps, "\n02_FlipTransformation 12x12x1 f32 ")) << steps;
  EXPECT_TRUE(has(steps, "\n03_input 12x12x1 f32 ")) << steps;
  EXPECT_FALSE(has(steps, "VerticalFlip")) << steps;
  for (const char* stem :
       {"00_stored", "01_RangeAffineTransformation", "02_FlipTransformation", "03_input"}) {
    EXPECT_TRUE(read(fmt::format("pre_samples_7/{}.png", stem)).starts_with("\x89PNG")) << stem;
    EXPECT_TRUE(read(fmt::format("pre_samples_7/{}.npy", stem)).starts_with("\x93NUMPY")) << stem;
  }
  EXPECT_EQ(read("pre_samples_7/03_input.npy"), read("pre_samples_7/02_FlipTransformation.npy"));
}

TEST_F(PreSamples, ReplaceWhatWasThere) {
  write("net.ini", kSmallNet);
  std::filesystem::create_directory("pre_samples_7");
  write("pre_samples_7/09_gone.png", "of a longer chain");
  run_net({"-seed", "1", "-pre-samples", "7", "-w", "/dev/null", "-test", "-nb-test", "1"});
  EXPECT_TRUE(std::filesystem::exists("pre_samples_7/01_input.png"));
  EXPECT_FALSE(std::filesystem::exists("pre_samples_7/09_gone.png"));
}

}  // namespace
}  // namespace n2d2::app
