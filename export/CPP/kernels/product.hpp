// Answers: what is the product of any number of tensors, each with a scale of its own?
// Part of an exported project; may be used without condition.
//
// y = rescale(start + product over operands of (x_p - z_p), factor). In a float network y = clamp(product of
// x_p). Config fields are out_*, bottom_up of plane.hpp; lo, hi, shift of rescale.hpp; and
//   start               int64_t; a config without it has 0
//   is_fixed            1: the factor is `multiplier`, int; 0: `factor`, float. Not read in a float network
//   multiplier, factor  the factor; one of the two is read
// Config fields of an operand: in_* as elemwise.hpp says, and
//   is_signed           as elemwise.hpp says
//   zero                z_p, an integer; a config without it has 0
// A call is product(c, rows, out, operand(c0, in0), ...). The product fits the accumulator (SumOf). The
// output may start exactly on any operand of its size.
// Stack: at most kStackBytes (plane.hpp) in the portable form. Scratch: none.
#pragma once

#include "elemwise.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// The integer of an operand that stands for 0.
N2D2_OPTIONAL_FIELD(int, zero_of, zero)

template <class Sum>
struct Multiply {
  Sum zero;
  N2D2_INLINE Sum operator()(Sum value, Sum x) const { return value * (x - zero); }
};

struct Multiplying {
  template <class Out>
  struct Of {
    typedef typename SumOf<Out>::type Value;
  };
  template <class Product, class C>
  static N2D2_INLINE Product start(const C&) {
    return 1;
  }
  template <class Product, class P, class In>
  static N2D2_INLINE void run(Product* values, const Plane& dst, int y, int x, int first, int n,
                              const Operand<P, In>& o) {
    const Multiply<Product> join = {static_cast<Product>(zero_of(o.c))};
    join_operand(values, dst, y, x, first, n, o, join);
  }
  template <class Out, class C, class Product>
  static N2D2_INLINE Out finish(const C& c, Product product) {
    product += static_cast<Product>(start_of(c));
    return c.is_fixed ? rescale<Out>(c, product, static_cast<int32_t>(c.multiplier))
                      : rescale<Out>(c, product, static_cast<float>(c.factor));
  }
  template <class Out, class C>
  static N2D2_INLINE Out finish(const C& c, float product) {
    return clamp_to<Out>(c, product);
  }
};

template <class C, class Out, class... Operands>
N2D2_INLINE void product(const C& c, Rows rows, Out* out, const Operands&... operands) {
  elemwise<Multiplying>(c, rows, out, operands...);
}

}  // namespace N2D2_EXPORT_NAMESPACE
