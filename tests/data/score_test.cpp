#include <limits>

#include "n2d2/data/target.hpp"

#include "samples.hpp"

namespace n2d2::data {
namespace {

Target target(int outputs, TargetOptions options = {}, std::vector<std::string> labels = {"a", "b"}) {
  Diagnostics diagnostics;
  auto out = make_target(options, labels, outputs, NoKeys("[t]"), diagnostics);
  EXPECT_EQ(errors_of(diagnostics), "");
  return *out;
}

template <class T>
void check_largest_output_decides() {
  Score score(target(3));
  const std::vector<T> outputs{1, 5, 2,  //
                               7, 5, 7,  // first of equals
                               0, 1, 9};
  score.add(std::span<const T>(outputs), {3, 3, 1, 1}, std::vector<int>{1, 0, 1});
  EXPECT_EQ(score.decisions(), (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(score.successes(), (std::vector<float>{1, 1, 0}));
  EXPECT_DOUBLE_EQ(score.recognition_rate(), 2.0 / 3);
  EXPECT_EQ(score.confusion().count(1, 2), 1);
}

TEST(Score, LargestOutputDecidesInEveryType) {
  check_largest_output_decides<float>();
  check_largest_output_decides<int8_t>();
  check_largest_output_decides<uint8_t>();
  check_largest_output_decides<int16_t>();
  check_largest_output_decides<uint16_t>();
  check_largest_output_decides<int32_t>();
  check_largest_output_decides<int64_t>();
}

TEST(Score, TensorsOfEveryTypeAreScored) {
  for (const DataType type : {DataType::F32, DataType::I8, DataType::U8, DataType::I16, DataType::U16,
                              DataType::I32, DataType::I64}) {
    Score score(target(2));
    score.add(Tensor(Shape{1, 2, 1, 1}, type), std::vector<int>{0});
    EXPECT_DOUBLE_EQ(score.recognition_rate(), 1) << to_string(type);
  }
}

TEST(Score, SamplesWithoutClassAreNotScored) {
  Score score(target(2));
  score.add(std::vector<float>{1, 0, 1, 0}, {2, 2, 1, 1}, std::vector<int>{-1, 0});
  EXPECT_EQ(score.samples(), 1);
  EXPECT_EQ(score.confusion().total(), 1);
  EXPECT_EQ(score.decisions().size(), 2U);
  EXPECT_DOUBLE_EQ(Score(target(2)).recognition_rate(), 0);
}

TEST(Score, OneOutputIsComparedWithTheThreshold) {
  TargetOptions options;
  options.binary_threshold = 0.5;
  Score score(target(1, options));
  score.add(std::vector<float>{0.5F, 0.6F}, {2, 1, 1, 1}, std::vector<int>{0, 1});
  EXPECT_EQ(score.decisions(), (std::vector<int>{0, 1}));
  score.add(std::vector<int8_t>{63, 64}, {2, 1, 1, 1}, std::vector<int>{0, 1}, 1.0 / 127);
  EXPECT_EQ(score.decisions(), (std::vector<int>{0, 1}));
  EXPECT_DOUBLE_EQ(score.recognition_rate(), 1);
}

TEST(Score, TopNCountsNearMisses) {
  TargetOptions options;
  options.top_n = 2;
  Score score(target(4, options));
  score.add(std::vector<float>{4, 3, 2, 1,  //
                               1, 1, 1, 1},
            {2, 4, 1, 1}, std::vector<int>{1, 1});
  EXPECT_DOUBLE_EQ(score.recognition_rate(), 0);
  EXPECT_DOUBLE_EQ(score.top_n_rate(), 1);
  score.add(std::vector<float>{4, 1, 2, 3}, {1, 4, 1, 1}, std::vector<int>{1});
  EXPECT_DOUBLE_EQ(score.top_n_rate(), 2.0 / 3);
}

TEST(Score, PositionsAreDecisionsOfTheirOwn) {
  Score score(target(2));
  // Channel 0: 1 0 0 0, channel 1: 0 1 1 1.
  score.add(std::vector<float>{1, 0, 0, 0, 0, 1, 1, 1}, {1, 2, 2, 2}, std::vector<int>{1});
  EXPECT_EQ(score.successes(), (std::vector<float>{0.75F}));
  EXPECT_EQ(score.confusion().total(), 4);
}

TEST(Score, OutputsThatAreNotFiniteAreCounted) {
  const float none = std::numeric_limits<float>::quiet_NaN(), huge = std::numeric_limits<float>::infinity();
  Score score(target(2));
  score.add(std::vector<float>{1, 0, none, 0, 0, -huge, none, huge}, {4, 2, 1, 1},
            std::vector<int>{0, 0, 1, 1});
  score.add(std::vector<float>{0, none}, {1, 2, 1, 1}, std::vector<int>{-1});
  EXPECT_EQ(score.not_finite(), 4);
  Score integers(target(2));
  integers.add(std::vector<int8_t>{1, 0}, {1, 2, 1, 1}, std::vector<int>{0});
  EXPECT_EQ(integers.not_finite(), 0);
}

TEST(Score, ShapesMustFit) {
  Score score(target(2));
  EXPECT_THROW(score.add(std::vector<float>{1, 2, 3}, {1, 3, 1, 1}, std::vector<int>{0}), InternalError);
  EXPECT_THROW(score.add(std::vector<float>{1, 2}, {1, 2, 1, 1}, std::vector<int>{0, 1}), InternalError);
}

TEST(Score, WritesItsFiles) {
  const Folder folder;
  TargetOptions options;
  options.top_n = 2;
  Score score(target(2, options));
  score.add(std::vector<float>{1, 0, 1, 0}, {2, 2, 1, 1}, std::vector<int>{0, 1});
  score.write(folder.path("fc.Target"), "test");
  EXPECT_EQ(folder.read("fc.Target/ConfusionMatrix_test.dat"), score.confusion().text({"a", "b"}));
  EXPECT_EQ(folder.read("fc.Target/Success_test.dat"), "# sample success\n0 1\n1 0\n");
  EXPECT_EQ(folder.read("fc.Target/SuccessTopN_test.dat"), "# sample success\n0 1\n1 1\n");
}

TEST(Score, WritesTheClassOfEverySampleScoredOrNot) {
  const Folder folder;
  Score score(target(2));
  score.add(std::vector<float>{1, 0, 0, 1}, {2, 2, 1, 1}, std::vector<int>{-1, 0});
  score.add(std::vector<float>{0, 1}, {1, 2, 1, 1}, std::vector<int>{1});
  score.write_classes(folder.path("fc.Target/test"));
  EXPECT_EQ(folder.read("fc.Target/test/classif.log"), "# sample expected found\n0 -1 0\n1 0 1\n2 1 1\n");
  Score positions(target(2));
  positions.add(std::vector<float>{1, 0, 0, 1}, {1, 2, 2, 1}, std::vector<int>{1});
  positions.write_classes(folder.path("map.Target/test"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("map.Target")));
}

TEST(Score, UnwritableFolderIsAnError) {
  const Folder folder;
  folder.write("file", "x");
  const std::string error =
      folder.anonymous(config_error([&] { Score(target(2)).write(folder.path("file"), "test"); }));
  EXPECT_EQ(error.rfind("DIR/file", 0), 0U) << error;
}

}  // namespace
}  // namespace n2d2::data
