#include "n2d2/data/stimuli_provider.hpp"

#include <atomic>

#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/data/batch_loader.hpp"

#include "files/matrix_file.hpp"
#include "samples.hpp"

namespace n2d2::data {
namespace {

/// One picture given by the test, in Test.
class OnePicture final : public Database {
 public:
  explicit OnePicture(Image image) : image_(std::move(image)) { partitions_[2] = {0}; }
  int64_t size() const override { return 1; }
  std::string name(int64_t) const override { return "the picture"; }
  int label(int64_t) const override { return -1; }
  Image image(int64_t) const override { return image_; }

 private:
  Image image_;
};

ProviderOptions options(int width, int height, int channels) {
  ProviderOptions out;
  out.size = {width, height};
  out.nb_channels = channels;
  out.where = {"a.ini", 2};
  return out;
}

std::vector<float> read_one(const StimuliProvider& provider) {
  Tensor batch;
  std::vector<int> labels;
  provider.read(Partition::Test, std::vector<int64_t>{0}, 0, batch, labels);
  EXPECT_EQ(labels, (std::vector<int>{-1}));
  const auto span = std::as_const(batch).span<float>();
  return {span.begin(), span.end()};
}

template <class T>
std::vector<float> normalized(const std::vector<T>& pixels, bool signed_mapping) {
  ProviderOptions o = options(static_cast<int>(pixels.size()), 1, 1);
  o.data_signed_mapping = signed_mapping;
  return read_one(StimuliProvider(
      o, std::make_shared<OnePicture>(picture<T>(static_cast<int>(pixels.size()), 1, 1, pixels)), 1));
}

TEST(StimuliProvider, NormalizesIntegerPicturesByTheirDepth) {
  EXPECT_EQ(normalized<uint8_t>({0, 51, 255}, false), (std::vector<float>{0, 0.2F, 1}));
  EXPECT_EQ(normalized<uint8_t>({0, 128, 255}, true), (std::vector<float>{-1, 0, 127.0F / 128}));
  EXPECT_EQ(normalized<int8_t>({0, 127, -127}, false), (std::vector<float>{0, 1, -1}));
  EXPECT_EQ(normalized<int8_t>({0, 127}, true), (std::vector<float>{-1, -1.0F / 128}));
  EXPECT_EQ(normalized<uint16_t>({0, 65535}, false), (std::vector<float>{0, 1}));
  EXPECT_EQ(normalized<uint16_t>({0, 32768}, true), (std::vector<float>{-1, 0}));
  EXPECT_EQ(normalized<int16_t>({0, 32767}, false), (std::vector<float>{0, 1}));
  EXPECT_EQ(normalized<int16_t>({0, 16384}, true), (std::vector<float>{-1, -0.5F}));
  EXPECT_EQ(normalized<int32_t>({0, 2147483647}, false), (std::vector<float>{0, 1}));
  EXPECT_EQ(normalized<int32_t>({0, 2147483647}, true), (std::vector<float>{0, 1}));
  EXPECT_EQ(normalized<float>({0, 255}, false), (std::vector<float>{0, 255}));
  EXPECT_EQ(normalized<float>({0, 255}, true), (std::vector<float>{0, 255}));
}

TEST(StimuliProvider, FloatsFromTransformationsStayAsProduced) {
  StimuliProvider provider(options(2, 1, 1),
                           std::make_shared<OnePicture>(picture<uint8_t>(2, 1, 1, {0, 200})), 1);
  provider.add(transformation("RangeAffineTransformation", {{"FirstOperator", "Plus"}, {"FirstValue", "0"}}),
               TransformationGroup::Cacheable);
  EXPECT_EQ(read_one(provider), (std::vector<float>{0, 200}));
}

TEST(StimuliProvider, PlanesComeInTheOrderOfTheChannels) {
  const StimuliProvider provider(
      options(2, 1, 3), std::make_shared<OnePicture>(picture<float>(2, 1, 3, {1, 2, 3, 4, 5, 6})), 1);
  EXPECT_EQ(read_one(provider), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(provider.sample_shape(), (Shape{1, 3, 1, 2}));
}

TEST(StimuliProvider, CacheableStepsRunBeforeOnTheFlyOnesEachInOrder) {
  StimuliProvider provider(options(1, 1, 1), std::make_shared<OnePicture>(picture<float>(1, 1, 1, {1})), 1);
  const auto step = [](const char* op, const char* value) {
    return transformation("RangeAffineTransformation", {{"FirstOperator", op}, {"FirstValue", value}});
  };
  provider.add(step("Multiplies", "10"), TransformationGroup::OnTheFly);
  provider.add(step("Plus", "1"), TransformationGroup::Cacheable);
  provider.add(step("Multiplies", "3"), TransformationGroup::Cacheable);
  provider.add(step("Minus", "7"), TransformationGroup::OnTheFly);
  EXPECT_EQ(read_one(provider), (std::vector<float>{53}));
}

TEST(StimuliProvider, ShowsASampleAfterEveryStep) {
  StimuliProvider provider(options(2, 1, 1),
                           std::make_shared<OnePicture>(picture<uint8_t>(2, 1, 1, {10, 200})), 1);
  const auto plus = [](const char* value) {
    return transformation("RangeAffineTransformation", {{"FirstOperator", "Plus"}, {"FirstValue", value}});
  };
  provider.add(plus("1"), TransformationGroup::Cacheable);
  provider.add(transformation("RangeAffineTransformation",
                              {{"FirstOperator", "Plus"}, {"FirstValue", "9"}, {"ApplyTo", "LearnOnly"}}),
               TransformationGroup::Cacheable);
  provider.add(plus("2"), TransformationGroup::OnTheFly);
  std::vector<std::string> steps;
  std::vector<Image> images;
  provider.follow(Partition::Test, 0, 0, [&](const Transformation* step, const Image& image) {
    steps.push_back(step == nullptr ? "stored" : step->type());
    images.push_back(image);
  });
  EXPECT_EQ(steps,
            (std::vector<std::string>{"stored", "RangeAffineTransformation", "RangeAffineTransformation"}));
  EXPECT_EQ(images[0], picture<uint8_t>(2, 1, 1, {10, 200}));
  EXPECT_EQ(images[1], picture<float>(2, 1, 1, {11, 201}));
  EXPECT_EQ(images[2], picture<float>(2, 1, 1, {13, 203}));
}

TEST(StimuliProvider, StepsApplyToTheirPartitions) {
  StimuliProvider provider(options(4, 4, 1), std::make_shared<RandomPictures>(4, 4, 4, 1), 1);
  provider.add(
      transformation("FlipTransformation", {{"ApplyTo", "LearnOnly"}, {"RandomHorizontalFlip", "1"}}),
      TransformationGroup::OnTheFly);
  EXPECT_TRUE(provider.is_random(Partition::Learn));
  EXPECT_FALSE(provider.is_random(Partition::Test));
}

TEST(StimuliProvider, WrongSizesNameTheSampleAndTheStep) {
  const auto error = [](int width, int height, int channels) {
    return config_error([&] {
      read_one(StimuliProvider(options(width, height, channels),
                               std::make_shared<OnePicture>(Image(28, 20, 1)), 1));
    });
  };
  EXPECT_EQ(
      error(32, 32, 1),
      "a.ini:2: [sp] Size: expected pictures of 32x32x1 (width, height, channels) after all transformations, "
      "'the picture' is 28x20x1\n"
      "  hint: a RescaleTransformation or PadCropTransformation brings them together");
  EXPECT_EQ(error(28, 20, 3),
            "a.ini:2: [sp] NbChannels: expected pictures of 28x20x3 (width, height, channels) after all "
            "transformations, 'the picture' is 28x20x1\n"
            "  hint: NbChannels or a ColorSpaceTransformation brings them together");
}

TEST(StimuliProvider, WrongSizesNameTheStepThatMadeThem) {
  StimuliProvider provider(options(32, 32, 1), std::make_shared<OnePicture>(Image(28, 20, 3)), 1);
  provider.add(transformation("ChannelExtractionTransformation", {{"CSChannel", "Gray"}}),
               TransformationGroup::Cacheable);
  provider.add(
      transformation("PadCropTransformation", {{"Width", "4"}, {"Height", "4"}, {"AdditiveWH", "1"}}),
      TransformationGroup::OnTheFly);
  EXPECT_EQ(
      config_error([&] { read_one(provider); }),
      "a.ini:2: [sp] Size: expected pictures of 32x32x1 (width, height, channels) after all transformations, "
      "'the picture' is 32x24x1 after [sp.Transformation]\n"
      "  hint: a RescaleTransformation or PadCropTransformation brings them together");
}

/// Deterministic steps first, then random ones.
StimuliProvider augmented(uint64_t seed, int64_t cache_bytes) {
  ProviderOptions o = options(8, 8, 3);
  o.cache_bytes = cache_bytes;
  StimuliProvider out(o, std::make_shared<RandomPictures>(20, 10, 12, 3), seed);
  out.add(transformation("RescaleTransformation", {{"Width", "11"}, {"Height", "11"}}),
          TransformationGroup::Cacheable);
  out.add(transformation("SliceExtractionTransformation",
                         {{"Width", "8"}, {"Height", "8"}, {"RandomOffsetX", "1"}, {"RandomOffsetY", "1"}}),
          TransformationGroup::OnTheFly);
  out.add(transformation("FlipTransformation", {{"RandomHorizontalFlip", "1"}}),
          TransformationGroup::OnTheFly);
  return out;
}

Tensor read(const StimuliProvider& provider, const std::vector<int64_t>& indices, uint64_t epoch) {
  Tensor batch;
  std::vector<int> labels;
  provider.read(Partition::Learn, indices, epoch, batch, labels);
  for (size_t i = 0; i < indices.size(); ++i) EXPECT_EQ(labels[i], static_cast<int>(indices[i] % 3));
  return batch;
}

TEST(StimuliProvider, RandomnessIsAFunctionOfSeedEpochAndSample) {
  const auto provider = augmented(1, 1 << 20);
  const std::vector<int64_t> all = in_order(20);
  const Tensor first = read(provider, all, 0);
  EXPECT_EQ(first, read(provider, all, 0));
  EXPECT_EQ(first, read(augmented(1, 1 << 20), all, 0));
  EXPECT_NE(first, read(provider, all, 1));
  EXPECT_NE(first, read(augmented(2, 1 << 20), all, 0));
  const Tensor one = read(provider, {13}, 0);
  const auto per_sample = static_cast<size_t>(one.elements());
  EXPECT_TRUE(std::equal(one.span<float>().begin(), one.span<float>().end(),
                         first.span<float>().begin() + static_cast<std::ptrdiff_t>(13 * per_sample)));
}

TEST(StimuliProvider, NeitherThreadsNorTheCacheChangeValues) {
  const std::vector<int64_t> all = in_order(20);
  const int threads = max_threads();
  set_max_threads(1);
  const Tensor expected = read(augmented(1, 0), all, 3);
  set_max_threads(4);
  for (const int64_t cache_bytes : {0, 2000, 1 << 20}) {
    const auto provider = augmented(1, cache_bytes);
    EXPECT_EQ(read(provider, all, 3), expected);
    EXPECT_EQ(read(provider, all, 3), expected);
  }
  set_max_threads(threads);
}

class CountedPictures final : public Database {
 public:
  CountedPictures() { partitions_[0] = {0, 1, 2, 3}; }
  int64_t size() const override { return 4; }
  std::string name(int64_t) const override { return "a picture"; }
  int label(int64_t id) const override { return static_cast<int>(id % 3); }
  Image image(int64_t id) const override {
    ++read;
    return picture<uint8_t>(2, 1, 1, {static_cast<uint8_t>(id), 77});
  }
  mutable std::atomic<int> read = 0;
};

TEST(StimuliProvider, KeepsPicturesUntilItIsToldNotTo) {
  const auto pictures = std::make_shared<CountedPictures>();
  StimuliProvider provider(options(2, 1, 1), pictures, 1);
  const std::vector<int64_t> all = in_order(4);
  const Tensor expected = read(provider, all, 0);
  EXPECT_EQ(read(provider, all, 0), expected);
  EXPECT_EQ(pictures->read, 4);
  provider.stop_keeping();
  EXPECT_EQ(read(provider, all, 0), expected);
  EXPECT_EQ(read(provider, all, 0), expected);
  EXPECT_EQ(pictures->read, 12);
}

TEST(StimuliProvider, ReusesTheBatchsMemory) {
  const StimuliProvider provider(options(4, 4, 1), std::make_shared<RandomPictures>(4, 4, 4, 1), 1);
  Tensor batch;
  std::vector<int> labels;
  provider.read(Partition::Learn, std::vector<int64_t>{0, 1}, 0, batch, labels);
  const void* memory = batch.raw();
  provider.read(Partition::Learn, std::vector<int64_t>{2, 3}, 0, batch, labels);
  EXPECT_EQ(batch.raw(), memory);
  provider.read(Partition::Learn, {}, 0, batch, labels);
  EXPECT_EQ(batch.shape(), (Shape{0, 1, 4, 4}));
}

TEST(StimuliProvider, StatisticsAreOfValuesBeforeNormalization) {
  StimuliProvider provider(options(4, 1, 1),
                           std::make_shared<OnePicture>(picture<uint8_t>(4, 1, 1, {1, 3, 1, 3})), 1);
  const ValueStatistics plain = provider.statistics(ApplyTo::All);
  EXPECT_EQ(plain.min, 1);
  EXPECT_EQ(plain.max, 3);
  EXPECT_EQ(plain.mean, 2);
  EXPECT_EQ(plain.std_dev, 1);
  provider.add(
      transformation("RangeAffineTransformation", {{"FirstOperator", "Multiplies"}, {"FirstValue", "2"}}),
      TransformationGroup::Cacheable);
  EXPECT_EQ(provider.statistics(ApplyTo::TestOnly).mean, 4);
  EXPECT_EQ(provider.statistics(ApplyTo::LearnOnly).mean, 0);  // no sample
}

TEST(StimuliProvider, DescribesItsChain) {
  StimuliProvider provider(options(2, 1, 1), std::make_shared<OnePicture>(picture<uint8_t>(2, 1, 1, {0, 9})),
                           1);
  provider.add(transformation("FlipTransformation", {{"RandomVerticalFlip", "1"}}),
               TransformationGroup::OnTheFly);
  EXPECT_EQ(provider.describe(),
            "digraph transformations {\n"
            "  rankdir=LR;\n"
            "  node [shape=box];\n"
            "  Test_0 [label=\"Test\\n1 samples\", shape=folder];\n"
            "  Test_1 [label=\"[sp.Transformation]\\nFlipTransformation RandomVerticalFlip=1\\nrandom\"];\n"
            "  Test_0 -> Test_1;\n"
            "  Test_2 [label=\"integers to [0,1]\\nfloats unchanged\"];\n"
            "  Test_1 -> Test_2;\n"
            "  Test_3 [label=\"[sp]\\n2x1x1\"];\n"
            "  Test_2 -> Test_3;\n"
            "}\n");
}

std::string option_errors(MapKeys::Map section, MapKeys::Map config = {}, std::string* warnings = nullptr) {
  Diagnostics diagnostics;
  read_provider_options(MapKeys(std::move(section), "[sp]"), MapKeys(std::move(config), "[sp]"), diagnostics);
  if (warnings != nullptr)
    for (const Diagnostic& warning : diagnostics.warnings()) *warnings += warning.text() + "\n";
  return errors_of(diagnostics);
}

TEST(ProviderOptions, ReadSizesInBothSpellings) {
  for (const MapKeys::Map& keys : {MapKeys::Map{{"Size", "32 24"}}, {{"SizeX", "32"}, {"SizeY", "24"}}}) {
    Diagnostics diagnostics;
    const auto o = read_provider_options(MapKeys(keys, "[env]"),
                                         MapKeys({{"DataSignedMapping", "1"}}, "[env]"), diagnostics);
    EXPECT_EQ(errors_of(diagnostics), "");
    EXPECT_EQ(o.size, (Dims{32, 24}));
    EXPECT_EQ(o.subject, "[env]");
    EXPECT_EQ(o.where, (SourceLocation{"a.ini", 1}));
    EXPECT_TRUE(o.data_signed_mapping);
  }
  EXPECT_EQ(option_errors({}), "a.ini:1: [sp] Size: missing, expected 1 or 2 integers >= 1\n");
}

TEST(ProviderOptions, AThirdAxisOfOneIsNone) {
  EXPECT_EQ(option_errors({{"Size", "8 6 1"}, {"SizeD", "1"}}), "");
  EXPECT_EQ(option_errors({{"Size", "8 6 2"}}),
            "a.ini:5: [sp] Size: expected 1 or 2 integers >= 1, got '8 6 2'\n");
}

TEST(ProviderOptions, UnsupportedKeysAreErrors) {
  EXPECT_EQ(
      option_errors({{"Size", "8"}, {"SizeD", "3"}, {"TargetSizeX", "4"}}),
      "a.ini:5: [sp] SizeD: '3' is not supported: pictures have two axes\n"
      "a.ini:5: [sp] TargetSizeX: '4' is not supported: only the input can be the target (DataAsTarget)\n");
}

TEST(ProviderOptions, QuantizationIsChecked) {
  EXPECT_EQ(option_errors({{"Size", "8"}}, {{"QuantizationLevels", "1"}}),
            "a.ini:5: [sp] QuantizationLevels: expected 0 or at least 2, got '1'\n");
  EXPECT_EQ(option_errors({{"Size", "8"}}, {{"QuantizationLevels", "3"}, {"QuantizationMin", "1"}}),
            "a.ini:5: [sp] QuantizationMin: expected less than QuantizationMax (1), got 1\n");
}

TEST(ProviderOptions, WhatHasNoEffectIsAWarning) {
  std::string warnings;
  EXPECT_EQ(
      option_errors({{"Size", "8"}}, {{"QuantizationMin", "-1"}, {"StreamTensor", "1"}, {"StreamLabel", "1"}},
                    &warnings),
      "");
  EXPECT_EQ(warnings,
            "a.ini:5: [sp] QuantizationMin: without effect with QuantizationLevels=0\n"
            "a.ini:5: [sp] StreamTensor: ignored, samples are not streamed\n"
            "a.ini:5: [sp] StreamLabel: ignored, samples are not streamed\n");
}

TEST(StimuliProvider, QuantizesWhatTheNetworkSees) {
  ProviderOptions o = options(5, 1, 1);
  o.quantization_levels = 3;
  o.quantization_min = -1;
  const auto database = std::make_shared<OnePicture>(picture<uint8_t>(5, 1, 1, {0, 127, 128, 200, 255}));
  EXPECT_EQ(read_one(StimuliProvider(o, database, 1)), (std::vector<float>{0, 0, 1, 1, 1}));
  o.data_signed_mapping = true;
  EXPECT_EQ(read_one(StimuliProvider(o, database, 1)), (std::vector<float>{-1, 0, 0, 1, 1}));
  const StimuliProvider provider(o, database, 1);
  const PixelTable table = provider.pixel_table(Partition::Test);
  for (const int byte : {0, 127, 128, 200, 255})
    EXPECT_EQ(table.values.span<float>()[static_cast<size_t>(byte)], byte == 0    ? -1.0F
                                                                     : byte < 200 ? 0.0F
                                                                                  : 1.0F);
}

/// Pictures that are counted when they are read, and change with the stamp.
class Stamped final : public Database {
 public:
  explicit Stamped(std::string stamp) : stamp_(std::move(stamp)) { partitions_[0] = {0, 1, 2}; }
  int64_t size() const override { return 3; }
  std::string name(int64_t id) const override { return std::to_string(id); }
  int label(int64_t) const override { return 0; }
  Image image(int64_t id) const override {
    ++reads;
    return picture<uint8_t>(2, 1, 1, {static_cast<uint8_t>(id), static_cast<uint8_t>(stamp_.size())});
  }
  std::string stamp() const override { return stamp_; }
  mutable std::atomic<int> reads = 0;

 private:
  std::string stamp_;
};

TEST(StimuliProvider, KeepsPicturesForOtherRuns) {
  const Folder folder;
  int reads = 0;
  const auto seen = [&](const char* stamp, const char* factor, bool flips) {
    ProviderOptions o = options(2, 1, 1);
    o.cache_path = folder.path("cache");
    const auto database = std::make_shared<Stamped>(stamp);
    StimuliProvider provider(o, database, 1);
    provider.add(transformation("RangeAffineTransformation",
                                {{"FirstOperator", "Multiplies"}, {"FirstValue", factor}}),
                 TransformationGroup::Cacheable);
    provider.add(transformation("FlipTransformation", {{"HorizontalFlip", flips ? "1" : "0"}}),
                 TransformationGroup::OnTheFly);
    provider.open_cache_path();
    Tensor batch;
    std::vector<int> labels;
    provider.read(Partition::Learn, in_order(3), 0, batch, labels);
    reads = database->reads;
    const auto span = std::as_const(batch).span<float>();
    return std::vector<float>(span.begin(), span.end());
  };
  EXPECT_EQ(seen("a", "2", false), (std::vector<float>{0, 2, 2, 2, 4, 2}));
  EXPECT_EQ(reads, 3);
  EXPECT_EQ(seen("a", "2", true), (std::vector<float>{2, 0, 2, 2, 2, 4}));  // steps on the fly are not kept
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(seen("aa", "2", false), (std::vector<float>{0, 4, 2, 4, 4, 4}));
  EXPECT_EQ(reads, 3);
  EXPECT_EQ(seen("a", "3", false), (std::vector<float>{0, 3, 3, 3, 6, 3}));
  EXPECT_EQ(reads, 3);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path("cache")))
    if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 41);
  EXPECT_EQ(seen("a", "2", false), (std::vector<float>{0, 2, 2, 2, 4, 2}));
  EXPECT_EQ(reads, 3);
}

