// Chains that cannot make the input of the network are found before a picture is read.
#include "stimuli/chain_check.hpp"

#include <set>

#include "applied.hpp"

namespace n2d2::data {
namespace {

/// A step by its type without "Transformation" and its keys.
using Step = std::pair<std::string, MapKeys::Map>;

std::string findings(const std::vector<Step>& steps, PictureForm form, int width, int height, int channels) {
  std::vector<std::unique_ptr<Transformation>> owned;
  std::vector<const Transformation*> chain;
  for (const auto& [type, keys] : steps) {
    owned.push_back(transformation(type + "Transformation", keys));
    chain.push_back(owned.back().get());
  }
  ProviderOptions options;
  options.size = {width, height};
  options.nb_channels = channels;
  options.where = {"a.ini", 2};
  Diagnostics diagnostics;
  check_chain(chain, form, options, diagnostics);
  return errors_of(diagnostics);
}

const PictureForm kColor{32, 32, 3, DataType::U8}, kNothing{};

TEST(ChainCheck, FindsNothingInChainsThatFit) {
  EXPECT_EQ(findings({}, kColor, 32, 32, 3), "");
  EXPECT_EQ(findings({}, kNothing, 32, 32, 3), "");
  EXPECT_EQ(
      findings({{"Rescale", {{"Width", "8"}, {"Height", "9"}}}, {"ColorSpace", {{"ColorSpace", "RGB"}}}},
               kNothing, 8, 9, 3),
      "");
  EXPECT_EQ(
      findings({{"Rescale", {{"Width", "8"}, {"Height", "8"}, {"KeepAspectRatio", "1"}}}}, kNothing, 8, 9, 3),
      "");
}

TEST(ChainCheck, NamesTheStepThatMadeTheSizeOrTheChannels) {
  EXPECT_EQ(findings({}, kColor, 28, 32, 3),
            "a.ini:2: [sp] Size: the database has pictures of 32 x 32, expected 28 x 32\n"
            "  hint: a RescaleTransformation or PadCropTransformation brings them together\n");
  const Step grey{"ChannelExtraction", {{"CSChannel", "Gray"}}};
  EXPECT_EQ(findings({{"Rescale", {{"Width", "8"}, {"Height", "9"}}}, grey}, kNothing, 8, 8, 3),
            "a.ini:1: [sp.Transformation] makes pictures of 8 x 9, [sp] Size declares 8 x 8\n"
            "  hint: a RescaleTransformation or PadCropTransformation brings them together\n"
            "a.ini:1: [sp.Transformation] makes pictures of 1 channel, [sp] NbChannels declares 3 channels\n"
            "  hint: NbChannels or a ColorSpaceTransformation brings them together\n");
  EXPECT_EQ(
      findings({{"PadCrop", {{"Width", "4"}, {"Height", "0"}, {"AdditiveWH", "1"}}}}, kColor, 32, 32, 3),
      "a.ini:1: [sp.Transformation] makes pictures of 36 x 32, [sp] Size declares 32 x 32\n"
      "  hint: a RescaleTransformation or PadCropTransformation brings them together\n");
}

TEST(ChainCheck, WhatAStepRefusesIsItsFinding) {
  EXPECT_EQ(
      findings({{"RangeAffine", {{"FirstOperator", "Plus"}, {"FirstValue", "1"}}}, {"Equalize", {}}}, kColor,
               32, 32, 3),
      "a.ini:1: [sp.Transformation] EqualizeTransformation: expected a picture of u8, got 32x32x3 f32\n");
  // Known in full only after the third step.
  EXPECT_EQ(
      findings({{"Rescale", {{"Width", "8"}, {"Height", "8"}}},
                {"ColorSpace", {{"ColorSpace", "RGB"}}},
                {"Normalize", {}},
                {"Threshold", {{"Threshold", "1"}, {"OtsuMethod", "1"}}}},
               kNothing, 8, 8, 3),
      "a.ini:1: [sp.Transformation] ThresholdTransformation: expected a picture of u8, got 8x8x3 f32\n");
}

/// Keys with which each step can be made, several where they change what is known.
const std::vector<Step> kAllSteps{
    {"Apodization", {{"Size", "12"}, {"WindowName", "Hann"}}},
    {"CentroidCrop", {}},
    {"CentroidCrop", {{"Axis", "0"}}},
    {"ChannelExtraction", {{"CSChannel", "Gray"}}},
    {"ColorSpace", {{"ColorSpace", "HSV"}}},
    {"CompressionNoise", {}},
    {"DCT", {}},
    {"DFT", {}},
    {"Distortion", {{"Rotation", "9"}}},
    {"Equalize", {}},
    {"Filter", {{"Kernel", "Gaussian"}, {"Kernel.SizeX", "3"}, {"Kernel.SizeY", "5"}}},
    {"Flip", {{"RandomHorizontalFlip", "1"}}},
    {"GradientFilter", {}},
    {"LabelFilter", {{"Labels", "a"}}},
    {"MagnitudePhase", {}},
    {"MorphologicalReconstruction", {{"Operation", "OpeningByReconstruction"}, {"Size", "3"}}},
    {"Morphology", {{"Operation", "Erode"}, {"Size", "3"}}},
    {"Normalize", {}},
    {"PadCrop", {{"Width", "9"}, {"Height", "8"}}},
    {"PadCrop", {{"Width", "9"}, {"Height", "8"}, {"AdditiveWH", "1"}}},
    {"RandomAffine", {{"GainRange", "0 2"}}},
    {"RandomResizeCrop", {{"Width", "5"}, {"Height", "8"}}},
    {"RangeAffine", {{"FirstOperator", "Plus"}, {"FirstValue", "1"}}},
    {"RangeClipping", {}},
    {"Rescale", {{"Width", "5"}, {"Height", "8"}}},
    {"Rescale", {{"Width", "5"}, {"Height", "8"}, {"KeepAspectRatio", "1"}}},
    {"Reshape", {{"NbRows", "6"}}},
    {"Reshape", {{"NbRows", "6"}, {"NbCols", "36"}, {"NbChannels", "2"}}},
    {"SliceExtraction", {{"Width", "5"}, {"Height", "0"}}},
    {"StripeRemove", {{"Axis", "0"}, {"Offset", "4"}, {"Length", "2"}, {"NbIterations", "2"}}},
    {"StripeRemove", {{"Axis", "1"}, {"Offset", "0"}, {"Length", "2"}, {"RandomOffset", "1"}}},
    {"Threshold", {{"Threshold", "1"}}},
    {"Trim", {{"NbLevels", "3"}}},
    {"WallisFilter", {{"Size", "3"}}},
};

/// What foresee() says of a picture of which less is known is what becomes of it.
TEST(ChainCheck, EveryStepMakesWhatItForesees) {
  std::set<std::string> tried;
  for (const auto& [type, keys] : kAllSteps) {
    const Image image = noise(12, 12, type == "DFT" ? 1 : type == "MagnitudePhase" ? 2 : 3);
    tried.insert(type + "Transformation");
    const auto step = transformation(type + "Transformation", keys);
    Image result = image;
    Rng rng(1);
    step->apply(result, rng);
    for (int hidden = 0; hidden < 8; ++hidden) {
      PictureForm form = form_of(image);
      if ((hidden & 1) != 0) form.width = form.height = 0;
      if ((hidden & 2) != 0) form.channels = 0;
      if ((hidden & 4) != 0) form.depth.reset();
      step->foresee(form);
      EXPECT_TRUE(form.width == 0 || form.width == result.width()) << type;
      EXPECT_TRUE(form.height == 0 || form.height == result.height()) << type;
      EXPECT_TRUE(form.channels == 0 || form.channels == result.channels()) << type;
      EXPECT_TRUE(!form.depth || *form.depth == result.depth()) << type;
    }
  }
  for (const std::string& name : transformations().names())
    EXPECT_TRUE(tried.contains(name) || name == "AffineTransformation") << name;  // Affine reads a file
}

}  // namespace
}  // namespace n2d2::data
