#include "n2d2/export/parameters.hpp"

namespace n2d2::exporter {

namespace {

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
