// Shifts and scales values: (x op first) op second, to float.
#include <cmath>

#include "files/pixels.hpp"
#include "stimuli/range_operator.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class RangeAffine final : public Transformation {
 public:
  RangeOperator first_operator = RangeOperator::Plus, second_operator = RangeOperator::Plus;
  std::vector<double> first_value, second_value{0};
  bool truncate = false, bytes_only = false;

  template <class V>
  static void fields(V&& v) {
    using R = RangeAffine;
    v("FirstOperator", &R::first_operator, required, help("first step"));
    v("FirstValue", &R::first_value, required, help("one number, or one per channel in the current order"));
    v("SecondOperator", &R::second_operator, help("second step"));
    v("SecondValue", &R::second_value, help("one number, or one per channel in the current order"));
    v("Truncate", &R::truncate, help("drop what is behind the decimal point"));
    v("BytesOnly", &R::bytes_only,
      help("1: the values are meant for pictures of 8 bits, others are refused"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) {
    check_values(keys, "FirstValue", first_operator, first_value, diagnostics);
    check_values(keys, "SecondValue", second_operator, second_value, diagnostics);
  }

  bool is_channelwise() const override { return true; }
  void foresee(PictureForm& form) const override { form.depth = DataType::F32; }

  std::vector<MapStep> map_steps(const PictureForm& map) const override {
    for (const auto& [key, given] : {std::pair{"Truncate", truncate}, {"BytesOnly", bytes_only}})
      if (given) fail(fmt::format("{}: 1 has no form as a layer", key));
    const Image any(1, 1, map.channels, DataType::F32);
    const auto first = per_channel("FirstValue", first_value, any);
    const auto second = per_channel("SecondValue", second_value, any);
    AffineStep out;
    for (size_t c = 0; c < first.size(); ++c) {
      const auto line = [&](double x) {
        return compute(compute(x, first_operator, first[c]), second_operator, second[c]);
      };
      out.shifts.push_back(line(0));
      out.factors.push_back(slope(first_operator, first[c]) * slope(second_operator, second[c]));
    }
    return {std::move(out)};
  }
  void apply(Image& image, Rng&) const override {
    if (bytes_only && image.depth() != DataType::U8)
      fail(fmt::format("BytesOnly: expected a picture of 8 bits, got {}", image.text()),
           "make it one of 8 bits or leave it out: the values of this step are those of bytes");
    const auto first = per_channel("FirstValue", first_value, image);
    const auto second = per_channel("SecondValue", second_value, image);
    image = mapped(image, DataType::F32, [&](double x, size_t c) {
      const double y = compute(compute(x, first_operator, first[c]), second_operator, second[c]);
      return truncate ? std::trunc(y) : y;
    });
  }

 private:
  /// Returns the derivative of one step with respect to its argument.
  static double slope(RangeOperator op, double value) {
    if (op == RangeOperator::Multiplies) return value;
    return op == RangeOperator::Divides ? 1 / value : 1;
  }

  static void check_values(const KeySource& keys, const char* key, RangeOperator op,
                           const std::vector<double>& values, Diagnostics& diagnostics) {
    if (values.empty() && keys.find(key))
      report_key(keys, key, "expected at least one number, got ''", diagnostics);
    for (const double x : values)
      if (op == RangeOperator::Divides && x == 0)
        report_key(keys, key, "expected numbers other than 0 to divide by", diagnostics);
  }

  std::vector<double> per_channel(const char* key, const std::vector<double>& values,
                                  const Image& image) const {
    const auto channels = static_cast<size_t>(image.channels());
    if (values.size() == 1) return std::vector<double>(channels, values.front());
    if (values.size() != channels)
      fail(fmt::format("{}: expected 1 or {} numbers for a picture of {}, got {}", key, channels,
                       image.text(), values.size()),
           "a ColorSpaceTransformation before this step gives every picture the same channels");
    return values;
  }
};

}  // namespace

void register_range_affine(TransformationRegistry& registry);
void register_range_affine(TransformationRegistry& registry) {
  registry.add(
      "RangeAffineTransformation",
      transformation_type<RangeAffine>("RangeAffineTransformation", "shift and scale values, to float"));
}

}  // namespace n2d2::data
