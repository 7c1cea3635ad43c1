#include "real_values.hpp"

#include "n2d2/base/error.hpp"

namespace n2d2::quantize {

namespace {

template <class T>
std::vector<double> reals_of(const Tensor& integers, const QuantParams& quant) {
  std::vector<double> out;
  out.reserve(static_cast<size_t>(integers.elements()));
  const auto scale = static_cast<double>(quant.scale.at(0));
  for (const T q : integers.span<T>()) out.push_back(scale * (static_cast<double>(q) - quant.zero_point));
  return out;
}

}  // namespace

std::vector<double> real_values(const Tensor& integers, const QuantParams& quant) {
  switch (integers.dtype()) {
    case DataType::I8:
      return reals_of<int8_t>(integers, quant);
    case DataType::U8:
      return reals_of<uint8_t>(integers, quant);
    case DataType::I16:
      return reals_of<int16_t>(integers, quant);
    case DataType::U16:
      return reals_of<uint16_t>(integers, quant);
    case DataType::I32:
      return reals_of<int32_t>(integers, quant);
    case DataType::I64:
      return reals_of<int64_t>(integers, quant);
    case DataType::F32:
      break;
  }
  throw InternalError("floats have no scale", __FILE__, __LINE__);
}

}  // namespace n2d2::quantize
