#include "samples.hpp"

namespace n2d2::data {
namespace {

/// A 5x4 grey picture whose bytes are 10 * row + column.
Image grid() {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 20; ++i) bytes.push_back(static_cast<uint8_t>(10 * (i / 5) + i % 5));
  return picture<uint8_t>(5, 4, 1, bytes);
}

/// Labels a (3 samples), b (1), c (2); samples 0 and 1 have rectangles of x and of x and y. All in Learn, 5
/// in Test, too.
class Annotated final : public Database {
 public:
  Annotated() {
    labels_ = {"a", "b", "c", "x", "y"};
    for (int64_t i = 0; i < 6; ++i) partitions_[0].push_back(i);
    partitions_[2] = {5};
  }
  int64_t size() const override { return 6; }
  std::string name(int64_t id) const override { return "s" + std::to_string(id); }
  int label(int64_t id) const override { return std::vector{0, 0, 0, 1, 2, 2}.at(static_cast<size_t>(id)); }
  Image image(int64_t) const override { return grid(); }
  std::vector<Roi> rois(int64_t id) const override {
    if (id == 0) return {{1, 1, 3, 2, 3}};
    if (id == 1) return {{0, 0, 2, 2, 3}, {3, 2, 2, 2, 4}};
    return {};
  }
};

using Map = MapKeys::Map;

std::unique_ptr<KeySource> section(const std::string& name, const std::optional<Map>& keys) {
  return keys ? std::make_unique<MapKeys>(*keys, "[database." + name + "]") : nullptr;
}

struct Sections {
  std::optional<Map> sort = {}, filter = {}, slicing = {};
  std::string errors = {};

