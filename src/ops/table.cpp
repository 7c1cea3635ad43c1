#include "table.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::ops {

namespace {

template <class T>
void store(const std::vector<double>& values, Tensor& table) {
  std::transform(values.begin(), values.end(), table.data<T>(), [](double v) { return static_cast<T>(v); });
}

Tensor stored(const std::vector<double>& values, const Shape& shape, const QuantParams& quant) {
  Tensor table(shape, integer_type(quant.bits, quant.is_signed));
  switch (table.dtype()) {
    case DataType::U8:
      store<uint8_t>(values, table);
      break;
    case DataType::I8:
      store<int8_t>(values, table);
      break;
    case DataType::U16:
      store<uint16_t>(values, table);
      break;
    default:
      store<int16_t>(values, table);
  }
  return table;
}

/// The integer whose bits are `pattern`.
int64_t integer_of(int64_t pattern, const QuantParams& quant) {
  return pattern <= quant.highest() ? pattern : pattern - (int64_t{1} << quant.bits);
}

}  // namespace

double step_of(const QuantParams& quant) {
  return quant.threshold_of() / static_cast<double>(quant.full_scale());
}

Tensor table_of_outputs(const graph::TableArgs& args, int64_t channels,
                        const std::function<double(double real, int64_t channel)>& f) {
  const int64_t entries = int64_t{1} << args.in.bits;
  const double in = step_of(args.in), out = step_of(args.out);
  const auto lowest = static_cast<double>(args.out.lowest());
  const auto highest = static_cast<double>(args.out.highest());
  std::vector<double> values;
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t i = 0; i < entries; ++i) {
      const double real = f((static_cast<double>(integer_of(i, args.in)) - args.in.zero_point) * in, channel);
      values.push_back(std::clamp(std::nearbyint(real / out) + args.out.zero_point, lowest, highest));
    }
  return stored(values, Shape{channels, entries}, args.out);
}

Tensor table_of_one(const QuantParams& quant, double real) {
  const double nearest = std::nearbyint(real / step_of(quant) + quant.zero_point);
  const double saturated =
      std::clamp(nearest, static_cast<double>(quant.lowest()), static_cast<double>(quant.highest()));
  return stored({saturated}, Shape{1, 1}, quant);
}

void look_up_each(const graph::IntegerArgs& args) {
  const graph::Integers &in = *args.in[0], &table = *args.in[kTableSlot];
  const int64_t channels = table.shape[0], entries = table.shape[1];
  const int64_t pixels = in.shape.h() * in.shape.w();
  for (int64_t i = 0; i < static_cast<int64_t>(in.values.size()); ++i) {
    const int64_t row = channels == 1 ? 0 : i / pixels;
    (*args.out[0])[i] = table[row * entries + (in[i] & (entries - 1))];
  }
}

}  // namespace n2d2::ops
