#include "provenance.hpp"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "n2d2/base/read_file.hpp"
#include "n2d2/base/sha256.hpp"
#include "n2d2/base/text.hpp"

#ifndef N2D2_VERSION
#error "N2D2_VERSION comes from CMake"
#endif

namespace n2d2::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMostBytesOfInput = int64_t{1} << 40;

Json file_json(const std::string& name, const std::string& path) {
  try {
    return {{"file", presentable(name)}, {"sha256", sha256(read_regular_file(path, kMostBytesOfInput))}};
  } catch (const FileError& error) {
    throw ConfigError("cannot be read: " + error.reason, {path, 0});
  }
}

Json list_json(const data::Database& database, data::Partition partition) {
  return {{"samples", database.size(partition)}, {"sha256", hash_of_samples(database, partition)}};
}

}  // namespace

std::string hash_of_samples(const data::Database& database, data::Partition partition) {
  Sha256 sum;
  for (const int64_t id : database.list(partition)) {
    const int label = database.label(id);
    sum.add(fmt::format("{}\n{}\n", database.name(id),
                        label < 0 ? std::string() : database.labels().at(static_cast<size_t>(label))));
  }
  return sum.hex();
}

std::string hash_of_weights(const graph::Graph& graph) {
  Sha256 sum;
  for (const graph::ValueId id : graph.values()) {
    const graph::Value& value = graph.value(id);
    if (!value.is_constant()) continue;
    sum.add(fmt::format("{}\n{} {}\n", value.name, to_string(value.type.dtype), value.type.shape.text()));
    sum.add(std::span(static_cast<const std::byte*>(value.constant->raw()),
                      static_cast<size_t>(value.constant->bytes())));
  }
  return sum.hex();
}

std::string provenance(const loader::Network& net, const Options& o, const std::string& weights) {
  Json options = Json::object();
  for (const GivenOption& option : given_options(o))
    if (option.name == "module" && options.contains("module"))
      options["module"] = options["module"].get<std::string>() + " " + presentable(option.value);
    else
      options[option.name] = presentable(option.value);
  Json out{{"tool", "n2d2"}, {"version", N2D2_VERSION}, {"options", std::move(options)}, {"seed", net.seed}};
  out["model"] = file_json(model_name(o), o.model);
  if (!o.export_parameters.empty()) {
    const std::string name = std::filesystem::path(o.export_parameters).filename().string();
    out["export_parameters"] = file_json(name, o.export_parameters);
  }
  out["weights"] = {{"sha256", weights}};
  using data::Partition;
  out["data"] = {{"learn", list_json(*net.database, Partition::Learn)},
                 {"validation", list_json(*net.database, Partition::Validation)},
                 {"test", list_json(*net.database, Partition::Test)}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::pair<std::string, std::string>> origin_rows(const Options& o) {
  std::string command = "n2d2 " + model_name(o);
  for (const GivenOption& option : given_options(o))
    command += " -" + option.name + (option.value.empty() ? "" : " " + option.value);
  return {{"model", model_name(o)}, {"command", command}};
}

}  // namespace n2d2::app
