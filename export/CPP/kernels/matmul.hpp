// Answers: what are the products of the matrices of two maps, one for each group of channels?
// Part of an exported project; may be used without condition.
//
// Rows of the matrices are pixels, counted through rows of a map. Channel j of group g of pixel p is
//   transposed = 0: y = rescale(start + sum over pixels k of b of (a_p,gk - z_a) (b_k,gj - z_b), factor)
//   transposed = 1: y = rescale(start + sum over channels k of (a_p,gk - z_a) (b_j,gk - z_b), factor)
// In a float network y = clamp(factor * sum). Config fields are out_*, bottom_up of plane.hpp; lo, hi, shift
// of rescale.hpp; and
//   transposed          1: rows of the second matrix are its columns
//   groups              blocks of channels of a, of b and of the output
//   depth               products that a sum adds up: channels of a block of a
//   start               int64_t; a config without it has 0
//   is_fixed            1: the factor is `multiplier`, int; 0: `factor`, float
//   multiplier, factor  the factor; one of the two is read, `factor` in a float network
// Config fields of an operand: in_* of plane.hpp, and
//   is_signed           1: elements are signed integers of their size, 0: they are unsigned, whatever the
//                       type of the pointer; not read in a float network
//   zero                z, an integer; a config without it has 0
// A call is matmul(c, rows, out, operand(c0, a), operand(c1, b)). Sums fit the accumulator (SumOf).
// The output must not overlap b; it may use rows of a that are done with.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "product.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// A pixel of a map that is visited row by row.
struct PixelOf {
  const Plane& plane;
  int x, y;
  N2D2_INLINE ptrdiff_t at() const { return plane.row_at(y) + plane.pixel_at(x); }
  N2D2_INLINE void next() {
    if (++x < plane.w) return;
    x = 0;
    ++y;
  }
};

template <class Out, class C>
N2D2_INLINE Out finish_product(const C& c, int32_t sum) {
  return Multiplying::finish<Out>(c, sum);
}
template <class Out, class C>
N2D2_INLINE Out finish_product(const C& c, int64_t sum) {
  return Multiplying::finish<Out>(c, sum);
}
template <class Out, class C>
N2D2_INLINE Out finish_product(const C& c, float sum) {
  return clamp_to<Out>(c, c.factor * sum);
}

// Sums of a run of columns: a row of a with rows, or with columns, of b.
template <class A, class B, class Sum, class C, class InA, class InB>
N2D2_INLINE void product_sums(const C& c, const InA* a, Sum zero_a, const InB* b, Sum zero_b,
                              const Plane& of_b, int first, int n, Sum* sums) {
  PixelOf pixel = {of_b, 0, 0};
  for (int i = 0; i < n; ++i) sums[i] = 0;
  if (c.transposed) {
    pixel.y = first / of_b.w;
    pixel.x = first % of_b.w;
    for (int i = 0; i < n; ++i, pixel.next()) {
      const InB* row = b + pixel.at();
      Sum sum = 0;
      for (int k = 0; k < c.depth; ++k)
        sum += (static_cast<Sum>(static_cast<A>(a[k])) - zero_a) *
               (static_cast<Sum>(static_cast<B>(row[k])) - zero_b);
      sums[i] = sum;
    }
    return;
  }
  for (int k = 0; k < c.depth; ++k, pixel.next()) {
    const InB* row = b + pixel.at() + first;
    const Sum value = static_cast<Sum>(static_cast<A>(a[k])) - zero_a;
    for (int i = 0; i < n; ++i) sums[i] += value * (static_cast<Sum>(static_cast<B>(row[i])) - zero_b);
  }
}

template <class ElementA, class ElementB, class C, class Out, class P, class InA, class Q, class InB>
N2D2_INLINE void matmul_of(const C& c, Rows rows, Out* out, const Operand<P, InA>& a,
                           const Operand<Q, InB>& b) {
  typedef typename SumOf<Out>::type Sum;
  enum { kRun = RunOf<Sum>::kSize };
  const Plane dst = out_plane(c), of_a = in_plane(a.c), of_b = in_plane(b.c);
  const int columns = dst.c / c.groups, width = of_b.c / c.groups;
  const Sum zero_a = static_cast<Sum>(zero_of(a.c)), zero_b = static_cast<Sum>(zero_of(b.c));
  for (int r = 0; r < rows.count; ++r)
    for (int x = 0; x < dst.w; ++x) {
      const int y = scan(c.bottom_up, r, rows);
      Out* to = out + dst.row_at(y) + dst.pixel_at(x);
      const InA* row = a.data + of_a.row_at(y) + of_a.pixel_at(x);
      for (int g = 0; g < c.groups; ++g)
        for (int first = 0; first < columns; first += kRun) {
          const int n = smaller(kRun, columns - first);
          Sum sums[kRun];
          product_sums<ElementA, ElementB>(c, row + g * c.depth, zero_a, b.data + g * width, zero_b, of_b,
                                           first, n, sums);
          for (int i = 0; i < n; ++i) to[g * columns + first + i] = finish_product<Out>(c, sums[i]);
        }
    }
}

template <class C, class Out, class P, class InA, class Q, class InB>
N2D2_INLINE void matmul(const C& c, Rows rows, Out* out, const Operand<P, InA>& a, const Operand<Q, InB>& b) {
  typedef Reading<InA> OfA;
  typedef Reading<InB> OfB;
  if (a.c.is_signed && b.c.is_signed)
    matmul_of<typename OfA::Signed, typename OfB::Signed>(c, rows, out, a, b);
  else if (a.c.is_signed)
    matmul_of<typename OfA::Signed, typename OfB::Unsigned>(c, rows, out, a, b);
  else if (b.c.is_signed)
    matmul_of<typename OfA::Unsigned, typename OfB::Signed>(c, rows, out, a, b);
  else
    matmul_of<typename OfA::Unsigned, typename OfB::Unsigned>(c, rows, out, a, b);
}

}  // namespace N2D2_EXPORT_NAMESPACE