  std::unique_ptr<Database> apply(CompositeLabel composite = CompositeLabel::Auto) {
    const log::Capture quiet;
    Diagnostics diagnostics;
    auto base = std::make_unique<Annotated>();
    base->set_label_rules({composite, -1, 0});
    auto out = post_process(
        std::move(base),
        {section("sortAndDropLabels", sort), section("filterROIs", filter), section("slicing", slicing)}, 1,
        diagnostics);
    errors = errors_of(diagnostics);
    return out;
  }
};

std::vector<std::string> names(const Database& db, Partition partition) {
  std::vector<std::string> out;
  for (const int64_t id : db.list(partition)) out.push_back(db.name(id));
  return out;
}

TEST(PostProcess, WithoutSectionsNothingChanges) {
  Sections sections;
  EXPECT_EQ(sections.apply()->size(), 6);
}

TEST(PostProcess, LabelsOfFewOrManySamplesStay) {
  Sections sections{.sort = Map{{"NbKeep", "2"}, {"Ascending", "0"}}};
  auto most = sections.apply();
  EXPECT_EQ(most->labels(), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(names(*most, Partition::Learn), (std::vector<std::string>{"s0", "s1", "s2", "s4", "s5"}));
  EXPECT_EQ(most->label(most->id(Partition::Test, 0)), 1);
  EXPECT_TRUE(most->rois(0).empty());
  sections.sort = Map{{"NbKeep", "1"}};
  auto fewest = sections.apply();
  EXPECT_EQ(fewest->labels(), (std::vector<std::string>{"b"}));
  EXPECT_EQ(names(*fewest, Partition::Learn), (std::vector<std::string>{"s3"}));
  EXPECT_TRUE(fewest->list(Partition::Test).empty());
}

TEST(PostProcess, RectanglesAreFilteredByLabel) {
  Sections sections{.filter = Map{{"Labels", "y"}}};
  auto only = sections.apply();
  EXPECT_EQ(names(*only, Partition::Learn), (std::vector<std::string>{"s1"}));
  EXPECT_EQ(only->rois(0), (std::vector<Roi>{{3, 2, 2, 2, 4}}));
  EXPECT_EQ(values<uint8_t>(only->sample(0)), (std::vector<uint8_t>{23, 24, 33, 34}));
  sections.filter = Map{{"Labels", "y"}, {"FilterKeep", "0"}, {"RemoveStimuli", "0"}};
  auto others = sections.apply();
  EXPECT_EQ(others->size(), 6);
  EXPECT_EQ(others->rois(1), (std::vector<Roi>{{0, 0, 2, 2, 3}}));
  sections.filter = Map{{"Labels", "x z"}};
  sections.apply();
  EXPECT_EQ(sections.errors,
            "a.ini:5: [database.filterROIs] Labels: the database has no label 'z'\n"
            "  hint: labels of folders begin with '/'\n");
}

const Map kSlices{{"Width", "3"},   {"Height", "2"},          {"StrideX", "3"},
                  {"StrideY", "2"}, {"ApplyTo", "LearnOnly"}, {"RandomShuffle", "0"}};

TEST(PostProcess, SlicesAreCutInRows) {
  Sections sections{.filter = Map{{"Labels", "y"}}, .slicing = kSlices};
  auto db = sections.apply(CompositeLabel::Combine);
  ASSERT_EQ(sections.errors, "");
  EXPECT_EQ(names(*db, Partition::Learn),
            (std::vector<std::string>{"s1[0,0 3x2]", "s1[3,0 2x2]", "s1[0,2 3x2]", "s1[3,2 2x2]"}));
  EXPECT_EQ(values<uint8_t>(db->sample(1)), (std::vector<uint8_t>{3, 4, 13, 14}));
  EXPECT_EQ(values<int32_t>(db->label_map(0)), (std::vector<int32_t>(6, 0)));
  EXPECT_EQ(values<int32_t>(db->label_map(3)), (std::vector<int32_t>(4, 4)));
}

TEST(PostProcess, OverlappingSlicesCountEachPixelOnce) {
  Map keys = kSlices;
  keys["Overlapping"] = "1";
  Sections sections{.filter = Map{{"Labels", "y"}}, .slicing = keys};
  auto db = sections.apply(CompositeLabel::Combine);
  EXPECT_EQ(names(*db, Partition::Learn),
            (std::vector<std::string>{"s1[0,0 3x2]", "s1[2,0 3x2]", "s1[0,2 3x2]", "s1[2,2 3x2]"}));
  EXPECT_EQ(values<uint8_t>(db->sample(1)), (std::vector<uint8_t>{2, 3, 4, 12, 13, 14}));
  EXPECT_EQ(values<int32_t>(db->label_map(1)), (std::vector<int32_t>{-1, 0, 0, -1, 0, 0}));
  EXPECT_EQ(values<int32_t>(db->label_map(3)), (std::vector<int32_t>{-1, 4, 4, -1, 4, 4}));
}

TEST(PostProcess, SlicesOfOtherPartitionsAndTheirOrder) {
  Map keys = kSlices;
  keys["ApplyTo"] = "TestOnly";
  Sections sections{.slicing = keys};
  auto test = sections.apply();
  // Sample 5 is in both partitions: its slices are.
  EXPECT_EQ(test->size(Partition::Learn), 5 + 4);
  EXPECT_EQ(test->size(Partition::Test), 4);
  keys["RandomShuffle"] = "1";
  keys["ApplyTo"] = "All";
  sections.slicing = keys;
  auto all = sections.apply();
  auto again = sections.apply();
  EXPECT_EQ(all->size(Partition::Learn), 24);
  EXPECT_EQ(all->list(Partition::Learn), again->list(Partition::Learn));
  EXPECT_FALSE(std::is_sorted(all->list(Partition::Learn).begin(), all->list(Partition::Learn).end()));
}

TEST(PostProcess, MissingKeysAreErrors) {
  Sections sections{.sort = Map{},
                    .filter = Map{},
                    .slicing = Map{{"Width", "0"}, {"Height", "1"}, {"StrideX", "1"}, {"StrideY", "1"}}};
  sections.apply();
  EXPECT_EQ(sections.errors,
            "a.ini:1: [database.sortAndDropLabels] NbKeep: missing, expected an integer >= 1\n"
            "a.ini:1: [database.filterROIs] Labels: missing, expected a blank-separated list, each a text\n"
            "a.ini:5: [database.slicing] Width: expected an integer >= 1, got '0'\n"
            "a.ini:1: [database.slicing] ApplyTo: missing, expected one of All LearnOnly ValidationOnly "
            "TestOnly NoLearn "
            "NoValidation NoTest\n");
}

}  // namespace
}  // namespace n2d2::data
