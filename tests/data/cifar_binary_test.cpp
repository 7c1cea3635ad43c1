#include "samples.hpp"

namespace n2d2::data {
namespace {

constexpr int kPlane = 32 * 32;

/// One record: red, green and blue planes of one value each but for the first pixel.
std::string record(int label, char red, char green, char blue) {
  std::string out(1, static_cast<char>(label));
  for (const char plane : {red, green, blue}) out += '\x01' + std::string(kPlane - 1, plane);
  return out;
}

constexpr const char* kMeta = "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\nlorry\n\n";

void write_all(const Folder& folder) {
  folder.write("data_batch_1.bin", record(3, 10, 20, 30) + record(1, 11, 21, 31));
  folder.write("data_batch_4.bin", record(9, 12, 22, 32) + record(0, 13, 23, 33));
  folder.write("test_batch.bin", record(5, 14, 24, 34));
  folder.write("batches.meta.txt", kMeta);
}

TEST(Cifar10, ReadsBatchesThatAreThereAndNamesTheOthers) {
  const Folder folder;
  write_all(folder);
  const log::Capture capture;
  Diagnostics diagnostics;
  const auto db = make_database("CIFAR10_Database", MapKeys({{"DataPath", folder.path()}}), {}, diagnostics);
  ASSERT_NE(db, nullptr) << errors_of(diagnostics);
  EXPECT_EQ(folder.anonymous(capture.text()),
            "DIR/data_batch_1.bin: 2 records instead of 10000\n"
            "DIR/data_batch_4.bin: 2 records instead of 10000\n"
            "DIR/test_batch.bin: 1 records instead of 10000\n");
  ASSERT_EQ(diagnostics.warnings().size(), 1U);
  EXPECT_EQ(folder.anonymous(diagnostics.warnings().front().text()),
            "a.ini:1: [database] CIFAR10_Database: data_batch_2.bin, data_batch_3.bin, data_batch_5.bin not "
            "found in "
            "'DIR'; the Learn partition is smaller for it");
  EXPECT_EQ(db->summary(), "Learn 4, Validation 0, Test 1, unused 0, 10 labels");
  EXPECT_EQ(db->name(2), "data_batch_4.bin[00000]");
  EXPECT_EQ(db->label(2), 9);
  EXPECT_EQ(db->labels()[9], "lorry");
  EXPECT_EQ(db->label(db->id(Partition::Test, 0)), 5);
}

TEST(Cifar10, PicturesAreBlueGreenRed) {
  const Folder folder;
  write_all(folder);
  const auto db = database("CIFAR10_Database", {{"DataPath", folder.path()}});
  const Image image = db->image(3);
  EXPECT_EQ(image.text(), "32x32x3 u8");
  const auto pixels = image.span<uint8_t>();
  EXPECT_EQ(pixels[0], 1);
  EXPECT_EQ(pixels[3], 33);
  EXPECT_EQ(pixels[4], 23);
  EXPECT_EQ(pixels[5], 13);
}

TEST(Cifar10, TestSetCanBeTheValidationSetToo) {
  const Folder folder;
  write_all(folder);
  const log::Capture capture;
  Diagnostics diagnostics;
  const auto db =
      make_database("CIFAR10_Database", MapKeys({{"DataPath", folder.path()}, {"UseTestForValidation", "1"}}),
                    {}, diagnostics);
  EXPECT_EQ(db->list(Partition::Validation), db->list(Partition::Test));
  EXPECT_EQ(capture.text(log::Level::Warning),
            "[database] UseTestForValidation: Validation and Test hold the same pictures; a score on Test is "
            "optimistic\n");
  EXPECT_EQ(
      database_errors("CIFAR10_Database",
                      {{"DataPath", folder.path()}, {"UseTestForValidation", "1"}, {"Validation", "0.5"}}),
      "a.ini:5: [database] Validation: expected 0 with UseTestForValidation=1, got 0.5\n");
}

TEST(Cifar10, UsualNamesReplaceAMissingMetaFile) {
  const Folder folder;
  write_all(folder);
  std::filesystem::remove(folder.path("batches.meta.txt"));
  const log::Capture capture;
  Diagnostics diagnostics;
  const auto db = make_database("CIFAR10_Database", MapKeys({{"DataPath", folder.path()}}), {}, diagnostics);
  EXPECT_EQ(db->labels()[9], "truck");
  EXPECT_NE(folder.anonymous(capture.text())
                .find("DIR/batches.meta.txt: not found, the usual label names are used"),
            std::string::npos);
}

std::string errors_with(const Folder& folder, const std::string& name, const std::string& bytes) {
  write_all(folder);
  folder.write(name, bytes);
  return folder.anonymous(database_errors("CIFAR10_Database", {{"DataPath", folder.path()}}));
}

TEST(Cifar10, DamagedFilesAreOneClearLine) {
  const Folder folder;
  EXPECT_EQ(errors_with(folder, "data_batch_1.bin", record(3, 1, 2, 3) + "x"),
            "DIR/data_batch_1.bin: expected 30730000 bytes (10000 records of 3073), found 3074 bytes\n");
  EXPECT_EQ(errors_with(folder, "data_batch_1.bin", ""),
            "DIR/data_batch_1.bin: expected 30730000 bytes (10000 records of 3073), found 0 bytes\n");
  EXPECT_EQ(errors_with(folder, "test_batch.bin", record(10, 1, 2, 3)),
            "DIR/test_batch.bin: label of record 0 is 10, expected 0 to 9\n");
  EXPECT_EQ(errors_with(folder, "batches.meta.txt", "cat\ndog\n"),
            "DIR/batches.meta.txt: expected 10 label names, found 2\n");
}

TEST(Cifar10, NoBatchAtAllIsAnError) {
  const Folder folder;
  EXPECT_EQ(
      folder.anonymous(database_errors("CIFAR10_Database", {}, folder.path())),
      "a.ini:1: [database] DataPath: no training batch ('data_batch_1.bin' to 'data_batch_5.bin') found in "
      "'DIR/cifar-10-batches-bin'\n"
      "  hint: the data root is 'DIR'; 'databases/get.sh cifar10' downloads the data into $N2D2_DATA\n");
  folder.write("data_batch_1.bin", record(0, 1, 2, 3));
  EXPECT_EQ(folder.anonymous(database_errors("CIFAR10_Database", {{"DataPath", folder.path()}})),
            "a.ini:5: [database] DataPath: 'test_batch.bin' not found in 'DIR'\n"
            "  hint: DataPath says where to look; the data root is not put in front of it; 'databases/get.sh "
            "cifar10' "
            "downloads the data into $N2D2_DATA\n");
}

/// One record of CIFAR-100: the superclass, the class, planes of one value each.
std::string record_of_100(int coarse, int fine, char red, char green, char blue) {
  return std::string(1, static_cast<char>(coarse)) + record(fine, red, green, blue);
}

std::string lines(int count, const std::string& prefix) {
  std::string out;
  for (int i = 0; i < count; ++i) out += prefix + std::to_string(i) + "\n";
  return out;
}

void write_100(const Folder& folder) {
  folder.write("train.bin", record_of_100(19, 99, 10, 20, 30) + record_of_100(0, 1, 11, 21, 31));
  folder.write("test.bin", record_of_100(7, 42, 12, 22, 32));
  folder.write("fine_label_names.txt", lines(100, "fine "));
  folder.write("coarse_label_names.txt", lines(20, "coarse "));
}

TEST(Cifar100, ClassesAreTheLabels) {
  const Folder folder;
  write_100(folder);
  const auto db = database("CIFAR100_Database", {{"DataPath", folder.path()}});
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(db->summary(), "Learn 2, Validation 0, Test 1, unused 0, 100 labels");
  EXPECT_EQ(db->label(0), 99);
  EXPECT_EQ(db->labels()[99], "fine 99");
  EXPECT_EQ(db->label(db->id(Partition::Test, 0)), 42);
  EXPECT_EQ(db->name(2), "test.bin[00000]");
  const auto image = db->image(2);
  EXPECT_EQ(image.text(), "32x32x3 u8");
  const auto pixels = image.span<uint8_t>();
  EXPECT_EQ((std::vector<int>{pixels[0], pixels[3], pixels[4], pixels[5]}),
            (std::vector<int>{1, 32, 22, 12}));
}

TEST(Cifar100, SuperclassesAreTheLabelsWithUseCoarse) {
  const Folder folder;
  write_100(folder);
  const auto db =
      database("CIFAR100_Database", {{"DataPath", folder.path()}, {"UseCoarse", "1"}, {"Validation", "0.5"}});
  EXPECT_EQ(db->summary(), "Learn 1, Validation 1, Test 1, unused 0, 20 labels");
  EXPECT_EQ(db->label(0), 19);
  EXPECT_EQ(db->labels()[19], "coarse 19");
}

TEST(Cifar100, DamagedFilesAreOneClearLine) {
  const Folder folder;
  const auto errors = [&](const std::string& name, const std::string& bytes, const MapKeys::Map& more = {}) {
    write_100(folder);
    folder.write(name, bytes);
    MapKeys::Map keys{{"DataPath", folder.path()}};
    keys.insert(more.begin(), more.end());
    return folder.anonymous(database_errors("CIFAR100_Database", keys));
  };
  EXPECT_EQ(errors("train.bin", "x"),
            "DIR/train.bin: expected 153700000 bytes (50000 records of 3074), found 1 bytes\n");
  EXPECT_EQ(errors("test.bin", record_of_100(0, 100, 1, 2, 3)),
            "DIR/test.bin: label of record 0 is 100, expected 0 to 99\n");
  EXPECT_EQ(errors("test.bin", record_of_100(20, 1, 1, 2, 3), {{"UseCoarse", "1"}}),
            "DIR/test.bin: label of record 0 is 20, expected 0 to 19\n");
  EXPECT_EQ(errors("fine_label_names.txt", "apple\n"),
            "DIR/fine_label_names.txt: expected 100 label names, found 1\n");
  std::filesystem::remove(folder.path("train.bin"));
  EXPECT_EQ(folder.anonymous(database_errors("CIFAR100_Database", {{"DataPath", folder.path()}})),
            "a.ini:5: [database] DataPath: no training batch ('train.bin') found in 'DIR'\n"
            "  hint: DataPath says where to look; the data root is not put in front of it; 'databases/get.sh "
            "cifar100' downloads the data into $N2D2_DATA\n");
}

TEST(Cifar100, NumbersReplaceAMissingFileOfNames) {
  const Folder folder;
  write_100(folder);
  std::filesystem::remove(folder.path("fine_label_names.txt"));
  const log::Capture capture;
  Diagnostics diagnostics;
  const auto db = make_database("CIFAR100_Database", MapKeys({{"DataPath", folder.path()}}), {}, diagnostics);
  EXPECT_EQ(db->labels()[42], "42");
  EXPECT_NE(folder.anonymous(capture.text())
                .find("DIR/fine_label_names.txt: not found, labels are called by their numbers"),
            std::string::npos);
}

}  // namespace
}  // namespace n2d2::data
