// Part of an exported project; may be used without condition.
#include "../include/compare.hpp"

#include <cmath>
#include <sstream>

#include "../include/fail.hpp"

namespace N2D2_Export {
namespace {

// Escapes text for JSON: names of stimuli are names of files.
std::string escaped(const std::string& text) {
  static const char digits[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    if (c < 32)
      out += std::string("\\u00") + digits[c >> 4] + digits[c & 15];
    else
      out += (c == '"' || c == '\\') ? std::string("\\") + text[i] : std::string(1, text[i]);
  }
  return out;
}

// Floats may be apart by this part of the largest magnitude of their map: compilers add products in orders
// of their own, and a sum of large values may be small.
const double kFloatTolerance = 1e-4;

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0.0;
  for (size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i])) largest = std::fmax(largest, std::fabs(values[i]));
  return largest;
}

// Infinities and what is no number are equal to their like.
bool are_like(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

Comparison::Cell& Comparison::cell(const std::string& name) {
  for (size_t i = 0; i < cells_.size(); ++i)
    if (cells_[i].name == name) return cells_[i];
  const Cell fresh = {name, 0, 0, 0.0, std::string()};
  cells_.push_back(fresh);
  return cells_.back();
}

void Comparison::add(const std::string& stimulus, const std::string& name, const FeatureMap& map) {
  if (stimulus != stimulus_) {
    stimulus_ = stimulus;
    ++ran_;
    has_reference_ = false;
  }
  const std::string path = folder_ + "/" + stimulus + "/" + name + ".txt";
  FeatureMap reference;
  if (!read_map(path, map, reference)) {
    (has_reference_ ? gaps_ : missing_).push_back(path);
    return;
  }
  gaps_.insert(gaps_.end(), missing_.begin(), missing_.end());
  missing_.clear();
  if (!has_reference_) ++found_;
  has_reference_ = true;
  Cell& result = cell(name);
  const double allowed = map.integers ? 0.0 : kFloatTolerance * largest_magnitude(reference.values);
  size_t i = 0;
  for (int c = 0; c < map.channels; ++c)
    for (int y = 0; y < map.height; ++y)
      for (int x = 0; x < map.width; ++x, ++i) {
        const double wanted = reference.values[i];
        const double difference = std::fabs(map.values[i] - wanted);
        ++result.compared;
        if (are_like(map.values[i], wanted)) continue;
        result.largest = std::fmax(result.largest, difference);
        if (difference <= allowed) continue;
        if (result.different++ > 0) continue;
        std::ostringstream text;
        text << stimulus << " channel " << c << " row " << y << " column " << x << ": expected " << wanted
             << ", found " << map.values[i];
        result.first = text.str();
      }
}

void Comparison::check() const {
  if (found_ == 0) fail(folder_ + ": no reference for any cell of the stimuli that ran");
  if (gaps_.empty()) return;
  std::ostringstream text;
  text << gaps_[0] << ": no such reference; files that are missing: " << gaps_.size();
  fail(text.str());
}

bool Comparison::equal() const {
  for (size_t i = 0; i < cells_.size(); ++i)
    if (cells_[i].different > 0) return false;
  return true;
}

std::string Comparison::report() const {
  std::ostringstream text;
  text << found_ << " of " << ran_ << " stimuli compared\n";
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
         << escaped(c.first) << "\"}";
  }
  return text.str() + "]";
}

}  // namespace N2D2_Export
