#include "export_type.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "n2d2/base/log.hpp"
#include "n2d2/config/ini_document.hpp"
#include "n2d2/quantize/options.hpp"

#include "changed_parameters.hpp"
#include "command_line/key_table.hpp"
#include "export_network.hpp"

namespace n2d2::app {

namespace {

/// Types of exports of N2D2 that this program does not offer.
constexpr std::array kKnownTypes{"CPP_STM32",    "C",       "C_HLS",    "CPP_cuDNN",
                                 "CPP_TensorRT", "CPP_HLS", "CPP_ASMP", "CPP_Quantization"};

/// Whether N2D2 has a type of this name: one that is not available, or another name of one that is.
bool is_of_n2d2(const std::string& type) {
  return std::find(kKnownTypes.begin(), kKnownTypes.end(), type) != kKnownTypes.end();
}

const targets::Target& target_of(const std::string& type) {
  if (const auto* found = targets::registry().find(type)) return **found;
  const bool known = is_of_n2d2(type);
  throw ConfigError(fmt::format("\"{}\" export is not available{}; available: {}", type,
                                known ? " in this release" : "", join(targets::registry().names(), ", ")));
}

bool takes_section(const targets::Target& target, std::string_view section) {
  const auto tables = target.parameters();
  return std::any_of(tables.begin(), tables.end(), [&](const auto& table) { return table.takes(section); });
}

std::vector<std::string> keys_of(const targets::Target& target, std::string_view section) {
  std::vector<std::string> out;
  for (const targets::ParameterTable& table : target.parameters())
    if (table.takes(section))
      for (const FieldHelp& field : table.fields) out.emplace_back(field.info.name);
  return out;
}

/// Keys of a section, some with another value.
class Changed final : public KeySource {
 public:
  Changed(std::unique_ptr<KeySource> keys, const ChangedParameters& values)
      : keys_(std::move(keys)), values_(values) {}
  std::optional<KeyText> find(std::string_view key) const override {
    auto found = keys_->find(key);
    const auto value = values_.find(key);
    return value == values_.end() ? found : KeyText{value->second, found ? found->where : where()};
  }
  SourceLocation where() const override { return keys_->where(); }
  std::string subject() const override { return keys_->subject(); }

 private:
  std::unique_ptr<KeySource> keys_;
  const ChangedParameters& values_;
};

/// The parameters of one target in one file.
class ParameterFile {
 public:
  ParameterFile(const targets::Target& target, const config::IniDocument* file, bool strict,
                const ChangedParameters& changed)
      : target_(target), file_(file), findings_(strict), changed_(changed) {}

  std::unique_ptr<const targets::Export> read(const targets::Request& request) {
    auto out = target_.configure(sections(), request, findings_);
    if (file_ != nullptr)
      for (const auto& key : file_->unread())
        if (!is_deleted(key)) report(key.where, text_of(key));
    findings_.finish<ConfigError>();
    return out;
  }

 private:
  /// Returns the sections of the file that the target reads. Each other section is one finding as a whole.
  targets::ParameterSections sections() {
    targets::ParameterSections out;
    if (file_ == nullptr) return out;
    read_strictness();
    for (const std::string& name : file_->section_names()) {
      auto keys = file_->source(name);
      if (!takes_section(target_, name)) {
        report(keys->where(),
               fmt::format("{}: a section that {}", keys->subject(),
                           readers([&](const auto& other) { return takes_section(other, name); })));
        continue;
      }
      file_->mark_used(name);
      if (name.empty() && !changed_.empty()) keys = std::make_unique<Changed>(std::move(keys), changed_);
      out.emplace_back(name, std::move(keys));
    }
    return out;
  }

  /// Known before the target reads it, since findings of the file are errors or warnings by it. What is wrong
  /// with it is the target's to say.
  void read_strictness() {
    targets::SharedParameters shared;
    Diagnostics quiet;
    read_fields(shared, *file_->source(""), quiet);
    strict_keys_ = shared.strict_keys;
  }

  /// Whether the target says what became of a key that it does not read any more.
  bool is_deleted(const config::IniDocument::Unread& key) {
    if (!targets::is_global_section(key.section)) return false;
    for (const auto& [name, became] : target_.deleted_parameters())
      if (name == key.key) {
        findings_.warn(key.where,
                       fmt::format("{}: a key that was deleted, it changes nothing: {}", name, became));
        return true;
      }
    return false;
  }

  void report(const SourceLocation& where, const std::string& text) {
    if (strict_keys_)
      findings_.error(where, text);
    else
      findings_.warn_key(where, text);
  }

  /// "only -export CPP reads"; "no export reads" when there is none.
  template <class Reads>
  std::string readers(Reads reads) const {
    std::vector<std::string> out;
    for (const std::string& name : targets::registry().names())
      if (!is_of_n2d2(name) && reads(**targets::registry().find(name))) out.push_back(name);
    return out.empty() ? "no export reads" : "only -export " + join(out, " and ") + " reads";
  }

  std::string text_of(const config::IniDocument::Unread& key) const {
    const std::string others = readers([&](const targets::Target& other) {
      const auto keys = keys_of(other, key.section);
      return std::find(keys.begin(), keys.end(), key.key) != keys.end();
    });
    if (others.starts_with("only"))
      return fmt::format("[{}] {}: a key that {}", key.section, key.key, others);
    return fmt::format("unknown export parameter '{}'{}", key.key,
                       did_you_mean(key.key, keys_of(target_, key.section)));
  }

  const targets::Target& target_;
  const config::IniDocument* file_;
  Diagnostics findings_;
  const ChangedParameters& changed_;
  bool strict_keys_ = true;
};

}  // namespace

std::unique_ptr<const targets::Export> configure_changed(const Options& o, const ChangedParameters& changed) {
  const targets::Target& target = target_of(o.prepared_type());
  targets::Request request;
  request.bits = o.integer_bits();
  request.equalize = !o.no_cle;
  request.memory_curve = o.memory_curve;
  request.packages = {o.package_formats(), std::filesystem::path(o.model).stem().string(),
                      std::string("n2d2 ") + N2D2_VERSION};
  if (o.is_integer()) {
    quantize::check(quantize_options(o));
    request.rescaling = quantize_options(o).rescaling;
    request.own_rescaling = !o.is_rescaling_given && o.rescaling == Options().rescaling;
  }
  if (o.export_parameters.empty()) return ParameterFile(target, nullptr, o.strict, changed).read(request);
  const config::IniDocument file = config::read_ini(o.export_parameters);
  return ParameterFile(target, &file, o.strict, changed).read(request);
}

std::unique_ptr<const targets::Export> configure_export(const Options& o) {
  return configure_changed(o, {});
}

std::vector<std::string> other_export_types() {
  return {kKnownTypes.begin(), kKnownTypes.end()};
}

std::string export_help(const std::string& type) {
  const targets::Target& target = target_of(type);
  std::string out = fmt::format("{}: {}\n", type, target.summary());
  for (const targets::ParameterTable& table : target.parameters()) {
    if (!table.place.empty()) out += " " + table.place + ":\n";
    out += key_table(table.fields);
  }
  return out;
}

}  // namespace n2d2::app
