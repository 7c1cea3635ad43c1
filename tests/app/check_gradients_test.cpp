#include "learn/check_gradients.hpp"

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"

namespace n2d2::app {
namespace {

class CheckGradients : public FolderTest {};

training::GradientCheck result(double deviation) {
  training::CheckedGradient weights{"[conv] Conv", "weights", {"net.ini", 12}, 4, 0, 2e-5, 1, 1.00002};
  training::CheckedGradient biases{"[conv] Conv", "biases", {"net.ini", 12}, 3, 1, deviation, 0.5, 0.25};
  return {{weights, biases}, {}};
}

TEST_F(CheckGradients, OfANetworkThatLearnsAreRightAndThenItLearns) {
  std::string text = kSmallNet;
  text.replace(text.find("[fc]\nInput=conv"), 15,
               "[norm]\nInput=conv\nType=BatchNorm\nNbOutputs=4\nActivationFunction=Tanh\n"
               "[drop]\nInput=norm\nType=Dropout\nNbOutputs=4\n[fc]\nInput=drop");
  write("net.ini", text);
  const std::string alone = run_net({"-check"});
  EXPECT_TRUE(
      has(alone, "layer                                    gradient     values  left out  deviation\n"))
      << alone;
  for (const char* layer :
       {"\n[conv] Conv ", "\n[norm] BatchNorm ", "\n[drop] Dropout ", "\n[fc] Fc ", "\n[softmax] Softmax "})
    EXPECT_TRUE(has(alone, layer)) << layer << alone;
  EXPECT_TRUE(has(alone, " layers checked on 4 samples: the largest deviation is ")) << alone;
  EXPECT_FALSE(has(alone, "Final recognition rate")) << alone;
  EXPECT_FALSE(std::filesystem::exists("weights_init"));
  const std::string learnt = run_net({"-seed", "1", "-check", "-learn", "40"});
  EXPECT_TRUE(has(learnt, alone.substr(alone.find("layer       "), 400))) << "the same every time" << learnt;
  EXPECT_TRUE(has(learnt, "Final recognition rate")) << learnt;
}

TEST_F(CheckGradients, ThatAreWrongAreNamedWithTheirPlace) {
  EXPECT_NO_THROW(refuse_wrong(result(0.0009)));
  try {
    refuse_wrong(result(0.25));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(),
                 "net.ini:12: [conv] Conv: gradient of its biases: expected 0.25, by differences of what it "
                 "computes, got 0.5: 0.25 of the largest, 0.001 is allowed\n"
                 "  hint: backward() of the operator is wrong, or its values are extreme; one that no module "
                 "brought is ours to "
                 "correct");
  }
}

TEST_F(CheckGradients, AreATable) {
  const std::string text = gradients_text(result(0.25), 4);
  EXPECT_TRUE(
      has(text, "\n[conv] Conv                              weights           4         0      2e-05\n"))
      << text;
  EXPECT_TRUE(
      text.ends_with("Gradients of 1 layers checked on 4 samples: the largest deviation is 0.25 "
                     "([conv] Conv, biases), 0.001 is allowed\n"))
      << text;
}

}  // namespace
}  // namespace n2d2::app
