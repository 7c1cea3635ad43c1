#include "point_files.hpp"

#include <system_error>

#include <nlohmann/json.hpp>

#include "n2d2/base/durable_file.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/sha256.hpp"
#include "n2d2/quantize/stored_calibration.hpp"

#include "calibration.hpp"
#include "output_files.hpp"
#include "point_json.hpp"
#include "provenance.hpp"
#include "score.hpp"

#ifndef N2D2_VERSION
#error "N2D2_VERSION comes from CMake"
#endif

namespace n2d2::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMostBytes = int64_t{1} << 20;
constexpr int64_t kMostBytesOfParameters = int64_t{1} << 30;

/// What the setting of a point says, and no option.
bool is_of_setting(const std::string& name) {
  return name == "nbbits" || name == "quant-effort" || name == "export-parameters" || name == "test";
}

}  // namespace

std::string digest_of(const loader::Network& net, const Options& o) {
  Sha256 sum;
  sum.add(fmt::format("{}\n{}\n{}\n{}\n", N2D2_VERSION, quantize::fingerprint(net.graph),
                      hash_of_weights(net.graph), net.seed));
  const CalibrationSamples samples(net, o.calib, CalibrationSamples::Say::Nothing);
  sum.add(samples.fingerprint() + "\n");
  for (const data::StimuliProvider* provider : {net.calibration ? &*net.calibration : &*net.data, &*net.data})
    sum.add(provider->describe() + "\n");
  using data::Partition;
  for (const Partition partition : {Partition::Learn, Partition::Validation, Partition::Test})
    sum.add(hash_of_samples(*net.database, partition) + "\n");
  for (const auto& [layer, widths] : net.widths)
    sum.add(fmt::format("{}\n{} {}\n", layer, widths.weights, widths.activations));
  sum.add(o.export_type + "\n");
  for (const GivenOption& option : given_options(o))
    if (!is_of_setting(option.name)) sum.add(fmt::format("{}\n{}\n", option.name, option.value));
  if (!o.export_parameters.empty()) {
    try {
      sum.add(read_regular_file(o.export_parameters, kMostBytesOfParameters));
    } catch (const FileError& error) {
      throw ConfigError("cannot be read: " + error.reason, {o.export_parameters, 0});
    }
  }
  return sum.hex();
}

std::filesystem::path PointFiles::file_of(const Point& point) const {
  return folder_ / (point.name() + ".json");
}

void PointFiles::note(const std::filesystem::path& file, const std::string& what) {
  if (!is_noted_) log::notice("{}: {}: such exports are computed anew", file.string(), what);
  is_noted_ = true;
}

std::optional<Explored> PointFiles::read(const Point& point) {
  const std::filesystem::path file = file_of(point);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  try {
    const Json json = Json::parse(read_regular_file(file, kMostBytes));
    Explored out = explored_of(json);
    if (json.at("digest") == digest_ && out.point.is_export_of(point)) {
      out.point = point;
      return out;
    }
    note(file, "of another network, of other weights, samples or options, or of another program");
  } catch (const FileError& error) {
    note(file, "cannot be read: " + error.reason);
  } catch (const Json::exception&) {
    note(file, "no complete file of an export");
  }
  return std::nullopt;
}

void PointFiles::write(const Explored& explored) const {
  Json json{{"digest", digest_}};
  json.update(json_of(explored));
  const std::filesystem::path file = file_of(explored.point), part = file.string() + ".part";
  make_place(file), make_place(part);
  write_durably(part, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  std::error_code error;
  std::filesystem::rename(part, file, error);
  if (error) throw ConfigError("cannot be written: " + error.message(), {file.string(), 0});
}

}  // namespace n2d2::app
