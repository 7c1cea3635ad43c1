// How does the framework call the kernels that ship? The second half of each kernel's file, compiled once per
// instruction set: N2D2_HOST_VARIANT names it, N2D2_EXPORT_NAMESPACE is its own namespace. Nothing here may
// emit an inline function of another namespace: the linker would keep one copy, perhaps the one this machine
// lacks.
#pragma once

#include <cstdint>

#include "n2d2/targets/cpp/config.hpp"
#include "n2d2/tensor/data_type.hpp"

namespace n2d2::targets::cpp {

/// Element types of a call; of weights and sums where it has weights.
struct Types {
  DataType in = DataType::U8, out = DataType::U8, weights = DataType::I8, sum = DataType::I32;
  /// Factors are int32 multipliers (fixed-point) instead of floats.
  bool fixed_point = false;
};

/// What a call works on: arrays of pointers in the order of its views and constants.
struct Arrays {
  Types types;
  int first_row = 0, rows = 0;
  const void* const* in = nullptr;
  void* const* out = nullptr;
  const void* const* constants = nullptr;
  void* scratch = nullptr;  ///< Contract::scratch bytes
};

/// `config` is the kernel's own struct, of ints or of floats as the types say.
using HostKernel = void (*)(const void* config, const Arrays& arrays);

/// A kernel by its name. Tables of them end with an entry without a name.
struct HostEntry {
  const char* name;
  HostKernel run;
};
/// Adds kernels that run in one form on every instruction set, in the order of another target. The table is
/// kept; adding it again changes nothing.
void add_host_kernels(const HostEntry* table);

/// InternalError: a kernel was asked for element types that it does not have.
[[noreturn]] void no_kernel(const Types& types);

#ifdef N2D2_HOST_VARIANT

namespace N2D2_HOST_VARIANT {

/// The rows of a call in the kernels' own type.
template <class Rows>
Rows rows_of(const Arrays& a) {
  return Rows{a.first_row, a.rows};
}

/// Calls f(in) of a kernel of 8-bit inputs.
template <class F>
void with_bytes(const Arrays& a, F f) {
  if (a.types.in == DataType::U8) return f(static_cast<const uint8_t*>(a.in[0]));
  if (a.types.in == DataType::I8) return f(static_cast<const int8_t*>(a.in[0]));
  no_kernel(a.types);
}

/// Calls f.template operator()<In, Out>() for integers: both of 8 or both of 16 bits.
template <class F>
void with_integers(const Types& types, F f) {
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

/// Outputs of more bits than the inputs have: what leaves a network.
inline constexpr bool is_wide(const Types& types) {
  return types.in != DataType::F32 && size_bytes(types.out) > size_bytes(types.in);
}

/// Calls f.template operator()<In, Out>() for outputs of more bits than the inputs have. Such outputs are
/// signed.
template <class F>
void with_wide_integers(const Types& types, F f) {
  const auto is = [&](DataType in, DataType out) { return types.in == in && types.out == out; };
  if (is(DataType::U8, DataType::I16)) return f.template operator()<uint8_t, int16_t>();
  if (is(DataType::I8, DataType::I16)) return f.template operator()<int8_t, int16_t>();
  if (is(DataType::U8, DataType::I32)) return f.template operator()<uint8_t, int32_t>();
  if (is(DataType::I8, DataType::I32)) return f.template operator()<int8_t, int32_t>();
  if (is(DataType::U16, DataType::I32)) return f.template operator()<uint16_t, int32_t>();
  if (is(DataType::I16, DataType::I32)) return f.template operator()<int16_t, int32_t>();
  no_kernel(types);
}

/// Calls f(config, in, out): a kernel without constants.
template <template <class> class Config, class F>
void plain(const void* config, const Arrays& a, F f) {
  if (a.types.in == DataType::F32)
    return f(*static_cast<const Config<float>*>(config), static_cast<const float*>(a.in[0]),
             static_cast<float*>(a.out[0]));
  with_integers(a.types, [&]<class In, class Out>() {
    f(*static_cast<const Config<int>*>(config), static_cast<const In*>(a.in[0]), static_cast<Out*>(a.out[0]));
  });
}

/// Calls f(in, out) of a kernel that only moves elements: their size is all that counts.
template <class F>
void moved(const Arrays& a, F f) {
  switch (size_bytes(a.types.in)) {
    case 1:
      return f(static_cast<const uint8_t*>(a.in[0]), static_cast<uint8_t*>(a.out[0]));
    case 2:
      return f(static_cast<const uint16_t*>(a.in[0]), static_cast<uint16_t*>(a.out[0]));
    default:
      return f(static_cast<const float*>(a.in[0]), static_cast<float*>(a.out[0]));
  }
}

/// Calls f(factors) with constant `index` in the type of the factors.
template <class F>
void with_factors(const Arrays& a, int index, F f) {
  if (a.types.fixed_point)
    f(static_cast<const int32_t*>(a.constants[index]));
  else
    f(static_cast<const float*>(a.constants[index]));
}

/// Calls f(config, in, out) for wide outputs; their factors are multipliers.
template <template <class> class Config, class F>
void wide(const void* config, const Arrays& a, F f) {
  if (!a.types.fixed_point) no_kernel(a.types);
  with_wide_integers(a.types, [&]<class In, class Out>() {
    f(*static_cast<const Config<int>*>(config), static_cast<const In*>(a.in[0]), static_cast<Out*>(a.out[0]));
  });
}

/// Calls f(config, in, out, factors).
template <template <class> class Config, class F>
void rescaled(const void* config, const Arrays& a, F f) {
  if (is_wide(a.types))
    return wide<Config>(config, a, [&](const auto& c, const auto* in, auto* out) {
      f(c, in, out, static_cast<const int32_t*>(a.constants[0]));
    });
  plain<Config>(config, a, [&](const auto& c, const auto* in, auto* out) {
    with_factors(a, 0, [&](const auto* factors) { f(c, in, out, factors); });
  });
}

/// Calls f.template operator()<Weight, Sum>() for inputs of type In: bytes have sums of 32 bits, words times
/// words of 64; words times bytes have one or the other.
template <class In, class F>
void with_weights(const Types& types, F f) {
  const auto is = [&](DataType weights, DataType sum) {
    return types.weights == weights && types.sum == sum;
  };
  if (is(DataType::I8, DataType::I32)) return f.template operator()<int8_t, int32_t>();
  if constexpr (sizeof(In) == 2) {
    if (is(DataType::I8, DataType::I64)) return f.template operator()<int8_t, int64_t>();
    if (is(DataType::I16, DataType::I64)) return f.template operator()<int16_t, int64_t>();
  }
  no_kernel(types);
}

/// Calls f(out, factors) for outputs of a layer with weights: of 8 bits with weights of 8 bits, of 16 bits,
/// and of 32 bits, whose factors are multipliers.
template <class Weight, class F>
void with_outputs(const Arrays& a, F f) {
  const auto call = [&](auto* out) { with_factors(a, 2, [&](const auto* factors) { f(out, factors); }); };
  void* const out = a.out[0];
  if constexpr (sizeof(Weight) == 1) {
    if (a.types.out == DataType::U8) return call(static_cast<uint8_t*>(out));
    if (a.types.out == DataType::I8) return call(static_cast<int8_t*>(out));
  }
  if (a.types.out == DataType::U16) return call(static_cast<uint16_t*>(out));
  if (a.types.out == DataType::I16) return call(static_cast<int16_t*>(out));
  if (a.types.out != DataType::I32 || !a.types.fixed_point) no_kernel(a.types);
  f(static_cast<int32_t*>(out), static_cast<const int32_t*>(a.constants[2]));
}

/// Calls f(in) of a kernel with weights of integers.
template <class F>
void with_inputs(const Arrays& a, F f) {
  if (a.types.in == DataType::U16) return f(static_cast<const uint16_t*>(a.in[0]));
  if (a.types.in == DataType::I16) return f(static_cast<const int16_t*>(a.in[0]));
  with_bytes(a, f);
}

/// Calls f(config, in, out, weights, biases, factors).
template <template <class> class Config, class F>
void weighted(const void* config, const Arrays& a, F f) {
  if (a.types.in == DataType::F32)
    return with_factors(a, 2, [&](const auto* factors) {
      f(*static_cast<const Config<float>*>(config), static_cast<const float*>(a.in[0]),
        static_cast<float*>(a.out[0]), static_cast<const float*>(a.constants[0]),
        static_cast<const float*>(a.constants[1]), factors);
    });
  with_inputs(a, [&]<class In>(const In* in) {
    with_weights<In>(a.types, [&]<class Weight, class Sum>() {
      with_outputs<Weight>(a, [&](auto* out, const auto* factors) {
        f(*static_cast<const Config<int>*>(config), in, out, static_cast<const Weight*>(a.constants[0]),
          static_cast<const Sum*>(a.constants[1]), factors);
      });
    });
  });
}

}  // namespace N2D2_HOST_VARIANT

#endif

}  // namespace n2d2::targets::cpp
