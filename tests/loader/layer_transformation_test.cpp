// Layers of Type=Transformation: to maps they do what the step of that type does to pictures.
#include <gtest/gtest.h>

#include "n2d2/base/random.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/data/transformation.hpp"

#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

constexpr int kWidth = 7, kHeight = 6, kChannels = 3;

/// Values of [-1, 2).
Tensor any_map() {
  Tensor out(Shape{1, kChannels, kHeight, kWidth});
  Rng rng(1, "map");
  for (float& x : out.span()) x = static_cast<float>(rng.uniform(-1, 2));
  return out;
}

/// The step itself, on the map as a picture.
Tensor by_step(const std::string& type, const std::string& keys, const Tensor& map) {
  data::Image image(kWidth, kHeight, kChannels, DataType::F32);
  const Tensor pixels = to_layout(map, Layout::Nhwc);
  std::copy(pixels.span().begin(), pixels.span().end(), image.span<float>().begin());
  const config::IniDocument ini = document("[t]\n" + keys);
  Diagnostics findings;
  const auto step = data::make_transformation(type + "Transformation", *ini.source("t"), findings);
  Rng rng(1);
  step->apply(image, rng);
  Tensor out(Shape{1, image.channels(), image.height(), image.width()});
  for (int64_t c = 0; c < image.channels(); ++c)
    for (int64_t i = 0; i < int64_t{image.width()} * image.height(); ++i)
      out.data<float>()[c * image.width() * image.height() + i] =
          image.span<float>()[static_cast<size_t>(i * image.channels() + c)];
  return out;
}

std::string layer(const std::string& type, const std::string& keys) {
  return fmt::format(
      "[database]\n[sp]\nSize={} {}\nNbChannels={}\n[t]\nInput=sp\nType=Transformation\n"
      "Transformation={}\nNbOutputs={}\n{}[t.Target]\n",
      kWidth, kHeight, kChannels, type, kChannels, keys);
}

class LayerTransformation : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(LayerTransformation, DoesToMapsWhatTheStepDoesToPictures) {
  const auto& [type, keys] = GetParam();
  const Network net = network_of(layer(type, keys));
  const Tensor map = any_map();
  compute::Executor executor(net.graph, {.backend = compute::Backend::Reference});
  executor.forward(map);
  const Tensor found = executor.read(net.graph.outputs().at(0));
  const Tensor wanted = by_step(type, keys, map);
  ASSERT_EQ(found.shape(), wanted.shape());
  for (int64_t i = 0; i < found.elements(); ++i)
    ASSERT_NEAR(found.span()[static_cast<size_t>(i)], wanted.span()[static_cast<size_t>(i)], 1e-5) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Types, LayerTransformation,
    testing::Values(
        std::pair{"PadCrop", "Width=10\nHeight=11\nBorderType=ConstantBorder\n"},
        std::pair{"PadCrop", "Width=4\nHeight=9\nBorderType=ConstantBorder\nBorderValue=0.5\n"},
        std::pair{"PadCrop", "Width=4\nHeight=3\n"}, std::pair{"PadCrop", "Width=10\nHeight=3\n"},
        std::pair{"PadCrop", "Width=1\nHeight=-2\nAdditiveWH=1\nBorderType=ReplicateBorder\n"},
        std::pair{"PadCrop", "Width=7\nHeight=6\n"},
        std::pair{"RangeAffine", "FirstOperator=Multiplies\nFirstValue=3\n"},
        std::pair{"RangeAffine",
                  "FirstOperator=Minus\nFirstValue=1 2 3\nSecondOperator=Divides\nSecondValue=2 4 0.5\n"},
        std::pair{"RangeAffine",
                  "FirstOperator=Divides\nFirstValue=4\nSecondOperator=Plus\nSecondValue=1 0 -1\n"},
        std::pair{"RangeAffine",
                  "FirstOperator=Plus\nFirstValue=4\nSecondOperator=Multiplies\nSecondValue=-2\n"},
        std::pair{"RangeClipping", "RangeMin=-0.5\nRangeMax=1.5\n"},
        std::pair{"Rescale", "Width=13\nHeight=4\n"}, std::pair{"Rescale", "Width=14\nHeight=12\n"},
        std::pair{"Rescale", "Width=4\nHeight=4\nKeepAspectRatio=1\n"},
        std::pair{"SliceExtraction", "Width=3\nHeight=0\nOffsetX=2\n"},
        std::pair{"SliceExtraction", "Width=9\nHeight=4\nOffsetX=-1\nOffsetY=3\nAllowPadding=1\n"},
        std::pair{"Threshold", "Threshold=0.25\nOperation=ToZero\n"},
        std::pair{"Threshold", "Threshold=0.25\nMaxValue=3\n"}));

TEST(TransformationLayers, EveryTypeThatMayBeALayerIsComparedAbove) {
  EXPECT_EQ(data::transformations_of_maps(),
            (std::vector<std::string>{"PadCropTransformation", "RangeAffineTransformation",
                                      "RangeClippingTransformation", "RescaleTransformation",
                                      "SliceExtractionTransformation", "ThresholdTransformation"}));
}

TEST(TransformationLayers, JoinTheirInputsAndTakeAnActivation) {
  const Network net = network_of(
      "[database]\n[sp]\nSize=4 4\n[a]\nInput=sp\nType=Conv\nKernelSize=1\nNbOutputs=2\n[t]\nInput=sp,a\n"
      "Type=Transformation\nTransformation=PadCropTransformation\nWidth=6\nHeight=6\nBorderType="
      "ConstantBorder\n"
      "NbOutputs=3\nActivationFunction=Rectifier\n[t.Target]\n");
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).type.shape, (Shape{1, 3, 6, 6}));
}

}  // namespace
}  // namespace n2d2::loader
