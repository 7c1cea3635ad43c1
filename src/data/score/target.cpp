#include "n2d2/data/target.hpp"

#include <algorithm>
#include <filesystem>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/data/database.hpp"

#include "labels_mapping.hpp"

namespace n2d2::data {

namespace {

struct Refused {
  const char* key;
  const char* neutral;  // the value that switches it off
  const char* why;
};

/// Keys of the reference program that are not supported.
constexpr std::array kRefused{
    Refused{"ROIsLabelTarget", "", "known to N2D2, rectangles are not found in outputs"},
    Refused{"MaskLabelTarget", "", "known to N2D2, a target does not mask another"},
    Refused{"MaskedLabel", "-1", "known to N2D2, a target does not mask another"},
    Refused{"MaskedLabelValue", "0", "known to N2D2, a target does not mask another"}};

/// Keys that say how pictures of outputs look; none are drawn.
constexpr std::array kCosmetic{"NoDisplayLabel", "LabelsHueOffset", "EstimatedLabelsValueDisplay",
                               "ValueThreshold", "ImageLogFormat"};

void report(const KeySource& keys, const char* key, const std::string& message, Diagnostics& diagnostics,
            const std::string& hint = {}) {
  const auto found = keys.find(key);
  diagnostics.error(found ? found->where : keys.where(),
                    fmt::format("{} {}: {}", keys.subject(), key, message), hint);
}

/// Keys that go with DataAsTarget, and those that do not.
void check_data_keys(const TargetOptions& options, const KeySource& keys, Diagnostics& diagnostics) {
  const bool is_data = options.data_as_target;
  if (is_data && options.confusion_range_min >= options.confusion_range_max)
    report(keys, "ConfusionRangeMin",
           fmt::format("expected less than ConfusionRangeMax={}, got {}",
                       print_real(options.confusion_range_max), print_real(options.confusion_range_min)),
           diagnostics);
  std::vector<std::string> idle;
  for (const char* key : {"ConfusionRangeMin", "ConfusionRangeMax", "ConfusionQuantSteps"})
    if (!is_data && keys.find(key)) idle.emplace_back(key);
  for (const char* key : {"TargetValue", "DefaultValue", "TopN", "LabelsMapping", "LabelsFile",
                          "BinaryThreshold", "WeakTarget"})
    if (is_data && keys.find(key)) idle.emplace_back(key);
  if (!idle.empty())
    log::notice("{} {}: {} DataAsTarget=1 they change nothing", keys.subject(), join(idle, ", "),
                is_data ? "with" : "without");
}

}  // namespace

TargetOptions read_target_options(const KeySource& keys, Diagnostics& diagnostics) {
  TargetOptions out;
  read_fields(out, keys, diagnostics);
  if (!is_supported(out.type))
    report(keys, "Type",
           fmt::format("'{}' is known to N2D2, not supported; supported: TargetScore, Target",
                       ValueText<TargetType>::print(out.type)),
           diagnostics);
  const bool masks = keys.find("MaskLabelTarget").has_value();
  for (const Refused& refused : kRefused) {
    const auto found = keys.find(refused.key);
    const bool says_how = masks && std::string_view(refused.key).starts_with("MaskedLabel");
    if (found && found->text != refused.neutral && !says_how)
      report(keys, refused.key, fmt::format("'{}' is not supported: {}", found->text, refused.why),
             diagnostics);
  }
  std::vector<std::string> cosmetic;
  for (const char* key : kCosmetic)
    if (keys.find(key)) cosmetic.emplace_back(key);
  if (!cosmetic.empty())
    log::notice("{} {}: no pictures of outputs are drawn", keys.subject(), join(cosmetic, ", "));
  check_data_keys(out, keys, diagnostics);
  if (out.create_missing_labels && out.labels_mapping.empty())
    report(keys, "CreateMissingLabels", "expected LabelsMapping beside it, whose labels it creates",
           diagnostics);
  return out;
}

int Target::class_of(int label) const {
  if (label < 0) return class_of_none_;
  N2D2_CHECK(static_cast<size_t>(label) < class_of_.size(), "label {} of {}", label, class_of_.size());
  return class_of_[static_cast<size_t>(label)];
}

namespace {

/// The class with most votes, the first of equals; `weak` only without others; -1 without any.
int elected(const std::vector<int64_t>& votes, int weak) {
  int best = -1;
  for (size_t cls = 0; cls < votes.size(); ++cls) {
    if (votes[cls] == 0) continue;
    const bool beats = best < 0 || (best == weak && static_cast<int>(cls) != weak) ||
                       (votes[cls] > votes[static_cast<size_t>(best)] && static_cast<int>(cls) != weak);
    if (beats) best = static_cast<int>(cls);
  }
  return best;
}

}  // namespace

std::vector<int> Target::classes_of(std::span<const int> labels, int64_t samples, int64_t height,
                                    int64_t width) const {
  const int64_t rows = options_.label_map.y, columns = options_.label_map.x;
  N2D2_CHECK(static_cast<int64_t>(labels.size()) == samples * rows * columns,
             "{} labels of {}x{} for {} samples", labels.size(), columns, rows, samples);
  std::vector<int> out;
  out.reserve(static_cast<size_t>(samples * height * width));
  std::vector<int64_t> votes(static_cast<size_t>(classes()));
  for (int64_t n = 0; n < samples; ++n)
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x) {
        std::fill(votes.begin(), votes.end(), 0);
        // Pixels below the position; at least one where the output has more positions than there are labels.
        const int64_t top = y * rows / height, bottom = std::max(top + 1, (y + 1) * rows / height);
        const int64_t left = x * columns / width, right = std::max(left + 1, (x + 1) * columns / width);
        for (int64_t row = top; row < bottom; ++row)
          for (int64_t column = left; column < right; ++column) {
            const int cls = class_of(labels[static_cast<size_t>((n * rows + row) * columns + column)]);
            if (cls >= 0) ++votes[static_cast<size_t>(cls)];
          }
        out.push_back(elected(votes, options_.weak_target));
      }
  return out;
}

