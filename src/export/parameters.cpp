#include "n2d2/export/parameters.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "n2d2/memory/strategy.hpp"

namespace n2d2::exporter {

namespace {

constexpr std::string_view kMemoryPrefix = "memory.";

/// Keys of spec export-parameters that exist but that this program does not read.
constexpr std::array kLaterKeys{"DilatedWeights", "MemoryBudget", "PackedWeights"};
constexpr std::array kLaterLayerKeys{
    "NbBits",           "WeightNbBits", "ActivationNbBits", "ActClippingMode",
    "ActQuantileValue", "ActThreshold", "ActRescalingMode", "PerChannel",
    "Kernel",           "Tiles",        "SaveOutputs"};

template <class Keys>
void refuse_later_keys(const KeySource& source, const Keys& keys, Diagnostics& diagnostics) {
  for (const char* key : keys)
    if (const auto found = source.find(key))
      diagnostics.error(found->where, fmt::format("{} {}: not supported yet", source.subject(), key));
}

bool is_identifier(const std::string& text) {
  return !text.empty() && c_identifier(text) == text;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

template <class P>
std::vector<std::string> names_of() {
  std::vector<std::string> out;
  for (const FieldHelp& field : describe_fields<P>()) out.emplace_back(field.info.name);
  return out;
}

/// Keys before any section that `-export ONNX` reads beside its own.
bool is_shared(std::string_view key) {
  return key == "ReferenceStimuli" || key == "StrictKeys";
}

class Reader {
 public:
  Reader(const std::string& type, Diagnostics& diagnostics)
      : is_onnx_(type == "ONNX"), diagnostics_(diagnostics) {}

  ExportParameters read(const ParameterSections& sections) {
    for (const auto& [name, keys] : sections) {
      if (name.empty())
        global(*keys);
      else if (is_onnx_)
        foreign(keys->where(), keys->subject() + ": a section", "CPP");
      if (name.starts_with(kMemoryPrefix))
        memory(name.substr(kMemoryPrefix.size()), *keys);
      else
        layer(name, *keys);
    }
    for (const auto& [name, keys] : sections)
      if (!name.starts_with(kMemoryPrefix)) memory_section(*keys);
    return std::move(out_);
  }

 private:
  void global(const KeySource& keys) {
    read_fields(out_, keys, diagnostics_);
    onnx(keys);
    refuse_later_keys(keys, kLaterKeys, diagnostics_);
    const auto strategies = memory::strategy_names();
    if (std::find(strategies.begin(), strategies.end(), out_.memory_manager_strategy) == strategies.end())
      diagnostics_.error(keys.find("MemoryManagerStrategy")->where,
                         fmt::format("{} MemoryManagerStrategy: expected one of {}, got '{}'", keys.subject(),
                                     join(strategies, " "), out_.memory_manager_strategy));
    if (!is_identifier(out_.namespace_name))
      diagnostics_.error(keys.find("Namespace")->where,
                         fmt::format("{} Namespace: expected a C++ identifier, got '{}'", keys.subject(),
                                     out_.namespace_name));
  }

  /// What another export type reads: an error, or with StrictKeys=0 a warning as unknown keys are.
  void foreign(const SourceLocation& where, const std::string& what, const char* reader) {
    const std::string text = fmt::format("{} that only -export {} reads", what, reader);
    if (out_.strict_keys)
      diagnostics_.error(where, text);
    else
      diagnostics_.warn_key(where, text);
  }

  void onnx(const KeySource& keys) {
    read_fields(out_.onnx, keys, diagnostics_);
    const auto names = is_onnx_ ? names_of<ExportParameters>() : names_of<OnnxParameters>();
    for (const std::string& name : names)
      if (const auto found = keys.find(name); found && !is_shared(name))
        foreign(found->where, fmt::format("{} {}: a key", keys.subject(), name), is_onnx_ ? "CPP" : "ONNX");
    if (is_onnx_)
      for (const char* name : {"NoWrap", "MemorySection"})
        if (const auto found = keys.find(name))
          foreign(found->where, fmt::format("{} {}: a key", keys.subject(), name), "CPP");
    if (!out_.onnx.implicit_casting)
      diagnostics_.error(
          keys.find("ImplicitCasting")->where,
          fmt::format("{} ImplicitCasting: expected 1, got '0'", keys.subject()),
          "QuantizeLinear and DequantizeLinear change types, and FakeQuantization changes none");
  }

  void memory(const std::string& name, const KeySource& keys) {
    MemoryParameters memory;
    memory.name = name;
    read_fields(memory, keys, diagnostics_);
    if (!is_identifier(name))
      diagnostics_.error(keys.where(), fmt::format("{}: expected the name of a memory to be a C identifier",
                                                   keys.subject()));
    else if (!memory_names_.insert(upper_case(name)).second)
      diagnostics_.error(keys.where(), fmt::format("{}: another memory has the same name in capitals, which "
                                                   "macros are named after",
                                                   keys.subject()));
    const bool plain = std::all_of(memory.section.begin(), memory.section.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '$';
    });
    if (memory.section.empty() || !plain)
      diagnostics_.error(keys.find("Section")->where,
                         fmt::format("{} Section: expected letters, digits, '.', '_' or '$', got '{}'",
                                     keys.subject(), memory.section));
    out_.memories.push_back(std::move(memory));
  }

  void layer(const std::string& name, const KeySource& keys) {
    LayerSection section{name, keys.where(), {}};
    read_fields(section.values, keys, diagnostics_);
    refuse_later_keys(keys, kLaterLayerKeys, diagnostics_);
    out_.layers.push_back(std::move(section));
  }

  /// Names are looked up when all memories are known.
  void memory_section(const KeySource& keys) {
    const auto found = keys.find("MemorySection");
    if (!found) return;
    std::vector<std::string> known;
    for (const MemoryParameters& memory : out_.memories) known.push_back(memory.name);
    if (known.empty()) known.push_back(MemoryParameters{}.name);
    const auto names = words(found->text);
    if (names.empty())
      diagnostics_.error(found->where,
                         fmt::format("{} MemorySection: expected names of memories, got ''", keys.subject()));
    for (const std::string& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end())
        diagnostics_.error(found->where,
                           fmt::format("{} MemorySection: unknown memory '{}'{}", keys.subject(), name,
                                       did_you_mean(name, known)),
                           fmt::format("'[memory.{}]' declares one", name));
  }

  bool is_onnx_;
  Diagnostics& diagnostics_;
  ExportParameters out_;
  std::set<std::string> memory_names_;
};

bool fits(std::string_view mask, std::string_view name) {
  if (mask.empty()) return name.empty();
  if (mask.front() == '*') return fits(mask.substr(1), name) || (!name.empty() && fits(mask, name.substr(1)));
  return !name.empty() && (mask.front() == '?' || mask.front() == name.front()) &&
         fits(mask.substr(1), name.substr(1));
}

/// Of the sections that say something (has) the one that counts for the cell; null: none does.
template <class Has>
const LayerParameters* section_for(const std::vector<LayerSection>& layers, std::string_view cell, Has has) {
  const LayerSection* best = nullptr;
  int best_rank = -1;
  for (const LayerSection& section : layers) {
    int rank = -1;
    if (section.mask.empty())
      rank = 0;
    else if (section.mask == "default")
      rank = 1;
    else if (is_for(section.mask, cell))
      rank = is_mask(section.mask) ? 2 : 3;
    if (rank <= best_rank || !has(section.values)) continue;  // the first of equals counts
    best = &section;
    best_rank = rank;
  }
  return best == nullptr ? nullptr : &best->values;
}

}  // namespace

ExportParameters read_export_parameters(const ParameterSections& sections, const std::string& type,
                                        Diagnostics& diagnostics) {
  return Reader(type, diagnostics).read(sections);
}

std::vector<std::string> known_parameters(std::string_view section) {
  if (section.starts_with(kMemoryPrefix)) return names_of<MemoryParameters>();
  auto out = names_of<LayerParameters>();
  if (!section.empty()) return out;
  for (std::string& name : names_of<ExportParameters>()) out.push_back(std::move(name));
  for (std::string& name : names_of<OnnxParameters>()) out.push_back(std::move(name));
  return out;
}

bool is_mask(std::string_view section) {
  return section.find_first_of("*?") != std::string_view::npos;
}

bool is_for(std::string_view mask, std::string_view cell) {
  if (mask.empty() || mask == "default") return false;
  return is_mask(mask) ? fits(mask, cell) : mask == cell;
}

bool ExportParameters::no_wrap(std::string_view cell) const {
  const auto* found =
      section_for(layers, cell, [](const LayerParameters& p) { return p.no_wrap.has_value(); });
  return found != nullptr && *found->no_wrap;
}

std::vector<std::string> ExportParameters::memories_of(std::string_view cell) const {
  const auto* found =
      section_for(layers, cell, [](const LayerParameters& p) { return !p.memory_section.empty(); });
  return found == nullptr ? std::vector<std::string>{} : found->memory_section;
}

}  // namespace n2d2::exporter
