#include <array>
#include <utility>

#include "../../../export/CPP/kernels/concat.hpp"
#include "../../../export/CPP/kernels/elemwise.hpp"
#include "../../../export/CPP/kernels/padding.hpp"
#include "../../../export/CPP/kernels/reshape.hpp"
#include "../../../export/CPP/kernels/scaling.hpp"
#include "variant.hpp"

namespace n2d2::exporter::host::N2D2_HOST_VARIANT {

namespace kernels = N2D2_EXPORT_NAMESPACE;

void scaling(const cpp::ScalingConfig<int>& c, Types types, const Arrays& a);
void scaling_float(const cpp::ScalingConfig<float>& c, const Arrays& a);
void sum(const cpp::ScalingConfig<int>& c, Types types, std::span<const OperandConfig<int32_t>> operands,
         std::span<const void* const> data, void* out);
void sum_float(const cpp::ScalingConfig<float>& c, std::span<const OperandConfig<float>> operands,
               std::span<const void* const> data, void* out);
void concat_part(const ConcatConfig& c, Types types, const Arrays& a);
void pad_map(const PaddingConfig& c, Types types, const Arrays& a);
void reshape_copy(const ReshapeConfig& c, Types types, const Arrays& a);

void scaling(const cpp::ScalingConfig<int>& c, Types types, const Arrays& a) {
  with_arrays(types, a, [&](auto... arrays) { kernels::scaling(c, arrays...); });
}

void scaling_float(const cpp::ScalingConfig<float>& c, const Arrays& a) {
  with_float_arrays(a, [&](auto... arrays) { kernels::scaling(c, arrays...); });
}

namespace {

/// Unfolds the run-time list of operands into the variadic call of elemwise.hpp.
template <class In, class Out, class Config, class Factor, size_t... I>
void sum_of(const Config& c, std::span<const OperandConfig<Factor>> operands,
            std::span<const void* const> data, void* out, std::index_sequence<I...>) {
  kernels::sum(c, static_cast<Out*>(out), kernels::operand(operands[I], static_cast<const In*>(data[I]))...);
}

template <class In, class Out, size_t N = 1, class Config, class Factor>
void sum_by_count(const Config& c, std::span<const OperandConfig<Factor>> operands,
                  std::span<const void* const> data, void* out) {
  if (operands.size() == N) return sum_of<In, Out>(c, operands, data, out, std::make_index_sequence<N>());
  if constexpr (N < kMaxOperands) return sum_by_count<In, Out, N + 1>(c, operands, data, out);
  no_kernel({});
}

}  // namespace

void sum(const cpp::ScalingConfig<int>& c, Types types, std::span<const OperandConfig<int32_t>> operands,
         std::span<const void* const> data, void* out) {
  switch (types.out) {
    case DataType::U8:
      return sum_by_count<uint8_t, uint8_t>(c, operands, data, out);
    case DataType::I8:
      return sum_by_count<uint8_t, int8_t>(c, operands, data, out);
    case DataType::U16:
      return sum_by_count<uint16_t, uint16_t>(c, operands, data, out);
    case DataType::I16:
      return sum_by_count<uint16_t, int16_t>(c, operands, data, out);
    default:
      no_kernel(types);
  }
}

void sum_float(const cpp::ScalingConfig<float>& c, std::span<const OperandConfig<float>> operands,
               std::span<const void* const> data, void* out) {
  sum_by_count<float, float>(c, operands, data, out);
}

namespace {

/// Calls f(in, out) of a kernel that only moves elements: their size is all that counts.
template <class F>
void with_moved_arrays(Types types, const Arrays& a, F f) {
  switch (size_bytes(types.in)) {
    case 1:
      return f(static_cast<const uint8_t*>(a.in), static_cast<uint8_t*>(a.out));
    case 2:
      return f(static_cast<const uint16_t*>(a.in), static_cast<uint16_t*>(a.out));
    default:
      return f(static_cast<const float*>(a.in), static_cast<float*>(a.out));
  }
}

}  // namespace

void concat_part(const ConcatConfig& c, Types types, const Arrays& a) {
  with_moved_arrays(types, a, [&](auto* in, auto* out) { kernels::concat_part(c, in, out); });
}

void pad_map(const PaddingConfig& c, Types types, const Arrays& a) {
  with_moved_arrays(types, a, [&](auto* in, auto* out) { kernels::pad_map(c, in, out); });
}

void reshape_copy(const ReshapeConfig& c, Types types, const Arrays& a) {
  with_moved_arrays(types, a, [&](auto* in, auto* out) { kernels::reshape_copy(c, in, out); });
}

}  // namespace n2d2::exporter::host::N2D2_HOST_VARIANT
