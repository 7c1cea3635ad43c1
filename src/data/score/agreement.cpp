#include "n2d2/data/agreement.hpp"

#include <algorithm>
#include <cmath>

namespace n2d2::data {

namespace {

template <class T>
void add_outputs(std::span<const float> floats, const Tensor& integers, double step, Deviation& out) {
  const std::span<const T> found = integers.span<T>();
  N2D2_CHECK(found.size() == floats.size(), "{} outputs of floats, {} of integers", floats.size(),
             found.size());
  for (size_t i = 0; i < found.size(); ++i)
    out.add(static_cast<double>(floats[i]), step * static_cast<double>(found[i]));
}

void add_outputs(const Tensor& floats, const Tensor& integers, double step, Deviation& out) {
  const std::span<const float> wanted = floats.span<float>();
  switch (integers.dtype()) {
    case DataType::F32:
      return add_outputs<float>(wanted, integers, step, out);
    case DataType::I8:
      return add_outputs<int8_t>(wanted, integers, step, out);
    case DataType::U8:
      return add_outputs<uint8_t>(wanted, integers, step, out);
    case DataType::I16:
      return add_outputs<int16_t>(wanted, integers, step, out);
    case DataType::U16:
      return add_outputs<uint16_t>(wanted, integers, step, out);
    case DataType::I32:
      return add_outputs<int32_t>(wanted, integers, step, out);
    case DataType::I64:
      return add_outputs<int64_t>(wanted, integers, step, out);
  }
}

}  // namespace

double mcnemar_p(int64_t a, int64_t b) {
  const auto tosses = static_cast<double>(a + b);
  auto heads = static_cast<double>(std::min(a, b));
  // From the largest of the terms C(n, k) / 2^n, k <= heads, down to where they no longer count.
  double term = std::exp(std::lgamma(tosses + 1) - std::lgamma(heads + 1) - std::lgamma(tosses - heads + 1) -
                         tosses * std::log(2.0));
  double sum = 0;
  for (; heads >= 0 && term > sum * 1e-17; --heads) {
    sum += term;
    term *= heads / (tosses - heads + 1);
  }
  return std::min(1.0, 2 * sum);
}

void Agreement::add(const Score& floats, const Score& integers, std::span<const int> labels,
                    const Tensor& of_floats, const Tensor& of_integers, double step) {
  add_outputs(of_floats, of_integers, step, outputs_);
  if (!has_classes()) return;
  const Shape& shape = of_floats.shape();
  has_maps_ = has_maps_ || shape.h() * shape.w() > 1;
  count(floats, integers, target_.classes_of(labels, shape.n(), shape.h(), shape.w()));
}

void Agreement::count(const Score& floats, const Score& integers, const std::vector<int>& expected) {
  const std::vector<int>&a = floats.decisions(), &b = integers.decisions();
  N2D2_CHECK(a.size() == expected.size() && b.size() == expected.size(), "{} and {} decisions for {} labels",
             a.size(), b.size(), expected.size());
  decisions_ += static_cast<int64_t>(expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    equal_ += a[i] == b[i] ? 1 : 0;
    if (expected[i] < 0) continue;
    const bool of_floats = a[i] == expected[i], of_integers = b[i] == expected[i];
    ++(of_floats ? (of_integers ? paired_.both : paired_.only_floats)
                 : (of_integers ? paired_.only_integers : paired_.neither));
  }
}

double Agreement::share() const {
  return decisions_ > 0 ? static_cast<double>(equal_) / static_cast<double>(decisions_) : 1;
}

std::optional<double> Agreement::p() const {
  const bool has_labels = paired_.both + paired_.only_floats + paired_.only_integers + paired_.neither > 0;
  if (!has_classes() || has_maps_ || !has_labels) return std::nullopt;
  return mcnemar_p(paired_.only_floats, paired_.only_integers);
}

}  // namespace n2d2::data
