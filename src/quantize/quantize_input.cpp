#include <algorithm>
#include <bit>
#include <cmath>

#include "n2d2/quantize/quantize_graph.hpp"

namespace n2d2::quantize {

namespace {

template <class I>
void convert(const Tensor& batch, const QuantParams& quant, Tensor& out) {
  const double q = static_cast<double>(quant.full_scale()), t = threshold(quant);
  const auto lo = static_cast<double>(quant.lowest()), hi = static_cast<double>(quant.highest());
  const std::span<const float> src = batch.span<float>();
  const std::span<I> dst = out.span<I>();
  for (size_t i = 0; i < src.size(); ++i) {
    if (!std::isfinite(src[i]))
      throw ModelError(fmt::format("network input: expected finite values, got {} at index {}", src[i], i),
                       {}, "check the transformations of the data");
    dst[i] = static_cast<I>(std::clamp(std::round(src[i] * q / t), lo, hi));
  }
}

}  // namespace

DataType integer_type(int bits, bool is_signed) {
  if (bits <= 8) return is_signed ? DataType::I8 : DataType::U8;
  return is_signed ? DataType::I16 : DataType::U16;
}

double threshold(const QuantParams& quant) {
  const double q = static_cast<double>(quant.full_scale());
  const float scale = quant.scale.at(0);
  const auto product = static_cast<float>(scale * q);
  float best = product;
  int best_zeros = -1;
  const float next_below = std::nextafter(product, 0.0F), next_above = std::nextafter(product, 2 * product);
  for (const float t : {product, next_below, next_above}) {
    const int zeros = std::countr_zero(std::bit_cast<uint32_t>(t));
    if (static_cast<float>(t / q) != scale || zeros <= best_zeros) continue;
    best = t;
    best_zeros = zeros;
  }
  return best;
}

Tensor quantize_input(const Tensor& batch, const QuantParams& quant) {
  N2D2_CHECK(quant.axis == -1 && quant.scale.size() == 1, "an input has one scale, not {}",
             quant.scale.size());
  Tensor out(batch.shape(), integer_type(quant.bits, quant.is_signed), batch.layout());
  switch (out.dtype()) {
    case DataType::I8:
      convert<int8_t>(batch, quant, out);
      break;
    case DataType::U8:
      convert<uint8_t>(batch, quant, out);
      break;
    case DataType::I16:
      convert<int16_t>(batch, quant, out);
      break;
    default:
      convert<uint16_t>(batch, quant, out);
      break;
  }
  return out;
}

}  // namespace n2d2::quantize
