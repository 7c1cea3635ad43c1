// What are the stimuli like, as far as their transformations go? Values, sizes, mean picture; measured once,
// kept in a folder.
#pragma once

#include <cstdint>
#include <filesystem>

#include "n2d2/data/image.hpp"

namespace n2d2::data {

class StimuliProvider;
enum class ApplyTo;

/// Statistics of all element values of all pictures.
struct ValueStatistics {
  double min = 0, max = 0, mean = 0, std_dev = 0;
  friend bool operator==(const ValueStatistics&, const ValueStatistics&) = default;
};

/// What [sp.StimuliData*] exposes. Deviations are those of the population.
struct StimuliMeasurement {
  int64_t pictures = 0;
  int min_width = 0, max_width = 0, min_height = 0, max_height = 0;
  ValueStatistics values;
  /// Mean and deviation of each place, floats; empty when not asked for.
  Image mean, std_dev;
  friend bool operator==(const StimuliMeasurement&, const StimuliMeasurement&) = default;
};

/// What stands for the name of an image that could not be measured, for there were no samples.
inline constexpr const char* kNotMeasured = "<no samples to measure>";
inline constexpr const char* kMeanFile = "mean.npy";
inline constexpr const char* kStdDevFile = "std_dev.npy";

/// StimuliProvider::measure(), from `folder` where that holds a measurement of the same pictures,
/// transformations and partitions; else measured, and `folder` is replaced: statistics.txt, and with `images`
/// kMeanFile and kStdDevFile.
/// A damaged or older measurement is measured again. A folder that cannot be written, or holds files of
/// others, is a notice, with `images` a ConfigError.
StimuliMeasurement kept_measurement(const StimuliProvider& provider, ApplyTo apply_to, bool images,
                                    const std::filesystem::path& folder);

}  // namespace n2d2::data