std::vector<std::string> Target::class_names() const {
  if (!names_.empty()) return names_;
  std::vector<std::string> out(static_cast<size_t>(classes()));
  for (size_t label = 0; label < labels_.size(); ++label) {
    if (class_of_[label] < 0) continue;
    std::string& name = out[static_cast<size_t>(class_of_[label])];
    name += (name.empty() ? "" : ",") + labels_[label];
  }
  for (size_t cls = 0; cls < out.size(); ++cls)
    if (out[cls].empty()) out[cls] = std::to_string(cls);
  return out;
}

std::string Target::mapping_text() const {
  std::string out;
  for (size_t label = 0; label < labels_.size(); ++label) {
    const bool quote = labels_[label].find_first_of(" \t#*?+") != std::string::npos;
    out += fmt::format("{0}{1}{0} {2}\n", quote ? "\"" : "", labels_[label], class_of_[label]);
  }
  return out + fmt::format("* {}\n", class_of_none_);
}

/// Fills a Target; kept apart so that a Target always is whole.
struct TargetBuilder {
  Target target;
  const KeySource& keys;
  Diagnostics& diagnostics;

  /// Labels do not count.
  void data_as_target() {
    target.class_of_.assign(target.labels_.size(), -1);
    target.options_.top_n = 1;
  }

  /// Label id = class.
  void identity() {
    for (size_t label = 0; label < target.labels_.size(); ++label)
      target.class_of_.push_back(static_cast<int>(label));
    if (static_cast<int>(target.labels_.size()) > target.classes())
      diagnostics.error(keys.where(),
                        fmt::format("{} {} labels need as many outputs, the layer has {}", keys.subject(),
                                    target.labels_.size(), target.outputs_),
                        "NbOutputs of the layer, or LabelsMapping to bring several labels to one output");
  }

  /// target.names_: the lines of LabelsFile, as many as there are classes.
  void read_names(const std::string& path) {
    constexpr int64_t kLargest = int64_t{1} << 24;
    std::string text;
    try {
      text = read_text_file(path, kLargest);
    } catch (const FileError& error) {
      return report(keys, "LabelsFile", fmt::format("'{}': {}", path, error.reason), diagnostics);
    }
    std::vector<std::string> names;
    for (const std::string& line : split(text, '\n')) names.emplace_back(trim(line));
    while (!names.empty() && names.back().empty()) names.pop_back();
    if (static_cast<int>(names.size()) != target.classes())
      return report(
          keys, "LabelsFile",
          fmt::format("expected {} names, one a line, '{}' has {}", target.classes(), path, names.size()),
          diagnostics, "line 1 names class 0");
    target.names_ = std::move(names);
  }

  /// The only class whose name is this, or starts with this word; -1: none, -2: several.
  int named_class(const std::string& name) const {
    int found = -1;
    for (size_t cls = 0; cls < target.names_.size(); ++cls) {
      const std::string& line = target.names_[cls];
      const bool is_word = line.starts_with(name) && line.size() > name.size() &&
                           std::string_view(" \t,").find(line[name.size()]) != std::string_view::npos;
      if (line != name && !is_word) continue;
      if (found != -1) return -2;
      found = static_cast<int>(cls);
    }
    return found;
  }

  /// Each label is the class of its name; folders' labels begin with '/'.
  void from_names(const std::string& path) {
    for (const std::string& label : target.labels_) {
      const std::string name = label.starts_with('/') ? label.substr(1) : label;
      const auto whole = std::find(target.names_.begin(), target.names_.end(), name);
      const bool is_unique = whole != target.names_.end() &&
                             std::find(whole + 1, target.names_.end(), name) == target.names_.end();
      const int cls = is_unique ? static_cast<int>(whole - target.names_.begin()) : named_class(name);
      if (cls < 0)
        report(
            keys, "LabelsFile",
            fmt::format("label '{}' is {} '{}'", name, cls == -1 ? "no line of" : "several lines of", path),
            diagnostics, "a line is the label, or begins with it");
      target.class_of_.push_back(std::max(cls, -1));
    }
  }

