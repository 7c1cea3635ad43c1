// Part of an exported project; may be used without condition.
#include "../include/compare.hpp"

#include <cmath>
#include <sstream>

namespace N2D2_Export {

Comparison::Cell& Comparison::cell(const std::string& name) {
  for (size_t i = 0; i < cells_.size(); ++i)
    if (cells_[i].name == name) return cells_[i];
  const Cell fresh = {name, 0, 0, 0.0, std::string()};
  cells_.push_back(fresh);
  return cells_.back();
}

void Comparison::add(const std::string& stimulus, const std::string& name, const FeatureMap& map) {
  FeatureMap reference;
  if (!read_map(folder_ + "/" + stimulus + "/" + name + ".txt", map, reference)) return;
  Cell& result = cell(name);
  size_t i = 0;
  for (int c = 0; c < map.channels; ++c)
    for (int y = 0; y < map.height; ++y)
      for (int x = 0; x < map.width; ++x, ++i) {
        const double wanted = reference.values[i];
        const double difference = std::fabs(map.values[i] - wanted);
        const double allowed = map.integers ? 0.0 : 1e-4 * std::fmax(1.0, std::fabs(wanted));
        ++result.compared;
        result.largest = std::fmax(result.largest, difference);
        if (difference <= allowed) continue;
        if (result.different++ > 0) continue;
        std::ostringstream text;
        text << stimulus << " channel " << c << " row " << y << " column " << x << ": expected " << wanted
             << ", found " << map.values[i];
        result.first = text.str();
      }
}

long Comparison::compared() const {
  long all = 0;
  for (size_t i = 0; i < cells_.size(); ++i) all += cells_[i].compared;
  return all;
}

bool Comparison::equal() const {
  for (size_t i = 0; i < cells_.size(); ++i)
    if (cells_[i].different > 0) return false;
  return true;
}

std::string Comparison::report() const {
  std::ostringstream text;
  for (size_t i = 0; i < cells_.size(); ++i) {
    const Cell& c = cells_[i];
    text << c.name << ": " << c.compared << " values, " << c.different << " different, max abs diff "
         << c.largest;
    if (c.different > 0) text << ", first: " << c.first;
    text << "\n";
  }
  return text.str();
}

std::string Comparison::json() const {
  std::ostringstream text;
  text << "[";
  for (size_t i = 0; i < cells_.size(); ++i) {
    const Cell& c = cells_[i];
    text << (i > 0 ? ", " : "") << "{\"cell\": \"" << c.name << "\", \"values\": " << c.compared
         << ", \"different\": " << c.different << ", \"max_abs_diff\": " << c.largest << ", \"first\": \""
         << c.first << "\"}";
  }
  return text.str() + "]";
}

}  // namespace N2D2_Export
