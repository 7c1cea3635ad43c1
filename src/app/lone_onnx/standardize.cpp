#include "standardize.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/log.hpp"

#include "calibration.hpp"

namespace n2d2::app {

namespace {

/// Mean and sum of squares around it, value by value.
struct Moments {
  double count = 0, mean = 0, squares = 0, largest = 0;
  void add(double x) {
    largest = std::max(largest, std::abs(x));
    const double away = x - mean;
    mean += away / ++count;
    squares += away * (x - mean);
  }
};

std::string numbers_text(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{:.9g}", value));
  return join(texts, ",");
}

}  // namespace

FeatureStatistics feature_statistics(const loader::Network& net, int64_t samples) {
  CalibrationSamples source(net, samples, CalibrationSamples::Say::Nothing);
  const Shape& shape = net.graph.value(net.graph.inputs().at(0)).type.shape;
  const int64_t pixels = shape.h() * shape.w();
  std::vector<Moments> moments(static_cast<size_t>(shape.c()));
  Tensor batch;
  for (int64_t index = 0; source.read(index, batch); ++index) {
    const auto values = batch.span<float>();
    for (size_t i = 0; i < values.size(); ++i)
      moments[i / static_cast<size_t>(pixels) % moments.size()].add(values[i]);
  }
  FeatureStatistics out;
  for (const Moments& m : moments) {
    out.mean.push_back(m.mean);
    out.deviation.push_back(std::sqrt(m.squares / m.count));
    out.largest.push_back(m.largest);
  }
  return out;
}

Options standardized(const Options& options, const loader::Network& raw) {
  const bool calibrates = options.prepares_export() && options.is_integer() && options.calib != 0;
  FeatureStatistics features = feature_statistics(raw, calibrates ? options.calib : -1);
  int64_t constant = 0;
  for (double& deviation : features.deviation) {
    if (deviation > 0) continue;
    deviation = 1;
    ++constant;
  }
  if (constant > 0)
    log::notice("-standardize: {} of {} features never change", constant, features.mean.size());
  Options out = options;
  out.standardize = false;
  out.mean = numbers_text(features.mean);
  out.std_dev = numbers_text(features.deviation);
  out.scale = "1";
  return out;
}

}  // namespace n2d2::app
