#include "samples.hpp"

namespace n2d2::data {
namespace {

/// Five lines of four numbers, two labels.
const std::string kTable =
    "1;2;3;4;low\n"
    "5, 6, 7, 8, high  # the second\n"
    "\n"
    "9 10 11 12 low\r\n"
    "13\t14\t15\t16\thigh\n"
    "17 18 19 2e1 high\n";

MapKeys::Map with(const Folder& folder, MapKeys::Map keys) {
  keys.emplace("DataPath", folder.path("table.csv"));
  return keys;
}

TEST(Csv, ALineIsASample) {
  const Folder folder;
  folder.write("table.csv", kTable);
  const auto db = database("CSV_Database", with(folder, {}));
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(db->labels(), (std::vector<std::string>{"low", "high"}));
  EXPECT_EQ(db->size(), 5);
  EXPECT_EQ(db->name(2), "table.csv:4");
  EXPECT_EQ(db->label(1), 1);
  EXPECT_EQ(db->image(4).text(), "4x1x1 f32");
  EXPECT_EQ(values<float>(db->image(4)), (std::vector<float>{17, 18, 19, 20}));
  // The smaller label has 2: 1 of each learns (0.6 of 2), the others are for Validation and Test.
  EXPECT_EQ(db->size(Partition::Learn), 2);
  EXPECT_EQ(db->size(Partition::Learn) + db->size(Partition::Validation) + db->size(Partition::Test), 5);
}

TEST(Csv, ColumnsAndHeadsAreSaid) {
  const Folder folder;
  folder.write("table.csv", "name a b\nx y z\n7 1 2\n8 3 4\n");
  const auto db = database("CSV_Database", with(folder, {{"NbHeaderLines", "2"}, {"LabelColumn", "0"}}));
  EXPECT_EQ(db->labels(), (std::vector<std::string>{"7", "8"}));
  EXPECT_EQ(values<float>(db->image(1)), (std::vector<float>{3, 4}));
  const auto middle = database("CSV_Database", with(folder, {{"NbHeaderLines", "2"}, {"LabelColumn", "-2"}}));
  EXPECT_EQ(middle->labels(), (std::vector<std::string>{"1", "3"}));
}

TEST(Csv, SampleShapeSaysWhatNumbersMean) {
  const Folder folder;
  folder.write("table.csv", kTable);
  const auto db = database("CSV_Database", with(folder, {{"SampleShape", "2 1 2"}}));
  EXPECT_EQ(db->image(0).text(), "2x1x2 f32");
  EXPECT_EQ(values<float>(db->image(0)), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(
      folder.anonymous(database_errors("CSV_Database", with(folder, {{"SampleShape", "1 1 3"}}))),
      "a.ini:5: [database] SampleShape: expected channels, height and width of 4 numbers, which a line has "
      "besides its label, got 1 1 3\n");
}

TEST(Csv, CountsAndFoldersAndMore) {
  const Folder folder;
  folder.write("tables/a.csv", kTable);
  folder.write("tables/b.txt", "1 2 3 4 low\n");
  folder.write("tables/c.md", "not a table");
  folder.write("table.csv", "1 2 3 4 middle\n");
  const DataContext context{
      1, {}, [&](const std::string& name) -> std::unique_ptr<KeySource> {
        if (name != "more") return nullptr;
        return std::make_unique<MapKeys>(with(folder, {{"Learn", "0"}, {"Validation", "0"}}), "[more]");
      }};
  const log::Capture quiet;
  Diagnostics diagnostics;
  const auto db = make_database("CSV_Database",
                                MapKeys({{"DataPath", folder.path("tables")},
                                         {"PerLabelPartitioning", "0"},
                                         {"RandomPartitioning", "0"},
                                         {"Learn", "2"},
                                         {"Validation", "1"},
                                         {"Test", "1"},
                                         {"LoadMore", "more"}}),
                                context, diagnostics);
  ASSERT_NE(db, nullptr) << errors_of(diagnostics);
  EXPECT_EQ(db->list(Partition::Learn), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(db->list(Partition::Validation), (std::vector<int64_t>{2}));
  EXPECT_EQ(db->list(Partition::Test), (std::vector<int64_t>{3, 6}));
  EXPECT_EQ(db->name(5), "b.txt:1");
  EXPECT_EQ(db->labels().back(), "middle");
}

TEST(Csv, BadLinesNameTheirPlace) {
  const Folder folder;
  const auto error = [&](const std::string& text, const MapKeys::Map& keys = {}) {
    folder.write("table.csv", text);
    return folder.anonymous(database_errors("CSV_Database", with(folder, keys)));
  };
  EXPECT_EQ(error("1 2 a\n1 2 3 b\n"),
            "DIR/table.csv:2: expected 3 columns as in the lines before, found 4\n");
  EXPECT_EQ(error("x y a\n"),
            "DIR/table.csv:1: expected a number in column 0, got 'x'\n"
            "  hint: NbHeaderLines leaves out lines at the top, LabelColumn says which column is text\n");
  EXPECT_EQ(error("1 2 a\n1 nan a\n"), "DIR/table.csv:2: expected a number in column 1, got 'nan'\n");
  EXPECT_EQ(error("1\n"), "DIR/table.csv:1: expected numbers and a label, found one word\n");
  EXPECT_EQ(error("1 2 a\n", {{"LabelColumn", "3"}}),
            "DIR/table.csv:1: expected a label in column 3 (LabelColumn), found 3 columns\n");
  EXPECT_EQ(error("# nothing\n"), "DIR/table.csv: no line with a sample\n");
  EXPECT_EQ(error(std::string("1 2\0 a", 6)), "DIR/table.csv: expected a table of text, found bytes of 0\n");
  std::filesystem::remove(folder.path("table.csv"));
  EXPECT_EQ(folder.anonymous(database_errors("CSV_Database", with(folder, {}))),
            "a.ini:5: [database] DataPath: no file or folder 'DIR/table.csv'\n"
            "  hint: DataPath says where to look; the data root is not put in front of it\n");
}

}  // namespace
}  // namespace n2d2::data
