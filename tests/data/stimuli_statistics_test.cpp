#include "n2d2/data/stimuli_statistics.hpp"

#include <atomic>
#include <cmath>

#include "n2d2/data/stimuli_provider.hpp"

#include "applied.hpp"
#include "files/matrix_file.hpp"

namespace n2d2::data {
namespace {

/// Counts how often pictures are read.
class Counted final : public Database {
 public:
  explicit Counted(std::string stamp, int count = 300) : pictures_(count, 5, 4, 3), stamp_(std::move(stamp)) {
    for (const Partition p : kPartitions) partitions_[static_cast<size_t>(p)] = pictures_.list(p);
  }
  int64_t size() const override { return pictures_.size(); }
  std::string name(int64_t id) const override { return pictures_.name(id); }
  int label(int64_t id) const override { return pictures_.label(id); }
  Image image(int64_t id) const override {
    ++reads;
    return pictures_.image(id);
  }
  std::string stamp() const override { return stamp_; }
  mutable std::atomic<int> reads = 0;

 private:
  RandomPictures pictures_;
  std::string stamp_;
};

struct Measured {
  StimuliMeasurement found;
  int reads = 0;
  std::string notices;
};

Measured measured(const std::string& stamp, const std::string& folder, bool images, const char* factor = "1",
                  ApplyTo apply_to = ApplyTo::All) {
  const auto database = std::make_shared<Counted>(stamp);
  ProviderOptions options;
  options.size = {5, 4};
  options.nb_channels = 3;
  StimuliProvider provider(options, database, 1);
  provider.add(
      transformation("RangeAffineTransformation", {{"FirstOperator", "Multiplies"}, {"FirstValue", factor}}),
      TransformationGroup::Cacheable);
  const log::Capture notices;
  Measured out;
  out.found = kept_measurement(provider, apply_to, images, folder);
  out.reads = database->reads;
  out.notices = notices.text(log::Level::Info);
  return out;
}

TEST(StimuliStatistics, MeanAndDeviationOfEachPlace) {
  const Folder folder;
  const Measured m = measured("a", folder.path("sp.StimuliData"), true, "2", ApplyTo::TestOnly);
  EXPECT_EQ(m.found.pictures, 150);
  EXPECT_EQ(m.found.min_width, 5);
  EXPECT_EQ(m.found.max_height, 4);
  const RandomPictures pictures(300, 5, 4, 3);
  for (size_t at = 0; at < 60; ++at) {
    double sum = 0, squares = 0;
    for (const int64_t id : pictures.list(Partition::Test)) {
      const double x = 2.0 * pictures.image(id).span<uint8_t>()[at];
      sum += x;
      squares += x * x;
    }
    EXPECT_FLOAT_EQ(m.found.mean.span<float>()[at], static_cast<float>(sum / 150));
    EXPECT_NEAR(m.found.std_dev.span<float>()[at], std::sqrt(squares / 150 - sum * sum / 150 / 150), 1e-3);
  }
  EXPECT_EQ(read_matrix(folder.path("sp.StimuliData/mean.npy")), m.found.mean);
  EXPECT_EQ(read_matrix(folder.path("sp.StimuliData/std_dev.npy")), m.found.std_dev);
}

TEST(StimuliStatistics, AreKeptUntilSomethingTheyDependOnChanges) {
  const Folder folder;
  const std::string kept = folder.path("kept");
  const auto reads = [&](const std::string& stamp, bool images, const char* factor = "1",
                         ApplyTo apply_to = ApplyTo::All) {
    return measured(stamp, kept, images, factor, apply_to).reads;
  };
  const Measured first = measured("a", kept, true);
  EXPECT_GT(first.reads, 0);
  const Measured again = measured("a", kept, true);
  EXPECT_EQ(again.reads, 0);
  EXPECT_EQ(again.found, first.found);
  EXPECT_EQ(folder.anonymous(again.notices), "statistics of 450 pictures are those of 'DIR/kept'\n");
  EXPECT_GT(reads("b", true), 0);
  EXPECT_GT(reads("b", true, "2"), 0);
  EXPECT_GT(reads("b", true, "2", ApplyTo::LearnOnly), 0);
  EXPECT_GT(reads("b", false, "2", ApplyTo::LearnOnly), 0);
  EXPECT_EQ(reads("b", false, "2", ApplyTo::LearnOnly), 0);
}

TEST(StimuliStatistics, OfPicturesThatMayChangeUnnoticedAreNotKept) {
  const Folder folder;
  EXPECT_GT(measured("", folder.path("kept"), false).reads, 0);
  EXPECT_GT(measured("", folder.path("kept"), false).reads, 0);
}

TEST(StimuliStatistics, DamagedFilesAreMeasuredAgain) {
  const Folder folder;
  const Measured first = measured("a", folder.path("kept"), true);
  for (const char* name : {"statistics.txt", "mean.npy", "std_dev.npy"}) {
    const std::string file = std::string("kept/") + name;
    std::string bytes = folder.read(file);
    bytes[bytes.size() - 3] = static_cast<char>(bytes[bytes.size() - 3] ^ 1);
    folder.write(file, bytes);
    const Measured again = measured("a", folder.path("kept"), true);
    EXPECT_GT(again.reads, 0) << name;
    EXPECT_EQ(again.found, first.found) << name;
    std::filesystem::remove(folder.path(file));
    EXPECT_GT(measured("a", folder.path("kept"), true).reads, 0) << name;
  }
}

TEST(StimuliStatistics, FilesOfOthersAreNotReplaced) {
  const Folder folder;
  folder.write("kept/thesis.tex", "years of work");
  EXPECT_EQ(folder.anonymous(measured("a", folder.path("kept"), false).notices),
            "statistics are measured again in the next run: folder 'DIR/kept' holds 'thesis.tex', which is "
            "not of a "
            "measurement\n");
  EXPECT_EQ(folder.anonymous(config_error([&] { measured("a", folder.path("kept"), true); })),
            "folder 'DIR/kept' holds 'thesis.tex', which is not of a measurement\n"
            "  hint: statistics are kept in a folder that is named like the section");
  EXPECT_EQ(folder.read("kept/thesis.tex"), "years of work");
}

}  // namespace
}  // namespace n2d2::data
