#include "calibration.hpp"

#include <gmock/gmock.h>

#include "n2d2/base/log.hpp"

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

class Calibration : public FolderTest {
 protected:
  static loader::Network net(const std::string& counts) {
    std::string text = kSmallNet;
    const std::string old = "Learn=200\nValidation=50\nTest=60\n";
    text.replace(text.find(old), old.size(), counts);
    config::IniDocument ini = config::parse_ini(text, "net.ini");
    return loader::network(ini, {1, false, {}});
  }
  static int64_t count(CalibrationSamples&& samples) {
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

// No sample of the database is read: the folder's are, as Test samples are.
TEST_F(Calibration, CalibratesOnTheSamplesOfCalibrationPath) {
  std::filesystem::create_directory("pictures");
  for (int i = 0; i < 3; ++i)
    write(fmt::format("pictures/{}.pgm", i),
          "P5\n12 12\n255\n" + std::string(144, static_cast<char>(50 * i)));
  std::string text = kSmallNet;
  text.replace(text.find("Learn=200\n"), 10, "CalibrationPath=pictures\nLearn=200\n");
  text +=
      "[sp.Transformation]\nType=RangeAffineTransformation\nApplyTo=TestOnly\nFirstOperator=Plus\n"
      "FirstValue=1\n";
  config::IniDocument ini = config::parse_ini(text, "net.ini");
  auto network = loader::network(ini, {1, false, {}});
  EXPECT_EQ(CalibrationSamples(network, 2).text(), "2 of 3 CalibrationPath samples");
  CalibrationSamples samples(network, -1);
  Tensor batch;
  ASSERT_TRUE(samples.read(0, batch));
  ASSERT_EQ(batch.shape().n(), 3);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(batch.span<float>()[i * 144], 50.0F * static_cast<float>(i) + 1);
  EXPECT_FALSE(samples.read(1, batch));
  log::Capture capture;
  const quantize::Ranges ranges = calibrated(network, -1, {}, pipeline::Equalization::On).ranges;
  EXPECT_EQ(ranges.samples, 3);
  EXPECT_EQ(ranges.constant_samples, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(samples.origin().name(2), "2.pgm");
  EXPECT_FALSE(samples.origin().only_class) << "they have no labels";
  EXPECT_THAT(capture.text(log::Level::Info),
              ::testing::HasSubstr("Calibration: 3 of 3 CalibrationPath samples\n"));
}

TEST_F(Calibration, CalibratesOnExactlySoManySamples) {
  const auto network = net("Learn=200\nValidation=50\nTest=60\n");
  EXPECT_EQ(count(CalibrationSamples(network, 33)), 33);
  EXPECT_EQ(count(CalibrationSamples(network, -1)), 50);
}

TEST_F(Calibration, KnowsNamesAndTheOnlyClassOfItsSamples) {
  const auto network = net("Learn=200\nValidation=50\nTest=60\n");
  const quantize::SampleOrigin all = CalibrationSamples(network, -1).origin();
  EXPECT_EQ(all.available, 50);
  EXPECT_FALSE(all.only_class);
  const int64_t id = network.database->id(data::Partition::Validation, 7);
  EXPECT_EQ(all.name(7), network.database->name(id));
  const quantize::SampleOrigin one = CalibrationSamples(network, 1).origin();
  EXPECT_EQ(one.available, 50);
  ASSERT_TRUE(one.only_class);
}

TEST_F(Calibration, ReadsTheSameSamplesAgain) {
  const auto network = net("Learn=200\nValidation=600\nTest=60\n");
  CalibrationSamples samples(network, -1);
  std::vector<Tensor> first;
  Tensor batch;
  for (int64_t i = 0; samples.read(i, batch); ++i) first.push_back(batch);
  ASSERT_GE(first.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(samples.read(static_cast<int64_t>(i), batch));
    EXPECT_EQ(batch, first[i]);
  }
  EXPECT_THROW(samples.read(7, batch), InternalError);
}

TEST_F(Calibration, SaysWhichSamplesItReadsAndHowFast) {
  auto network = net("Learn=200\nValidation=50\nTest=60\n");
  log::Capture capture;
  const quantize::Ranges ranges = calibrated(network, 20, {}, pipeline::Equalization::Off).ranges;
  EXPECT_EQ(ranges.samples, 20);
  EXPECT_THAT(capture.text(log::Level::Info),
              ::testing::MatchesRegex("Calibration: 20 of 50 Validation samples\n"
                                      "forward: [0-9.]+ images/s, batch 256, [0-9]+ threads; "
                                      "[0-9.]+ images/s with statistics\n"));
}

TEST_F(Calibration, EqualizesBeforeItMeasures) {
  auto network = net("Learn=200\nValidation=50\nTest=60\n");
  log::Capture capture;
  const quantize::Ranges as_it_was = calibrated(network, 20, {}, pipeline::Equalization::Off).ranges;
  const quantize::Ranges ranges = calibrated(network, 20, {}, pipeline::Equalization::On).ranges;
  EXPECT_THAT(capture.text(log::Level::Info), ::testing::HasSubstr("Equalization: channels of "));
  EXPECT_EQ(ranges.samples, 20);
  const graph::ValueId fc = *network.graph.find_value("fc");
  EXPECT_EQ(ranges.values.at(fc), as_it_was.values.at(fc));
}

TEST_F(Calibration, IsTakenFromTheFileOrMeasuredWithAWarning) {
  auto measured = net("Learn=200\nValidation=50\nTest=60\n");
  log::Capture capture;
  const CalibrationFile file{"kept.txt", "", true};
  const quantize::StoredCalibration first = calibrated(measured, 20, {}, pipeline::Equalization::On, file);
  EXPECT_THAT(capture.text(),
              ::testing::HasSubstr("-calib-reload: there is no kept.txt: it is measured now"));
  write("kept.txt", quantize::to_text(measured.graph, first));
  auto again = net("Learn=200\nValidation=50\nTest=60\n");
  EXPECT_EQ(calibrated(again, 20, {}, pipeline::Equalization::On, file), first);
  EXPECT_EQ(quantize::fingerprint(again.graph), quantize::fingerprint(measured.graph));
  auto other = net("Learn=200\nValidation=50\nTest=60\n");
  EXPECT_THROW(calibrated(other, 21, {}, pipeline::Equalization::On, file), ConfigError);
  EXPECT_THROW(calibrated(other, 20, {}, pipeline::Equalization::On, {".", "", true}), ConfigError);
}

// An export folder is made anew by whoever likes; weights are kept.
TEST_F(Calibration, IsKeptBesideTheWeightsForExportsIntoOtherFolders) {
  std::filesystem::create_directories("weights");
  auto measured = net("Learn=200\nValidation=50\nTest=60\n");
  const quantize::StoredCalibration first = calibrated(measured, 20, {}, pipeline::Equalization::On);
  write("kept.txt", quantize::to_text(measured.graph, first));
  keep_beside_weights({"kept.txt", "weights/kept.txt", false});
  EXPECT_FALSE(std::filesystem::exists("weights/kept.txt"));
  keep_beside_weights({"kept.txt", "weights/kept.txt", true});
  EXPECT_EQ(read("weights/kept.txt"), read("kept.txt"));
  EXPECT_FALSE(std::filesystem::exists("weights/kept.txt.part"));

  std::filesystem::remove("kept.txt");
  auto again = net("Learn=200\nValidation=50\nTest=60\n");
  EXPECT_EQ(calibrated(again, 20, {}, pipeline::Equalization::On, {"kept.txt", "weights/kept.txt", true}),
            first);
  log::Capture capture;
  auto anew = net("Learn=200\nValidation=50\nTest=60\n");
  calibrated(anew, 20, {}, pipeline::Equalization::On, {"kept.txt", "weights/other.txt", true});
  EXPECT_THAT(capture.text(), ::testing::HasSubstr("there is no kept.txt and no weights/other.txt"));
}

TEST_F(Calibration, OfAnExportIsThatOfTheWeightsInAnyFolder) {
  write("net.ini", kSmallNet);
  run_net({"-seed", "1", "-learn-epoch", "1"});
  const std::vector<std::string> command = {"-seed", "1", "-export", "CPP", "-calib", "20", "-calib-reload"};
  const std::string kept = "weights_validation/export_CPP_int8.calibration.txt";
  EXPECT_TRUE(has(run_net(command), "Calibration: kept as '" + kept + "', too"));
  const std::string measured = read(kept);
  std::filesystem::remove_all("export_CPP_int8");
  EXPECT_TRUE(has(run_net(command), "Calibration: 20, as measured before, of " + kept));
  EXPECT_EQ(read("export_CPP_int8/statistics/calibration/calibration.txt"), measured);
}

TEST_F(Calibration, AloneLeavesWhatAnExportKeepsAndScoresTheSameIntegers) {
  N2D2_NEEDS_TARGETS("CPP");
  write("net.ini", kSmallNet);
  run_net({"-seed", "1", "-learn-epoch", "1"});
  const std::vector<std::string> rest = {"-seed", "1",          "-calib",       "20",
                                         "-test", "-log-files", "-calib-reload"};
  std::vector<std::string> alone = rest, exported = rest;
  alone.emplace_back("-calibOnly");
  exported.insert(exported.end(), {"-export", "CPP", "-db-export", "0"});
  const std::string out = run_net(alone);
  EXPECT_TRUE(has(out, "Calibrated and quantized, in 'calib_net_int8'\n")) << out;
  EXPECT_FALSE(std::filesystem::exists("export_CPP_int8"));
  EXPECT_FALSE(std::filesystem::exists("calib_net_int8/Makefile"));
  const std::string of_export = run_net(exported);
  EXPECT_TRUE(has(of_export, "Calibration: 20, as measured before, of weights_validation/export_CPP_int8"))
      << of_export;
  const size_t score = out.find("Final recognition rate");
  ASSERT_NE(score, std::string::npos) << out;
  EXPECT_TRUE(has(of_export, out.substr(score, out.find('\n', score) - score))) << out << of_export;
  for (const char* file :
       {"statistics/calibration/calibration.txt", "statistics/calibration/outputs_range.dat",
        "statistics/calibration/outputs_histogram/conv.dat",
        "statistics/calibration/outputs_histogram/conv.svg", "statistics/quantization.json",
        "statistics/transformations/transformations.dot"})
    EXPECT_EQ(read(std::string("calib_net_int8/") + file), read(std::string("export_CPP_int8/") + file))
        << file;
  EXPECT_TRUE(has(read("calib_net_int8/provenance.json"), "\"calibOnly\": \"\""));
  EXPECT_TRUE(has(run_net(alone), "Calibration: 20, as measured before, of calib_net_int8/statistics/"));
}

TEST_F(Calibration, RoundsWeightsByTheOutputs) {
  N2D2_NEEDS_TARGETS("CPP");
  write("net.ini", kSmallNet);
  run_net({"-seed", "1", "-learn-epoch", "1"});
  const std::vector<std::string> command = {"-seed", "1", "-calibOnly", "-calib", "20"};
  EXPECT_TRUE(has(run_net(command), "Rounding: weights of 2 layers, "));
  const std::string csv = read("calib_net_int8/statistics/rounding.csv");
  EXPECT_TRUE(csv.starts_with("layer,outputs,improved,gain_db\nconv,")) << csv;
  const std::string kept = read("calib_net_int8/statistics/calibration/calibration.txt");
  std::vector<std::string> again = command;
  again.emplace_back("-calib-reload");
  EXPECT_TRUE(has(run_net(again), "Calibration: 20, as measured before"));
  EXPECT_EQ(read("calib_net_int8/statistics/rounding.csv"), csv);
  EXPECT_EQ(read("calib_net_int8/statistics/calibration/calibration.txt"), kept);
  std::vector<std::string> shifted = command;
  shifted.insert(shifted.end(), {"-act-rescaling-mode", "Double-shift"});
  EXPECT_TRUE(
      has(run_net(shifted),
          "weights are rounded to the nearest integers: shifts choose the scales of weights themselves"));
}

TEST_F(Calibration, SaysWhyItIsNotKeptBesideTheWeights) {
  write("kept.txt", "anything");
  log::Capture capture;
  keep_beside_weights({"kept.txt", "no_such_folder/kept.txt", true});
  EXPECT_THAT(capture.text(),
              ::testing::HasSubstr("'no_such_folder/kept.txt' cannot be written: No such file"));
}

}  // namespace
}  // namespace n2d2::app
