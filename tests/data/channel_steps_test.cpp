// Channels that are made one by one.
#include "n2d2/data/stimuli_provider.hpp"

#include "applied.hpp"

namespace n2d2::data {
namespace {

using Group = TransformationGroup;

StimuliProvider provider(int channels, int pictures = 3) {
  ProviderOptions options;
  options.size = {8, 6};
  options.nb_channels = channels;
  options.where = {"a.ini", 2};
  return {options, std::make_shared<RandomPictures>(4, 8, 6, pictures), 1};
}

std::unique_ptr<Transformation> extraction(const char* channel) {
  return transformation("ChannelExtractionTransformation", {{"CSChannel", channel}});
}

std::unique_ptr<Transformation> times(const char* factor, const char* apply_to = "All") {
  return transformation("RangeAffineTransformation",
                        {{"FirstOperator", "Multiplies"}, {"FirstValue", factor}, {"ApplyTo", apply_to}});
}

std::vector<float> read(const StimuliProvider& from, Partition partition = Partition::Test,
                        uint64_t epoch = 0) {
  Tensor batch;
  std::vector<int> labels;
  from.read(partition, std::vector<int64_t>{0}, epoch, batch, labels);
  const auto span = std::as_const(batch).span<float>();
  return {span.begin(), span.end()};
}

/// A channel of the first picture of the database, in floats.
std::vector<float> plane(const StimuliProvider& from, int channel, float factor = 1) {
  const Image image = from.database().image(0);
  std::vector<float> out;
  for (size_t i = static_cast<size_t>(channel); i < image.span<uint8_t>().size();
       i += static_cast<size_t>(image.channels()))
    out.push_back(factor * static_cast<float>(image.span<uint8_t>()[i]));
  return out;
}

std::vector<float> joined(std::vector<std::vector<float>> planes) {
  std::vector<float> out;
  for (const auto& p : planes) out.insert(out.end(), p.begin(), p.end());
  return out;
}

TEST(ChannelSteps, EachChannelIsMadeFromTheWholePicture) {
  StimuliProvider p = provider(2);
  p.add(extraction("Red"), Group::Channel, 0);
  p.add(extraction("Blue"), Group::Channel, 1);
  p.add(times("3"), Group::ChannelOnTheFly, 1);
  p.add(times("2"), Group::Channel);  // every channel, before those on the fly
  EXPECT_EQ(read(p), joined({plane(p, 2, 2), plane(p, 0, 6)}));
}

TEST(ChannelSteps, ForEveryChannelAloneTakeThoseOfThePicture) {
  StimuliProvider p = provider(3);
  p.add(transformation("NormalizeTransformation", {}), Group::Channel);
  const auto whole = applied("Normalize", {{"PerChannel", "1"}}, p.database().image(0));
  const auto seen = read(p);
  for (size_t c = 0; c < 3; ++c)
    for (size_t i = 0; i < 48; ++i) EXPECT_EQ(seen[48 * c + i], whole.span<float>()[3 * i + c]);
}

TEST(ChannelSteps, ApplyToTheirPartitions) {
  StimuliProvider p = provider(1);
  p.add(extraction("Green"), Group::Channel, 0);
  p.add(times("5", "LearnOnly"), Group::Channel, 0);
  p.add(times("1"), Group::ChannelOnTheFly, 0);
  EXPECT_EQ(read(p, Partition::Learn), plane(p, 1, 5));
  EXPECT_EQ(read(p), plane(p, 1));
}

TEST(ChannelSteps, ForEveryChannelDrawOnceForAll) {
  StimuliProvider p = provider(2);
  p.add(extraction("Red"), Group::Channel, 0);
  p.add(extraction("Red"), Group::Channel, 1);
  p.add(transformation("RandomAffineTransformation", {{"GainRange", "0 1"}}), Group::ChannelOnTheFly);
  EXPECT_TRUE(p.is_random(Partition::Test));
  const auto first = read(p, Partition::Test, 1), second = read(p, Partition::Test, 2);
  EXPECT_NE(first, second);
  for (size_t i = 0; i < 48; ++i) EXPECT_EQ(first[i], first[48 + i]);
  EXPECT_EQ(read(p, Partition::Test, 1), first);
}

TEST(ChannelSteps, AChannelIsOneChannelOfTheSizeOfTheOthers) {
  StimuliProvider p = provider(1);
  p.add(transformation("FlipTransformation", {}), Group::Channel, 0);
  EXPECT_EQ(config_error([&] { read(p); }),
            "a.ini:1: [sp.Transformation] expected one channel for channel 0 of the input, got a picture of "
            "8x6x3 u8 ('picture 0')\n"
            "  hint: a ChannelExtractionTransformation before or after it keeps one");
  StimuliProvider q = provider(2);
  q.add(extraction("Red"), Group::Channel, 0);
  q.add(extraction("Red"), Group::Channel, 1);
  q.add(times("2"), Group::Channel, 1);
  EXPECT_EQ(config_error([&] { read(q); }),
            "a.ini:1: [sp.Transformation] channel 1 is a picture of 8x6x1 f32, channel 0 one of 8x6x1 u8 "
            "('picture 0')\n"
            "  hint: all channels of the input have one size and one depth");
}

TEST(ChannelSteps, AreATableWhereEachOfThemIs) {
  StimuliProvider p = provider(3);
  p.add(times("2"), Group::Channel);
  const PixelTable table = p.pixel_table(Partition::Test);
  ASSERT_EQ(table.reason, "");
  const auto seen = read(p);
  const Image image = p.database().image(0);
  for (size_t c = 0; c < 3; ++c)
    for (size_t i = 0; i < 48; ++i)
      EXPECT_EQ(seen[48 * c + i], table.values.span<float>()[256 * c + image.span<uint8_t>()[3 * i + c]]);
}

}  // namespace
}  // namespace n2d2::data
