#include "n2d2/training/sample_source.hpp"

#include <gtest/gtest.h>

#include "training/keys.hpp"

namespace n2d2::training {
namespace {

TEST(ProviderSource, StreamsWhatTheProviderReads) {
  Diagnostics diagnostics;
  const MapKeys keys({{"Learn", "12"}, {"Validation", "3"}, {"Test", "5"}, {"Width", "8"}, {"Height", "8"}});
  const std::shared_ptr<const data::Database> database =
      data::make_database("Glyphs_Database", keys, {}, diagnostics);
  ASSERT_NE(database, nullptr);
  data::ProviderOptions options;
  options.size = {8, 8};
  const data::StimuliProvider provider(options, database, 1);
  const ProviderSource source(provider);
  EXPECT_EQ(source.size(data::Partition::Learn), 12);
  EXPECT_EQ(source.size(data::Partition::Validation), 3);

  const std::vector<int64_t> order{7, 0, 3, 3, 11};
  const auto stream = source.open(data::Partition::Learn, order, 2, 4);
  Tensor expected;
  std::vector<int> labels;
  data::Batch batch;
  for (size_t first = 0; first < order.size(); first += 2) {
    ASSERT_TRUE(stream->next(batch));
    const size_t count = std::min<size_t>(2, order.size() - first);
    const std::span<const int64_t> part(order.data() + first, count);
    provider.read(data::Partition::Learn, part, 4, expected, labels);
    EXPECT_TRUE(batch.data == expected);
    EXPECT_EQ(batch.labels, labels);
  }
  EXPECT_FALSE(stream->next(batch));
}

}  // namespace
}  // namespace n2d2::training
