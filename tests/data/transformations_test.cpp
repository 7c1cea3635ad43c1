#include <set>

#include "applied.hpp"

namespace n2d2::data {
namespace {

const std::vector<uint8_t> kFour{1, 2, 3, 4};

TEST(Transformations, UnknownTypes) {
  const std::string hint = "\n  hint: 'n2d2 -help-transformation list' names those that are supported\n";
  EXPECT_EQ(transformation_errors("RescalTransformation", {{"Type", "RescalTransformation"}}),
            "a.ini:5: [sp.Transformation] Type: unknown transformation 'RescalTransformation'; did you mean "
            "'RescaleTransformation'?" +
                hint);
  for (const char* type : {"ExpandLabel", "LabelExtraction", "LabelSliceExtraction"})
    EXPECT_EQ(
        transformation_errors(std::string(type) + "Transformation", {}),
        fmt::format(
            "a.ini:1: [sp.Transformation] Type: transformation '{}Transformation' is known to N2D2, not "
            "supported{}",
            type, hint));
  for (const char* type : {"Blending", "ChannelShake", "ROIExtraction"})
    EXPECT_EQ(transformation_errors(std::string(type) + "Transformation", {}),
              fmt::format(
                  "a.ini:1: [sp.Transformation] Type: transformation '{}Transformation' belongs to a closed "
                  "edition of N2D2, not supported{}",
                  type, hint));
}

TEST(Transformations, KnowWhereTheyApply) {
  const auto applies_to = [](const char* text) {
    const auto step = transformation("FlipTransformation", {{"ApplyTo", text}});
    std::string out;
    for (const Partition p : kPartitions) out += applies(step->apply_to(), p) ? to_string(p)[0] : '-';
    return out;
  };
  EXPECT_EQ(applies_to("All"), "LVT");
  EXPECT_EQ(applies_to("LearnOnly"), "L--");
  EXPECT_EQ(applies_to("ValidationOnly"), "-V-");
  EXPECT_EQ(applies_to("TestOnly"), "--T");
  EXPECT_EQ(applies_to("NoLearn"), "-VT");
  EXPECT_EQ(applies_to("NoValidation"), "L-T");
  EXPECT_EQ(applies_to("NoTest"), "LV-");
}

TEST(Transformations, DescribeThemselves) {
  const auto step =
      transformation("RescaleTransformation", {{"Width", "3"}, {"Height", "4"}, {"Antialias", "1"}});
  EXPECT_EQ(step->text(), "RescaleTransformation Width=3 Height=4 Antialias=1");
  EXPECT_EQ(step->subject(), "[sp.Transformation]");
  for (const std::string& name : transformations().names())
    for (const FieldHelp& field : transformations().find(name)->fields())
      EXPECT_FALSE(field.info.help.empty()) << name << field.info.name;
}

TEST(PadCrop, OddPaddingGoesLeftAndOddCroppingRight) {
  const Image four = picture<uint8_t>(4, 1, 1, kFour);
  const auto to = [&](const char* width) {
    return row(
        applied("PadCrop", {{"Width", width}, {"Height", "1"}, {"BorderType", "ConstantBorder"}}, four));
  };
  EXPECT_EQ(to("5"), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(to("7"), (std::vector<int>{0, 0, 1, 2, 3, 4, 0}));
  EXPECT_EQ(to("3"), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(to("1"), (std::vector<int>{2}));
  EXPECT_EQ(to("4"), (std::vector<int>{1, 2, 3, 4}));
}

TEST(PadCrop, EveryBorder) {
  const Image four = picture<uint8_t>(4, 1, 1, kFour);
  const auto to = [&](MapKeys::Map keys) {
    keys["Width"] = "8";
    keys["Height"] = "1";
    return row(applied("PadCrop", keys, four));
  };
  EXPECT_EQ(to({}), (std::vector<int>{3, 2, 1, 2, 3, 4, 3, 2}));
  EXPECT_EQ(to({{"BorderType", "ReflectBorder"}}), (std::vector<int>{2, 1, 1, 2, 3, 4, 4, 3}));
  EXPECT_EQ(to({{"BorderType", "ReplicateBorder"}}), (std::vector<int>{1, 1, 1, 2, 3, 4, 4, 4}));
  EXPECT_EQ(to({{"BorderType", "WrapBorder"}}), (std::vector<int>{3, 4, 1, 2, 3, 4, 1, 2}));
  EXPECT_EQ(to({{"BorderType", "MeanBorder"}}),
            (std::vector<int>{2, 2, 1, 2, 3, 4, 2, 2}));  // 2.5, half to even
  EXPECT_EQ(to({{"BorderType", "ConstantBorder"}, {"BorderValue", "9"}}),
            (std::vector<int>{9, 9, 1, 2, 3, 4, 9, 9}));
}

TEST(PadCrop, BordersHaveAValuePerChannel) {
  const Image pixel = picture<uint8_t>(1, 1, 2, {5, 6});
  const MapKeys::Map keys{
      {"Width", "2"}, {"Height", "1"}, {"BorderType", "ConstantBorder"}, {"BorderValue", "7 8"}};
  EXPECT_EQ(row(applied("PadCrop", keys, pixel)), (std::vector<int>{7, 8, 5, 6}));
  EXPECT_EQ(
      config_error([&] { applied("PadCrop", keys, Image(1, 1, 3)); }),
      "a.ini:1: [sp.Transformation] BorderValue: expected 1 or 3 numbers for a picture of 1x1x3 u8, got 2");
}

TEST(PadCrop, SizesCanBeAdded) {
  const MapKeys::Map keys{{"Width", "2"}, {"Height", "-1"}, {"AdditiveWH", "1"}};
  EXPECT_EQ(applied("PadCrop", keys, Image(5, 4, 3)).text(), "7x3x3 u8");
  EXPECT_EQ(config_error([&] { applied("PadCrop", keys, Image(5, 1, 3)); }),
            "a.ini:1: [sp.Transformation] AdditiveWH: a picture of 5x1x3 u8 would become 7x0");
  EXPECT_EQ(transformation_errors("PadCropTransformation", {{"Width", "0"}, {"Height", "-1"}}),
            "a.ini:5: [sp.Transformation] Width: expected an integer >= 1, got '0'\n"
            "a.ini:5: [sp.Transformation] Height: expected an integer >= 1, got '-1'\n");
}

TEST(PadCrop, ASinglePixelCanBePaddedFar) {
  for (const char* border : {"MinusOneReflectBorder", "ReflectBorder", "WrapBorder", "ReplicateBorder"})
    EXPECT_EQ(row(applied("PadCrop", {{"Width", "4"}, {"Height", "1"}, {"BorderType", border}},
                          picture<uint8_t>(1, 1, 1, {7}))),
              (std::vector<int>{7, 7, 7, 7}));
}

TEST(Flip, MirrorsAxes) {
  const Image image = picture<uint8_t>(2, 2, 1, kFour);
  EXPECT_EQ(row(applied("Flip", {{"HorizontalFlip", "1"}}, image)), (std::vector<int>{2, 1, 4, 3}));
  EXPECT_EQ(row(applied("Flip", {{"VerticalFlip", "1"}}, image)), (std::vector<int>{3, 4, 1, 2}));
  EXPECT_EQ(row(applied("Flip", {{"HorizontalFlip", "1"}, {"VerticalFlip", "1"}}, image)),
            (std::vector<int>{4, 3, 2, 1}));
  EXPECT_EQ(row(applied("Flip", {}, image)), (std::vector<int>{1, 2, 3, 4}));
}

TEST(Flip, ByChanceIsHalfOfTheTime) {
  const auto step = transformation("FlipTransformation", {{"RandomHorizontalFlip", "1"}});
  EXPECT_TRUE(step->is_random());
  EXPECT_FALSE(transformation("FlipTransformation", {{"HorizontalFlip", "1"}})->is_random());
  int flipped = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    Rng rng(1, "flip", 0, i);
    Image image = picture<uint8_t>(2, 1, 1, {1, 2});
    step->apply(image, rng);
    flipped += row(image)[0] == 2 ? 1 : 0;
  }
  EXPECT_NEAR(flipped, 500, 60);
}

TEST(RangeAffine, ComputesInFloat) {
  const Image image = applied("RangeAffine",
                              {{"FirstOperator", "Minus"},
                               {"FirstValue", "1 2"},
                               {"SecondOperator", "Divides"},
                               {"SecondValue", "4"}},
                              picture<uint8_t>(2, 1, 2, {0, 255, 3, 2}));
  EXPECT_EQ(values<float>(image), (std::vector<float>{-0.25F, 63.25F, 0.5F, 0}));
  EXPECT_EQ(image.depth(), DataType::F32);
}

TEST(RangeAffine, EveryOperatorAndDepth) {
  const auto one = [](const char* op, Image image) {
    return values<float>(
        applied("RangeAffine", {{"FirstOperator", op}, {"FirstValue", "4"}}, std::move(image)))[0];
  };
  EXPECT_FLOAT_EQ(one("Plus", picture<int8_t>(1, 1, 1, {-10})), -6);
  EXPECT_FLOAT_EQ(one("Plus", picture<uint16_t>(1, 1, 1, {10})), 14);
  EXPECT_FLOAT_EQ(one("Minus", picture<int16_t>(1, 1, 1, {-10})), -14);
  EXPECT_FLOAT_EQ(one("Multiplies", picture<int32_t>(1, 1, 1, {10})), 40);
  EXPECT_FLOAT_EQ(one("Divides", picture<float>(1, 1, 1, {10})), 2.5F);
}

TEST(RangeAffine, TruncateDropsTheFraction) {
  EXPECT_EQ(values<float>(applied("RangeAffine",
                                  {{"FirstOperator", "Divides"},
                                   {"FirstValue", "2"},
                                   {"SecondOperator", "Multiplies"},
                                   {"SecondValue", "-1"},
                                   {"Truncate", "1"}},
                                  picture<uint8_t>(2, 1, 1, {3, 4}))),
            (std::vector<float>{-1, -2}));
}

TEST(RangeAffine, BytesOnlyRefusesPicturesOfOtherDepths) {
  const MapKeys::Map keys{{"FirstOperator", "Minus"}, {"FirstValue", "128"}, {"BytesOnly", "1"}};
  EXPECT_EQ(values<float>(applied("RangeAffine", keys, Image(1, 1, 1)))[0], -128);
  EXPECT_EQ(config_error([&] { applied("RangeAffine", keys, Image(1, 1, 1, DataType::U16)); }),
            "a.ini:1: [sp.Transformation] BytesOnly: expected a picture of 8 bits, got 1x1x1 u16\n"
            "  hint: make it one of 8 bits or leave it out: the values of this step are those of bytes");
}

TEST(RangeAffine, Errors) {
  EXPECT_EQ(transformation_errors(
                "RangeAffineTransformation",
                {{"FirstOperator", "Divides"}, {"FirstValue", "0"}, {"SecondOperator", "Modulo"}}),
            "a.ini:5: [sp.Transformation] SecondOperator: expected one of Plus Minus Multiplies Divides, got "
            "'Modulo'\n"
            "a.ini:5: [sp.Transformation] FirstValue: expected numbers other than 0 to divide by\n");
  EXPECT_EQ(
      transformation_errors("RangeAffineTransformation", {{"FirstOperator", "Plus"}, {"FirstValue", ""}}),
      "a.ini:5: [sp.Transformation] FirstValue: expected at least one number, got ''\n");
  EXPECT_EQ(
      config_error([] {
        applied("RangeAffine", {{"FirstOperator", "Minus"}, {"FirstValue", "1 2 3"}}, Image(2, 2, 1));
      }),
      "a.ini:1: [sp.Transformation] FirstValue: expected 1 or 1 numbers for a picture of 2x2x1 u8, got 3\n"
      "  hint: a ColorSpaceTransformation before this step gives every picture the same channels");
}

TEST(ColorSpace, OrdersChannels) {
  const Image colour = picture<uint8_t>(1, 1, 3, {1, 2, 3});
  const auto to = [](const char* space, const Image& image) {
    return row(applied("ColorSpace", {{"ColorSpace", space}}, image));
  };
  EXPECT_EQ(to("BGR", colour), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(to("RGB", colour), (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(to("RGB_to_BGR", colour), (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(to("RGB", picture<uint8_t>(1, 1, 1, {9})), (std::vector<int>{9, 9, 9}));
  EXPECT_EQ(to("BGR", picture<uint8_t>(1, 1, 4, {1, 2, 3, 255})), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(to("RGB", picture<uint8_t>(1, 1, 4, {1, 2, 3, 255})), (std::vector<int>{3, 2, 1}));
}

TEST(ColorSpace, KnowsPureRedInEverySpace) {
  const Image bgr = picture<uint8_t>(1, 1, 3, {0, 0, 255}), rgb = picture<uint8_t>(1, 1, 3, {255, 0, 0});
  const auto to = [](const std::string& space, const Image& image) {
    return row(applied("ColorSpace", {{"ColorSpace", space}}, image));
  };
  EXPECT_EQ(to("HSV", bgr), (std::vector<int>{0, 255, 255}));
  EXPECT_EQ(to("HLS", bgr), (std::vector<int>{0, 128, 255}));
  EXPECT_EQ(to("YCrCb", bgr), (std::vector<int>{76, 255, 85}));
  EXPECT_EQ(to("CIELab", bgr), (std::vector<int>{136, 208, 195}));
  for (const std::string space : {"HSV", "HLS", "YCrCb", "CIELab", "CIELuv"}) {
    EXPECT_EQ(to("RGB_to_" + space, rgb), to(space, bgr)) << space;
    const Image there = applied("ColorSpace", {{"ColorSpace", space}}, bgr);
    const auto back = to(space + "_to_BGR", there), turned = to(space + "_to_RGB", there);
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(back[c], row(bgr)[c], 2) << space;
      EXPECT_NEAR(turned[c], row(rgb)[c], 2) << space;
    }
  }
}

TEST(ColorSpace, Errors) {
  EXPECT_EQ(config_error([] {
              applied("ColorSpace", {{"ColorSpace", "HSV"}}, Image(1, 1, 1));
            }),
            "a.ini:1: [sp.Transformation] ColorSpace: HSV needs a picture of 3 channels, got 1x1x1 u8\n"
            "  hint: a ColorSpaceTransformation with ColorSpace=BGR before this step makes colours of grey");
  EXPECT_EQ(
      config_error([] {
        applied("ColorSpace", {{"ColorSpace", "RGB"}}, Image(1, 1, 2));
      }),
      "a.ini:1: [sp.Transformation] ColorSpace: RGB needs a picture of 1, 3 or 4 channels, got 1x1x2 u8");
  const std::string error = config_error([] {
    applied("ColorSpace", {{"ColorSpace", "HSV"}}, Image(1, 1, 3, DataType::I32));
  });
  EXPECT_EQ(
      error.rfind("a.ini:1: [sp.Transformation] ColorSpaceTransformation: cannot be done with a picture of "
                  "1x1x3 i32: ",
                  0),
      0U)
      << error;
}

TEST(ChannelExtraction, KeepsOneChannel) {
  const Image red = picture<uint8_t>(1, 1, 3, {10, 20, 255});
  const auto channel = [&](const char* name) {
    return row(applied("ChannelExtraction", {{"CSChannel", name}}, red));
  };
  EXPECT_EQ(channel("Blue"), (std::vector<int>{10}));
  EXPECT_EQ(channel("Green"), (std::vector<int>{20}));
  EXPECT_EQ(channel("Red"), (std::vector<int>{255}));
  EXPECT_EQ(channel("Gray"), (std::vector<int>{89}));  // 0.299 * 255 + 0.587 * 20 + 0.114 * 10 = 89.1
  EXPECT_EQ(channel("Y"), (std::vector<int>{89}));
  EXPECT_EQ(channel("Value"), (std::vector<int>{255}));
  EXPECT_EQ(channel("Saturation"), (std::vector<int>{245}));
  EXPECT_EQ(channel("Hue"), (std::vector<int>{1}));
  EXPECT_EQ(channel("Cr"), (std::vector<int>{246}));
  EXPECT_EQ(channel("Cb"), (std::vector<int>{83}));
  EXPECT_EQ(row(applied("ChannelExtraction", {{"CSChannel", "Gray"}}, picture<uint8_t>(1, 1, 1, {7}))),
            (std::vector<int>{7}));
  EXPECT_EQ(config_error([] {
              applied("ChannelExtraction", {{"CSChannel", "Red"}}, Image(1, 1, 1));
            }),
            "a.ini:1: [sp.Transformation] CSChannel: Red needs a picture of 3 channels, got 1x1x1 u8\n"
            "  hint: a ColorSpaceTransformation with ColorSpace=BGR before this step makes colours of grey");
}

const Image kNine = picture<uint8_t>(3, 3, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9});

TEST(SliceExtraction, CutsAtAnOffset) {
  EXPECT_EQ(row(applied("SliceExtraction", {{"Width", "2"}, {"Height", "0"}, {"OffsetX", "1"}}, kNine)),
            (std::vector<int>{2, 3, 5, 6, 8, 9}));
}

TEST(SliceExtraction, RandomOffsetsReachEveryPlaceInside) {
  const auto step =
      transformation("SliceExtractionTransformation",
                     {{"Width", "1"}, {"Height", "1"}, {"RandomOffsetX", "1"}, {"RandomOffsetY", "1"}});
  EXPECT_TRUE(step->is_random());
  std::set<int> seen;
  for (uint64_t i = 0; i < 200; ++i) {
    Image image = kNine;
    Rng rng(1, "slice", 0, i);
    step->apply(image, rng);
    seen.insert(row(image)[0]);
  }
  EXPECT_EQ(seen.size(), 9U);
}

TEST(SliceExtraction, PadsWhenAllowed) {
  EXPECT_EQ(row(applied("SliceExtraction",
                        {{"Width", "5"},
                         {"Height", "1"},
                         {"OffsetX", "-1"},
                         {"AllowPadding", "1"},
                         {"BorderType", "ConstantBorder"},
                         {"BorderValue", "7"}},
                        kNine)),
            (std::vector<int>{7, 1, 2, 3, 7}));
  EXPECT_EQ(
      config_error([] {
        applied("SliceExtraction", {{"Width", "5"}, {"Height", "1"}}, kNine);
      }),
      "a.ini:1: [sp.Transformation] OffsetX: a slice of 5 pixels does not fit into a picture of 3x3x1 u8\n"
      "  hint: AllowPadding=1 pads the picture");
  EXPECT_EQ(config_error([] {
              applied("SliceExtraction", {{"Width", "2"}, {"Height", "2"}, {"OffsetY", "2"}}, kNine);
            }),
            "a.ini:1: [sp.Transformation] OffsetY: expected 0 to 1 for a slice of 2 pixels in a picture of "
            "3x3x1 u8, "
            "got 2\n"
            "  hint: AllowPadding=1 pads the picture");
}

TEST(SliceExtraction, TurnsAroundTheMiddle) {
  const auto turned = [](const char* range) {
    return row(applied(
        "SliceExtraction",
        {{"Width", "3"}, {"Height", "3"}, {"RandomRotation", "1"}, {"RandomRotationRange", range}}, kNine));
  };
  EXPECT_EQ(turned("0 0"), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(turned("180 180"), (std::vector<int>{9, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(turned("90 90"), (std::vector<int>{3, 6, 9, 2, 5, 8, 1, 4, 7}));
}

TEST(SliceExtraction, ScalingMagnifiesAroundTheMiddle) {
  const Image image =
      applied("SliceExtraction",
              {{"Width", "3"}, {"Height", "1"}, {"RandomScaling", "1"}, {"RandomScalingRange", "2 2"}},
              picture<float>(3, 1, 1, {10, 20, 30}));
  EXPECT_EQ(values<float>(image), (std::vector<float>{15, 20, 25}));
}

TEST(SliceExtraction, RangesAreChecked) {
  EXPECT_EQ(
      transformation_errors(
          "SliceExtractionTransformation",
          {{"Width", "3"}, {"Height", "3"}, {"RandomRotationRange", "3"}, {"RandomScalingRange", "0 1"}}),
      "a.ini:5: [sp.Transformation] RandomRotationRange: expected two numbers, the smaller one first, got "
      "'3'\n"
      "a.ini:5: [sp.Transformation] RandomScalingRange: expected two numbers, the smaller one first and >= "
      "0.001, "
      "got '0 1'\n");
}

}  // namespace
}  // namespace n2d2::data
