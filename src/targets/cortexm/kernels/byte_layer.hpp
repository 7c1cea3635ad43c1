// What do the kernels of all families for Cortex-M share: what they refuse, their constants, their calls in
// process?
#pragma once

#include "cpp/kernels/host.hpp"

#ifdef N2D2_HOST_VARIANT

#include "isa.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

/// Calls f(in, out, weights, biases, factors) of a kernel of bytes.
template <class F>
void with_byte_arrays(const cpp::Arrays& a, F f) {
  const auto call = [&]<class In, class Out>() {
    const auto use = [&](const auto* factors) {
      f(static_cast<const In*>(a.in[0]), static_cast<Out*>(a.out[0]),
        static_cast<const int8_t*>(a.constants[0]), static_cast<const int32_t*>(a.constants[1]), factors);
    };
    if (a.types.fixed_point)
      use(static_cast<const int32_t*>(a.constants[2]));
    else
      use(static_cast<const float*>(a.constants[2]));
  };
  const bool is_signed = a.types.out == DataType::I8;
  if (a.types.in == DataType::U8)
    return is_signed ? call.template operator()<uint8_t, int8_t>()
                     : call.template operator()<uint8_t, uint8_t>();
  return is_signed ? call.template operator()<int8_t, int8_t>() : call.template operator()<int8_t, uint8_t>();
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/tensor.hpp"

#include "cpp/kernels/layer.hpp"

namespace n2d2::targets::cortexm {

/// The shift of all multipliers: the high word of a product of 32 bits is the product shifted by so many.
inline constexpr int kShiftOfKernels = 32;

bool is_byte(DataType type);

/// Multipliers of at least `least` with a shift of 32; nothing where one has none. (x * m + 2^(f-1)) >> f is
/// (x * m * 2^(32-f) + 2^31) >> 32 to the bit.
std::optional<std::vector<int32_t> > shifted(const Rescale& rescale, int32_t least);

/// Why kernels do not read, round or write the integers of a node, "" if they do: maps of bytes, bounds of
/// the output that are those of its type, multipliers as shifted() wants them.
std::string refuses_bytes(const graph::Graph& graph, const graph::Node& node, int32_t least_multiplier);

/// Biases of a node, or zeros, [rows][outputs].
std::vector<int32_t> biases_or_zeros(const graph::Graph& graph, const graph::Node& node, int outputs);

template <class T>
program::Constant constant_of(std::string role, const std::vector<T>& values, bool is_bias) {
  auto data = std::make_shared<Tensor>(Shape{static_cast<int64_t>(values.size())}, data_type_of<T>());
  std::copy(values.begin(), values.end(), data->template data<T>());
  return {std::move(role), std::move(data), is_bias};
}

/// Has a program store the weights of a constant as fields of 4 bits, in the order of its kernel.
void store_in_4_bits(program::Constant& weights, const std::vector<uint8_t>& fields);

/// pad(factors, 1) of floats or of multipliers, as the node has them, one an output. `plain` are those of
/// kernels of CPP.
template <class Pad>
program::Constant packed_factors(const program::Constant& plain, const graph::Node& node, int outputs,
                                 const Pad& pad) {
  const auto packed = [&](auto values) {
    if (values.size() == 1) values.resize(static_cast<size_t>(outputs), values.front());
    return constant_of("factors", pad(values.data(), 1), true);
  };
  if (!node.rescale->multiplier.empty()) return packed(shifted(*node.rescale, INT32_MIN).value());
  const std::span<const float> floats = plain.data->span<float>();
  return packed(std::vector<float>(floats.begin(), floats.end()));
}

/// Sets what the kernels want of factors in place of the shift of the node.
template <class C>
void set_packed_rescale(C& config, const graph::Node& node) {
  if (node.rescale && !node.rescale->multiplier.empty()) config.shift = kShiftOfKernels;
  config.factor_step = 1;
}

}  // namespace n2d2::targets::cortexm

#endif
