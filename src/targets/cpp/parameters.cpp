#include "n2d2/targets/cpp/parameters.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <limits>
#include <set>

#include "n2d2/memory/strategy.hpp"

#include "choose/choose_forms.hpp"
#include "taken_names.hpp"

namespace n2d2 {

bool ValueText<targets::cpp::MemoryBudget>::parse(std::string_view text, Budget& value) {
  if (text == "min") {
    value = {Budget::Kind::Least, 0};
    return true;
  }
  int64_t unit = 1;
  if (text.ends_with('K') || text.ends_with('M')) {
    unit = text.back() == 'K' ? 1024 : 1024 * 1024;
    text.remove_suffix(1);
  }
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  const auto number = parse_integer(text);
  if (!number || *number > std::numeric_limits<int64_t>::max() / unit) return false;
  value = {*number == 0 ? Budget::Kind::Unlimited : Budget::Kind::Bytes, *number * unit};
  return true;
}

std::string ValueText<targets::cpp::MemoryBudget>::print(const Budget& value) {
  return value.kind == Budget::Kind::Least ? "min" : std::to_string(value.bytes);
}

}  // namespace n2d2

namespace n2d2::targets::cpp {

namespace {

constexpr std::string_view kMemoryPrefix = "memory.";
constexpr std::string_view kDelegatePrefix = "Backend.";

/// Keys of N2D2 that this program does not read.
constexpr std::array kLaterKeys{"DilatedWeights", "PackedWeights"};
constexpr std::array kLaterLayerKeys{"ActClippingMode",  "ActQuantileValue", "ActThreshold",
                                     "ActRescalingMode", "PerChannel",       "SaveOutputs"};

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

bool is_memory_section(std::string_view section) {
  return section.starts_with(kMemoryPrefix);
}

bool is_layer_section(std::string_view section) {
  return !is_memory_section(section);
}

/// Keys that begin alike, seen without that.
class Behind final : public KeySource {
 public:
  Behind(const KeySource& keys, std::string prefix) : keys_(keys), prefix_(std::move(prefix)) {}
  std::optional<KeyText> find(std::string_view key) const override {
    return keys_.find(prefix_ + std::string(key));
  }
  SourceLocation where() const override { return keys_.where(); }
  std::string subject() const override {
    return keys_.subject() + " " + prefix_.substr(0, prefix_.size() - 1);
  }

 private:
  const KeySource& keys_;
  std::string prefix_;
};

/// Backend.<id> and Backend.<id>.<option>. The names live as long as the program.
const std::vector<FieldHelp>& delegate_fields() {
  static const std::deque<std::string> names = [] {
    std::deque<std::string> out;
    for (const std::string& id : delegates::registry().names()) {
      out.push_back(std::string(kDelegatePrefix) + id);
      for (const FieldHelp& option : delegates::registry().find(id)->options)
        out.push_back(std::string(kDelegatePrefix) + id + "." + std::string(option.info.name));
    }
    return out;
  }();
  static const std::vector<FieldHelp> fields = [] {
    std::vector<FieldHelp> out;
    auto name = names.begin();
    for (const std::string& id : delegates::registry().names()) {
      FieldHelp on{{}, ValueText<bool>::kind(), "0"};
      on.info.help = "the delegate computes what it takes of the network";
      out.push_back(std::move(on)), out.back().info.name = *name++;
      for (const FieldHelp& option : delegates::registry().find(id)->options)
        out.push_back(option), out.back().info.name = *name++;
    }
    return out;
  }();
  return fields;
}

class Reader {
 public:
  Reader(const program::KernelLibrary& library, Diagnostics& diagnostics)
      : library_(library), diagnostics_(diagnostics) {}

  Parameters read(const ParameterSections& sections) {
    for (const auto& [name, keys] : sections) {
      if (name.empty()) global(*keys);
      if (is_memory_section(name))
        memory(name.substr(kMemoryPrefix.size()), *keys);
      else
        layer(name, *keys);
    }
    for (const auto& [name, keys] : sections)
      if (!is_memory_section(name)) memory_section(*keys);
    return std::move(out_);
  }

