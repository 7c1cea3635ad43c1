// The sections of [sp]: channels, statistics, chains.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "../working_folder.hpp"
#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

namespace fs = std::filesystem;

/// In a folder of its own, where statistics are kept.
class SectionStimuli : public testing::Test {
 private:
  WorkingFolder folder_;
};

const std::string kDatabase =
    "[database]\nType=Glyphs_Database\nLearn=40\nValidation=0\nTest=10\nNbChannels=3\n";
const std::string kLast = "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\n[fc.Target]\n";

TEST_F(SectionStimuli, StatisticsFeedLaterTransformations) {
  const Network net =
      network_of(kDatabase +
                 "[sp]\nSize=28 28\nNbChannels=3\n"
                 "[sp.StimuliData-n]\nApplyTo=LearnOnly\nLogValueRange=1\n"
                 "[sp.Transformation-n]\nType=RangeAffineTransformation\nFirstOperator=Minus\n"
                 "FirstValue=[sp.StimuliData-n]_GlobalValue.mean\nSecondOperator=Divides\n"
                 "SecondValue=[sp.StimuliData-n]_GlobalValue.stdDev\n" +
                 kLast);
  const data::ValueStatistics after = net.data->statistics(data::ApplyTo::LearnOnly);
  EXPECT_NEAR(after.mean, 0, 1e-4);
  EXPECT_NEAR(after.std_dev, 1, 1e-4);
  EXPECT_TRUE(fs::exists("sp.StimuliData-n/statistics.txt"));
}

const std::string kMeanImage =
    "[sp]\nSize=28 28\nNbChannels=3\n"
    "[sp.StimuliData]\nMeanData=1\nStdDevData=1\n"
    "[sp.Transformation]\nType=AffineTransformation\nFirstOperator=Minus\n"
    "FirstValue=[sp.StimuliData]_MeanData\nSecondOperator=Divides\n"
    "SecondValue=[sp.StimuliData]_StdDevData\n";

TEST_F(SectionStimuli, MeanImagesFeedAffine) {
  for (int run = 0; run < 2; ++run) {  // measured, then kept
    const Network net = network_of(kDatabase + kMeanImage + kLast);
    const data::StimuliMeasurement after = net.data->measure(data::ApplyTo::All, true);
    for (const float mean : after.mean.span<float>()) EXPECT_NEAR(mean, 0, 1e-5);
    for (const float deviation : after.std_dev.span<float>()) EXPECT_NEAR(deviation, 1, 1e-5);
  }
  EXPECT_EQ(warnings_of(kDatabase + kMeanImage + kLast), "");
}

TEST_F(SectionStimuli, WithoutSamplesNetworksAreLoadedAllTheSame) {
  const std::string notices = warnings_of("[database]\n" + kMeanImage + kLast);
  EXPECT_NE(notices.find(
                "net.ini:5: [sp.StimuliData] there are no samples to measure: mean 0 and deviation 1 stand "
                "for them\n"),
            std::string::npos)
      << notices;
  EXPECT_TRUE(fs::is_empty("."));
}

TEST_F(SectionStimuli, ChannelsGiveTheInputItsChannels) {
  const Network net =
      network_of(kDatabase +
                 "[sp]\nSize=28 28\n"
                 "[sp.ChannelTransformation-red]\nType=ChannelExtractionTransformation\nCSChannel=Red\n"
                 "[sp.ChannelOnTheFlyTransformation-blue]\nType=ChannelExtractionTransformation\n"
                 "CSChannel=Blue\n"
                 "[sp.ChannelTransformation-more]\nChannel=0\nType=RangeAffineTransformation\n"
                 "FirstOperator=Plus\nFirstValue=1\n"
                 "[sp.ChannelsOnTheFlyTransformation]\nType=NormalizeTransformation\n" +
                 kLast);
  EXPECT_EQ(net.graph.value(net.graph.inputs().at(0)).type.shape, (Shape{1, 2, 28, 28}));
  Tensor batch;
  std::vector<int> labels;
  net.data->read(data::Partition::Test, std::vector<int64_t>{0}, 0, batch, labels);
  EXPECT_EQ(batch.shape(), (Shape{1, 2, 28, 28}));
}

TEST_F(SectionStimuli, DeclaredChannelsThatSectionsReplaceAreAWarning) {
  const std::string warnings = warnings_of(kDatabase +
                                           "[sp]\nSize=28 28\nNbChannels=3\n[sp.ChannelTransformation]\n"
                                           "Type=ChannelExtractionTransformation\nCSChannel=Red\n" +
                                           kLast);
  EXPECT_EQ(warnings, "net.ini:9: [sp] NbChannels: 3 is ignored, the sections for channels make 1\n");
}

}  // namespace
}  // namespace n2d2::loader
