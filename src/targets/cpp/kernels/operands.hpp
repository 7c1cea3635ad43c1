// What do the layers share that take any number of inputs, element by element?
#pragma once

#include <cstddef>

#include "host.hpp"

namespace n2d2::targets::cpp {

/// Input of a product.
struct FactorConfig : InPlane {
  int is_signed = 0;
  template <class V>
  void visit(V&& v) const {
    visit_in(v);
    v("is_signed", is_signed);
  }
};

/// Input of a sum. Factor is int32_t or float.
template <class Factor>
struct SummandConfig : FactorConfig {
  Factor multiplier{};
  template <class V>
  void visit(V&& v) const {
    this->visit_in(v);
    v("multiplier", multiplier), v("is_signed", this->is_signed);
  }
};

/// What the host form takes: the layer and its inputs.
template <class Layer, class Operand>
struct OnOperands {
  Layer layer;
  const Operand* operands = nullptr;
  size_t count = 0;
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/elemwise.hpp"

namespace N2D2_EXPORT_NAMESPACE {

/// In process the number of operands is known at run time: one argument that stands for all of them.
template <class P, class In>
struct OperandList {
  const P* configs;
  const void* const* data;
  size_t count;

  Operand<P, In> at(size_t i) const { return operand(configs[i], static_cast<const In*>(data[i])); }
};

template <class P, class In>
bool all_dense(const Plane& dst, const OperandList<P, In>& list) {
  for (size_t i = 0; i < list.count; ++i)
    if (!all_dense(dst, list.at(i))) return false;
  return true;
}

template <class How, class Value, class P, class In>
void join_operands(Value* values, const Plane& dst, int y, int x, int first, int n,
                   const OperandList<P, In>& list) {
  for (size_t i = 0; i < list.count; ++i) How::run(values, dst, y, x, first, n, list.at(i));
}

}  // namespace N2D2_EXPORT_NAMESPACE

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

/// Calls f(layer, out, operands) for OnOperands<Layer<Bound>, Operand<Factor>>. Inputs are read as unsigned
/// integers of their size; their configs say what they are. kWide: also for outputs wider than they.
template <class Integers, class Floats, bool kWide = true, class F>
void with_operands(const void* config, const Arrays& arrays, F f) {
  const auto call = [&]<class In, class Out>(const auto& c, In, Out) {
    using Config = std::remove_const_t<std::remove_pointer_t<decltype(c.operands)>>;
    f(c.layer, static_cast<Out*>(arrays.out[0]),
      N2D2_EXPORT_NAMESPACE::OperandList<Config, In>{c.operands, arrays.in, c.count});
  };
  const auto integers = [&]<class In, class Out>(In in, Out out) {
    call(*static_cast<const Integers*>(config), in, out);
  };
  const bool from_bytes = size_bytes(arrays.types.in) == 1;
  if constexpr (kWide) {
    if (arrays.types.out == DataType::I32)
      return from_bytes ? integers(uint8_t{}, int32_t{}) : integers(uint16_t{}, int32_t{});
    if (arrays.types.out == DataType::I16 && from_bytes) return integers(uint8_t{}, int16_t{});
  }
  switch (arrays.types.out) {
    case DataType::F32:
      return call(*static_cast<const Floats*>(config), 0.0F, 0.0F);
    case DataType::U8:
      return integers(uint8_t{}, uint8_t{});
    case DataType::I8:
      return integers(uint8_t{}, int8_t{});
    case DataType::U16:
      return integers(uint16_t{}, uint16_t{});
    case DataType::I16:
      return integers(uint16_t{}, int16_t{});
    default:
      no_kernel(arrays.types);
  }
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#endif
