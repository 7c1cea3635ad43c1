#include "n2d2/data/pixel_table.hpp"

#include <cmath>

#include "n2d2/data/stimuli_provider.hpp"

#include "samples.hpp"

namespace n2d2::data {
namespace {

using Steps = std::vector<std::pair<std::string, MapKeys::Map>>;

struct Chain {
  int width = 8, height = 6, channels = 3;
  /// Steps that come before the table, and those that are in it.
  Steps first = {}, last = {};
  /// Channel of the picture after `first` for each channel that is given.
  std::vector<int> given = {};
};

StimuliProvider provider_of(const Chain& chain, int pictures, const Steps& steps) {
  ProviderOptions options;
  options.size = {chain.width, chain.height};
  options.nb_channels = chain.channels;
  StimuliProvider out(options, std::make_shared<RandomPictures>(3, 8, 6, pictures), 1);
  for (const auto& [type, keys] : steps) out.add(transformation(type, keys), TransformationGroup::Cacheable);
  return out;
}

/// Every number that the provider gives for every picture is that of the table for the bytes before it.
void expect_equal(const Chain& chain, int pictures, const std::vector<std::string>& channels) {
  Steps all = chain.first;
  all.insert(all.end(), chain.last.begin(), chain.last.end());
  const StimuliProvider provider = provider_of(chain, pictures, all);
  const PixelTable table = provider.pixel_table(Partition::Test);
  ASSERT_EQ(table.reason, "");
  EXPECT_EQ(table.channels, channels);
  const RandomPictures database(3, 8, 6, pictures);
  for (int64_t i = 0; i < provider.size(Partition::Test); ++i) {
    Image picture = database.image(database.id(Partition::Test, i));
    Rng unused(1, "");
    for (const auto& [type, keys] : chain.first) transformation(type, keys)->apply(picture, unused);
    Tensor batch;
    std::vector<int> labels;
    provider.read(Partition::Test, std::span(&i, 1), 0, batch, labels);
    const auto pixels = std::as_const(picture).span<uint8_t>();
    const size_t count = static_cast<size_t>(chain.width) * static_cast<size_t>(chain.height);
    for (size_t c = 0; c < static_cast<size_t>(chain.channels); ++c)
      for (size_t p = 0; p < count; ++p) {
        const int channel = chain.given.at(static_cast<size_t>(table.source.at(c)));
        const uint8_t byte =
            pixels[p * static_cast<size_t>(picture.channels()) + static_cast<size_t>(channel)];
        ASSERT_EQ(batch.span<float>()[c * count + p], table.values.span<float>()[c * 256 + byte])
            << "channel " << c << " pixel " << p;
      }
  }
}

const std::pair<std::string, MapKeys::Map> kRgb{"ColorSpaceTransformation", {{"ColorSpace", "RGB"}}};
const std::pair<std::string, MapKeys::Map> kRescale{"RescaleTransformation",
                                                    {{"Width", "5"}, {"Height", "4"}}};
const std::pair<std::string, MapKeys::Map> kImagenet{"RangeAffineTransformation",
                                                     {{"FirstOperator", "Minus"},
                                                      {"FirstValue", "123.675 116.28 103.53"},
                                                      {"SecondOperator", "Divides"},
                                                      {"SecondValue", "58.395 57.12 57.375"}}};

TEST(PixelTable, GivesWhatTheProviderGives) {
  const std::vector<std::string> rgb{"R", "G", "B"};
  expect_equal({8, 6, 3, {}, {}, {2, 1, 0}}, 3, rgb);
  expect_equal({8, 6, 3, {}, {kRgb}, {2, 1, 0}}, 3, rgb);
  expect_equal({5, 4, 3, {kRescale}, {kRgb, kImagenet}, {2, 1, 0}}, 3, rgb);
  expect_equal({5, 4, 3, {kRgb, kRescale}, {kImagenet}, {0, 1, 2}}, 3, rgb);
  expect_equal({5, 4, 3, {kRescale}, {kImagenet, kRgb}, {2, 1, 0}}, 3, rgb);
  expect_equal({8, 6, 1, {}, {}, {0}}, 1, {"Y"});
  expect_equal({8, 6, 3, {}, {kRgb, kImagenet}, {0, 0, 0}}, 1, {"Y"});
  expect_equal({8, 6, 1, {{"ChannelExtractionTransformation", {{"CSChannel", "Gray"}}}}, {}, {0}}, 3, {"Y"});
  expect_equal({8, 6, 1, {{"ChannelExtractionTransformation", {{"CSChannel", "Red"}}}}, {}, {0}}, 3, {"R"});
  expect_equal({8, 6, 3, {{"ColorSpaceTransformation", {{"ColorSpace", "HSV"}}}}, {kImagenet}, {0, 1, 2}}, 3,
               {"HSV.0", "HSV.1", "HSV.2"});
  expect_equal({8, 6, 2, {}, {}, {0, 1}}, 2, {"0", "1"});
}

TEST(PixelTable, HoldsEveryStepThatLooksAtOneValueAlone) {
  const std::vector<std::string> rgb{"R", "G", "B"};
  const std::pair<std::string, MapKeys::Map> clip{"RangeClippingTransformation",
                                                  {{"RangeMin", "20"}, {"RangeMax", "200"}}};
  const std::pair<std::string, MapKeys::Map> cut{"ThresholdTransformation",
                                                 {{"Threshold", "90"}, {"Operation", "ToZero"}}};
  const std::pair<std::string, MapKeys::Map> trim{"TrimTransformation", {{"NbLevels", "7"}}};
  expect_equal({8, 6, 3, {}, {clip}, {2, 1, 0}}, 3, rgb);
  expect_equal({8, 6, 3, {}, {clip, cut, trim, kRgb, kImagenet}, {2, 1, 0}}, 3, rgb);
  expect_equal({5, 4, 3, {kRescale}, {kImagenet, clip, cut}, {2, 1, 0}}, 3, rgb);
  // Transformations that look at the whole picture come before it.
  expect_equal({8, 6, 3, {{"RangeClippingTransformation", {}}}, {clip}, {2, 1, 0}}, 3, rgb);
  expect_equal({8, 6, 3, {{"EqualizeTransformation", {}}}, {trim}, {2, 1, 0}}, 3, rgb);
}

TEST(PixelTable, SaysWhyThereIsNone) {
  EXPECT_EQ(
      provider_of({}, 3, {{"NormalizeTransformation", {}}, kImagenet}).pixel_table(Partition::Test).reason,
      "pictures are 8x6x3 f32 after [sp.Transformation], expected bytes");
  EXPECT_EQ(provider_of({5, 4}, 3, {kImagenet, kRescale}).pixel_table(Partition::Test).reason,
            "pictures are 5x4x3 f32 after [sp.Transformation], expected bytes");
  EXPECT_EQ(provider_of({}, 3, {}).pixel_table(Partition::Validation).reason, "there is no picture");
  EXPECT_EQ(provider_of({8, 6, 1}, 3, {}).pixel_table(Partition::Test).reason,
            "the chain gives 3 channels, expected 1");
}

TEST(PixelTable, HasTheNumbersOfAStepThatStandardizesFloats) {
  const auto table_of = [](const MapKeys::Map& keys, DataType depth, int levels = 0) {
    const auto step = transformation("RangeAffineTransformation", keys);
    const Transformation* const steps[] = {step.get()};
    ProviderOptions options;
    options.quantization_levels = levels;
    return pixel_table(steps, Image(1, 1, 2, depth), options);
  };
  const MapKeys::Map standardizes{{"FirstOperator", "Minus"},
                                  {"FirstValue", "20.1 0"},
                                  {"SecondOperator", "Divides"},
                                  {"SecondValue", "1.3 1900"}};
  const PixelTable features = table_of(standardizes, DataType::F32);
  EXPECT_EQ(features.mean, (std::vector<double>{20.1, 0}));
  EXPECT_EQ(features.deviation, (std::vector<double>{1.3, 1900}));
  EXPECT_FALSE(features.reason.empty());
  MapKeys::Map adds = standardizes;
  adds["FirstOperator"] = "Plus";
  EXPECT_EQ(table_of(adds, DataType::F32).mean, (std::vector<double>{-20.1, 0}));
  EXPECT_FALSE(std::signbit(table_of(adds, DataType::F32).mean[1]));
  EXPECT_TRUE(table_of(standardizes, DataType::U8).mean.empty());
  EXPECT_TRUE(table_of(standardizes, DataType::F32, 16).mean.empty()) << "values are rounded behind it";
  EXPECT_TRUE(table_of({{"FirstOperator", "Plus"}, {"FirstValue", "0"}}, DataType::F32).mean.empty());
}

}  // namespace
}  // namespace n2d2::data
