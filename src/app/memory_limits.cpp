#include "memory_limits.hpp"

#include <optional>

#include "n2d2/base/log.hpp"
#include "n2d2/config/ini_document.hpp"

#include "changed_parameters.hpp"
#include "look/analysis.hpp"

namespace n2d2::app {

namespace {

bool bounds_memory(const Options& o) {
  if (o.export_parameters.empty()) return false;
  const config::IniDocument file = config::read_ini(o.export_parameters);
  for (const std::string& section : file.section_names())
    if ((section.empty() && file.has_key(section, "MemoryBudget")) ||
        (section.starts_with("memory.") && file.has_key(section, "Size")))
      return true;
  return false;
}

bool is_about_memory(const Diagnostic& finding) {
  const std::string text = finding.message + finding.hint;
  return text.find("MemoryBudget=") != std::string::npos || text.find("[memory.") != std::string::npos;
}

/// Bytes of the least plan with other parameters of the whole export; nothing when there is none.
std::optional<int64_t> least_bytes(loader::Network& net, const Options& o, const ChangedParameters& changed) {
  try {
    const std::unique_ptr<const targets::Export> target = configure_changed(o, changed);
    const auto sizes = plan_export(net, *target, o).sizes;
    return sizes ? std::optional(sizes->ram) : std::nullopt;
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// "StreamInput=1 with MemoryBudget=22144", where that is less than all else.
std::string streaming_hint(loader::Network& net, const Options& o) {
  const auto whole = least_bytes(net, o, {{"MemoryBudget", "min"}});
  const auto streamed = least_bytes(net, o, {{"MemoryBudget", "min"}, {"StreamInput", "1"}});
  if (!whole || !streamed || *streamed >= *whole) return "";
  return fmt::format("StreamInput=1, with which MemoryBudget={} is the least", *streamed);
}

}  // namespace

void expect_memory(loader::Network& net, const Options& o, const targets::Export& target) {
  if (!bounds_memory(o)) return;
  std::vector<Diagnostic> refused;
  {
    const log::Capture said;  // the export says it
    refused = plan_export(net, target, o).refused;
    if (refused.size() == 1 && refused.front().message.find("MemoryBudget=") != std::string::npos)
      if (const std::string hint = streaming_hint(net, o); !hint.empty())
        refused.front().hint += (refused.front().hint.empty() ? "" : "; ") + hint;
  }
  // What else would be refused, the export says once it knows the ranges.
  std::erase_if(refused, [](const Diagnostic& finding) { return !is_about_memory(finding); });
  if (!refused.empty()) throw ExportError(std::move(refused));
}

}  // namespace n2d2::app
