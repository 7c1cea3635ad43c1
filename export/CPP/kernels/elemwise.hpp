// Answers: what is the weighted sum of any number of tensors, each with a scale of its own?
// Part of an exported project; may be used without condition.
//
// y = clamp((start + sum over operands p of x_p * m_p + h) >> shift) in 64 bits, h = 2^(shift-1) (0 if shift
// is 0). It is rounded once. In a float network y = clamp(sum of x_p * m_p). Config fields of the layer:
// out_*, bottom_up of plane.hpp; lo, hi, shift of rescale.hpp; and
//   start        int64_t; a config without it has 0
// Config fields of an operand: in_* of plane.hpp, where each of in_w, in_h, in_c is that of the output or 1
// (a single element is repeated), and
//   multiplier   m_p: int32_t, any sign; float in a float network
//   is_signed    1: elements are signed integers of their size, 0: they are unsigned, whatever the type of
//                the pointer; not read in a float network
// A call is sum(c, rows, out, operand(c0, in0), ...). Operands of a sum of integers have 8 or 16 bits each.
// The output may start exactly on an operand of its size.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "blocks.hpp"
#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class P, class In>
struct Operand {
  const P& c;
  const In* data;
};

template <class P, class In>
N2D2_INLINE Operand<P, In> operand(const P& c, const In* data) {
  const Operand<P, In> o = {c, data};
  return o;
}

// The signed and the unsigned type of an element, and the accumulator of products. Only outputs have 32 bits.
template <class In>
struct Reading;
template <>
struct Reading<uint8_t> {
  typedef int8_t Signed;
  typedef uint8_t Unsigned;
  typedef int64_t Sum;
  typedef int32_t Multiplier;
};
template <>
struct Reading<int8_t> : Reading<uint8_t> {};
template <>
struct Reading<uint16_t> {
  typedef int16_t Signed;
  typedef uint16_t Unsigned;
  typedef int64_t Sum;
  typedef int32_t Multiplier;
};
template <>
struct Reading<int16_t> : Reading<uint16_t> {};
template <>
struct Reading<int32_t> {
  typedef int64_t Sum;
};
template <>
struct Reading<float> {
  typedef float Signed;
  typedef float Unsigned;
  typedef float Sum;
  typedef float Multiplier;
};

template <class Out, class C>
N2D2_INLINE Out finish_sum(const C& c, int64_t sum) {
  return shift_round<Out>(c, sum);
}
template <class Out, class C>
N2D2_INLINE Out finish_sum(const C& c, float sum) {
  return clamp_to<Out>(c, sum);
}

// The elements of an operand that belong to channels [first, first + n) of pixel (x, y) of the output.
template <class In>
struct Beside {
  const In* data;
  int step;  // 0: one element for all
};
template <class P, class In>
N2D2_INLINE Beside<In> beside(const Operand<P, In>& o, const Plane& dst, int y, int x, int first) {
  const Plane src = in_plane(o.c);
  const int step = src.c < dst.c ? 0 : 1;
  const Beside<In> b = {
      o.data + src.row_at(src.h < dst.h ? 0 : y) + src.pixel_at(src.w < dst.w ? 0 : x) + first * step, step};
  return b;
}

// Adds an operand's element, times its multiplier, to a value of a run.
template <class Sum>
struct AddProduct {
  Sum multiplier;
  N2D2_INLINE Sum operator()(Sum value, Sum x) const { return value + x * multiplier; }
};
template <class Element, class Sum, class In, class Join>
N2D2_INLINE void join_elements(Sum* values, int n, const Beside<In>& from, const Join& join) {
  for (int i = 0; i < n; ++i)
    values[i] = join(values[i], static_cast<Sum>(static_cast<Element>(from.data[i * from.step])));
}
template <class Sum, class P, class In, class Join>
N2D2_INLINE void join_operand(Sum* values, const Plane& dst, int y, int x, int first, int n,
                              const Operand<P, In>& o, const Join& join) {
  const Beside<In> from = beside(o, dst, y, x, first);
  if (o.c.is_signed)
    join_elements<typename Reading<In>::Signed>(values, n, from, join);
  else
    join_elements<typename Reading<In>::Unsigned>(values, n, from, join);
}

// Adds operand after operand to the values of a run, then rounds the values.
struct Adding {
  template <class Out>
  struct Of {
    typedef typename Reading<Out>::Sum Value;
  };
  template <class Sum, class C>
  static N2D2_INLINE Sum start(const C& c) {
    return static_cast<Sum>(start_of(c));
  }
  template <class Sum, class P, class In>
  static N2D2_INLINE void run(Sum* values, const Plane& dst, int y, int x, int first, int n,
                              const Operand<P, In>& o) {
    const AddProduct<Sum> join = {
        static_cast<Sum>(static_cast<typename Reading<In>::Multiplier>(o.c.multiplier))};
    join_operand(values, dst, y, x, first, n, o, join);
  }
  template <class Out, class C, class Sum>
  static N2D2_INLINE Out finish(const C& c, Sum sum) {
    return finish_sum<Out>(c, sum);
  }
};
template <class How, class Sum>
N2D2_INLINE void join_operands(Sum*, const Plane&, int, int, int, int) {}
template <class How, class Sum, class P, class In, class... Rest>
N2D2_INLINE void join_operands(Sum* values, const Plane& dst, int y, int x, int first, int n,
                               const Operand<P, In>& o, const Rest&... rest) {
  How::run(values, dst, y, x, first, n, o);
  join_operands<How>(values, dst, y, x, first, n, rest...);
}

