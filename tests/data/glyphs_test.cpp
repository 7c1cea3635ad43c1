#include <cmath>

#include "n2d2/base/parallel.hpp"

#include "samples.hpp"

namespace n2d2::data {
namespace {

TEST(Glyphs, DefaultsAreTheDocumentedOnes) {
  const auto db = database("Glyphs_Database", {});
  EXPECT_EQ(db->summary(), "Learn 8000, Validation 1000, Test 2000, unused 0, 10 labels");
  EXPECT_EQ(db->image(0).text(), "28x28x1 u8");
  EXPECT_EQ(db->labels().front(), "0");
  EXPECT_EQ(db->name(8000), "glyph.Validation[00000]");
}

TEST(Glyphs, PicturesDependNeitherOnTheSeedNorOnTheCounts) {
  const auto a = database("Glyphs_Database", {{"Learn", "20"}, {"Validation", "0"}, {"Test", "5"}}, 1);
  const auto b = database("Glyphs_Database", {{"Learn", "40"}, {"Validation", "3"}, {"Test", "9"}}, 2);
  for (const Partition p : {Partition::Learn, Partition::Test})
    for (int64_t i = 0; i < a->size(p); ++i) {
      EXPECT_EQ(a->image(a->id(p, i)), b->image(b->id(p, i)));
      EXPECT_EQ(a->label(a->id(p, i)), b->label(b->id(p, i)));
      EXPECT_EQ(a->label(a->id(p, i)), i % 10);
    }
}

TEST(Glyphs, EveryPictureIsAnother) {
  const auto db = database("Glyphs_Database", {{"Learn", "31"}, {"Validation", "0"}, {"Test", "31"}});
  EXPECT_NE(db->image(0), db->image(10));
  EXPECT_NE(db->image(0), db->image(31));
}

TEST(Glyphs, SizesAndChannelsAreKeys) {
  const auto db = database("Glyphs_Database", {{"Width", "40"}, {"Height", "20"}, {"NbChannels", "3"}});
  EXPECT_EQ(db->image(3).text(), "40x20x3 u8");
}

TEST(Glyphs, BadKeysAreErrors) {
  EXPECT_EQ(database_errors("Glyphs_Database", {{"Width", "4"}, {"NbChannels", "9"}}),
            "a.ini:5: [database] Width: expected an integer >= 8 and <= 512, got '4'\n"
            "a.ini:5: [database] NbChannels: expected an integer >= 1 and <= 4, got '9'\n");
  EXPECT_EQ(database_errors("Glyphs_Database", {{"Learn", "0"}, {"Validation", "0"}, {"Test", "0"}}),
            "a.ini:5: [database] Learn: expected at least one picture in Learn, Validation or Test, got 0\n");
}

/// Each picture less its own mean, divided by its own norm.
std::vector<double> normalized(const Image& image) {
  const auto bytes = values<uint8_t>(image);
  std::vector<double> out(bytes.begin(), bytes.end());
  double mean = 0, norm = 0;
  for (const double x : out) mean += x / static_cast<double>(out.size());
  for (double& x : out) {
    x -= mean;
    norm += x * x;
  }
  for (double& x : out) x /= std::sqrt(norm);
  return out;
}

TEST(Glyphs, ClassMeansTellMuchButFarFromAll) {
  const auto db = database("Glyphs_Database", {{"Learn", "1000"}, {"Validation", "0"}, {"Test", "300"}});
  std::vector<std::vector<double>> means(10, std::vector<double>(784));
  for (const int64_t id : db->list(Partition::Learn)) {
    const auto x = normalized(db->image(id));
    for (size_t i = 0; i < x.size(); ++i) means[static_cast<size_t>(db->label(id))][i] += x[i];
  }
  int right = 0;
  for (const int64_t id : db->list(Partition::Test)) {
    const auto x = normalized(db->image(id));
    int best = 0;
    double highest = -1e9;
    for (int c = 0; c < 10; ++c) {
      double dot = 0;
      for (size_t i = 0; i < x.size(); ++i) dot += x[i] * means[static_cast<size_t>(c)][i];
      if (dot > highest) {
        highest = dot;
        best = c;
      }
    }
    right += best == db->label(id) ? 1 : 0;
  }
  // Chance is 30; a linear model must stay clearly behind a convolutional one.
  EXPECT_GT(right, 120);
  EXPECT_LT(right, 255);
}

}  // namespace
}  // namespace n2d2::data
