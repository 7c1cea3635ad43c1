#include "n2d2/quantize/stored_calibration.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "n2d2/base/random.hpp"
#include "n2d2/base/text.hpp"

#include "measure/plain_math.hpp"
#include "quantize/integer_net.hpp"

namespace n2d2::testing {
namespace {

using quantize::StoredCalibration;
using Origin = std::vector<std::pair<std::string, std::string>>;

struct Stored : ::testing::Test {
  Net net{Shape{1, 2, 5, 5}};
  StoredCalibration calibration{{{"-nbbits", "8"}, {"samples", "7 of 9"}}, {}, {}};

  Stored() {
    net.graph.set_outputs({net.fc("fc 1\n", net.conv("conv", net.data, 4, 3), 3)});
    const Tensor samples = random_tensor(Shape{7, 2, 5, 5}, net.rng, 0, 1);
    compute::Executor executor(net.graph, {compute::Backend::Reference, false, 0});
    const auto source = [&](int64_t index, Tensor& batch) {
      batch = samples;
      return index == 0;
    };
    calibration.before = quantize::measure(net.graph, executor, source);
    calibration.ranges = quantize::calibrate(net.graph, executor, source, {});
  }
  std::string text() const { return quantize::to_text(net.graph, calibration); }
  StoredCalibration read(const std::string& text, const Origin& expected) const {
    return quantize::stored_calibration(net.graph, text, "kept.txt", expected);
  }
  std::string failure(const std::string& text, const Origin& expected) const {
    try {
      read(text, expected);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }
  /// With one piece replaced and the hash of what it is now.
  std::string changed(const std::string& from, const std::string& to) const {
    std::string out = text();
    const size_t at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    out.replace(at, from.size(), to);
    out.resize(out.rfind("hash "));
    return out + fmt::format("hash {:016x}\n", hash_bytes(out));
  }
};

TEST_F(Stored, ReadsBackTheSameBits) {
  EXPECT_EQ(read(text(), calibration.origin), calibration);
  calibration.before.reset();
  for (auto& [id, statistics] : calibration.ranges.values) statistics.histogram.reset();
  EXPECT_EQ(read(text(), calibration.origin), calibration);
}

TEST_F(Stored, KeepsWhichSamplesAreConstant) {
  calibration.ranges.constant_samples = {0, 6};
  EXPECT_EQ(read(text(), calibration.origin), calibration);
  EXPECT_NE(
      failure(changed("constant 0 6", "constant 0 7"), calibration.origin).find("expected a sample below 7"),
      std::string::npos);
}

TEST_F(Stored, KeepsRoundedWeights) {
  calibration.rounding =
      quantize::Rounding{{{"conv", 4, {0.1F, 0.2F, 1e-9F, 3}, {}, {1, -2, 0.1F, 0}, 2.5, 0.1, 3},
                          {"fc 1\n", 8, {0.5F}, {}, {1, 2, 3}, 1, 1, 0}},
                         ""};
  for (int i = 0; i < 4 * 18; ++i)
    calibration.rounding->layers[0].integers.push_back(static_cast<int8_t>(i - 30));
  for (int i = 0; i < 3 * 36; ++i)
    calibration.rounding->layers[1].integers.push_back(static_cast<int8_t>(i * 5));
  EXPECT_EQ(read(text(), calibration.origin), calibration);
  const auto failure_of = [&](const char* from, const char* to) {
    const std::string found = failure(changed(from, to), calibration.origin);
    const size_t begin = found.find("expected"), end = found.find('\n');
    return found.substr(begin, end - begin);
  };
  EXPECT_EQ(failure_of("rounding 2", "rounding 2 2"), "expected how many layers");
  EXPECT_EQ(failure_of("layer conv 4 4", "layer con 4 4"), "expected a layer with weights");
  EXPECT_EQ(failure_of("layer conv 4 4", "layer conv 9 4"), "expected at most 8 bits, and 4 outputs");
  EXPECT_EQ(failure_of("layer conv 4 4 2.5", "layer conv 4 4"),
            "expected a layer, its bits, outputs, errors and outputs that improved");
  EXPECT_EQ(failure_of("scales 0.1 0.2", "scales 0.1"), "expected a scale, or one an output");
  EXPECT_EQ(failure_of("biases 1 2", "biases 1"), "expected biases of 3 outputs");
  EXPECT_EQ(failure_of("weights e2", "weights g2"), "expected a byte, found 'g2'");
  EXPECT_EQ(failure_of("weights e2", "weights "), "expected 18 weights");
}

TEST_F(Stored, KeepsTheSettingThatWasChosen) {
  calibration.chosen = {"the largest values as thresholds", "None", 0, {{"", 20.125}, {"a b", 31}}};
  EXPECT_EQ(read(text(), calibration.origin), calibration);
  const std::string missing = failure(changed(" None 0", " None"), calibration.origin);
  EXPECT_TRUE(missing.find("expected a setting, its clipping and its effort") != std::string::npos)
      << missing;
  EXPECT_NE(failure(changed(" 20.125", ""), calibration.origin).find("expected a setting that was tried"),
            std::string::npos);
  calibration.chosen = quantize::ChosenSetting();
  EXPECT_EQ(read(text(), calibration.origin), calibration);
}

TEST_F(Stored, KeepsTheWidthsThatWereChosen) {
  calibration.chosen = {"", "MSE", 1, {}, std::map<std::string, LayerWidths, std::less<>>{}};
  EXPECT_EQ(read(text(), calibration.origin), calibration);
  *calibration.chosen->widths = {{"conv", {0, 16}}, {"fc 1\n", {8, 0}}};
  EXPECT_EQ(read(text(), calibration.origin), calibration);
  const auto fails = [&](const char* from, const char* to, const char* expected) {
    EXPECT_NE(failure(changed(from, to), calibration.origin).find(expected), std::string::npos) << to;
  };
  fails("widths 2\n", "widths 2 2\n", "expected how many layers");
  fails("width conv 0 16", "width conv 0", "expected a layer, and bits of its weights and of its values");
  fails("width conv 0", "width con 0", "expected a layer that is not there yet");
  fails("width conv 0 16", "width conv 1 16", "expected 0, or 2 to 16 bits, found '1'");
}

TEST_F(Stored, IsRefusedByTheNameOfWhatIsOtherwise) {
  const std::string hint = "\n  hint: without '-calib-reload', '-calib' measures again";
  EXPECT_EQ(failure(text(), {{"-nbbits", "4"}, {"samples", "7 of 9"}}),
            "kept.txt: calibration: -nbbits: measured with '8', now it is '4'" + hint);
  EXPECT_EQ(
      failure(text(), {{"-nbbits", "4"}, {"samples", "9 of 9"}}),
      "kept.txt: calibration: -nbbits: measured with '8', now it is '4'" + hint +
          " (for 2 findings)\nkept.txt: calibration: samples: measured with '7 of 9', now it is '9 of 9'");
  EXPECT_EQ(failure(text(), {{"-nbbits", "8"}, {"samples", "7 of 9"}, {"more", "1"}}),
            "kept.txt: calibration: more: measured with nothing, now it is '1'" + hint);
  EXPECT_EQ(failure(text(), {{"-nbbits", "8"}}),
            "kept.txt: calibration: samples: measured with '7 of 9', now there is nothing" + hint);
}

TEST_F(Stored, IsRefusedWhenItIsCutOrChangedAnywhere) {
  const std::string whole = text();
  for (size_t size = 0; size < whole.size(); size += 1 + size / 50)
    EXPECT_NE(failure(whole.substr(0, size), calibration.origin), "no error") << size;
  for (size_t at = 0; at < whole.size(); at += 1 + at / 50) {
    std::string other = whole;
    other[at] = other[at] == '1' ? '2' : '1';
    EXPECT_NE(failure(other, calibration.origin), "no error") << at;
  }
  EXPECT_NE(failure(whole + "x\n", calibration.origin), "no error");
}

TEST_F(Stored, SaysOnWhichLineItIsNotWhatWasWritten) {
  const auto error = [&](const std::string& from, const std::string& to) {
    const std::string found = failure(changed(from, to), calibration.origin);
    return found.substr(0, found.find('\n'));
  };
  EXPECT_EQ(error("calibration 1", "calibration 2"),
            "kept.txt:1: calibration: expected 'n2d2 calibration 1' in the first line");
  EXPECT_EQ(error("origin ends", "origin"),
            "kept.txt:3: calibration: expected 'name: value' or 'origin ends'");
  EXPECT_EQ(error("before 7 3", "before 7"), "kept.txt:4: calibration: expected how many samples and values");
  EXPECT_EQ(error("before 7 3", "before 7 2").substr(0, 40), "kept.txt:20: calibration: expected value");
  EXPECT_EQ(error("value data", "value date"),
            "kept.txt:5: calibration: expected a value of the network that is not there yet");
  EXPECT_EQ(error("range ", "range x "), "kept.txt:6: calibration: expected six numbers");
  EXPECT_EQ(error("range ", "rang "), "kept.txt:6: calibration: expected 'range'");
  EXPECT_EQ(error("range 0", "range 0x"), "kept.txt:6: calibration: expected a number, found '0x'");
  EXPECT_EQ(error("channels ", "channels 1 "), "kept.txt:7: calibration: expected numbers of 2 channels");
  EXPECT_EQ(error("no histogram", "histogram"),
            "kept.txt:12: calibration: expected limits, the number of bins, and bins with counts");
  EXPECT_EQ(error("no histogram", "histogram 1 0 4"),
            "kept.txt:12: calibration: expected limits and bins of a histogram");
  EXPECT_EQ(error("no histogram", "histogram 0 1 65537"),
            "kept.txt:12: calibration: expected limits and bins of a histogram");
  EXPECT_EQ(error("no histogram", "histogram 0 1 4 4 1"), "kept.txt:12: calibration: expected a bin below 4");
  EXPECT_NE(error("hash ", "more\nhash ").find("expected nothing more"), std::string::npos);
}

TEST_F(Stored, KnowsOtherWeightsAndFieldsAndNoOtherFolder) {
  const std::string before = quantize::fingerprint(net.graph);
  EXPECT_EQ(quantize::fingerprint(net.graph), before);
  graph::Graph other = net.graph;
  other.mutable_constant(*other.find_value("conv_weights")).data<float>()[3] += 1;
  EXPECT_NE(quantize::fingerprint(other), before);
  other = net.graph;
  other.set_clamp(net.node("conv").id, Clamp{0, 6});
  EXPECT_NE(quantize::fingerprint(other), before);
}

TEST(PlainMath, IsTheLibrarysToAFewUnitsInTheLastPlace) {
  constexpr double kTolerance = 4e-15;  // of some twenty additions
  Rng rng(1, "plain math");
  for (int i = 0; i < 20000; ++i) {
    const double x = std::ldexp(rng.uniform(0.5, 1), static_cast<int>(rng.uniform(-60, 60)));
    EXPECT_NEAR(quantize::plain_log2(x), std::log2(x), kTolerance * (1 + std::abs(std::log2(x)))) << x;
    const double y = rng.uniform(-40, 40);
    EXPECT_NEAR(quantize::plain_exp(y) / std::exp(y), 1, 2 * kTolerance) << y;
  }
  for (int n = -60; n <= 60; ++n) EXPECT_EQ(quantize::plain_log2(std::ldexp(1.0, n)), n);
  EXPECT_EQ(quantize::plain_exp(0), 1);
  EXPECT_EQ(quantize::plain_log(1), 0);
}

}  // namespace
}  // namespace n2d2::testing
