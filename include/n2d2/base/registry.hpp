// Which things of a kind exist, by name? Filled by generated code (scripts/cmake/N2d2Registered.cmake).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2 {

/// Maps names to entries (usually factories). Lookups of unknown names say what is known.
template <class Entry>
class Registry {
 public:
  void add(std::string name, Entry entry) {
    const bool fresh = entries_.emplace(name, std::move(entry)).second;
    N2D2_CHECK(fresh, "'{}' is registered twice", name);
  }
  const Entry* find(std::string_view name) const {
    const auto it = entries_.find(std::string(name));
    return it == entries_.end() ? nullptr : &it->second;
  }
  /// Sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& [name, entry] : entries_) out.push_back(name);
    return out;
  }
  /// "unknown <kind> 'X'; did you mean 'Y'?" or "...; known: A, B, C".
  std::string unknown(std::string_view kind, std::string_view name) const {
    const auto known = names();
    const std::string guess = did_you_mean(name, known);
    return fmt::format("unknown {} '{}'{}", kind, name,
                       guess.empty() ? "; known: " + join(known, ", ") : guess);
  }

 private:
  std::map<std::string, Entry> entries_;
};

}  // namespace n2d2
