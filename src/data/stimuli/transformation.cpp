#include "n2d2/data/transformation.hpp"

#include <algorithm>
#include <array>

#include <opencv2/core.hpp>

#include "transformation_type.hpp"

namespace n2d2::data {

void register_all_transformations(TransformationRegistry& registry);  // generated from CMakeLists.txt

namespace {

/// Transformations of the reference program that are not here.
constexpr std::array kStepsElsewhere{"ExpandLabel", "LabelExtraction", "LabelSliceExtraction"};
/// Documented, but never published.
constexpr std::array kClosed{"Blending", "ChannelShake", "ROIExtraction"};

template <class List>
bool lists(const List& list, const std::string& type) {
  return std::any_of(list.begin(), list.end(),
                     [&](const char* name) { return type == std::string(name) + "Transformation"; });
}

}  // namespace

std::string unknown_transformation(const std::string& type) {
  if (lists(kStepsElsewhere, type))
    return fmt::format("transformation '{}' is known to N2D2, not supported", type);
  if (lists(kClosed, type))
    return fmt::format("transformation '{}' belongs to a closed edition of N2D2, not supported", type);
  return transformations().unknown("transformation", type);
}

std::vector<std::string> transformations_of_maps() {
  std::vector<std::string> names = transformations().names();
  std::erase_if(names, [](const std::string& name) { return !transformations().find(name)->has_map_steps; });
  return names;
}

std::vector<std::string> other_transformations() {
  std::vector<std::string> names;
  for (const char* name : kStepsElsewhere) names.push_back(std::string(name) + "Transformation");
  return names;
}

bool applies(ApplyTo apply_to, Partition partition) {
  switch (apply_to) {
    case ApplyTo::All:
      return true;
    case ApplyTo::LearnOnly:
      return partition == Partition::Learn;
    case ApplyTo::ValidationOnly:
      return partition == Partition::Validation;
    case ApplyTo::TestOnly:
      return partition == Partition::Test;
    case ApplyTo::NoLearn:
      return partition != Partition::Learn;
    case ApplyTo::NoValidation:
      return partition != Partition::Validation;
    case ApplyTo::NoTest:
      break;
  }
  return partition != Partition::Test;
}

void Transformation::fail(const std::string& message, const std::string& hint) const {
  throw ConfigError(fmt::format("{} {}", subject_, message), where_, hint);
}

const TransformationRegistry& transformations() {
  static const TransformationRegistry registry = [] {
    TransformationRegistry out;
    register_all_transformations(out);
    return out;
  }();
  return registry;
}

std::unique_ptr<Transformation> make_transformation(const std::string& type, const KeySource& keys,
                                                    Diagnostics& diagnostics) {
  if (const TransformationType* entry = transformations().find(type)) return entry->make(keys, diagnostics);
  report_key(keys, "Type", unknown_transformation(type), diagnostics,
             "'n2d2 -help-transformation list' names those that are supported");
  return nullptr;
}

void report_key(const KeySource& keys, std::string_view key, const std::string& message,
                Diagnostics& diagnostics, const std::string& hint) {
  const auto found = keys.find(key);
  diagnostics.error(found ? found->where : keys.where(),
                    fmt::format("{} {}: {}", keys.subject(), key, message), hint);
}

void warn_without_effect(const KeySource& keys, std::initializer_list<const char*> names,
                         const std::string& why, Diagnostics& diagnostics) {
  for (const char* name : names)
    if (const auto found = keys.find(name))
      diagnostics.warn_key(found->where, fmt::format("{} {}: without effect {}", keys.subject(), name, why));
}

void require_depth(const Transformation& step, const Image& image, std::initializer_list<DataType> depths) {
  if (std::find(depths.begin(), depths.end(), image.depth()) != depths.end()) return;
  std::string names;
  for (const DataType depth : depths) names += (names.empty() ? "" : " or ") + n2d2::to_string(depth);
  step.fail(fmt::format("{}: expected a picture of {}, got {}", step.type(), names, image.text()));
}

void apply_to_sample(const Transformation& step, const std::function<std::string()>& name, Image& image,
                     Rng& rng) {
  try {
    step.apply(image, rng);
  } catch (const ConfigError& error) {
    std::vector<Diagnostic> findings = error.findings();
    for (Diagnostic& finding : findings) finding.message += fmt::format(" ('{}')", name());
    throw ConfigError(std::move(findings));
  }
}

void with_opencv(const Transformation& step, const Image& image, const std::function<void()>& body) {
  try {
    body();
  } catch (const cv::Exception& e) {
    step.fail(fmt::format("{}: cannot be done with a picture of {}: {}", step.type(), image.text(), e.err));
  }
}

}  // namespace n2d2::data
