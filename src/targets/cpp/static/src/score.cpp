// Part of an exported project; may be used without condition.
#include "../include/score.hpp"

#include <iomanip>
#include <sstream>

#include "../include/driven.hpp"

namespace N2D2_Export {

Score::Score(int top)
    : top_(top),
      classes_(facts().are_data[0] != 0 ? 0 : facts().classes[0]),
      success_(0),
      count_(0),
      matrix_(static_cast<size_t>(classes_ * classes_)) {}

bool Score::is_right(int pixel, int expected, int found, const FeatureMap& values) const {
  if (expected == found) return true;
  if (top_ < 2 || expected >= values.channels) return false;
  const int y = pixel / values.width;
  const int x = pixel % values.width;
  const double own = values.at(expected, y, x);
  int better = 0;
  for (int c = 0; c < values.channels; ++c) {
    const double other = values.at(c, y, x);
    better += other > own || (c < expected && !(other < own));
  }
  return better < top_;
}

void Score::add(const Stimulus& stimulus, const std::vector<int32_t>& outputs, const FeatureMap& values) {
  int right = 0;
  int valid = 0;
  for (int i = 0; i < facts().sizes[0]; ++i) {
    const int32_t wanted = stimulus.targets[static_cast<size_t>(i)];
    const int32_t got = outputs[static_cast<size_t>(i)];
    if (wanted < 0) continue;
    ++valid;
    right += is_right(i, wanted, got, values);
    if (wanted < classes_ && got < classes_) ++matrix_[static_cast<size_t>(wanted * classes_ + got)];
  }
  if (valid == 0) return;
  success_ += static_cast<double>(right) / valid;
  ++count_;
}

std::string Score::confusion() const {
  std::ostringstream text;
  text << "expected \\ found";
  for (int c = 0; c < classes_; ++c) text << std::setw(8) << c;
  text << "\n";
  for (int r = 0; r < classes_; ++r) {
    text << std::setw(16) << r;
    for (int c = 0; c < classes_; ++c) text << std::setw(8) << matrix_[static_cast<size_t>(r * classes_ + c)];
    text << "\n";
  }
  return text.str();
}

std::string Score::confusion_json() const {
  std::ostringstream text;
  for (int r = 0; r < classes_; ++r) {
    text << (r > 0 ? ", [" : "[[");
    for (int c = 0; c < classes_; ++c)
      text << (c > 0 ? ", " : "") << matrix_[static_cast<size_t>(r * classes_ + c)];
    text << "]";
  }
  return text.str() + "]";
}

}  // namespace N2D2_Export
