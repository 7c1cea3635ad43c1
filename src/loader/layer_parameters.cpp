#include "layer_parameters.hpp"

#include "foreign_words.hpp"
#include "section_keys.hpp"

namespace n2d2::loader {

namespace {

/// "unknown solver 'X'", and what it may be.
std::string unknown(std::string_view what, WordKind kind, const std::string& name) {
  if (const std::string ours = our_word_for(kind, name); !ours.empty())
    return fmt::format("unknown {} '{}'; here that is {}", what, name, ours);
  return kind == WordKind::Solver ? training::solvers().unknown(what, name)
                                  : training::fillers().unknown(what, name);
}

/// A source with one key.
class OneKey final : public KeySource {
 public:
  OneKey(std::string key, std::string text) : key_(std::move(key)), text_(std::move(text)) {}
  std::optional<KeyText> find(std::string_view key) const override {
    if (key != key_) return std::nullopt;
    return KeyText{text_, {}};
  }
  SourceLocation where() const override { return {}; }
  std::string subject() const override { return {}; }

 private:
  std::string key_, text_;
};

/// Clamping was a switch once: one warning a place says what it is read as.
void note_switch(Builder& builder, const KeySource& keys) {
  const auto found = keys.find("Clamping");
  if (!found || (found->text != "0" && found->text != "1")) return;
  if (!builder.told_switches.emplace(found->where.file, found->where.line).second) return;
  builder.diagnostics.warn_key(
      found->where, fmt::format("{} Clamping: '{}' was a switch in earlier releases of N2D2, read as '{}'",
                                keys.subject(), found->text, found->text == "1" ? "-1:1" : ":"));
}

/// Stands for the size of an epoch in parameters that none of 0 samples can give: steps, lengths, quotients.
constexpr const char* kAnyEpoch = "1000000";

/// A solver that learns nothing, for there is nothing to learn from. What is wrong with its parameters only
/// because an epoch has no samples is no finding: who asks it to learn is told of the samples.
std::unique_ptr<training::Solver> idle_solver(Builder& builder, const std::string& type,
                                              std::span<const KeySource* const> views) {
  Diagnostics of_nothing;
  try {
    auto solver = training::make_solver(type, views, of_nothing);
    if (!of_nothing.has_errors()) {
      for (const Diagnostic& warning : of_nothing.warnings())
        builder.diagnostics.warn(warning.where, warning.message, warning.hint);
      return solver;
    }
  } catch (const ConfigError&) {
    static_cast<void>(0);  // division by the size of the epoch, or what the second reading finds, too
  }
  builder.ini.define(builder.provider, "_EpochSize", kAnyEpoch);
  std::unique_ptr<training::Solver> solver;
  attempt(builder, [&] { solver = training::make_solver(type, views, builder.diagnostics); });
  builder.ini.define(builder.provider, "_EpochSize", "0");
  return solver;
}

}  // namespace

std::unique_ptr<training::Filler> read_filler(const ParameterKeys& keys, const std::string& key) {
  const config::IniDocument& ini = keys.builder.ini;
  const auto type = ini.find(keys.layer, key);
  if (!type) return training::default_filler();
  if (training::fillers().find(type->text) == nullptr) {
    keys.builder.diagnostics.error(type->where, fmt::format("[{}] {}: {}", keys.layer, key,
                                                            unknown("filler", WordKind::Filler, type->text)));
    return nullptr;
  }
  return training::make_filler(type->text, *with_subject(ini.source(keys.layer, key + "."), key + ":"),
                               keys.builder.diagnostics);
}

namespace {

/// Keys that choose a solver, the last wins.
std::unique_ptr<training::Solver> solver_of(const ParameterKeys& keys,
                                            const std::vector<std::string>& choices) {
  const config::IniDocument& ini = keys.builder.ini;
  std::vector<std::unique_ptr<KeySource>> sources;
  std::string type = "SGD";
  for (const std::string& choice : choices) {
    const auto chosen = ini.find(keys.layer, choice);
    if (!chosen) continue;
    if (training::solvers().find(chosen->text) == nullptr) {
      keys.builder.diagnostics.error(
          chosen->where,
          fmt::format("[{}] {}: {}", keys.layer, choice, unknown("solver", WordKind::Solver, chosen->text)));
      return nullptr;
    }
    type = chosen->text;
    sources.clear();
    sources.push_back(with_subject(ini.source(keys.layer, choice + "."), choice + ":"));
  }
  for (const std::string& prefix : choices)
    sources.push_back(with_subject(ini.config_source(keys.layer, keys.configs, prefix + "."), prefix + ":"));
  std::vector<const KeySource*> views;
  for (const auto& source : sources) views.push_back(source.get());
  for (const KeySource* view : views) note_switch(keys.builder, *view);
  return keys.builder.has_samples_to_learn() ? training::make_solver(type, views, keys.builder.diagnostics)
                                             : idle_solver(keys.builder, type, views);
}

}  // namespace

std::unique_ptr<training::Solver> read_solver(const ParameterKeys& keys, const std::string& key) {
  return solver_of(keys, {"Solvers", key});
}

std::unique_ptr<training::Solver> read_own_solver(const ParameterKeys& keys, const std::string& key) {
  return solver_of(keys, {key});
}

std::unique_ptr<training::Filler> constant_filler(const std::string& value) {
  Diagnostics none;
  auto filler = training::make_filler("ConstantFiller", OneKey("Value", value), none);
  N2D2_CHECK(filler && !none.has_errors(), "no ConstantFiller");
  return filler;
}

}  // namespace n2d2::loader
