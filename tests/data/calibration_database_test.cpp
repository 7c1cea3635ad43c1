#include "n2d2/data/stimuli_provider.hpp"

#include "arrays.hpp"
#include "samples.hpp"

namespace n2d2::data {
namespace {

const std::string kPgm = std::string("P5\n2 1\n255\n") + "\x05\x06";

struct Made {
  std::unique_ptr<Database> database;
  std::string errors, log;
};

Made make(MapKeys::Map keys) {
  log::Capture capture;
  Diagnostics diagnostics;
  Made out;
  out.database = make_calibration_database(MapKeys(std::move(keys)), diagnostics);
  out.errors = errors_of(diagnostics);
  out.log = capture.text(log::Level::Info);
  return out;
}

TEST(CalibrationDatabase, HoldsEveryReadableFileOfTheFolderWithoutLabels) {
  const Folder folder;
  folder.write("b/1.pgm", kPgm);
  folder.write("a.pgm", kPgm);
  folder.write("c/all.npy", npy("|u1", "(2, 1, 1, 2)", "1234"));
  folder.write("README", "no sample");
  folder.write("b/list.txt", "no sample");
  const Made made = make({{"CalibrationPath", folder.path()}});
  ASSERT_NE(made.database, nullptr) << made.errors;
  ASSERT_EQ(made.database->size(Partition::Test), 4);
  EXPECT_EQ(made.database->size(Partition::Learn) + made.database->size(Partition::Validation), 0);
  EXPECT_EQ(made.database->name(0), "a.pgm");
  EXPECT_EQ(made.database->name(3), "c/all.npy[1]");
  EXPECT_EQ(made.database->label(0), -1);
  EXPECT_EQ(
      folder.anonymous(made.log),
      "[database] CalibrationPath: files that nothing reads are left out: 2, the first is 'DIR/README'\n");
}

TEST(CalibrationDatabase, MayBeOneFile) {
  const Folder folder;
  folder.write("${HOME}.bin", "1234");
  const Made made = make(
      {{"CalibrationPath", folder.path("${HOME}.bin")}, {"SampleType", "uint8"}, {"SampleShape", "1 1 2"}});
  ASSERT_NE(made.database, nullptr) << made.errors;
  EXPECT_EQ(made.database->size(Partition::Test), 2);
  EXPECT_EQ(values<uint8_t>(made.database->image(1)), (std::vector<uint8_t>{'3', '4'}));
}

TEST(CalibrationDatabase, IsNoneWithoutTheKey) {
  EXPECT_EQ(make({}).database, nullptr);
  EXPECT_EQ(make({}).errors, "");
}

TEST(CalibrationDatabase, WrongPathsAreErrors) {
  const Folder folder;
  const std::string none = folder.path("none");
  EXPECT_EQ(folder.anonymous(make({{"CalibrationPath", none}}).errors),
            "a.ini:5: [database] CalibrationPath: no folder 'DIR/none'\n");
  EXPECT_EQ(folder.anonymous(make({{"CalibrationPath", folder.path()}}).errors),
            "a.ini:5: [database] CalibrationPath: no sample in 'DIR'\n");
}

TEST(StimuliProvider, GivesOtherSamplesTheSameSteps) {
  const Folder folder;
  folder.write("a.pgm", kPgm);
  ProviderOptions options;
  options.size = {2, 1};
  StimuliProvider provider(options, std::make_shared<RandomPictures>(4, 2, 1, 1), 1);
  provider.add(transformation("RangeAffineTransformation", {{"FirstOperator", "Minus"}, {"FirstValue", "5"}}),
               TransformationGroup::Cacheable);
  const StimuliProvider other = provider.over(make({{"CalibrationPath", folder.path()}}).database);
  Tensor batch;
  std::vector<int> labels;
  const int64_t first = 0;
  other.read(Partition::Test, std::span(&first, 1), 0, batch, labels);
  EXPECT_EQ(batch.span<float>()[0], 0);
  EXPECT_EQ(batch.span<float>()[1], 1);
  EXPECT_EQ(other.size(Partition::Learn), 0);
  EXPECT_EQ(provider.size(Partition::Learn), 4);
}

}  // namespace
}  // namespace n2d2::data