 private:
  void global(const KeySource& keys) {
    read_fields(out_, keys, diagnostics_);
    refuse_later_keys(keys, kLaterKeys, diagnostics_);
    read_delegates(keys);
    const auto strategies = memory::strategy_names();
    if (std::find(strategies.begin(), strategies.end(), out_.memory_manager_strategy) == strategies.end())
      diagnostics_.error(keys.find("MemoryManagerStrategy")->where,
                         fmt::format("{} MemoryManagerStrategy: expected one of {}, got '{}'", keys.subject(),
                                     join(strategies, " "), out_.memory_manager_strategy));
    if (out_.stream_input) stream_input(keys);
    if (const int bits = out_.output_bits; bits != 0 && bits != 8 && bits != 16 && bits != 32)
      diagnostics_.error(
          keys.find("OutputNbBits")->where,
          fmt::format(
              "{} OutputNbBits: expected 8, 16 or 32, or 0 for what the outputs are used for, got '{}'",
              keys.subject(), bits));
    namespace_name(keys);
  }

  void namespace_name(const KeySource& keys) {
    const std::string& name = out_.namespace_name;
    if (name == Parameters().namespace_name) return;
    std::string wrong;
    if (!is_identifier(name))
      wrong = fmt::format("expected a C++ identifier, got '{}'", name);
    else if (const std::string owner = taken_by(name); !owner.empty())
      wrong = fmt::format("'{}' is {}", name, owner);
    if (!wrong.empty())
      diagnostics_.error(keys.find("Namespace")->where,
                         fmt::format("{} Namespace: {}", keys.subject(), wrong),
                         "a name that nobody else has, such as 'lenet_int8'");
  }

  void stream_input(const KeySource& keys) {
    if (!out_.include_input_in_buffer)
      diagnostics_.error(
          keys.find("StreamInput")->where,
          fmt::format("{} StreamInput: IncludeInputInBuffer=0 leaves the whole input with the caller",
                      keys.subject()),
          "leave out IncludeInputInBuffer: rows of the input have a place in the arena, the input has none");
  }

  /// Options are read, so judged, also of those that are off.
  void read_delegates(const KeySource& keys) {
    for (const std::string& id : delegates::registry().names()) {
      const std::string key = std::string(kDelegatePrefix) + id;
      const std::shared_ptr<delegates::Delegate> delegate = delegates::registry().find(id)->make();
      delegate->read(Behind(keys, key + "."), diagnostics_);
      const auto found = keys.find(key);
      const std::optional<bool> is_on = found ? parse_bool(found->text) : false;
      if (!is_on)
        diagnostics_.error(found->where, fmt::format("{} {}: expected {}, got '{}'", keys.subject(), key,
                                                     ValueText<bool>::kind(), found->text));
      else if (*is_on)
        out_.delegates.push_back(delegate);
      else
        warn_of_options(keys, id, key);
    }
  }

  void warn_of_options(const KeySource& keys, const std::string& id, const std::string& key) {
    for (const FieldHelp& option : delegates::registry().find(id)->options)
      if (const auto given = keys.find(fmt::format("{}.{}", key, option.info.name)))
        diagnostics_.warn_key(given->where,
                              fmt::format("{} {}.{}: without effect, for the delegate computes nothing",
                                          keys.subject(), key, option.info.name),
                              fmt::format("{}=1", key));
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
    if (const auto found = keys.find("Kernel")) {
      section.kernel_at = found->where;
      check_form(found->text, keys.subject(), found->where);
    }
    if (const auto found = keys.find("Tiles")) section.tiles_at = found->where;
    refuse_later_keys(keys, kLaterLayerKeys, diagnostics_);
    out_.layers.push_back(std::move(section));
  }

