// Shifts and scales values: (x op first) op second, to float.
#include <array>
#include <cmath>

#include "transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class RangeOperator { Plus, Minus, Multiplies, Divides };

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::RangeOperator> {
  static constexpr std::array names{"Plus", "Minus", "Multiplies", "Divides"};
};

namespace n2d2::data {

namespace {

double compute(double x, RangeOperator op, double value) {
  switch (op) {
    case RangeOperator::Plus:
      return x + value;
    case RangeOperator::Minus:
      return x - value;
    case RangeOperator::Multiplies:
      return x * value;
    case RangeOperator::Divides:
      break;
  }
  return x / value;
}

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

  void apply(Image& image, Rng&) const override {
    if (bytes_only && image.depth() != DataType::U8)
      fail(fmt::format("BytesOnly: expected a picture of u8, got {}", image.text()),
           "the values of this step are those of bytes");
    const auto channels = static_cast<size_t>(image.channels());
    const auto first = per_channel("FirstValue", first_value, image);
    const auto second = per_channel("SecondValue", second_value, image);
    const auto value = [&](double x, size_t c) {
      const double y = compute(compute(x, first_operator, first[c]), second_operator, second[c]);
      return static_cast<float>(truncate ? std::trunc(y) : y);
    };
    Image out(image.width(), image.height(), image.channels(), DataType::F32);
    const auto target = out.span<float>();
    if (image.depth() == DataType::U8) {
      std::vector<float> table(channels * 256);
      for (size_t i = 0; i < table.size(); ++i) table[i] = value(static_cast<double>(i % 256), i / 256);
      const auto source = std::as_const(image).span<uint8_t>();
      for (size_t i = 0; i < source.size(); i += channels)
        for (size_t c = 0; c < channels; ++c) target[i + c] = table[c * 256 + source[i + c]];
    } else {
      each(image, [&](size_t i, double x) { target[i] = value(x, i % channels); });
    }
    image = std::move(out);
  }

 private:
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

  template <class Body>
  void each(const Image& image, const Body& body) const {
    const auto run = [&](const auto values) {
      for (size_t i = 0; i < values.size(); ++i) body(i, static_cast<double>(values[i]));
    };
    switch (image.depth()) {
      case DataType::I8:
        return run(image.span<int8_t>());
      case DataType::U16:
        return run(image.span<uint16_t>());
      case DataType::I16:
        return run(image.span<int16_t>());
      case DataType::I32:
        return run(image.span<int32_t>());
      default:
        return run(image.span<float>());
    }
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
