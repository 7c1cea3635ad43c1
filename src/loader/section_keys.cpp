#include "section_keys.hpp"

#include <algorithm>

#include "n2d2/base/log.hpp"

namespace n2d2::loader {

namespace {

class HiddenKeys final : public KeySource {
 public:
  HiddenKeys(std::unique_ptr<KeySource> source, std::vector<std::string> hidden)
      : source_(std::move(source)), hidden_(std::move(hidden)) {}
  std::optional<KeyText> find(std::string_view key) const override {
    if (std::find(hidden_.begin(), hidden_.end(), key) != hidden_.end()) return std::nullopt;
    return source_->find(key);
  }
  SourceLocation where() const override { return source_->where(); }
  std::string subject() const override { return source_->subject(); }

 private:
  std::unique_ptr<KeySource> source_;
  std::vector<std::string> hidden_;
};

class RenamedKey final : public KeySource {
 public:
  RenamedKey(std::unique_ptr<KeySource> source, std::string key, std::string former)
      : source_(std::move(source)), key_(std::move(key)), former_(std::move(former)) {}
  std::optional<KeyText> find(std::string_view key) const override {
    return source_->find(key == key_ ? former_ : key);
  }
  SourceLocation where() const override { return source_->where(); }
  std::string subject() const override { return source_->subject(); }

 private:
  std::unique_ptr<KeySource> source_;
  std::string key_, former_;
};

class ObjectKeys final : public KeySource {
 public:
  ObjectKeys(std::unique_ptr<KeySource> source, const std::string& object)
      : source_(std::move(source)), subject_(source_->subject() + " " + object) {}
  std::optional<KeyText> find(std::string_view key) const override { return source_->find(key); }
  SourceLocation where() const override { return source_->where(); }
  std::string subject() const override { return subject_; }