  /// Reports an error where no kernel at all has a form of this name. choose_forms.hpp checks whether the
  /// layer has the form.
  void check_form(const std::string& name, const std::string& subject, const SourceLocation& where) {
    const std::vector<std::string> known = form_names(library_);
    if (name == kOwnForm || std::find(known.begin(), known.end(), name) != known.end()) return;
    std::vector<std::string> candidates = known;
    candidates.emplace_back(kOwnForm);
    diagnostics_.error(
        where, fmt::format("{} Kernel: unknown form '{}'{}", subject, name, did_you_mean(name, candidates)),
        fmt::format("{} leaves it to the export; forms are {}", kOwnForm, join(known, ", ")));
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

  const program::KernelLibrary& library_;
  Diagnostics& diagnostics_;
  Parameters out_;
  std::set<std::string> memory_names_;
};

bool fits(std::string_view mask, std::string_view name) {
  if (mask.empty()) return name.empty();
  if (mask.front() == '*') return fits(mask.substr(1), name) || (!name.empty() && fits(mask, name.substr(1)));
  return !name.empty() && (mask.front() == '?' || mask.front() == name.front()) &&
         fits(mask.substr(1), name.substr(1));
}

/// Returns the section that counts for the cell, among the sections that set the parameter (`has`); null
/// where none sets it. A section of the layer alone comes before a mask, a mask before [default], and
/// [default] before the global section.
template <class Has>
const LayerSection* section_for(const std::vector<LayerSection>& layers, std::string_view cell, Has has) {
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
  return best;
}

}  // namespace

Parameters read_parameters(const ParameterSections& sections, const program::KernelLibrary& library,
                           Diagnostics& findings) {
  return Reader(library, findings).read(sections);
}

std::vector<ParameterTable> parameter_tables() {
  auto global = describe_fields<Parameters>();
  global.insert(global.end(), delegate_fields().begin(), delegate_fields().end());
  return {{"", is_global_section, std::move(global)},
          {"in the global section, [<layer>], [<mask with * or ?>] or [default]", is_layer_section,
           describe_fields<LayerParameters>()},
          {"in [memory.<name>]", is_memory_section, describe_fields<MemoryParameters>()}};
}

bool is_mask(std::string_view section) {
  return section.find_first_of("*?") != std::string_view::npos;
}

bool is_for(std::string_view mask, std::string_view cell) {
  if (mask.empty() || mask == "default") return false;
  return is_mask(mask) ? fits(mask, cell) : mask == cell;
}

bool Parameters::no_wrap(std::string_view cell) const {
  const auto* found =
      section_for(layers, cell, [](const LayerParameters& p) { return p.no_wrap.has_value(); });
  return found != nullptr && *found->values.no_wrap;
}

std::vector<std::string> Parameters::memories_of(std::string_view cell) const {
  const auto* found =
      section_for(layers, cell, [](const LayerParameters& p) { return !p.memory_section.empty(); });
  return found == nullptr ? std::vector<std::string>{} : found->values.memory_section;
}

const LayerSection* Parameters::tiles_section(std::string_view cell) const {
  return section_for(layers, cell, [](const LayerParameters& p) { return p.tiles.has_value(); });
}

LayerWidths Parameters::widths_of(std::string_view cell) const {
  const auto asked = [&](int LayerWidths::*one) {
    const auto* found =
        section_for(layers, cell, [&](const LayerParameters& p) { return n2d2::widths_of(p).*one > 0; });
    return found == nullptr ? 0 : n2d2::widths_of(found->values).*one;
  };
  return {asked(&LayerWidths::weights), asked(&LayerWidths::activations)};
}

std::optional<SourceLocation> Parameters::place_of_widths(std::string_view cell) const {
  const auto* found =
      section_for(layers, cell, [](const LayerParameters& p) { return n2d2::widths_of(p) != LayerWidths{}; });
  return found != nullptr && found->is_exact() ? std::optional(found->where) : std::nullopt;
}

const LayerSection* Parameters::form_section(std::string_view cell) const {
  const auto* found =
      section_for(layers, cell, [](const LayerParameters& p) { return p.kernel.name.has_value(); });
  return found == nullptr || *found->values.kernel.name == kOwnForm ? nullptr : found;
}

bool LayerSection::is_exact() const {
  return !mask.empty() && mask != "default" && !is_mask(mask);
}

}  // namespace n2d2::targets::cpp
