#include "calibration.hpp"

#include "n2d2/base/log.hpp"

#include "folder_test.hpp"
#include "small_net.hpp"

namespace n2d2::app {
namespace {

class Calibration : public FolderTest {
 protected:
  static build::Network net(const std::string& counts) {
    std::string text = kSmallNet;
    const std::string old = "Learn=200\nValidation=50\nTest=60\n";
    text.replace(text.find(old), old.size(), counts);
    config::IniDocument ini = config::parse_ini(text, "net.ini");
    return build::network(ini, {1, false, {}});
  }
  static int64_t count(const CalibrationSamples& samples) {
    int64_t sum = 0;
    Tensor batch;
    for (int64_t i = 0; samples.read(i, batch); ++i) sum += batch.shape().n();
    return sum;
  }
};

TEST_F(Calibration, CalibratesOnValidationThenLearnThenTestWithAWarning) {
  log::Capture capture;
  EXPECT_EQ(CalibrationSamples(net("Learn=200\nValidation=50\nTest=60\n"), -1).text(),
            "50 of 50 Validation samples");
  EXPECT_EQ(CalibrationSamples(net("Learn=200\nValidation=0\nTest=60\n"), 1000).text(),
            "200 of 200 Learn samples");
  EXPECT_EQ(capture.text(), "");
  EXPECT_EQ(CalibrationSamples(net("Learn=0\nValidation=0\nTest=60\n"), 7).text(), "7 of 60 Test samples");
  EXPECT_NE(capture.text().find("the score of the export is optimistic"), std::string::npos);
  EXPECT_THROW(CalibrationSamples(net("Learn=0\nValidation=0\nTest=0\n"), 7), ConfigError);
}

TEST_F(Calibration, CalibratesOnExactlySoManySamples) {
  const auto network = net("Learn=200\nValidation=50\nTest=60\n");
  EXPECT_EQ(count(CalibrationSamples(network, 33)), 33);
  EXPECT_EQ(count(CalibrationSamples(network, -1)), 50);
}

}  // namespace
}  // namespace n2d2::app
