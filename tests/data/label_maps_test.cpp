// Labels of pixels through transformations, batches and targets.
#include "n2d2/data/stimuli_provider.hpp"
#include "n2d2/data/target.hpp"

#include "samples.hpp"

namespace n2d2::data {
namespace {

Image labels(int width, int height, const std::vector<int32_t>& ids) {
  return picture<int32_t>(width, height, 1, ids);
}

/// The map after a step whose apply() gets the same random numbers.
std::vector<int32_t> moved(const std::string& type, const MapKeys::Map& keys, Image map) {
  const auto step = transformation(type, keys);
  EXPECT_EQ(step->label_maps(), LabelMaps::Moved);
  Rng rng(1);
  step->move_labels(map, rng);
  return values<int32_t>(map);
}

using Ids = std::vector<int32_t>;

TEST(LabelMaps, FollowFlips) {
  EXPECT_EQ(moved("FlipTransformation", {{"HorizontalFlip", "1"}}, labels(3, 1, {1, 2, 3})), (Ids{3, 2, 1}));
  EXPECT_EQ(moved("FlipTransformation", {{"VerticalFlip", "1"}}, labels(1, 2, {1, 2})), (Ids{2, 1}));
}

TEST(LabelMaps, FollowPaddingAndCropping) {
  const MapKeys::Map four{{"Width", "4"}, {"Height", "1"}};
  const auto with = [&](const std::string& border) {
    MapKeys::Map keys = four;
    keys["BorderType"] = border;
    return moved("PadCropTransformation", keys, labels(2, 1, {7, 8}));
  };
  EXPECT_EQ(with("ConstantBorder"), (Ids{-1, 7, 8, -1}));
  EXPECT_EQ(with("MeanBorder"), (Ids{-1, 7, 8, -1}));
  EXPECT_EQ(with("MinusOneReflectBorder"), (Ids{8, 7, 8, 7}));
  EXPECT_EQ(moved("PadCropTransformation", {{"Width", "1"}, {"Height", "1"}}, labels(3, 1, {1, 2, 3})),
            (Ids{2}));
}

TEST(LabelMaps, AreResizedWithoutMixing) {
  EXPECT_EQ(moved("RescaleTransformation", {{"Width", "4"}, {"Height", "2"}}, labels(2, 1, {5, 900000})),
            (Ids{5, 5, 900000, 900000, 5, 5, 900000, 900000}));
  // Half-pixel centres: of 5 pixels shrunk to 1, the middle one.
  EXPECT_EQ(moved("RescaleTransformation", {{"Width", "1"}, {"Height", "1"}}, labels(5, 1, {1, 2, 3, 4, 5})),
            (Ids{3}));
}

TEST(LabelMaps, FollowRandomSlicesAsPicturesDo) {
  const auto step =
      transformation("SliceExtractionTransformation",
                     {{"Width", "2"}, {"Height", "2"}, {"RandomOffsetX", "1"}, {"RandomOffsetY", "1"}});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Image image = picture<uint8_t>(4, 4, 1, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
    Image map = labels(4, 4, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
    Rng one(seed), other(seed);
    step->apply(image, one);
    step->move_labels(map, other);
    const auto bytes = values<uint8_t>(image);
    EXPECT_EQ(values<int32_t>(map), Ids(bytes.begin(), bytes.end()));
  }
}

TEST(LabelMaps, TurnWithThePicture) {
  // By 90 degrees around the middle: only whole ids come out, and what comes from outside is -1.
  const MapKeys::Map keys{{"Width", "3"},
                          {"Height", "3"},
                          {"RandomRotation", "1"},
                          {"RandomRotationRange", "90 90"},
                          {"BorderType", "ConstantBorder"}};
  const auto step = transformation("SliceExtractionTransformation", keys);
  Image image = picture<uint8_t>(3, 3, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  Rng rng(3);
  step->apply(image, rng);
  const auto bytes = values<uint8_t>(image);
  EXPECT_EQ(moved("SliceExtractionTransformation", keys, labels(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9})),
            Ids(bytes.begin(), bytes.end()));
}

/// Two 4x2 pictures without label, each with a rectangle of label "box".
class Boxes final : public Database {
 public:
  Boxes() {
    labels_ = {"box", "ground"};
    partitions_[0] = {0, 1};
    set_label_rules({CompositeLabel::Auto, 1, 0});
  }
  int64_t size() const override { return 2; }
  std::string name(int64_t id) const override { return "box " + std::to_string(id); }
  int label(int64_t) const override { return -1; }
  Image image(int64_t) const override { return Image(4, 2, 1); }
  std::vector<Roi> rois(int64_t id) const override { return {{static_cast<int>(id), 0, 2, 1, 0}}; }
};

ProviderOptions composite(int width, int height) {
  ProviderOptions options;
  options.size = {width, height};
  options.composite_stimuli = true;
  return options;
}

TEST(LabelMaps, AreWhatABatchHolds) {
  StimuliProvider provider(composite(4, 2), std::make_shared<Boxes>(), 1);
  provider.add(transformation("FlipTransformation", {{"HorizontalFlip", "1"}}),
               TransformationGroup::Cacheable);
  EXPECT_EQ(provider.labels_of_sample(), 8);
  Tensor batch;
  std::vector<int> ids;
  const std::vector<int64_t> both{0, 1};
  provider.read(Partition::Learn, both, 0, batch, ids);
  EXPECT_EQ(ids, (std::vector<int>{1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1}));
}

/// Labels of the first sample of Boxes after a LabelFilter.
std::vector<int> filtered(const MapKeys::Map& keys, bool has_label_maps = true) {
  ProviderOptions options = composite(4, 2);
  options.composite_stimuli = has_label_maps;
  StimuliProvider provider(options, std::make_shared<Boxes>(), 1);
  provider.add(transformation("LabelFilterTransformation", keys), TransformationGroup::OnTheFly);
  Tensor batch;
  std::vector<int> ids;
  const std::vector<int64_t> first{0};
  provider.read(Partition::Learn, first, 0, batch, ids);
  return ids;
}

TEST(LabelMaps, AreFilteredByName) {
  EXPECT_EQ(filtered({{"Labels", "box"}}), (std::vector<int>{1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(filtered({{"Labels", "box"}, {"Filter", "Keep"}, {"DefaultLabel", "-1"}}),
            (std::vector<int>{0, 0, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(filtered({{"Labels", "box ground"}, {"DefaultLabel", "0"}}), (std::vector<int>(8, 0)));
}

TEST(LabelMaps, FiltersSayWhatTheyCannotDo) {
  const std::string subject = "a.ini:1: [sp.Transformation] ";
  EXPECT_EQ(config_error([] {
              filtered({{"Labels", "bix"}});
            }),
            subject + "Labels: no label 'bix'; did you mean 'box'?\n  hint: known: box, ground");
  EXPECT_EQ(config_error([] {
              filtered({{"Labels", "box"}, {"DefaultLabel", "2"}});
            }),
            subject + "DefaultLabel: expected at most 1, got 2");
  EXPECT_EQ(config_error([] {
              filtered({{"Labels", "box"}}, false);
            }),
            subject + "pixels have no labels without CompositeStimuli=1");
  EXPECT_EQ(
      transformation_errors("LabelFilterTransformation", {{"Labels", "box"}, {"Filter", "Merge"}}),
      "a.ini:5: [sp.Transformation] Filter: 'Merge' is not supported: which label they become is not said\n"
      "  hint: LabelsMapping of a target brings several labels to one output\n");
}

TEST(LabelMaps, StepsThatCannotMoveThemAreRefused) {
  class Blur final : public Transformation {
   public:
    void apply(Image&, Rng&) const override {}
  };
  StimuliProvider provider(composite(4, 2), std::make_shared<Boxes>(), 1);
  EXPECT_NE(config_error([&] {
              provider.add(std::make_unique<Blur>(), TransformationGroup::OnTheFly);
            }).find("does not move the labels of pixels yet"),
            std::string::npos);
  // What changes each value where it stands needs nothing.
  provider.add(
      transformation("RangeAffineTransformation", {{"FirstOperator", "Multiplies"}, {"FirstValue", "2"}}),
      TransformationGroup::OnTheFly);
}

TEST(LabelMaps, OfAnotherSizeThanTheInputAreErrors) {
  const StimuliProvider provider(composite(3, 2), std::make_shared<Boxes>(), 1);
  Tensor batch;
  std::vector<int> ids;
  const std::vector<int64_t> first{0};
  EXPECT_NE(config_error([&] {
              provider.read(Partition::Learn, first, 0, batch, ids);
            }).find("expected pictures of 3x2x1"),
            std::string::npos);
}

Target target_of(TargetOptions options, int outputs, int width, int height) {
  options.label_map = {width, height};
  Diagnostics diagnostics;
  const std::vector<std::string> names{"a", "b", "c"};
  auto out = make_target(options, names, outputs, MapKeys({}, "[fc.Target]"), diagnostics);
  EXPECT_EQ(errors_of(diagnostics), "");
  return *out;
}

TEST(PixelTargets, MacroPixelsVote) {
  const Target target = target_of({}, 3, 4, 2);
  const std::vector<int> ids{0, 1, 2,  2,  //
                             1, 1, -1, 0};
  EXPECT_EQ(target.classes_of(ids, 1, 1, 2), (std::vector<int>{1, 2}));
  EXPECT_EQ(target.classes_of(ids, 1, 2, 4), ids);
  // The first of equals, and -1 where nobody votes.
  EXPECT_EQ(target.classes_of(ids, 1, 2, 2), (std::vector<int>{0, 2, 1, 0}));
  EXPECT_EQ(target.classes_of(std::vector<int>(8, -1), 1, 1, 1), (std::vector<int>{-1}));
  // More positions than labels: each has the label below it.
  EXPECT_EQ(target.classes_of(ids, 1, 2, 8)[3], 1);
}

TEST(PixelTargets, AWeakClassLosesAgainstAnyOther) {
  TargetOptions options;
  options.weak_target = 2;
  const Target target = target_of(options, 3, 2, 2);
  EXPECT_EQ(target.classes_of(std::vector<int>{2, 2, 2, 0}, 1, 1, 1), (std::vector<int>{0}));
  EXPECT_EQ(target.classes_of(std::vector<int>{0, 2, 2, 2}, 1, 1, 1), (std::vector<int>{0}));
  EXPECT_EQ(target.classes_of(std::vector<int>{2, 2, 2, 2}, 1, 1, 1), (std::vector<int>{2}));
}

TEST(PixelTargets, OnlyValidPositionsAreScored) {
  Score score(target_of({}, 3, 2, 2));
  // Two samples of 2x2; class 1 is decided everywhere.
  const Tensor outputs = Tensor::from(Shape{2, 3, 2, 2}, {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0,  //
                                                          0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0});
  score.add(outputs, std::vector<int>{1, 1, 0, -1, -1, -1, -1, -1});
  EXPECT_EQ(score.samples(), 1);
  EXPECT_NEAR(score.recognition_rate(), 2.0 / 3, 1e-6);
  EXPECT_EQ(score.confusion().count(0, 1), 1);
  EXPECT_EQ(score.confusion().count(1, 1), 2);
}

TEST(DataTargets, StepsOfValuesAreCompared) {
  TargetOptions options;
  options.data_as_target = true;
  options.confusion_quant_steps = 4;
  Score score(target_of(options, 2, 1, 1));
  const Tensor data = Tensor::from(Shape{2, 1, 1, 2}, {0.1F, 0.9F, -3, 2});
  const Tensor outputs = Tensor::from(Shape{2, 2, 1, 1}, {0.2F, 0.6F, 0, 7});
  score.add(outputs, std::vector<int>{-1, -1}, data);
  EXPECT_EQ(score.successes(), (std::vector<float>{0.5F, 1}));
  EXPECT_EQ(score.confusion().classes(), 4);
  EXPECT_EQ(score.confusion().count(3, 2), 1);
  EXPECT_NEAR(score.mean_squared_error(), (0.01 + 0.09 + 9 + 25) / 4, 1e-5);
}

TEST(DataTargets, IntegersAreScaled) {
  TargetOptions options;
  options.data_as_target = true;
  Score score(target_of(options, 1, 1, 1));
  Tensor outputs(Shape{1, 1, 1, 2}, DataType::I8);
  outputs.span<int8_t>()[0] = 64;
  outputs.span<int8_t>()[1] = 127;
  score.add(outputs, std::vector<int>{-1}, Tensor::from(Shape{1, 1, 1, 2}, {0.5F, 0.1F}), 1.0 / 128);
  EXPECT_EQ(score.successes(), (std::vector<float>{0.5F}));
}

}  // namespace
}  // namespace n2d2::data
