#include "database_type.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "n2d2/base/log.hpp"

namespace n2d2::data {

void LoadArgs::fail(std::string_view key, const std::string& message, const std::string& hint) const {
  const auto found = keys.find(key);
  throw ConfigError(fmt::format("{} {}", keys.subject(), message), found ? found->where : keys.where(), hint);
}

void LoadArgs::unsupported(std::string_view key, const std::string& why) const {
  const auto found = keys.find(key);
  if (found)
    diagnostics.error(found->where,
                      fmt::format("{} {}: '{}' is not supported: {}", keys.subject(), key, found->text, why));
}

std::string LoadArgs::data_path(const std::string& given, const std::string& below) const {
  if (!given.empty()) return expand_environment(given);
  const std::string root = context.data_root.empty() ? data_root() : context.data_root;
  return (std::filesystem::path(root) / below).string();
}

namespace {

/// What databases/get.sh calls the data of a `Type`.
struct Fetched {
  std::string_view type, name;
};
constexpr std::array kFetched{Fetched{"CIFAR100_Database", "cifar100"},
                              Fetched{"CIFAR10_Database", "cifar10"},
                              Fetched{"Fashion_MNIST_IDX_Database", "fashion-mnist"},
                              Fetched{"GTSRB_DIR_Database", "gtsrb"}, Fetched{"MNIST_IDX_Database", "mnist"}};

}  // namespace

std::string LoadArgs::root_hint(std::string_view type) const {
  const auto* fetched =
      std::find_if(kFetched.begin(), kFetched.end(), [&](const Fetched& f) { return f.type == type; });
  const std::string fetch =
      fetched == kFetched.end()
          ? std::string()
          : fmt::format("; 'databases/get.sh {}' downloads the data into $N2D2_DATA", fetched->name);
  if (keys.find("DataPath"))
    return "DataPath says where to look; the data root is not put in front of it" + fetch;
  if (!context.data_root.empty()) return fmt::format("the data root is '{}'{}", context.data_root, fetch);
  const char* set = std::getenv("N2D2_DATA");
  return fmt::format("the data root is '{}' ({}); set N2D2_DATA or DataPath{}", data_root(),
                     set != nullptr ? "from N2D2_DATA" : "N2D2_DATA is not set", fetch);
}

LabelRules label_rules(const CommonKeys& keys, Database& database) {
  return {keys.composite_label, keys.default_label.empty() ? -1 : database.label_id(keys.default_label),
          keys.rois_margin};
}

void check_common_keys(const LoadArgs& args) {
  const CommonKeys& k = args.common;
  if (!k.target_data_path.empty())
    args.unsupported("TargetDataPath", "only the input can be the target (DataAsTarget)");
  if (!args.takes_channel_files && !k.multi_channel_match.empty())
    args.unsupported("MultiChannelMatch", "the channels of a sample come from one file");
  if (!args.takes_channel_files && !k.multi_channel_replace.empty())
    args.unsupported("MultiChannelReplace", "the channels of a sample come from one file");
  if (k.data_file_label && args.keys.find("DataFileLabel"))
    log::notice(
        "{} DataFileLabel: there are no files with labels of pixels to read, rectangles are what labels them",
        args.keys.subject());
  const auto shape = args.keys.find("SampleShape");
  if (shape && !k.sample_shape.empty() && !is_sample_shape(k.sample_shape))
    args.diagnostics.error(shape->where,
                           fmt::format("{} SampleShape: expected channels, height and width of fewer than "
                                       "2^31 elements, got '{}'",
                                       args.keys.subject(), shape->text));
  if (const auto last = args.keys.find("ChannelsLast"); last && k.channels_last && k.sample_shape.empty())
    args.diagnostics.error(
        last->where, fmt::format("{} ChannelsLast: expected SampleShape beside it", args.keys.subject()),
        "SampleShape=<channels> <height> <width>");
}

}  // namespace n2d2::data
