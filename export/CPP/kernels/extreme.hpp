// Answers: which is the largest, or the smallest, of any number of tensors, each with a scale of its own?
// Part of an exported project; may be used without condition.
//
// y = clamp((start + largest of (x_p - z_p) * m_p + h) >> shift) in 64 bits, h = 2^(shift-1) (0 if shift is
// 0): what the largest of the operands is after each was rounded by itself, because rounding keeps the order.
// In a float network y = clamp(largest of x_p). `minimum` takes the smallest. Config fields of the layer:
// out_*, bottom_up of plane.hpp; lo, hi, shift of rescale.hpp; and
//   start        int64_t; a config without it has 0
// Config fields of an operand: in_* as elemwise.hpp says, and
//   multiplier   m_p: int32_t, above 0; 1 in a float network
//   is_signed    as elemwise.hpp says
//   zero         z_p, an integer; a config without it has 0
// A call is maximum(c, rows, out, operand(c0, in0), ...). Operands of integers have 8 or 16 bits each. The
// output may start exactly on an operand of its size.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "product.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// What no product of an operand goes below.
template <class Value>
struct LowestOf {
  static N2D2_INLINE Value value() { return -(static_cast<Value>(1) << 62); }
};
template <>
struct LowestOf<float> {
  static N2D2_INLINE float value() { return -HUGE_VALF; }
};

template <class Value>
struct KeepLargest {
  Value zero, multiplier;
  N2D2_INLINE Value operator()(Value value, Value x) const {
    const Value next = (x - zero) * multiplier;
    return next > value ? next : value;
  }
};
template <class Value>
struct KeepSmallest {
  Value zero, multiplier;
  N2D2_INLINE Value operator()(Value value, Value x) const {
    const Value next = (x - zero) * multiplier;
    return next < value ? next : value;
  }
};

// Puts operand after operand beside the values of a run, then rounds the values.
template <template <class> class Keep, int sign>
struct Choosing {
  template <class Out>
  struct Of {
    typedef typename Reading<Out>::Sum Value;
  };
  template <class Value, class C>
  static N2D2_INLINE Value start(const C&) {
    return LowestOf<Value>::value() * static_cast<Value>(sign);
  }
  template <class Value, class P, class In>
  static N2D2_INLINE void run(Value* values, const Plane& dst, int y, int x, int first, int n,
                              const Operand<P, In>& o) {
    const Keep<Value> join = {
        static_cast<Value>(zero_of(o.c)),
        static_cast<Value>(static_cast<typename Reading<In>::Multiplier>(o.c.multiplier))};
    join_operand(values, dst, y, x, first, n, o, join);
  }
  template <class Out, class C>
  static N2D2_INLINE Out finish(const C& c, int64_t value) {
    return finish_sum<Out>(c, value + start_of(c));
  }
  template <class Out, class C>
  static N2D2_INLINE Out finish(const C& c, float value) {
    return finish_sum<Out>(c, value);
  }
};

template <class C, class Out, class... Operands>
N2D2_INLINE void maximum(const C& c, Rows rows, Out* out, const Operands&... operands) {
  elemwise<Choosing<KeepLargest, 1> >(c, rows, out, operands...);
}
template <class C, class Out, class... Operands>
N2D2_INLINE void minimum(const C& c, Rows rows, Out* out, const Operands&... operands) {
  elemwise<Choosing<KeepSmallest, -1> >(c, rows, out, operands...);
}

}  // namespace N2D2_EXPORT_NAMESPACE
