#include "look/log_outputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

/// The elements of a .npy file of type T behind its header, whose length stands in bytes 8 and 9.
template <class T>
std::vector<T> elements(const std::string& bytes, const std::string& type, const std::string& shape) {
  const size_t header =
      10 + static_cast<unsigned char>(bytes.at(8)) + 256U * static_cast<unsigned char>(bytes.at(9));
  EXPECT_TRUE(has(bytes.substr(0, header), "'" + type + "'")) << bytes.substr(0, header);
  EXPECT_TRUE(has(bytes.substr(0, header), shape)) << bytes.substr(0, header);
  std::vector<T> out((bytes.size() - header) / sizeof(T));
  std::memcpy(out.data(), bytes.data() + header, out.size() * sizeof(T));
  return out;
}

class LogOutputs : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write("net.ini", kSmallNet);
  }
  /// The Test sample of a position, as -save-test-set has written it.
  static std::vector<float> saved(const std::string& file) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator("set"))
      if (entry.path().filename() == file)
        return elements<float>(read(entry.path().string()), "<f4", "(1, 1, 12, 12, )");
    ADD_FAILURE() << "no " << file;
    return {};
  }
};

TEST_F(LogOutputs, WritesWhatTheLayersComputeOfOneSample) {
  const std::string out =
      run_net({"-seed", "1", "-w", "/dev/null", "-test", "-log-outputs", "3", "-save-test-set", "set"});
  EXPECT_TRUE(has(out, "Test samples: 60 written to 'set'\n")) << out;
  EXPECT_TRUE(has(out, " values in 'outputs_test_3'\n")) << out;
  EXPECT_EQ(elements<float>(read("outputs_test_3/sp.npy"), "<f4", "(1, 1, 12, 12, )"), saved("02.npy"));
  const auto conv = elements<float>(read("outputs_test_3/conv.npy"), "<f4", "(1, 4, 5, 5, )");
  const auto rectified = elements<float>(read("outputs_test_3/conv_act.npy"), "<f4", "(1, 4, 5, 5, )");
  ASSERT_EQ(conv.size(), rectified.size());
  for (size_t i = 0; i < conv.size(); ++i) EXPECT_EQ(rectified[i], std::max(conv[i], 0.0F));
  EXPECT_LT(*std::min_element(conv.begin(), conv.end()), 0);
  double sum = 0;
  for (const float p : elements<float>(read("outputs_test_3/softmax.npy"), "<f4", "(1, 10, 1, 1, )"))
    sum += p;
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST_F(LogOutputs, OfAnIntegerExportAreIntegers) {
  N2D2_NEEDS_TARGETS("CPP");
  const std::string out = run_net({"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-calib", "5",
                                   "-db-export", "0", "-log-outputs", "3", "-save-test-set", "set"});
  EXPECT_TRUE(has(out, " values in 'outputs_export_3'\n")) << out;
  const std::vector<float> sample = saved("02.npy");
  const auto input = elements<uint8_t>(read("outputs_export_3/sp.npy"), "|u1", "(1, 1, 12, 12, )");
  ASSERT_EQ(input.size(), sample.size());
  const auto report = nlohmann::json::parse(read("export_CPP_int8/statistics/quantization.json"));
  const double threshold = report["layers"][0]["threshold"];
  for (size_t i = 0; i < input.size(); ++i)
    EXPECT_EQ(input[i], std::min(255L, std::lround(double{sample[i]} * 255 / threshold))) << i;
  const auto conv = elements<uint8_t>(read("outputs_export_3/conv.npy"), "|u1", "(1, 4, 5, 5, )");
  EXPECT_GT(*std::max_element(conv.begin(), conv.end()), 0);
}

TEST_F(LogOutputs, OfATestSetAreSamplesThatCanBeReadAgain) {
  run_net({"-seed", "1", "-save-test-set", "set"});
  std::string again = kSmallNet;
  const size_t database = again.find("[database]"), end = again.find("\n[", database);
  again.replace(database, end - database,
                "[database]\nType=DIR_Database\nDataPath=set\nDepth=1\nLearn=0\nValidation=0\nTest=60\n"
                "PerLabelPartitioning=0\n");
  write("again.ini", again);
  const std::string first = run_net({"-seed", "1", "-w", "/dev/null", "-test"});
  const std::string second = run_net({"-seed", "1", "-w", "/dev/null", "-test"}, "again.ini");
  const std::string score = first.substr(first.find("Final recognition rate"));
  EXPECT_TRUE(has(second, score.substr(0, score.find('\n')))) << first << second;
}

}  // namespace
}  // namespace n2d2::app