 private:
  std::unique_ptr<KeySource> source_;
  std::string subject_;
};

bool same_text(std::string_view text, std::string_view neutral) {
  if (text == neutral || (neutral == "\"\"" && text.empty())) return true;
  const auto a = parse_real(text), b = parse_real(neutral);
  return a && b && *a == *b;
}

/// "Frame_CUDA" -> "Frame".
std::string_view without_cuda(std::string_view model) {
  constexpr std::string_view suffix = "_CUDA";
  return model.ends_with(suffix) ? model.substr(0, model.size() - suffix.size()) : model;
}

}  // namespace

std::unique_ptr<KeySource> hide_keys(std::unique_ptr<KeySource> source, std::vector<std::string> hidden) {
  return std::make_unique<HiddenKeys>(std::move(source), std::move(hidden));
}

std::unique_ptr<KeySource> rename_key(std::unique_ptr<KeySource> source, std::string key,
                                      std::string former) {
  return std::make_unique<RenamedKey>(std::move(source), std::move(key), std::move(former));
}

std::unique_ptr<KeySource> with_subject(std::unique_ptr<KeySource> source, const std::string& object) {
  return std::make_unique<ObjectKeys>(std::move(source), object);
}

void mark_all_read(const config::IniDocument& ini, const std::string& section, const std::string& reader) {
  for (const std::string& key : ini.keys(section)) ini.mark_read(section, key, reader);
}

void mark_prefix_read(const config::IniDocument& ini, const std::string& section, std::string_view prefix) {
  for (const std::string& key : ini.keys(section))
    if (key.starts_with(prefix)) ini.mark_read(section, key);
}

void check_model(Builder& builder, const std::string& model, const SourceLocation& where,
                 const std::string& layer) {
  const std::string_view plain = without_cuda(model);
  const std::string subject = layer.empty() ? "DefaultModel" : "[" + layer + "] Model";
  if (plain == "CSpike" || plain == "Spike" || plain.starts_with("Spike_"))
    return builder.diagnostics.error(
        where, fmt::format("{}: model '{}' is known to N2D2, spiking is not supported", subject, model),
        "'Frame' learns and runs the same layers with real numbers");
  if (plain != "Frame" && plain != "Transcode" && plain != "Frame_EXT")
    return builder.diagnostics.error(where, fmt::format("{}: model '{}' is not supported", subject, model),
                                     "supported: Frame");
  // What a model runs as is the same in every layer.
  if (plain == model && plain != "Transcode") return;
  if (!builder.told_models.insert(std::string(plain)).second) return;
  if (plain == "Transcode")
    log::write(log::Level::Notice,
               Diagnostic{where,
                          fmt::format("{}: '{}' runs as 'Frame': without spikes, the layers are the same",
                                      subject, model),
                          ""}
                   .text());
  else
    builder.diagnostics.warn(where, fmt::format("{}: '{}' runs on the CPU as '{}'", subject, model, plain));
}

void check_data_type(Builder& builder, const KeyText& found, const std::string& subject) {
  if (found.text == "Float32") return;
  if (found.text == "Float16" || found.text == "Float64")
    builder.diagnostics.error(found.where, fmt::format("{}: {} is not supported yet", subject, found.text),
                              "supported: Float32");
  else
    builder.diagnostics.error(found.where,
                              fmt::format("{}: expected Float32, got '{}'", subject, found.text));
}

std::vector<std::string> Builder::config_sections(const std::string& section, const std::string& model) {
  // Config sections of other models are for runs with those models, so all of them are marked as used.
  for (const std::string& key : ini.keys(section)) {
    if (!key.starts_with("ConfigSection(") || !key.ends_with(')')) continue;
    ini.mark_read(section, key), ini.mark_read(section, "ConfigSection");
    for (const std::string& name : ini.list(section, key).value_or(std::vector<std::string>{}))
      if (ini.has_section(name)) ini.mark_used(name);
  }
  for (const std::string& name :
       {"ConfigSection(" + model + ")", "ConfigSection(" + std::string(without_cuda(model)) + ")",
        std::string("ConfigSection")}) {
    auto list = ini.list(section, name);
    if (!list) continue;
    std::erase(*list, "");
    configs[section] = *list;
    return *list;
  }
  return {};
}

std::string Builder::fresh_name(const std::string& base) const {
  const auto taken = [&](const std::string& name) {
    return net.graph.find_node(name) || net.graph.find_value(name) ||
           std::any_of(order.begin(), order.end(),
                       [&](const LayerSection& layer) { return layer.name == name; });
  };
  std::string name = base;
  for (int i = 2; taken(name); ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

void refuse_unsupported(Builder& builder, const std::string& section, const std::vector<std::string>& configs,
                        const std::vector<UnsupportedKey>& keys) {
  const auto own = builder.ini.source(section);
  const auto config = builder.ini.config_source(section, configs);
  for (const UnsupportedKey& key : keys) {
    const auto found = (key.place == Place::Section ? *own : *config).find(key.key);
    const std::string prefix = std::string(key.key) + ".";
    mark_prefix_read(builder.ini, section, prefix);
    for (const std::string& from : configs)
      for (const std::string& sub : builder.ini.keys(from))
        if (sub.starts_with(prefix)) builder.ini.mark_read(from, sub, section);
    constexpr std::string_view kSolver = "Solver";
    // The solver of a quantizer says nothing without it.
    const bool follows =
        key.key.ends_with(kSolver) && own->find(key.key.substr(0, key.key.size() - kSolver.size()));
    if (found && !follows && (key.neutral.empty() || !same_text(found->text, key.neutral)))
      builder.diagnostics.error(
          found->where, fmt::format("[{}] {}: '{}' is not supported yet", section, key.key, found->text));
  }
}

void refuse_fixed_kernels(Builder& builder, const std::string& section) {
  bool reported = false;
  for (const std::string& key : builder.ini.keys(section)) {
    if (key != "Kernel" && !key.starts_with("Kernel[") && !key.starts_with("Kernel.")) continue;
    const auto found = builder.ini.find(section, key);
    if (std::exchange(reported, true)) continue;
    builder.diagnostics.error(found->where,
                              fmt::format("[{}] {}: fixed kernels are not supported yet", section, key),
                              "the size of a kernel is KernelDims");
  }
}

void read_globals(Builder& builder) {
  const config::IniDocument& ini = builder.ini;
  attempt(builder, [&] {
    if (const auto model = ini.find("", "DefaultModel")) {
      builder.default_model = model->text;
      check_model(builder, model->text, model->where, "");
    }
    if (const auto type = ini.find("", "DefaultDataType")) check_data_type(builder, *type, "DefaultDataType");
    const auto keys = ini.source("");
    read_field(field_info("InsertBatchNormAfterConv"), builder.insert_batchnorm, *keys, builder.diagnostics);
    bool check_weight_range = true;
    read_field(field_info("CheckWeightRange"), check_weight_range, *keys, builder.diagnostics);
    for (const char* old : {"SignalsDiscretization", "FreeParametersDiscretization", "Notation"})
      if (const auto found = ini.find("", old))
        builder.diagnostics.warn_key(found->where, fmt::format("{}: no longer means anything, ignored", old));
    for (const std::string& key : ini.keys(""))
      if (key.starts_with("ProgramMethod(")) ini.mark_read("", key);
  });
}

}  // namespace n2d2::loader
