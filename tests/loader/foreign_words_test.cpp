#include "foreign_words.hpp"

#include <gtest/gtest.h>

#include "n2d2/loader/help.hpp"
#include "n2d2/loader/network.hpp"

namespace n2d2::loader {
namespace {

TEST(ForeignWords, OfKerasPyTorchCaffeAndDarknetHaveOneOfOurs) {
  EXPECT_EQ(our_word_for(WordKind::LayerType, "Dense"), "'Type=Fc'");
  EXPECT_EQ(our_word_for(WordKind::LayerType, "FullyConnected"), "'Type=Fc'");
  EXPECT_EQ(our_word_for(WordKind::LayerType, "MaxPool2d"), "'Type=Pool' with 'Pooling=Max'");
  EXPECT_EQ(our_word_for(WordKind::LayerType, "MaxPooling2D"), "'Type=Pool' with 'Pooling=Max'");
  EXPECT_EQ(our_word_for(WordKind::LayerType, "ReLU"),
            "'ActivationFunction=Rectifier' in the section of the layer before");
  EXPECT_EQ(our_word_for(WordKind::Activation, "relu"), "'Rectifier'");
  EXPECT_EQ(our_word_for(WordKind::Solver, "AdamW"), "'Adam', the nearest of those that there are");
  EXPECT_EQ(our_word_for(WordKind::Filler, "he_normal"), "'HeFiller'");
  EXPECT_EQ(our_word_for(WordKind::Key, "kernel_size"), "'KernelDims'");
  EXPECT_EQ(our_word_for(WordKind::Key, "filters"), "'NbOutputs'");
  EXPECT_EQ(our_word_for(WordKind::Key, "lr"), "'Solvers.LearningRate' in the ConfigSection of the layer");
  EXPECT_EQ(our_word_for(WordKind::Key, "nonsense"), "");
}

TEST(ForeignWords, LeaveSlipsInOurOwnWordsToTheNearest) {
  const std::vector<std::string> types = layer_types();
  EXPECT_EQ(meant(WordKind::LayerType, "Dense", types), "; here that is 'Type=Fc'");
  EXPECT_EQ(meant(WordKind::LayerType, "Convv", types), "; did you mean 'Conv'?");
  EXPECT_EQ(meant(WordKind::LayerType, "batch_norm", types), "; did you mean 'BatchNorm'?");
  EXPECT_EQ(meant(WordKind::LayerType, "batchnorm", types), "; did you mean 'BatchNorm'?");
  EXPECT_EQ(meant(WordKind::LayerType, "nonsense", types), "");
}

TEST(ForeignWords, OfLayersNameTypesThatThereAre) {
  for (const char* theirs :
       {"Dense", "Conv2d", "ConvTranspose2d", "AvgPool2d", "BatchNorm2d", "Add", "Upsample", "ZeroPadding2D",
        "Permute", "LocalResponseNorm", "CrossEntropyLoss"}) {
    const std::string ours = our_word_for(WordKind::LayerType, theirs);
    ASSERT_EQ(ours.rfind("'Type=", 0), 0U) << theirs;
    EXPECT_NO_THROW(layer_fields(ours.substr(6, ours.find('\'', 6) - 6))) << theirs;
  }
}

}  // namespace
}  // namespace n2d2::loader
