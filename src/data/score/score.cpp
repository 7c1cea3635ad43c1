#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "n2d2/data/target.hpp"

namespace n2d2::data {

namespace {

template <class Values>
double mean(const Values& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw ConfigError(fmt::format("{}: cannot be written", path.string()));
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw ConfigError(fmt::format("{}: folder cannot be made: {}", folder.string(), error.message()));
}

std::string success_text(const std::vector<float>& successes) {
  std::string out = "# sample success\n";
  for (size_t i = 0; i < successes.size(); ++i) out += fmt::format("{} {}\n", i, print_real(successes[i]));
  return out;
}

/// Names of what is confused: classes, or the lower ends of the steps of a value.
std::vector<std::string> names_of(const Target& target) {
  const TargetOptions& o = target.options();
  if (!o.data_as_target) return target.class_names();
  std::vector<std::string> out;
  for (int step = 0; step < o.confusion_quant_steps; ++step)
    out.push_back(print_real(std::lerp(o.confusion_range_min, o.confusion_range_max,
                                       static_cast<double>(step) / o.confusion_quant_steps)));
  return out;
}

}  // namespace

Score::Score(const Target& target)
    : target_(target),
      confusion_(target.options().data_as_target ? target.options().confusion_quant_steps
                                                 : target.classes()) {}

template <class T>
void Score::add_typed(std::span<const T> outputs, const Shape& shape, std::span<const int> labels,
                      double scale) {
  const auto c = static_cast<size_t>(shape.c()), area = static_cast<size_t>(shape.h() * shape.w());
  N2D2_CHECK(shape.c() == target_.outputs() && outputs.size() == static_cast<size_t>(shape.elements()),
             "outputs {} ({} values) for {} labels and {} outputs", shape.text(), outputs.size(),
             labels.size(), target_.outputs());
  decisions_.clear();
  const std::vector<int> classes = target_.classes_of(labels, shape.n(), shape.h(), shape.w());
  for (size_t n = 0; n < static_cast<size_t>(shape.n()); ++n) {
    int64_t right = 0, in_top = 0, valid = 0;
    for (size_t i = 0; i < area; ++i) {
      const int expected = classes[n * area + i];
      const auto value = [&](size_t k) { return outputs[(n * c + k) * area + i]; };
      int decision = 0;
      for (size_t k = 1; k < c; ++k)
        if (value(k) > value(static_cast<size_t>(decision))) decision = static_cast<int>(k);
      if (c == 1)
        decision = scale * static_cast<double>(value(0)) > target_.options().binary_threshold ? 1 : 0;
      decisions_.push_back(decision);
      if (area == 1) classified_.push_back({expected, decision});
      if (expected < 0) continue;
      ++valid;
      confusion_.add(expected, decision);
      right += decision == expected ? 1 : 0;
      // Rank of the expected class; of equal outputs the first comes first.
      int rank = decision == expected ? 0 : 1;
      if (c > 1) {
        const auto own = value(static_cast<size_t>(expected));
        rank = 0;
        for (size_t k = 0; k < c; ++k)
          rank += value(k) > own || (value(k) == own && k < static_cast<size_t>(expected)) ? 1 : 0;
      }
      in_top += rank < target_.options().top_n ? 1 : 0;
    }
    if (valid == 0) continue;
    successes_.push_back(static_cast<float>(right) / static_cast<float>(valid));
    top_n_successes_.push_back(static_cast<float>(in_top) / static_cast<float>(valid));
  }
}

void Score::count_not_finite(std::span<const float> outputs, int64_t samples) {
  const size_t each = outputs.size() / static_cast<size_t>(std::max<int64_t>(1, samples));
  for (size_t begin = 0; each > 0 && begin < outputs.size(); begin += each)
    not_finite_ +=
        std::ranges::all_of(outputs.subspan(begin, each), [](float v) { return std::isfinite(v); }) ? 0 : 1;
}

void Score::add(std::span<const float> o, const Shape& shape, std::span<const int> labels, double scale) {
  count_not_finite(o, shape.n());
  add_typed(o, shape, labels, scale);
}
void Score::add(std::span<const int8_t> o, const Shape& shape, std::span<const int> labels, double scale) {
  add_typed(o, shape, labels, scale);
}
void Score::add(std::span<const uint8_t> o, const Shape& shape, std::span<const int> labels, double scale) {
  add_typed(o, shape, labels, scale);
}
void Score::add(std::span<const int16_t> o, const Shape& shape, std::span<const int> labels, double scale) {
  add_typed(o, shape, labels, scale);
}
void Score::add(std::span<const uint16_t> o, const Shape& shape, std::span<const int> labels, double scale) {
  add_typed(o, shape, labels, scale);
}
void Score::add(std::span<const int32_t> o, const Shape& shape, std::span<const int> labels, double scale) {
  add_typed(o, shape, labels, scale);
}
void Score::add(std::span<const int64_t> o, const Shape& shape, std::span<const int> labels, double scale) {
  add_typed(o, shape, labels, scale);
}

void Score::add(const Tensor& outputs, std::span<const int> labels, double scale) {
  N2D2_CHECK(outputs.layout() == Layout::Nchw, "outputs in another layout than nchw");
  const Shape& shape = outputs.shape();
  switch (outputs.dtype()) {
    case DataType::F32:
      return add(outputs.span<float>(), shape, labels, scale);
    case DataType::I8:
      return add(outputs.span<int8_t>(), shape, labels, scale);
    case DataType::U8:
      return add(outputs.span<uint8_t>(), shape, labels, scale);
    case DataType::I16:
      return add(outputs.span<int16_t>(), shape, labels, scale);
    case DataType::U16:
      return add(outputs.span<uint16_t>(), shape, labels, scale);
    case DataType::I32:
      return add(outputs.span<int32_t>(), shape, labels, scale);
    case DataType::I64:
      return add(outputs.span<int64_t>(), shape, labels, scale);
  }
}

namespace {

double value_at(const Tensor& tensor, size_t i) {
  switch (tensor.dtype()) {
    case DataType::F32:
      return static_cast<double>(tensor.span<float>()[i]);
    case DataType::I8:
      return tensor.span<int8_t>()[i];
    case DataType::U8:
      return tensor.span<uint8_t>()[i];
    case DataType::I16:
      return tensor.span<int16_t>()[i];
    case DataType::U16:
      return tensor.span<uint16_t>()[i];
    case DataType::I32:
      return tensor.span<int32_t>()[i];
    case DataType::I64:
      break;
  }
  return static_cast<double>(tensor.span<int64_t>()[i]);
}

}  // namespace

void Score::add(const Tensor& outputs, std::span<const int> labels, const Tensor& data, double scale) {
  if (target_.options().data_as_target)
    add_values(outputs, data, scale);
  else
    add(outputs, labels, scale);
}

void Score::add_values(const Tensor& outputs, const Tensor& data, double scale) {
  const auto samples = static_cast<size_t>(outputs.shape().n());
  const auto all = static_cast<size_t>(outputs.shape().elements());
  N2D2_CHECK(outputs.layout() == Layout::Nchw && data.shape().elements() == outputs.shape().elements() &&
                 data.shape().n() == outputs.shape().n(),
             "outputs {} for inputs {}", outputs.shape().text(), data.shape().text());
  if (outputs.dtype() == DataType::F32) count_not_finite(outputs.span<float>(), outputs.shape().n());
  const TargetOptions& o = target_.options();
  const int last = o.confusion_quant_steps - 1;
  const double steps = (last + 1) / (o.confusion_range_max - o.confusion_range_min);
  const auto step_of = [&](float value) {
    const double step = std::floor((static_cast<double>(value) - o.confusion_range_min) * steps);
    return step > 0 ? static_cast<int>(std::min<double>(step, last)) : 0;
  };
  decisions_.clear();
  for (size_t n = 0; n < samples; ++n) {
    int64_t right = 0;
    double squares = 0;
    for (size_t i = n * (all / samples); i < (n + 1) * (all / samples); ++i) {
      // Rounded to floats and added up sample by sample: an exported program prints the same digits (its
      // distance.hpp).
      const auto found = static_cast<float>(scale * value_at(outputs, i));
      const auto wanted = static_cast<float>(value_at(data, i));
      const auto off = static_cast<double>(found - wanted);
      squares += off * off;
      const int decision = step_of(found), expected = step_of(wanted);
      decisions_.push_back(decision);
      confusion_.add(expected, decision);
      right += decision == expected ? 1 : 0;
    }
    squares_ += squares;
    successes_.push_back(static_cast<float>(right) / static_cast<float>(all / samples));
  }
  values_ += static_cast<int64_t>(all);
}

double Score::mean_squared_error() const {
  return values_ > 0 ? squares_ / static_cast<double>(values_) : 0;
}

double Score::recognition_rate() const {
  return mean(successes_);
}
double Score::top_n_rate() const {
  return mean(top_n_successes_);
}

void Score::write(const std::filesystem::path& folder, std::string_view set) const {
  make_folder(folder);
  write_file(folder / fmt::format("ConfusionMatrix_{}.dat", set), confusion_.text(names_of(target_)));
  write_file(folder / fmt::format("Success_{}.dat", set), success_text(successes_));
  if (counts_top_n())
    write_file(folder / fmt::format("SuccessTopN_{}.dat", set), success_text(top_n_successes_));
}

void Score::write_classes(const std::filesystem::path& folder) const {
  if (classified_.empty()) return;
  std::string text = "# sample expected found\n";
  for (size_t i = 0; i < classified_.size(); ++i)
    text += fmt::format("{} {} {}\n", i, classified_[i].expected, classified_[i].found);
  make_folder(folder);
  write_file(folder / "classif.log", text);
}

}  // namespace n2d2::data
