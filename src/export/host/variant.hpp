// The kernels of one instruction set. Included by one source per kernel family and variant, which defines
// N2D2_HOST_VARIANT and N2D2_EXPORT_NAMESPACE and is compiled with that variant's flags. Nothing here may emit
// an inline function of another namespace: the linker would keep one copy, perhaps the one this machine lacks.
#pragma once

#include "host_kernels.hpp"

namespace n2d2::exporter::host::N2D2_HOST_VARIANT {

template <class In>
struct Net;
template <>
struct Net<uint8_t> {
  using Weight = int8_t;
  using Sum = int32_t;
};
template <>
struct Net<int8_t> : Net<uint8_t> {};
template <>
struct Net<uint16_t> {
  using Weight = int16_t;
  using Sum = int64_t;
};
template <>
struct Net<int16_t> : Net<uint16_t> {};

/// Calls f.template run<In, Out>() for the integer types of a call: both of 8 or both of 16 bits.
template <class F>
void with_types(Types types, F f) {
  const auto is = [&](DataType in, DataType out) { return types.in == in && types.out == out; };
  if (is(DataType::U8, DataType::U8)) return f.template operator()<uint8_t, uint8_t>();
  if (is(DataType::U8, DataType::I8)) return f.template operator()<uint8_t, int8_t>();
  if (is(DataType::I8, DataType::U8)) return f.template operator()<int8_t, uint8_t>();
  if (is(DataType::I8, DataType::I8)) return f.template operator()<int8_t, int8_t>();
  if (is(DataType::U16, DataType::U16)) return f.template operator()<uint16_t, uint16_t>();
  if (is(DataType::U16, DataType::I16)) return f.template operator()<uint16_t, int16_t>();
  if (is(DataType::I16, DataType::U16)) return f.template operator()<int16_t, uint16_t>();
  if (is(DataType::I16, DataType::I16)) return f.template operator()<int16_t, int16_t>();
  no_kernel(types);
}

/// Calls f(factors) with the factors of a call in their type.
template <class F>
void with_factors(Types types, const Arrays& a, F f) {
  if (types.fixed_point)
    f(static_cast<const int32_t*>(a.factors));
  else
    f(static_cast<const float*>(a.factors));
}

/// Calls f(in, out, factors): an integer kernel without weights.
template <class F>
void with_arrays(Types types, const Arrays& a, F f) {
  with_types(types, [&]<class In, class Out>() {
    with_factors(types, a,
                 [&](auto* factors) { f(static_cast<const In*>(a.in), static_cast<Out*>(a.out), factors); });
  });
}

/// Calls f(in, out, weights, biases, factors): an integer kernel with weights.
template <class F>
void with_weighted_arrays(Types types, const Arrays& a, F f) {
  with_types(types, [&]<class In, class Out>() {
    with_factors(types, a, [&](auto* factors) {
      f(static_cast<const In*>(a.in), static_cast<Out*>(a.out),
        static_cast<const typename Net<In>::Weight*>(a.weights),
        static_cast<const typename Net<In>::Sum*>(a.biases), factors);
    });
  });
}

/// The same for kernels of float networks.
template <class F>
void with_float_arrays(const Arrays& a, F f) {
  f(static_cast<const float*>(a.in), static_cast<float*>(a.out), static_cast<const float*>(a.factors));
}
template <class F>
void with_weighted_float_arrays(const Arrays& a, F f) {
  f(static_cast<const float*>(a.in), static_cast<float*>(a.out), static_cast<const float*>(a.weights),
    static_cast<const float*>(a.biases), static_cast<const float*>(a.factors));
}

}  // namespace n2d2::exporter::host::N2D2_HOST_VARIANT
