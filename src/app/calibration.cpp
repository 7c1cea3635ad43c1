#include "calibration.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/cluster/shards.hpp"
#include "n2d2/quantize/clipping.hpp"

#include "ranks.hpp"
#include "score.hpp"

namespace n2d2::app {

CalibrationSamples::CalibrationSamples(const loader::Network& net, int64_t n, Say say,
                                       const cluster::Cluster& cluster)
    : net_(net), provider_(net.calibration ? *net.calibration : *net.data), cluster_(cluster) {
  if (!net.calibration) find_partition(say);
  const int64_t size = provider_.size(partition_);
  Rng rng(net.seed, "calibration");
  positions_ = shuffled(size, rng);
  if (n >= 0 && n < size) {
    others_.assign(positions_.begin() + n, positions_.end());
    positions_.resize(static_cast<size_t>(n));
  }
  std::sort(positions_.begin(), positions_.end());
}

void CalibrationSamples::find_partition(Say say) {
  using data::Partition;
  for (const Partition candidate : {Partition::Validation, Partition::Learn, Partition::Test}) {
    partition_ = candidate;
    if (provider_.size(candidate) > 0) break;
  }
  if (provider_.size(partition_) == 0)
    throw ConfigError(
        "option -calib: the database has no samples to calibrate with", {},
        "[database] of an INI file gives samples, -calib-dir or -calib-npy those of a lone ONNX file");
  if (partition_ == Partition::Test && say == Say::Warnings)
    log::warn("calibration uses Test samples, there are no others: the score of the export is optimistic");
}

std::string CalibrationSamples::part() const {
  return net_.calibration ? "CalibrationPath" : data::to_string(partition_);
}

std::string CalibrationSamples::text() const {
  return fmt::format("{} of {} {} samples", positions_.size(), provider_.size(partition_), part());
}

std::string CalibrationSamples::fingerprint() const {
  std::string kept = text();
  for (const int64_t position : positions_) kept += fmt::format(" {}", position);
  return fmt::format("{:016x}", hash_bytes(kept));
}

std::optional<std::string> CalibrationSamples::only_class() const {
  const std::vector<std::string>& labels = provider_.database().labels();
  const bool wants_data = std::all_of(net_.targets.begin(), net_.targets.end(), [](const auto& place) {
    return place.target.options().data_as_target;
  });
  if (positions_.empty() || labels.size() < 2 || wants_data || provider_.labels_of_sample() != 1) return {};
  const int first = provider_.label(partition_, positions_.front());
  const bool is_only = std::all_of(positions_.begin(), positions_.end(), [&](int64_t position) {
    return provider_.label(partition_, position) == first;
  });
  if (!is_only || first < 0) return {};
  return labels.at(static_cast<size_t>(first));
}

quantize::SampleOrigin CalibrationSamples::origin() const {
  const data::Database& database = provider_.database();
  return {provider_.size(partition_),
          [&database, partition = partition_, positions = positions_](int64_t n) {
            return database.name(database.id(partition, positions.at(static_cast<size_t>(n))));
          },
          only_class()};
}

std::optional<data::Partition> CalibrationSamples::partition() const {
  return net_.calibration ? std::nullopt : std::optional(partition_);
}

data::Batch CalibrationSamples::others(int64_t most) const {
  const auto count = std::min(static_cast<size_t>(most), others_.size());
  data::Batch batch;
  batch.indices.assign(others_.begin(), others_.begin() + static_cast<std::ptrdiff_t>(count));
  if (count > 0) provider_.read(partition_, batch.indices, 0, batch.data, batch.labels);
  return batch;
}

bool CalibrationSamples::read(int64_t index, Tensor& batch) {
  if (index == 0) {
    loader_.reset();
    const int64_t size = inference_batch(net_);
    loader_ = std::make_unique<data::BatchLoader>(
        provider_, partition_, cluster::dealt_batches(positions_, size, cluster_.rank(), cluster_.size()),
        size, 0);
    next_ = 0;
  }
  N2D2_CHECK(loader_ && index == next_, "calibration batch {} after {}", index, next_ - 1);
  ++next_;
  std::swap(batch, batch_.data);  // its memory goes to the loader
  const bool read = loader_->next(batch_);
  std::swap(batch, batch_.data);
  return read;
}

namespace {

/// No calibration that we write is near it; a file that is larger is none.
constexpr int64_t kMostBytesOfCalibration = int64_t{1} << 30;

using Origin = std::vector<std::pair<std::string, std::string>>;

/// "8", or "8, weights 4, conv1 8 5": equalization depends on all of them.
std::string text_of_bits(const quantize::Options& options) {
  std::string out = std::to_string(options.bits);
  if (const int weights = options.widths.others.weights; weights > 0)
    out += fmt::format(", weights {}", weights);
  for (const auto& [layer, widths] : options.widths.layers)
    out += fmt::format(", {} {} {}", presentable(layer), widths.weights, widths.activations);
  return out;
}

/// What a calibration holds for. The network as it is before it is equalized.
Origin origin_of(const loader::Network& net, const CalibrationSamples& samples,
                 const quantize::Options& options, pipeline::Equalization equalization,
                 const std::string& accuracy) {
  Origin out{
      {"-nbbits", text_of_bits(options)},
      {"-act-clipping-mode", options.activation_clipping},
      {"-act-rescale-per-output", options.per_output ? "1" : "0"},
      {"-no-unsigned", options.allow_unsigned ? "off" : "on"},
      {"equalization", equalization == pipeline::Equalization::On ? "on" : "off"},
      {"samples", samples.text()},
      {"choice of samples", samples.fingerprint()},
      {"transformations",
       fmt::format("{:016x}", hash_bytes((net.calibration ? *net.calibration : *net.data).describe()))},
      {"network and weights", quantize::fingerprint(net.graph)}};
  if (options.effort > 0)
    out.emplace_back("-quant-effort",
                     fmt::format("{}, weights clipped by {}, {}", options.effort, options.weight_clipping,
                                 ValueText<RescaleMode>::print(options.rescaling)));
  if (!accuracy.empty()) out.emplace_back("accuracy", accuracy);
  return out;
}

std::optional<quantize::StoredCalibration> reloaded(loader::Network& net, const quantize::Options& options,
                                                    const Origin& origin, const CalibrationFile& file) {
  if (!file.reload) return {};
  const bool in_export = std::filesystem::exists(file.path);
  if (!in_export && (file.beside_weights.empty() || !std::filesystem::exists(file.beside_weights))) {
    const std::string other = file.beside_weights.empty() ? "" : " and no " + file.beside_weights.string();
    log::warn("-calib-reload: there is no {}{}: it is measured now", file.path.string(), other);
    return {};
  }
  const std::string path = (in_export ? file.path : file.beside_weights).string();
  std::string text;
  try {
    text = read_regular_file(path, kMostBytesOfCalibration);
  } catch (const FileError& error) {
    throw ConfigError("calibration: " + error.reason, {path, 0});
  }
  auto stored = quantize::stored_calibration(net.graph, text, path, origin);
  log::info("Calibration: {}, as measured before, of {}", stored.ranges.samples, path);
  if (stored.before) pipeline::equalize(net.graph, *stored.before, options);
  return stored;
}

/// How often calibrate() reads the samples.
int readings_of(const quantize::Options& options, pipeline::Equalization equalization) {
  const bool counts = quantize::clipping(options.activation_clipping, "-act-clipping-mode").needs_histogram;
  return 1 + (equalization == pipeline::Equalization::On ? 1 : 0) + (counts ? 1 : 0);
}

}  // namespace

quantize::StoredCalibration calibrated(loader::Network& net, int64_t n, const quantize::Options& options,
                                       pipeline::Equalization equalization, const CalibrationFile& file,
                                       const std::string& accuracy, const cluster::Cluster& cluster) {
  CalibrationSamples samples(net, n, CalibrationSamples::Say::Warnings, cluster);
  const Origin origin = origin_of(net, samples, options, equalization, accuracy);
  std::optional<quantize::StoredCalibration> stored;
  if (cluster.is_first()) stored = reloaded(net, options, origin, file);
  if (cluster.broadcast(stored.has_value(), 0))
    return stored ? *std::move(stored) : quantize::StoredCalibration{};
  log::info("Calibration: {}", samples.text());
  warn_of_idle_ranks(cluster, samples.size(), inference_batch(net));
  (net.calibration ? *net.calibration : *net.data).stop_keeping();
  const int readings = readings_of(options, equalization);
  progress::Task task("Calibrating", samples.size() * readings / cluster.size(),
                      fmt::format("samples in {} readings", readings));
  const auto source = [&](int64_t index, Tensor& batch) {
    if (!samples.read(index, batch)) return false;
    task.at(task.done() + batch.shape().n());
    return true;
  };
  pipeline::Calibration found =
      pipeline::calibrate(net.graph, source, inference_options(net), options, equalization, cluster);
  log::info("{}{}", speed_text(found.time, inference_batch(net)), of_ranks(cluster));
  return {origin, std::move(found.before), std::move(found.ranges)};
}

void keep_beside_weights(const CalibrationFile& file) {
  namespace fs = std::filesystem;
  if (!file.reload || file.beside_weights.empty() || !fs::exists(file.path)) return;
  const fs::path part = file.beside_weights.string() + ".part";
  std::error_code error;
  fs::copy_file(file.path, part, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(part, file.beside_weights, error);
  if (error) {
    std::error_code ignored;
    fs::remove(part, ignored);
    log::warn("-calib-reload: '{}' cannot be written: {}", file.beside_weights.string(), error.message());
  } else {
    log::info("Calibration: kept as '{}', too", file.beside_weights.string());
  }
}

}  // namespace n2d2::app
