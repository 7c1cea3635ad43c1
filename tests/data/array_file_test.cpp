#include "files/array_file.hpp"

#include "arrays.hpp"
#include "samples.hpp"

namespace n2d2::data {
namespace {

class ArrayFiles : public testing::Test {
 protected:
  ArrayFile open(const std::string& name, const std::string& bytes, const ArrayFormat& format = {}) {
    folder_.write(name, bytes);
    return {folder_.path(name), format};
  }
  std::string error(const std::string& name, const std::string& bytes, const ArrayFormat& format = {}) {
    return folder_.anonymous(config_error([&] {
      const ArrayFile file = open(name, bytes, format);
      for (int64_t i = 0; i < file.size(); ++i) file.image(i);
    }));
  }
  const Folder folder_;
};

/// Channels 2, height 1, width 3: 0 1 2 | 10 11 12.
const std::vector<uint8_t> kPlanes{0, 1, 2, 10, 11, 12};
const std::vector<uint8_t> kPixels{0, 10, 1, 11, 2, 12};

TEST_F(ArrayFiles, ChannelsOfNpyAreInterleaved) {
  for (const char* shape : {"(2, 1, 3)", "(1, 2, 1, 3)"}) {
    const ArrayFile file = open("a.npy", npy("|u1", shape, bytes_of(kPlanes)));
    ASSERT_EQ(file.size(), 1) << shape;
    EXPECT_EQ(file.image(0).text(), "3x1x2 u8");
    EXPECT_EQ(values<uint8_t>(file.image(0)), kPixels);
  }
  const ArrayFile several = open("a.npy", npy("|u1", "(2, 3, 1, 1)", bytes_of(kPlanes)));
  ASSERT_EQ(several.size(), 2);
  EXPECT_EQ(values<uint8_t>(several.image(1)), (std::vector<uint8_t>{10, 11, 12}));
  EXPECT_EQ(open("a.npy", npy("|u1", "(2, 3)", bytes_of(kPlanes))).image(0).text(), "3x2x1 u8");
  EXPECT_EQ(open("a.npy", npy("|u1", "(6,)", bytes_of(kPlanes))).image(0).text(), "6x1x1 u8");
}

TEST_F(ArrayFiles, AShapeSaysWhatASampleIs) {
  const ArrayFormat format{ElementType::None, {2, 1, 3}};
  for (const char* shape : {"(2, 1, 3)", "(1, 2, 1, 3)", "(2, 3)", "(6,)", "(1, 6)"}) {
    const ArrayFile file = open("a.npy", npy("|u1", shape, bytes_of(kPlanes)), format);
    ASSERT_EQ(file.size(), 1) << shape;
    EXPECT_EQ(values<uint8_t>(file.image(0)), kPixels) << shape;
  }
  std::vector<uint8_t> two = kPlanes;
  two.insert(two.end(), {5, 5, 5, 6, 6, 6});
  for (const char* shape : {"(2, 2, 1, 3)", "(2, 2, 3)", "(2, 6)"}) {
    const ArrayFile file = open("a.npy", npy("|u1", shape, bytes_of(two)), format);
    ASSERT_EQ(file.size(), 2) << shape;
    EXPECT_EQ(values<uint8_t>(file.image(1)), (std::vector<uint8_t>{5, 6, 5, 6, 5, 6})) << shape;
  }
  EXPECT_EQ(
      error("a.npy", npy("|u1", "(1, 3, 2)", bytes_of(kPlanes)), {ElementType::None, {1, 2, 4}}),
      "DIR/a.npy: expected samples of 1 2 4 (channels, height, width) or 2 4 1 (height, width, channels), "
      "found 1 3 2\n"
      "  hint: 'numpy.transpose' changes the order of axes");
}

TEST_F(ArrayFiles, ChannelsOfNpyMayBeLast) {
  const ArrayFormat format{ElementType::None, {2, 1, 3}};
  for (const char* shape : {"(1, 3, 2)", "(1, 1, 3, 2)", "(3, 2)"}) {
    const ArrayFile file = open("a.npy", npy("|u1", shape, bytes_of(kPixels)), format);
    ASSERT_EQ(file.size(), 1) << shape;
    EXPECT_EQ(values<uint8_t>(file.image(0)), kPixels) << shape;
  }
  std::vector<uint8_t> two = kPixels;
  two.insert(two.end(), {5, 6, 5, 6, 5, 6});
  const ArrayFile file = open("a.npy", npy("|u1", "(2, 1, 3, 2)", bytes_of(two)), format);
  ASSERT_EQ(file.size(), 2);
  EXPECT_EQ(values<uint8_t>(file.image(1)), (std::vector<uint8_t>{5, 6, 5, 6, 5, 6}));
}

TEST_F(ArrayFiles, ChannelsLastSaysTheOrderWhereBothFit) {
  const ArrayFormat first{ElementType::UInt8, {2, 1, 2}}, last{ElementType::UInt8, {2, 1, 2}, true};
  const std::string bytes = bytes_of<uint8_t>({1, 2, 3, 4});
  const std::pair<std::string, std::string> files[] = {{"a.npy", npy("|u1", "(2, 2)", bytes)},
                                                       {"a.npy", npy("|u1", "(1, 1, 2, 2)", bytes)},
                                                       {"a.npy", npy("|u1", "(4,)", bytes)},
                                                       {"a.bin", bytes}};
  for (const auto& [name, content] : files) {
    EXPECT_EQ(values<uint8_t>(open(name, content, first).image(0)), (std::vector<uint8_t>{1, 3, 2, 4}));
    EXPECT_EQ(values<uint8_t>(open(name, content, last).image(0)), (std::vector<uint8_t>{1, 2, 3, 4}));
  }
  EXPECT_EQ(values<float>(open("a.csv", "1 2 3 4\n", first).image(0)), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_EQ(values<float>(open("a.csv", "1 2 3 4\n", last).image(0)), (std::vector<float>{1, 2, 3, 4}));
  const ArrayFormat wide{ElementType::None, {2, 1, 3}, true};  // one order fits
  EXPECT_EQ(values<uint8_t>(open("a.npy", npy("|u1", "(2, 1, 3)", bytes_of(kPlanes)), wide).image(0)),
            kPixels);
}

TEST_F(ArrayFiles, ElementsOfEveryType) {
  const auto read = [&](const std::string& type, const std::string& bytes) {
    return open("a.npy", npy(type, "(2,)", bytes)).image(0);
  };
  EXPECT_EQ(values<int8_t>(read("|i1", bytes_of<int8_t>({-128, 7}))), (std::vector<int8_t>{-128, 7}));
  EXPECT_EQ(values<uint16_t>(read("<u2", bytes_of<uint16_t>({65535, 7}))), (std::vector<uint16_t>{65535, 7}));
  EXPECT_EQ(values<int16_t>(read("<i2", bytes_of<int16_t>({-2, 7}))), (std::vector<int16_t>{-2, 7}));
  EXPECT_EQ(values<int16_t>(read(">i2", std::string("\xff\xfe\x00\x07", 4))), (std::vector<int16_t>{-2, 7}));
  EXPECT_EQ(values<int32_t>(read("<i4", bytes_of<int32_t>({-2, 1 << 30}))),
            (std::vector<int32_t>{-2, 1 << 30}));
  EXPECT_EQ(values<int32_t>(read("<i8", bytes_of<int64_t>({-2, 7}))), (std::vector<int32_t>{-2, 7}));
  EXPECT_EQ(values<float>(read("<f4", bytes_of<float>({-0.5F, 7}))), (std::vector<float>{-0.5F, 7}));
  EXPECT_EQ(values<float>(read("=f8", bytes_of<double>({-0.5, 7}))), (std::vector<float>{-0.5F, 7}));
}

TEST_F(ArrayFiles, WhatIsNoNpyIsRefused) {
  EXPECT_EQ(error("a.npy", "nothing"),
            "DIR/a.npy: no .npy file: expected the head of one of version 1, 2 or 3");
  EXPECT_EQ(error("a.npy", npy("|u1", "(7,)", bytes_of(kPlanes))),
            "DIR/a.npy: its head asks for 135 bytes, the file has 134");
  EXPECT_EQ(error("a.npy", npy("<f2", "(3,)", bytes_of(kPlanes))),
            "DIR/a.npy: expected elements of u1, i1, u2, i2, i4, i8, f4 or f8, got '<f2'\n"
            "  hint: 'astype(numpy.float32)' makes such an array");
  EXPECT_EQ(error("a.npy", npy("|u1", "(2, 3)", bytes_of(kPlanes), "True")),
            "DIR/a.npy: expected rows of elements (fortran_order False)\n"
            "  hint: 'numpy.ascontiguousarray' makes such an array");
  EXPECT_EQ(error("a.npy", npy("|u1", "(x,)", "")), "DIR/a.npy: its head has no shape");
  EXPECT_EQ(error("a.npy", npy("|u1", "(0, 3)", "")),
            "DIR/a.npy: expected extents >= 1 of fewer than 2^31 elements, found 0 3");
  EXPECT_EQ(error("a.npy", npy("|u1", "(65536, 65536)", "")),
            "DIR/a.npy: expected extents >= 1 of fewer than 2^31 elements, found 65536 65536");
  EXPECT_EQ(error("a.npy", npy("|u1", "(1, 1, 1, 1, 6)", bytes_of(kPlanes))),
            "DIR/a.npy: expected N C H W, C H W, H W or W, found 1 1 1 1 6");
  EXPECT_EQ(error("a.npy", npy("|u1", "(6,)", "").substr(0, 40)), "DIR/a.npy: cut short in its head");
  EXPECT_EQ(error("a.npy", std::string("\x93NUMPY\x02\x00\x00\x00\x00\x01", 12)),
            "DIR/a.npy: expected a head of at most 65536 bytes, it has 16777216");
}

TEST_F(ArrayFiles, NumbersThatCannotBeAreRefused) {
  EXPECT_EQ(error("a.npy", npy("<f4", "(1,)", std::string("\x00\x00\xc0\x7f", 4))),
            "DIR/a.npy: sample 0 holds a number that is not finite");
  EXPECT_EQ(error("a.npy", npy("<i8", "(1,)", bytes_of<int64_t>({int64_t{1} << 40}))),
            "DIR/a.npy: sample 0 holds 1099511627776, expected integers of 32 bits");
}

TEST_F(ArrayFiles, CsvIsAMatrixOrRowsOfSamples) {
  const std::string text = "# made by hand\n0, 1.5; -2\n\n3\t4 5e0\r\n";
  const ArrayFile matrix = open("a.csv", text);
  EXPECT_EQ(matrix.image(0).text(), "3x2x1 f32");
  EXPECT_EQ(values<float>(matrix.image(0)), (std::vector<float>{0, 1.5F, -2, 3, 4, 5}));
  const ArrayFile rows = open("a.csv", text, {ElementType::None, {3, 1, 1}});
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(values<float>(rows.image(1)), (std::vector<float>{3, 4, 5}));
  EXPECT_EQ(error("a.csv", "1 2\n3\n"),
            "DIR/a.csv: line 2: expected 2 numbers as in the lines before, got 1");
  EXPECT_EQ(error("a.csv", "x,y\n1,2\n"), "DIR/a.csv: line 1: expected numbers, got 'x'");
  EXPECT_EQ(error("a.csv", "# nothing\n"), "DIR/a.csv: no number in it");
  EXPECT_EQ(error("a.csv", "1e200\n"), "DIR/a.csv: sample 0 holds a number that is not finite");
  EXPECT_EQ(error("a.csv", "1 2\n3 4\n", {ElementType::None, {3, 1, 1}}),
            "DIR/a.csv: expected samples of 3 numbers (3 1 1), found 4 numbers");
}

TEST_F(ArrayFiles, BinNeedsATypeAndAShape) {
  const ArrayFile file = open("a.bin", bytes_of<int16_t>({1, 2, -3, -4}), {ElementType::Int16, {1, 1, 2}});
  ASSERT_EQ(file.size(), 2);
  EXPECT_EQ(values<int16_t>(file.image(1)), (std::vector<int16_t>{-3, -4}));
  EXPECT_EQ(
      error("a.bin", "1234"),
      "DIR/a.bin: what its elements are, and how many are a sample, must be said\n"
      "  hint: SampleType=float32 and SampleShape=<channels> <height> <width>; -sample-type for an ONNX file "
      "alone");
  EXPECT_EQ(error("a.bin", "12345", {ElementType::Float32, {1, 1, 1}}),
            "DIR/a.bin: expected samples of 4 bytes (1 1 1 of float32), the file has 5");
  EXPECT_EQ(error("a.bin", "", {ElementType::Float32, {1, 1, 1}}),
            "DIR/a.bin: expected samples of 4 bytes (1 1 1 of float32), the file has 0");
}

TEST_F(ArrayFiles, HoldNoMoreThanFourMillionSamples) {
  folder_.write("a.bin", "");
  std::filesystem::resize_file(folder_.path("a.bin"), (1 << 22) + 1);
  EXPECT_EQ(folder_.anonymous(config_error([&] {
    ArrayFile(folder_.path("a.bin"), {ElementType::UInt8, {1, 1, 1}});
  })),
            "DIR/a.bin: expected at most 4,194,304 samples in a file, found 4,194,305");
}

// Every byte of the head, changed: samples of the bytes that are there, or a refusal that names the file.
TEST_F(ArrayFiles, HeadsThatAreDamagedAreRefusedOrRead) {
  const std::string whole = npy("<i2", "(2, 3)", bytes_of<int16_t>({1, 2, 3, 4, 5, 6}));
  int refused = 0;
  for (size_t at = 0; at + 12 < whole.size(); ++at)
    for (const int bit : {0, 4, 7}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const std::string said = error("a.npy", damaged);
      if (said == "no error") continue;
      EXPECT_EQ(said.substr(0, 11), "DIR/a.npy: ") << at;
      ++refused;
    }
  EXPECT_GT(refused, 100);
}

TEST_F(ArrayFiles, AFileThatShrinksIsNoticed) {
  const ArrayFile file = open("a.npy", npy("|u1", "(6,)", bytes_of(kPlanes)));
  std::filesystem::resize_file(folder_.path("a.npy"), 130);
  EXPECT_EQ(folder_.anonymous(config_error([&] { file.image(0); })),
            "DIR/a.npy: cannot be read, or is shorter than it was");
}

TEST_F(ArrayFiles, AreSamplesOfADirectory) {
  folder_.write("cat/all.npy", npy("|u1", "(2, 3, 1, 1)", bytes_of(kPlanes)));
  folder_.write("dog/one.bin", std::string(3, '\x07'));
  const MapKeys::Map keys{{"DataPath", folder_.path()},
                          {"Learn", "0"},
                          {"RandomPartitioning", "0"},
                          {"SampleType", "uint8"},
                          {"SampleShape", "3 1 1"}};
  const auto db = database("DIR_Database", keys);
  ASSERT_NE(db, nullptr);
  ASSERT_EQ(db->size(Partition::Test), 3);
  EXPECT_EQ(db->name(1), "cat/all.npy[1]");
  EXPECT_EQ(db->name(2), "dog/one.bin");
  EXPECT_EQ(db->label(2), 1);
  EXPECT_EQ(values<uint8_t>(db->image(1)), (std::vector<uint8_t>{10, 11, 12}));
  MapKeys::Map file = keys;
  file["DataPath"] = folder_.path("cat/all.npy");
  EXPECT_EQ(database("DIR_Database", file)->name(1), "all.npy[1]");
  MapKeys::Map wrong = keys;
  wrong["SampleShape"] = "3 1";
  EXPECT_EQ(
      database_errors("DIR_Database", wrong),
      "a.ini:5: [database] SampleShape: expected channels, height and width of fewer than 2^31 elements, "
      "got '3 1'\n");
}

}  // namespace
}  // namespace n2d2::data
