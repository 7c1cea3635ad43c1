#include "database_type.hpp"

#include <cstdlib>
#include <filesystem>

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

std::string LoadArgs::root_hint() const {
  if (keys.find("DataPath")) return "DataPath says where to look; the data root is not put in front of it";
  if (!context.data_root.empty()) return fmt::format("the data root is '{}'", context.data_root);
  const char* set = std::getenv("N2D2_DATA");
  return fmt::format("the data root is '{}' ({}); set N2D2_DATA or DataPath", data_root(),
                     set != nullptr ? "from N2D2_DATA" : "N2D2_DATA is not set");
}

void check_common_keys(const LoadArgs& args) {
  const CommonKeys& k = args.common;
  const std::string annotations = "annotations inside pictures are not read";
  if (!k.default_label.empty()) args.unsupported("DefaultLabel", annotations);
  if (k.rois_margin != 0) args.unsupported("ROIsMargin", annotations);
  if (k.composite_label != CompositeLabel::None && k.composite_label != CompositeLabel::Auto)
    args.unsupported("CompositeLabel", annotations);
  if (!k.target_data_path.empty()) args.unsupported("TargetDataPath", "data cannot be used as target");
  if (!k.multi_channel_match.empty())
    args.unsupported("MultiChannelMatch", "the channels of a sample come from one file");
  if (!k.multi_channel_replace.empty())
    args.unsupported("MultiChannelReplace", "the channels of a sample come from one file");
  const auto shape = args.keys.find("SampleShape");
  if (shape && !k.sample_shape.empty() && !is_sample_shape(k.sample_shape))
    args.diagnostics.error(shape->where,
                           fmt::format("{} SampleShape: expected channels, height and width of fewer than "
                                       "2^31 elements, got '{}'",
                                       args.keys.subject(), shape->text));
}

}  // namespace n2d2::data