// Returns whether every row of all operands is one run with as many elements as a row of the output.
N2D2_INLINE bool all_dense(const Plane&) {
  return true;
}
template <class P, class In, class... Rest>
N2D2_INLINE bool all_dense(const Plane& dst, const Operand<P, In>& o, const Rest&... rest) {
  const Plane src = in_plane(o.c);
  return src.dense_rows() && src.w == dst.w && src.c == dst.c && all_dense(dst, rest...);
}

// Whether operands are bytes; forms for an instruction set take no others.
template <class... Operands>
struct AreBytes {
  enum { kYes = 1 };
};
template <class P, class In, class... Rest>
struct AreBytes<Operand<P, In>, Rest...> {
  enum { kYes = sizeof(In) == 1 && AreBytes<Rest...>::kYes };
};

// Computes a run of up to 16 elements in a form of its own; a variant (`sum` in kernels.list) specialises it.
template <class How, class Out>
struct ElemwiseForm {
  enum { kThere = 0 };
  template <class C, class... Operands>
  static N2D2_INLINE void run(const C&, Out*, const Plane&, int, int, int, int, const Operands&...) {}
};

template <class How, class Out, int bytes>
struct ElemwiseFormOf : ElemwiseForm<How, Out> {};
template <class How, class Out>
struct ElemwiseFormOf<How, Out, 0> : ElemwiseForm<How, void> {};

template <class How, class Out, class C, class... Operands>
N2D2_INLINE void elemwise_run(const C& c, Out* out, int y, int x, int first, int n,
                              const Operands&... operands) {
  typedef typename How::template Of<Out>::Value Value;
  typedef ElemwiseFormOf<How, Out, AreBytes<Operands...>::kYes> Form;
  const Plane dst = out_plane(c);
  Out* to = out + dst.row_at(y) + dst.pixel_at(x) + first;
  static_assert(!Form::kThere || static_cast<int>(RunOf<Value>::kSize) <= 16,
                "a run of a form has 16 elements");
  if (Form::kThere) return Form::run(c, to, dst, y, x, first, n, operands...);
  Value values[RunOf<Value>::kSize];
  for (int i = 0; i < n; ++i) values[i] = How::template start<Value>(c);
  join_operands<How>(values, dst, y, x, first, n, operands...);
  for (int i = 0; i < n; ++i) to[i] = How::template finish<Out>(c, values[i]);
}

template <class How, class C, class Out, class... Operands>
N2D2_INLINE void elemwise(const C& c, Rows rows, Out* out, const Operands&... operands) {
  enum { kRun = RunOf<typename How::template Of<Out>::Value>::kSize };
  const Plane dst = out_plane(c);
  const bool dense = dst.dense_rows() && all_dense(dst, operands...);
  const int width = dense ? 1 : dst.w;
  const int length = dense ? dst.w * dst.c : dst.c;
  const int whole = length / kRun * kRun;
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < width; ++x) {
      const int y = scan(c.bottom_up, r, rows);
      for (int first = 0; first < whole; first += kRun)
        elemwise_run<How>(c, out, y, x, first, kRun, operands...);
      if (whole < length) elemwise_run<How>(c, out, y, x, whole, length - whole, operands...);
    }
}

// Computes whole rows in a form of its own, where it fits; a variant (`sum` in kernels.list) specialises it.
template <class Out>
struct SumRows {
  enum { kThere = 0 };
  template <class... Layer>
  static N2D2_INLINE bool fits(const Layer&...) {
    return false;
  }
  template <class... Layer>
  static N2D2_INLINE void run(const Layer&...) {}
};

template <class Out, int bytes>
struct SumRowsOf : SumRows<Out> {};
template <class Out>
struct SumRowsOf<Out, 0> : SumRows<void> {};

template <class C, class Out, class... Operands>
N2D2_INLINE void sum(const C& c, Rows rows, Out* out, const Operands&... operands) {
  typedef SumRowsOf<Out, AreBytes<Operands...>::kYes> Form;
  if (Form::kThere && Form::fits(c, operands...)) return Form::run(c, rows, out, operands...);
  elemwise<Adding>(c, rows, out, operands...);
}

}  // namespace N2D2_EXPORT_NAMESPACE

#include "sum_variants.hpp"
