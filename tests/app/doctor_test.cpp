#include "doctor/doctor.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class DoctorOfExport : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
  }
  /// The network learns, then its layer `bad` gets few bits.
  static std::string examine(const char* key, const std::string& bad, const char* calib) {
    write("net.ini", kSmallNet);
    run_net({"-seed", "1", "-learn-epoch", "2"});
    std::string net = kSmallNet;
    net.insert(net.find('\n', net.find("[" + bad + "]")) + 1, std::string(key) + "\n");
    write("net.ini", net);
    return run_net({"-seed", "1", "-calibOnly", "-calib", calib, "-doctor"});
  }
  Json found() { return Json::parse(read("calib_net_int8/statistics/doctor.json")); }
};

TEST_F(DoctorOfExport, NamesTheWeightsWithFewBits) {
  const std::string out = examine("WeightNbBits=2", "fc", "20");
  EXPECT_THAT(out, HasSubstr("Doctor: 30 Validation samples that did not calibrate\n"));
  EXPECT_THAT(out, HasSubstr("\n    weights  fc          2 "));
  EXPECT_THAT(out, HasSubstr("One of them is 3.3 points of agreement"));
  const Json report = found();
  EXPECT_EQ(report.at("samples"), 30);
  EXPECT_EQ(report.at("which"), "30 Validation samples that did not calibrate");
  EXPECT_EQ(report.at("ranked").at(0), (Json{{"layer", "fc"}, {"part", "weights"}}));
  EXPECT_LT(report.at("weights_sqnr_db"), report.at("values_sqnr_db"));
  EXPECT_NEAR(report.at("outputs").at(0).at("sqnr_db").get<double>(),
              report.at("simulated_sqnr_db").get<double>(), 0.5)
      << "the simulation is near to what ships";
  EXPECT_EQ(report.at("outputs").at(0).at("decisions"), 30);
  ASSERT_EQ(report.at("layers").size(), 3U);
  const Json& fc = report.at("layers").at(2);
  EXPECT_EQ(fc.at("name"), "fc");
  EXPECT_EQ(fc.at("type"), "Fc");
  EXPECT_EQ(fc.at("weights").at("bits"), 2);
  EXPECT_GT(fc.at("weights").at("without").at("share"), 0.9);
  EXPECT_GT(fc.at("weights").at("alone").at("share"), 0.9);
  EXPECT_FALSE(fc.contains("values")) << "scores leave as sums";
  EXPECT_EQ(report.at("layers").at(1).at("values").at("bits"), 8);
  const std::string csv = read("calib_net_int8/statistics/doctor.csv");
  EXPECT_THAT(csv, HasSubstr("part,layer,type,bits,own_sqnr_db,"));
  EXPECT_THAT(csv, HasSubstr("\nweights,fc,Fc,2,"));
}

TEST_F(DoctorOfExport, NamesTheValuesWithFewBits) {
  examine("ActivationNbBits=3", "conv", "20");
  const Json report = found();
  EXPECT_EQ(report.at("ranked").at(0), (Json{{"layer", "conv"}, {"part", "values"}}));
  EXPECT_EQ(report.at("layers").at(1).at("values").at("bits"), 3);
  EXPECT_EQ(report.at("widened").at(0).at("layer"), "conv");
  EXPECT_GT(report.at("widened").at(0).at("sqnr_db").get<double>(),
            report.at("simulated_sqnr_db").get<double>() + 6);
}

TEST_F(DoctorOfExport, SaysThatAllSamplesCalibrated) {
  EXPECT_THAT(examine("WeightNbBits=2", "fc", "-1"),
              HasSubstr("Doctor: 12 Validation samples that set ranges and rounded no weights, for all "
                        "samples calibrated\n"));
}

TEST_F(DoctorOfExport, HasNoFloatsOfAGraphOfIntegers) {
  write("net.ini", kSmallNet);
  run_net({"-seed", "1", "-w", "/dev/null", "-calibOnly", "-calib", "40", "-dump", "graph"});
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator("."))
    if (entry.path().filename().string().ends_with("quantize_graph.graph"))
      file = entry.path().filename().string();
  ASSERT_FALSE(file.empty());
  const std::string out = run_net({"-export", "CPP", "-db-export", "0", "-doctor"}, file.c_str());
  EXPECT_THAT(out, HasSubstr("-doctor: a graph of integers has no floats to compare with"));
  EXPECT_FALSE(std::filesystem::exists("export_CPP_int8/statistics/doctor.json"));
}

}  // namespace
}  // namespace n2d2::app