  void from_file(const std::string& path) {
    const size_t before = diagnostics.errors().size();
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      report(keys, "LabelsMapping", fmt::format("no file '{}'", path), diagnostics);
      return;
    }
    const auto lines = read_mapping(path, diagnostics);
    std::vector<std::optional<int>> classes(target.labels_.size());
    std::optional<MappingLine> rest;
    for (const MappingLine& line : lines) {
      if (line.target >= target.classes())
        diagnostics.error(line.where, fmt::format("labels mapping: expected an output below {}, got '{}'",
                                                  target.classes(), line.target));
      else if (!line.quoted && line.name == "*")
        target.class_of_none_ = line.target;
      else if (!line.quoted && line.name == "default")
        set_default(line, rest);
      else
        apply(line, classes);
    }
    const bool lists_none = std::any_of(
        lines.begin(), lines.end(), [](const MappingLine& line) { return !line.quoted && line.name == "*"; });
    if (rest && !lists_none) target.class_of_none_ = rest->target;
    const bool file_is_sound = diagnostics.errors().size() == before;
    for (size_t label = 0; label < classes.size(); ++label) {
      if (!classes[label] && rest) classes[label] = rest->target;
      if (!classes[label] && file_is_sound)
        report(keys, "LabelsMapping", fmt::format("label '{}' is not in '{}'", target.labels_[label], path),
               diagnostics, "a line 'default -1' ignores every label that is not listed");
      target.class_of_.push_back(classes[label].value_or(-1));
    }
  }

  void set_default(const MappingLine& line, std::optional<MappingLine>& rest) {
    if (rest)
      diagnostics.error(line.where,
                        fmt::format("labels mapping: 'default' already is in line {}", rest->where.line));
    rest = line;
  }

  void apply(const MappingLine& line, std::vector<std::optional<int>>& classes) {
    const auto literal = std::find(target.labels_.begin(), target.labels_.end(), line.name);
    MappingLine used = line;
    if (has_wildcard(line) && literal != target.labels_.end()) {
      if (line.name.find_first_of("*?") != std::string::npos) {
        diagnostics.error(line.where, fmt::format("labels mapping: '{}' is a label and a mask", line.name),
                          "quotes around it make it a label");
        return;
      }
      used.quoted = true;  // '+' in a label's own name
    }
    bool found = false;
    for (size_t label = 0; label < classes.size(); ++label)
      if (means(used, target.labels_[label])) {
        classes[label] = used.target;
        found = true;
      }
    if (found) return;
    if (target.options_.create_missing_labels && !has_wildcard(used)) {
      target.labels_.push_back(used.name);
      classes.emplace_back(used.target);
    } else if (!target.labels_.empty()) {
      diagnostics.warn(line.where,
                       fmt::format("labels mapping: no label of the database is meant by '{}'", line.name));
    }
  }

  static std::optional<Target> make(const TargetOptions& options, std::span<const std::string> labels,
                                    int outputs, const KeySource& keys, Diagnostics& diagnostics) {
    const size_t before = diagnostics.errors().size();
    TargetBuilder builder{{}, keys, diagnostics};
    Target& target = builder.target;
    target.options_ = options;
    target.outputs_ = outputs;
    target.labels_.assign(labels.begin(), labels.end());
    if (options.data_as_target) {
      builder.data_as_target();
      if (diagnostics.errors().size() != before) return std::nullopt;
      return std::move(target);
    }
    if (!options.labels_file.empty()) builder.read_names(options.labels_file);
    if (!options.labels_mapping.empty())
      builder.from_file(expand_environment(options.labels_mapping));
    else if (!target.names_.empty())
      builder.from_names(options.labels_file);
    else
      builder.identity();
    if (options.top_n > outputs) {
      const auto found = keys.find("TopN");
      diagnostics.warn(found ? found->where : keys.where(),
                       fmt::format("{} TopN: {} of {} outputs, {} is used", keys.subject(), options.top_n,
                                   outputs, outputs));
      target.options_.top_n = outputs;
    }
    if (diagnostics.errors().size() != before) return std::nullopt;
    return std::move(target);
  }
};

std::optional<Target> make_target(const TargetOptions& options, std::span<const std::string> labels,
                                  int outputs, const KeySource& keys, Diagnostics& diagnostics) {
  N2D2_CHECK(outputs >= 1, "a target on {} outputs", outputs);
  return TargetBuilder::make(options, labels, outputs, keys, diagnostics);
}

}  // namespace n2d2::data
