#include "n2d2/data/batch_loader.hpp"

#include <algorithm>

#include "samples.hpp"

namespace n2d2::data {
namespace {

ProviderOptions options(int width, int height, int channels) {
  ProviderOptions out;
  out.size = {width, height};
  out.nb_channels = channels;
  return out;
}

TEST(BatchLoader, GivesWhatTheProviderReads) {
  StimuliProvider provider(options(5, 4, 2), std::make_shared<RandomPictures>(23, 5, 4, 2), 1);
  provider.add(transformation("FlipTransformation", {{"RandomHorizontalFlip", "1"}}),
               TransformationGroup::OnTheFly);
  const auto order = shuffled_order(23, 1, 6);
  BatchLoader loader(provider, Partition::Learn, order, 5, 6);
  Batch batch;
  size_t seen = 0;
  while (loader.next(batch)) {
    ASSERT_EQ(batch.indices.size(), std::min<size_t>(5, order.size() - seen));
    EXPECT_TRUE(std::equal(batch.indices.begin(), batch.indices.end(),
                           order.begin() + static_cast<std::ptrdiff_t>(seen)));
    Tensor expected;
    std::vector<int> labels;
    provider.read(Partition::Learn, batch.indices, 6, expected, labels);
    EXPECT_EQ(batch.data, expected);
    EXPECT_EQ(batch.labels, labels);
    seen += batch.indices.size();
  }
  EXPECT_EQ(seen, 23U);
  EXPECT_FALSE(loader.next(batch));
}

TEST(BatchLoader, EndsWithoutSamplesAndWhenLeftEarly) {
  const StimuliProvider provider(options(5, 4, 2), std::make_shared<RandomPictures>(23, 5, 4, 2), 1);
  Batch batch;
  EXPECT_FALSE(BatchLoader(provider, Partition::Learn, {}, 5, 0).next(batch));
  BatchLoader loader(provider, Partition::Learn, in_order(23), 5, 0);
  EXPECT_TRUE(loader.next(batch));
}

TEST(BatchLoader, ErrorsReachTheCaller) {
  const StimuliProvider provider(options(9, 4, 2), std::make_shared<RandomPictures>(3, 5, 4, 2), 1);
  BatchLoader loader(provider, Partition::Learn, in_order(3), 2, 0);
  Batch batch;
  EXPECT_THROW(loader.next(batch), ConfigError);
  EXPECT_THROW(loader.next(batch), ConfigError);
}

/// Pictures from 8 on cannot be read.
class PartlyBroken final : public Database {
 public:
  PartlyBroken() { partitions_[0] = in_order(12); }
  int64_t size() const override { return 12; }
  std::string name(int64_t id) const override { return std::to_string(id); }
  int label(int64_t) const override { return 0; }
  Image image(int64_t id) const override {
    if (id >= 8) throw ConfigError("picture " + name(id) + " is broken");
    return {2, 1, 1};
  }
};

TEST(BatchLoader, BatchesBeforeAnErrorComeFirst) {
  const StimuliProvider provider(options(2, 1, 1), std::make_shared<PartlyBroken>(), 1);
  BatchLoader loader(provider, Partition::Learn, in_order(12), 2, 0);
  Batch batch;
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(loader.next(batch));
    EXPECT_EQ(batch.indices, (std::vector<int64_t>{2 * i, 2 * i + 1}));
  }
  EXPECT_THROW(loader.next(batch), ConfigError);
}

TEST(Orders, AreCompleteAndDependOnSeedAndEpoch) {
  auto order = shuffled_order(100, 1, 0);
  EXPECT_EQ(order, shuffled_order(100, 1, 0));
  EXPECT_NE(order, shuffled_order(100, 1, 1));
  EXPECT_NE(order, shuffled_order(100, 2, 0));
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, in_order(100));
}

}  // namespace
}  // namespace n2d2::data
