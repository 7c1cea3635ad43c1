// What do the layers share that take any number of inputs, element by element?
#pragma once

#include <algorithm>
#include <cstddef>

#include "host.hpp"

namespace n2d2::targets::cpp {

/// Input of a product.
struct FactorConfig : InPlane {
  int is_signed = 0;
  int bytes = 1;  // of no kernel: size of an element of an integer
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
  size_t maps = 0;  // operands from there on are constants
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/elemwise.hpp"

namespace N2D2_EXPORT_NAMESPACE {

/// Maps, and constants behind them.
struct OperandData {
  const void* const* maps;
  const void* const* constants;
  size_t map_count;

  const void* at(size_t i) const { return i < map_count ? maps[i] : constants[i - map_count]; }
};

/// In process the number of operands is known at run time: one argument that stands for all of them.
template <class P, class In>
struct OperandList {
  const P* configs;
  OperandData data;
  size_t count;

  Operand<P, In> at(size_t i) const { return operand(configs[i], static_cast<const In*>(data.at(i))); }
};

/// Operands of 8 and of 16 bits.
template <class P>
struct MixedList {
  const P* configs;
  OperandData data;
  size_t count;

  template <class F>
  void with(size_t i, F f) const {
    if (configs[i].bytes == 1)
      f(operand(configs[i], static_cast<const uint8_t*>(data.at(i))));
    else
      f(operand(configs[i], static_cast<const uint16_t*>(data.at(i))));
  }
};

template <class P, class In>
struct AreBytes<OperandList<P, In>> {
  enum { kYes = sizeof(In) == 1 };
};
template <class P>
struct AreBytes<MixedList<P>> {
  enum { kYes = 0 };
};

template <class P>
bool all_dense(const Plane& dst, const MixedList<P>& list) {
  bool dense = true;
  for (size_t i = 0; i < list.count; ++i)
    list.with(i, [&](const auto& o) { dense = dense && all_dense(dst, o); });
  return dense;
}
template <class How, class Value, class P>
void join_operands(Value* values, const Plane& dst, int y, int x, int first, int n,
                   const MixedList<P>& list) {
  for (size_t i = 0; i < list.count; ++i)
    list.with(i, [&](const auto& o) { How::run(values, dst, y, x, first, n, o); });
}

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

/// Calls f(layer, out, operands) for inputs of several widths, or of another than the output.
template <class Integers, class F>
void with_mixed_operands(const void* config, const Arrays& arrays, F f) {
  const auto& c = *static_cast<const Integers*>(config);
  using Config = std::remove_const_t<std::remove_pointer_t<decltype(c.operands)>>;
  const N2D2_EXPORT_NAMESPACE::MixedList<Config> list{
      c.operands, {arrays.in, arrays.constants, c.maps}, c.count};
  void* const out = arrays.out[0];
  switch (arrays.types.out) {
    case DataType::U8:
      return f(c.layer, static_cast<uint8_t*>(out), list);
    case DataType::I8:
      return f(c.layer, static_cast<int8_t*>(out), list);
    case DataType::U16:
      return f(c.layer, static_cast<uint16_t*>(out), list);
    case DataType::I16:
      return f(c.layer, static_cast<int16_t*>(out), list);
    case DataType::I32:
      return f(c.layer, static_cast<int32_t*>(out), list);
    default:
      no_kernel(arrays.types);
  }
}

/// Whether all operands have the width of the output.
template <class Integers>
bool has_one_width(const void* config, const Types& types) {
  const auto& c = *static_cast<const Integers*>(config);
  return std::all_of(c.operands, c.operands + c.count,
                     [&](const auto& operand) { return operand.bytes == size_bytes(types.out); });
}

/// Calls f(layer, out, operands) for OnOperands<Layer<Bound>, Operand<Factor>>. Inputs are read as unsigned
/// integers of their size; their configs say what they are. kMixed: also for inputs and outputs of several
/// widths.
template <class Integers, class Floats, bool kMixed = true, class F>
void with_operands(const void* config, const Arrays& arrays, F f) {
  const auto call = [&]<class In, class Out>(const auto& c, In, Out) {
    using Config = std::remove_const_t<std::remove_pointer_t<decltype(c.operands)>>;
    f(c.layer, static_cast<Out*>(arrays.out[0]),
      N2D2_EXPORT_NAMESPACE::OperandList<Config, In>{
          c.operands, {arrays.in, arrays.constants, c.maps}, c.count});
  };
  const auto integers = [&]<class In, class Out>(In in, Out out) {
    call(*static_cast<const Integers*>(config), in, out);
  };
  if constexpr (kMixed)
    if (arrays.types.in != DataType::F32 && !has_one_width<Integers>(config, arrays.types))
      return with_mixed_operands<Integers>(config, arrays, f);
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
