#include <zlib.h>

#include "files/container_file.hpp"
#include "samples.hpp"

namespace n2d2::data {
namespace {

std::string number(uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

/// count pictures of 2 rows, 3 columns; pixel p of picture i is 10 * i + p.
std::string images(uint32_t count) {
  std::string out = number(0x803) + number(count) + number(2) + number(3);
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t p = 0; p < 6; ++p) out.push_back(static_cast<char>(10 * i + p));
  return out;
}

std::string labels(const std::vector<int>& list) {
  std::string out = number(0x801) + number(static_cast<uint32_t>(list.size()));
  for (const int label : list) out.push_back(static_cast<char>(label));
  return out;
}

void write_all(const Folder& folder) {
  folder.write("train-images-idx3-ubyte", images(10));
  folder.write("train-labels-idx1-ubyte", labels({5, 0, 4, 1, 9, 2, 1, 3, 1, 4}));
  folder.write("t10k-images-idx3-ubyte", images(2));
  folder.write("t10k-labels-idx1-ubyte", labels({7, 2}));
}

TEST(MnistIdx, ReadsPicturesLabelsAndPartitions) {
  const Folder folder;
  write_all(folder);
  const auto db = database("MNIST_IDX_Database", {{"DataPath", folder.path()}, {"Validation", "0.2"}});
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(db->summary(), "Learn 8, Validation 2, Test 2, unused 0, 10 labels");
  EXPECT_EQ(db->labels()[7], "7");
  EXPECT_EQ(db->id(Partition::Test, 0), 10);
  EXPECT_EQ(db->label(10), 7);
  EXPECT_EQ(db->name(11), "t10k-images-idx3-ubyte[00001]");
  EXPECT_EQ(values<uint8_t>(db->image(4)), (std::vector<uint8_t>{40, 41, 42, 43, 44, 45}));
  EXPECT_EQ(db->image(4).text(), "3x2x1 u8");
  EXPECT_EQ(db->label(4), 9);
}

TEST(MnistIdx, WithoutRandomPartitioningTheFirstComeFirst) {
  const Folder folder;
  write_all(folder);
  const auto db = database("Fashion_MNIST_IDX_Database",
                           {{"DataPath", folder.path()}, {"Validation", "0.2"}, {"RandomPartitioning", "0"}});
  EXPECT_EQ(db->list(Partition::Validation), (std::vector<int64_t>{8, 9}));
}

TEST(MnistIdx, ReadsCompressedFilesAndDottedNames) {
  const Folder folder;
  write_all(folder);
  const std::string plain = folder.read("t10k-images-idx3-ubyte");
  std::filesystem::remove(folder.path("t10k-images-idx3-ubyte"));
  gzFile file = gzopen(folder.path("t10k-images.idx3-ubyte.gz").c_str(), "wb");
  gzwrite(file, plain.data(), static_cast<unsigned>(plain.size()));
  gzclose(file);
  std::filesystem::rename(folder.path("train-labels-idx1-ubyte"), folder.path("train-labels.idx1-ubyte"));
  const auto db = database("MNIST_IDX_Database", {{"DataPath", folder.path()}});
  ASSERT_NE(db, nullptr);
  EXPECT_EQ(values<uint8_t>(db->image(11))[0], 10);
  EXPECT_EQ(db->label(0), 5);
}

std::string errors_with(const Folder& folder, const std::string& name, const std::string& bytes) {
  write_all(folder);
  folder.write(name, bytes);
  return folder.anonymous(database_errors("MNIST_IDX_Database", {{"DataPath", folder.path()}}));
}

TEST(MnistIdx, MissingFileSaysWhereItLooked) {
  const Folder folder;
  EXPECT_EQ(folder.anonymous(database_errors("MNIST_IDX_Database", {{"DataPath", folder.path()}})),
            "a.ini:5: [database] DataPath: neither 'train-images-idx3-ubyte' nor 'train-images.idx3-ubyte' "
            "(also .gz) "
            "found in 'DIR'\n"
            "  hint: DataPath says where to look; the data root is not put in front of it; 'databases/get.sh "
            "mnist' "
            "downloads the data into $N2D2_DATA\n");
  EXPECT_EQ(folder.anonymous(database_errors("MNIST_IDX_Database", {}, folder.path())),
            "a.ini:1: [database] DataPath: neither 'train-images-idx3-ubyte' nor 'train-images.idx3-ubyte' "
            "(also .gz) "
            "found in 'DIR/mnist'\n"
            "  hint: the data root is 'DIR'; 'databases/get.sh mnist' downloads the data into "
            "$N2D2_DATA\n");
}

TEST(MnistIdx, MissingFileSaysWhichDataRootHolds) {
  const char* old = std::getenv("N2D2_DATA");
  const std::string kept = old != nullptr ? old : "";
  setenv("N2D2_DATA", "/nowhere/at/all", 1);
  EXPECT_EQ(database_errors("Fashion_MNIST_IDX_Database", {}),
            "a.ini:1: [database] DataPath: neither 'train-images-idx3-ubyte' nor 'train-images.idx3-ubyte' "
            "(also .gz) "
            "found in '/nowhere/at/all/fashion-mnist/data/fashion'\n"
            "  hint: the data root is '/nowhere/at/all' (from N2D2_DATA); set N2D2_DATA or DataPath; "
            "'databases/get.sh fashion-mnist' downloads the data into $N2D2_DATA\n");
  if (old != nullptr)
    setenv("N2D2_DATA", kept.c_str(), 1);
  else
    unsetenv("N2D2_DATA");
}

TEST(MnistIdx, DamagedFilesAreOneClearLine) {
  const Folder folder;
  EXPECT_EQ(errors_with(folder, "train-images-idx3-ubyte", "abc"),
            "DIR/train-images-idx3-ubyte: expected at least 16 bytes of IDX header, found 3 bytes\n");
  EXPECT_EQ(errors_with(folder, "train-images-idx3-ubyte", number(0x801) + std::string(20, 'x')),
            "DIR/train-images-idx3-ubyte: expected IDX magic number 0x00000803, found 0x00000801\n");
  EXPECT_EQ(errors_with(folder, "train-images-idx3-ubyte", images(10).substr(0, 70)),
            "DIR/train-images-idx3-ubyte: expected 60 bytes after the IDX header, found 54\n");
  EXPECT_EQ(errors_with(folder, "train-images-idx3-ubyte", images(10) + "x"),
            "DIR/train-images-idx3-ubyte: expected 60 bytes after the IDX header, found 61\n");
  EXPECT_EQ(errors_with(folder, "t10k-images-idx3-ubyte", number(0x803) + number(2) + number(0) + number(3)),
            "DIR/t10k-images-idx3-ubyte: extent 2 of the IDX header is 0\n");
  EXPECT_EQ(
      errors_with(folder, "t10k-labels-idx1-ubyte", labels({7})),
      "DIR/t10k-labels-idx1-ubyte: expected 2 labels for the pictures of t10k-images-idx3-ubyte, found 1\n");
  EXPECT_EQ(errors_with(folder, "t10k-labels-idx1-ubyte", labels({7, 10})),
            "DIR/t10k-labels-idx1-ubyte: label 1 is 10, expected 0 to 9\n");
}

TEST(MnistIdx, CutCompressedFileIsAnError) {
  const Folder folder;
  write_all(folder);
  std::string noise;
  for (int i = 0; i < 9000; ++i) noise.push_back(static_cast<char>(i * i * 7 + i / 3));
  gzFile file = gzopen(folder.path("whole.gz").c_str(), "wb");
  gzwrite(file, noise.data(), static_cast<unsigned>(noise.size()));
  gzclose(file);
  std::filesystem::remove(folder.path("train-images-idx3-ubyte"));
  const std::string whole = folder.read("whole.gz");
  folder.write("train-images-idx3-ubyte.gz", whole.substr(0, whole.size() / 2));
  const std::string errors =
      folder.anonymous(database_errors("MNIST_IDX_Database", {{"DataPath", folder.path()}}));
  EXPECT_EQ(errors.rfind("DIR/train-images-idx3-ubyte.gz: damaged or cut short after ", 0), 0U) << errors;
}

/// A small file may unpack to any size.
TEST(ReadBytes, StopsAtItsLimit) {
  const Folder folder;
  const std::string zeros(8 << 20, '\0');
  gzFile file = gzopen(folder.path("bomb.gz").c_str(), "wb");
  gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size()));
  gzclose(file);
  EXPECT_EQ(read_bytes(folder.path("bomb.gz"), zeros.size()).size(), zeros.size());
  EXPECT_NE(config_error([&] {
              read_bytes(folder.path("bomb.gz"), zeros.size() - 1);
            }).find("expected at most 8,388,607 bytes, unpacked there are 8,388,608"),
            std::string::npos);
  // Two parts behind each other: the end declares the second alone.
  const std::string bomb = folder.read("bomb.gz");
  folder.write("two.gz", bomb + bomb);
  EXPECT_EQ(read_bytes(folder.path("two.gz"), 2 * zeros.size()).size(), 2 * zeros.size());
  EXPECT_NE(config_error([&] {
              read_bytes(folder.path("two.gz"), 2 * zeros.size() - 1);
            }).find("expected at most 16,777,215 bytes, unpacked there are more"),
            std::string::npos);
  EXPECT_NE(config_error([&] { read_bytes(folder.path()); }).find("expected a regular file, found a folder"),
            std::string::npos);
}

/// 4 MB behind a header that declares one picture: refused by the header of IDX, then by that of gzip.
TEST(MnistIdx, UnpacksNoMoreThanItsHeaderDeclares) {
  const Folder folder;
  write_all(folder);
  std::filesystem::remove(folder.path("train-images-idx3-ubyte"));
  const auto errors_of_bomb = [&](const std::string& head) {
    const std::string bytes = head + std::string(4 << 20, '\0');
    gzFile file = gzopen(folder.path("train-images-idx3-ubyte.gz").c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return folder.anonymous(database_errors("MNIST_IDX_Database", {{"DataPath", folder.path()}}));
  };
  EXPECT_EQ(errors_of_bomb(""),
            "DIR/train-images-idx3-ubyte.gz: expected IDX magic number 0x00000803, found 0x00000000\n");
  EXPECT_EQ(
      errors_of_bomb(std::string("\0\0\x08\x03\0\0\0\x01\0\0\0\x1c\0\0\0\x1c", 16)),
      "DIR/train-images-idx3-ubyte.gz: expected at most 1,048,576 bytes, unpacked there are 4,194,320\n");
}

}  // namespace
}  // namespace n2d2::data