TEST(StimuliProvider, KeepsNothingOfPicturesThatMayChangeUnnoticed) {
  const Folder folder;
  ProviderOptions o = options(4, 4, 1);
  o.cache_path = folder.path("cache");
  StimuliProvider provider(o, std::make_shared<RandomPictures>(4, 4, 4, 1), 1);
  const log::Capture notices;
  provider.open_cache_path();
  EXPECT_EQ(notices.text(),
            "[sp] CachePath: nothing is kept there, this database does not say when its pictures change\n");
  EXPECT_FALSE(std::filesystem::exists(folder.path("cache")));
}

TEST(StimuliProvider, IsDescribedWithWhatItsFilesHold) {
  const Folder folder;
  const log::Capture quiet;
  const auto described = [&](float mean) {
    write_matrix(folder.path("mean.npy"), picture<float>(1, 1, 1, {mean}));
    StimuliProvider provider(options(1, 1, 1), std::make_shared<OnePicture>(Image(1, 1, 1)), 1);
    provider.add(transformation("AffineTransformation",
                                {{"FirstOperator", "Minus"}, {"FirstValue", folder.path("mean.npy")}}),
                 TransformationGroup::Cacheable);
    return provider.describe();
  };
  EXPECT_EQ(described(1), described(1));
  EXPECT_NE(described(1), described(2));
}

TEST(TransformationPlace, ComesFromTheSectionName) {
  const auto place = [](const char* suffix) {
    Diagnostics diagnostics;
    const auto found = transformation_place(suffix, MapKeys({}, "[sp.X]"), diagnostics);
    if (!found) return errors_of(diagnostics);
    return fmt::format("{}{}", static_cast<int>(found->group), found->every_channel ? " every" : "");
  };
  EXPECT_EQ(place("Transformation-1"), "0");
  EXPECT_EQ(place("OnTheFlyTransformation"), "1");
  EXPECT_EQ(place("ChannelTransformation_a"), "2");
  EXPECT_EQ(place("ChannelOnTheFlyTransformation"), "3");
  EXPECT_EQ(place("ChannelsTransformation"), "2 every");
  EXPECT_EQ(place("ChannelsOnTheFlyTransformation2"), "3 every");
  EXPECT_EQ(
      place("MyTransformation"),
      "a.ini:1: [sp.X]: expected a section name that goes on after the dot with one of Transformation "
      "OnTheFlyTransformation ChannelTransformation ChannelOnTheFlyTransformation ChannelsTransformation "
      "ChannelsOnTheFlyTransformation, got 'MyTransformation'\n");
}

}  // namespace
}  // namespace n2d2::data
