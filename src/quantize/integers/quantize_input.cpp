#include <algorithm>
#include <cmath>

#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::quantize {

namespace {

template <class I>
void convert(const Tensor& batch, const QuantParams& quant, Tensor& out) {
  const double q = static_cast<double>(quant.full_scale()), t = quant.threshold_of();
  const auto lo = static_cast<double>(quant.lowest()), hi = static_cast<double>(quant.highest());
  const std::span<const float> src = batch.span<float>();
  const std::span<I> dst = out.span<I>();
  for (size_t i = 0; i < src.size(); ++i) {
    if (!std::isfinite(src[i]))
      throw ModelError(fmt::format("network input: expected finite values, got {} at index {}", src[i], i),
                       {}, "check the transformations of the data");
    dst[i] = static_cast<I>(std::clamp(std::round(src[i] * q / t + quant.zero_point), lo, hi));
  }
}

}  // namespace

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
