#include "channel_mapping.hpp"

#include <gtest/gtest.h>

#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

struct Mapped {
  ChannelMapping mapping;
  std::string errors;
};

/// Mapping of a section with these keys, inputs "a" and "b" ...
Mapped map(const std::string& keys, const std::vector<int>& channels, int outputs) {
  const config::IniDocument ini = document("[l]\n" + keys);
  std::vector<MappedInput> inputs;
  for (size_t i = 0; i < channels.size(); ++i)
    inputs.push_back({{std::string(1, static_cast<char>('a' + i))}, channels[i]});
  Diagnostics diagnostics;
  Mapped out{read_mapping(*ini.source("l"), inputs, outputs, diagnostics), {}};
  for (const Diagnostic& finding : diagnostics.errors()) out.errors += finding.text() + "\n";
  return out;
}

std::string rows(const ChannelTable& table) {
  std::string out;
  for (int c = 0; c < table.channels; ++c) {
    for (int o = 0; o < table.outputs; ++o) out += table.at(c, o) ? '1' : '0';
    out += ' ';
  }
  return out;
}

TEST(ChannelMapping, ConnectsEverythingWithoutKeys) {
  const auto m = map("", {2}, 3).mapping;
  EXPECT_FALSE(m.given);
  EXPECT_EQ(rows(m.table), "111 111 ");
  EXPECT_EQ(block_groups(m.table), 1);
}

TEST(ChannelMapping, MakesEvenGroups) {
  const auto m = map("Mapping.NbGroups=2\n", {4}, 6).mapping;
  EXPECT_EQ(rows(m.table), "111000 111000 000111 000111 ");
  EXPECT_EQ(block_groups(m.table), 2);
}

TEST(ChannelMapping, GivesTheFirstGroupsTheOutputsThatAreLeft) {
  const auto m = map("Mapping.NbGroups=2\n", {2}, 3).mapping;
  EXPECT_EQ(rows(m.table), "110 001 ");
  EXPECT_EQ(block_groups(m.table), 0);
}

TEST(ChannelMapping, MakesOneGroupAChannelForDepthwise) {
  const auto m = map("Mapping.ChannelsPerGroup=1\n", {3}, 3).mapping;
  EXPECT_EQ(block_groups(m.table), 3);
  EXPECT_TRUE(is_one_to_one(m.table));
}

TEST(ChannelMapping, ReadsAMatrixRowByRow) {
  const auto m = map("Mapping(a)=1 0 1 0 1 1\n", {2}, 3).mapping;
  EXPECT_EQ(rows(m.table), "101 011 ");
  EXPECT_EQ(block_groups(m.table), 0);
}

TEST(ChannelMapping, ReadsAMatrixByTheNameOfFilesBefore2018) {
  const auto m = map("Map(a)=1 0 1 0 1 1\n", {2}, 3);
  EXPECT_EQ(m.errors, "");
  EXPECT_TRUE(m.mapping.given);
  EXPECT_EQ(rows(m.mapping.table), "101 011 ");
  EXPECT_EQ(rows(map("Map(a)=1 0 1 0 1 1\nMapping(a)=1 1 1 0 0 1\n", {2}, 3).mapping.table), "111 001 ");
  EXPECT_EQ(map("Map(a)=1 0 1\n", {2}, 2).errors,
            "net.ini:2: [l] Map(a): expected 4 values (2 channels x 2 outputs), got 3\n");
}

TEST(ChannelMapping, StampsABlockUntilBothEndsAreReached) {
  EXPECT_EQ(rows(map("Mapping.Size=1\n", {3}, 3).mapping.table), "100 010 001 ");
  EXPECT_EQ(rows(map("Mapping.SizeX=2\nMapping.StrideX=2\n", {2}, 4).mapping.table), "1100 0011 ");
  EXPECT_EQ(rows(map("Mapping.SizeY=0\nMapping.OffsetX=1\n", {2}, 3).mapping.table), "011 011 ");
}

TEST(ChannelMapping, WrapsAround) {
  EXPECT_EQ(rows(map("Mapping.Size=1\nMapping.OffsetX=2\n", {3}, 3).mapping.table), "001 100 010 ");
}

TEST(ChannelMapping, ConcatenatesInputsByOffsets) {
  const auto m =
      map("Mapping.Size=1\nMapping(a).NbIterations=1\nMapping(b).NbIterations=2\nMapping(b).OffsetX=1\n",
          {1, 2}, 3)
          .mapping;
  EXPECT_EQ(rows(m.table), "100 010 001 ");
  EXPECT_TRUE(is_one_to_one(m.table));
}

TEST(ChannelMapping, ReportsWhatCannotBe) {
  EXPECT_EQ(map("Mapping.NbGroups=2\n", {3}, 4).errors,
            "net.ini:2: [l] Mapping.NbGroups: 3 channels are not divisible by 2\n");
  EXPECT_EQ(map("Mapping.NbGroups=2\nMapping.ChannelsPerGroup=2\n", {4}, 4).errors,
            "net.ini:3: [l] Mapping.NbGroups: cannot stand beside Mapping.ChannelsPerGroup\n");
  EXPECT_EQ(map("Mapping(a)=1 0 1\n", {2}, 2).errors,
            "net.ini:2: [l] Mapping(a): expected 4 values (2 channels x 2 outputs), got 3\n");
  EXPECT_EQ(map("Mapping(a)=1 0 2 1\n", {2}, 2).errors,
            "net.ini:2: [l] Mapping(a): expected a blank-separated list of 0 and 1\n");
  EXPECT_EQ(map("Mapping.Size=x\n", {2}, 2).errors,
            "net.ini:2: [l] Mapping.Size: expected an integer >= 0, got 'x'\n");
}

}  // namespace
}  // namespace n2d2::loader
