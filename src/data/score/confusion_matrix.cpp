#include "n2d2/data/confusion_matrix.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "n2d2/base/error.hpp"

namespace n2d2::data {

namespace {

double ratio(int64_t part, int64_t rest) {
  return part + rest > 0 ? static_cast<double>(part) / static_cast<double>(part + rest) : 0.0;
}

}  // namespace

double metric(Metric which, const ClassCounts& c) {
  switch (which) {
    case Metric::Sensitivity:
      return ratio(c.tp, c.fn);
    case Metric::Specificity:
      return ratio(c.tn, c.fp);
    case Metric::Precision:
      return ratio(c.tp, c.fp);
    case Metric::NegativePredictiveValue:
      return ratio(c.tn, c.fn);
    case Metric::MissRate:
      return ratio(c.fn, c.tp);
    case Metric::FallOut:
      return ratio(c.fp, c.tn);
    case Metric::FalseDiscoveryRate:
      return ratio(c.fp, c.tp);
    case Metric::FalseOmissionRate:
      return ratio(c.fn, c.tn);
    case Metric::Accuracy:
      return ratio(c.tp + c.tn, c.fp + c.fn);
    case Metric::F1Score:
      return ratio(2 * c.tp, c.fp + c.fn);
    case Metric::Informedness:
      return ratio(c.tp, c.fn) + ratio(c.tn, c.fp) - 1;
    case Metric::Markedness:
      return ratio(c.tp, c.fp) + ratio(c.tn, c.fn) - 1;
    case Metric::IU:
      break;
  }
  return ratio(c.tp, c.fp + c.fn);
}

ConfusionMatrix::ConfusionMatrix(int classes)
    : classes_(classes),
      counts_(static_cast<size_t>(classes) * static_cast<size_t>(classes)),
      expected_(static_cast<size_t>(classes)),
      estimated_(static_cast<size_t>(classes)) {}

void ConfusionMatrix::add(int expected, int estimated, int64_t count) {
  N2D2_CHECK(expected >= 0 && expected < classes_ && estimated >= 0 && estimated < classes_,
             "classes {} and {} of {}", expected, estimated, classes_);
  counts_[static_cast<size_t>(expected) * static_cast<size_t>(classes_) + static_cast<size_t>(estimated)] +=
      count;
  expected_[static_cast<size_t>(expected)] += count;
  estimated_[static_cast<size_t>(estimated)] += count;
}

void ConfusionMatrix::add(const ConfusionMatrix& other) {
  N2D2_CHECK(other.classes_ == classes_, "{} classes added to {}", other.classes_, classes_);
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  for (size_t i = 0; i < expected_.size(); ++i) {
    expected_[i] += other.expected_[i];
    estimated_[i] += other.estimated_[i];
  }
}

int64_t ConfusionMatrix::count(int expected, int estimated) const {
  return counts_.at(static_cast<size_t>(expected) * static_cast<size_t>(classes_) +
                    static_cast<size_t>(estimated));
}

int64_t ConfusionMatrix::total() const {
  return std::accumulate(expected_.begin(), expected_.end(), int64_t{0});
}

ClassCounts ConfusionMatrix::counts(int cls) const {
  ClassCounts out;
  out.tp = count(cls, cls);
  out.fn = expected_[static_cast<size_t>(cls)] - out.tp;
  out.fp = estimated_[static_cast<size_t>(cls)] - out.tp;
  out.tn = total() - out.tp - out.fn - out.fp;
  return out;
}

double ConfusionMatrix::recognition_rate() const {
  int64_t right = 0;
  for (int cls = 0; cls < classes_; ++cls) right += count(cls, cls);
  return ratio(right, total() - right);
}

double ConfusionMatrix::macro(Metric which) const {
  double sum = 0;
  int present = 0;
  for (int cls = 0; cls < classes_; ++cls) {
    const ClassCounts c = counts(cls);
    if (c.tp + c.fp + c.fn == 0) continue;
    sum += metric(which, c);
    ++present;
  }
  return present > 0 ? sum / present : 0.0;
}

std::string ConfusionMatrix::text(const std::vector<std::string>& names) const {
  const auto name = [&](int cls) {
    return static_cast<size_t>(cls) < names.size() ? names[static_cast<size_t>(cls)] : std::to_string(cls);
  };
  std::string out = "# rows: expected, columns: estimated; count, then percent of the row\n#";
  for (int cls = 0; cls < classes_; ++cls) out += fmt::format(" {}:\"{}\"", cls, name(cls));
  out += "\n";
  for (int expected = 0; expected < classes_; ++expected) {
    int64_t row = 0;
    for (int estimated = 0; estimated < classes_; ++estimated) row += count(expected, estimated);
    out += std::to_string(expected);
    for (int estimated = 0; estimated < classes_; ++estimated) {
      const int64_t n = count(expected, estimated);
      out += fmt::format(" {} {:.2f}", n, 100 * ratio(n, row - n));
    }
    out += "\n";
  }
  return out;
}

std::string final_score_text(double recognition_rate, const ConfusionMatrix& confusion) {
  const auto percent = [&](Metric which) { return 100 * confusion.macro(which); };
  return fmt::format(
      "Final recognition rate: {:.2f}%    (error rate: {:.2f}%)\n"
      "    Sensitivity: {:.2f}% / Specificity: {:.2f}% / Precision: {:.2f}%\n"
      "    Accuracy: {:.2f}% / F1-score: {:.2f}% / Informedness: {:.2f}%\n",
      100 * recognition_rate, 100 * (1 - recognition_rate), percent(Metric::Sensitivity),
      percent(Metric::Specificity), percent(Metric::Precision), percent(Metric::Accuracy),
      percent(Metric::F1Score), percent(Metric::Informedness));
}

}  // namespace n2d2::data
