// Answers: how do instructions of AArch64 that multiply by one group in a vector make a tile of sums?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list that others include. A vector of 16 inputs of a pixel
// has 4 groups, and each group is multiplied with the 4 vectors of its weights.
// Stack: as lanes_neon.hpp. Scratch: none.
#pragma once

#include "lanes_neon.hpp"

#define N2D2_PACKED_FORM

namespace N2D2_EXPORT_NAMESPACE {

// Number of groups in a vector of inputs.
enum { kLaneGroups = 4 };

// Inputs of P pixels of a tile.
template <class Inputs, int P>
struct LaneInputs {
  Inputs own;
  LaneInputs<Inputs, P - 1> rest;
};
template <class Inputs>
struct LaneInputs<Inputs, 0> {};

// Serves the pixels of a PackedPixels: Form::many loads their inputs, Form::dot<lane> multiplies them.
template <class Pixels>
struct LanePixels;
template <int First, int Count>
struct LanePixels<PackedPixels<First, Count> > {
  typedef LanePixels<PackedPixels<First - 1, Count> > Next;
  template <class Form, int P, class In>
  static N2D2_INLINE void load(LaneInputs<typename Form::Inputs, P>& all, const In* x, ptrdiff_t pixel) {
    Next::template load<Form>(all.rest, x + pixel, pixel);
  }
  template <int lane, class Form, int P, int N>
  static N2D2_INLINE void add(PackedTile<Form, P, N>& t, const LaneInputs<typename Form::Inputs, P>& x,
                              const PackedWeights<Form, N>& w) {
    Next::template add<lane>(t.rest, x.rest, w);
  }
};
template <int Count>
struct LanePixels<PackedPixels<0, Count> > {
  typedef LanePixels<PackedPixels<0, Count - 1> > Next;
  template <class Form, int P, class In>
  static N2D2_INLINE void load(LaneInputs<typename Form::Inputs, P>& all, const In* x, ptrdiff_t pixel) {
    all.own = Form::many(x);
    Next::template load<Form>(all.rest, x + pixel, pixel);
  }
  template <int lane, class Form>
  static N2D2_INLINE void add_dots(PackedSums<Form, 0>&, const typename Form::Inputs&,
                                   const PackedWeights<Form, 0>&) {}
  template <int lane, class Form, int N>
  static N2D2_INLINE void add_dots(PackedSums<Form, N>& s, const typename Form::Inputs& x,
                                   const PackedWeights<Form, N>& w) {
    s.own = Form::template dot<lane>(s.own, x, w.own);
    add_dots<lane>(s.rest, x, w.rest);
  }
  template <int lane, class Form, int P, int N>
  static N2D2_INLINE void add(PackedTile<Form, P, N>& t, const LaneInputs<typename Form::Inputs, P>& x,
                              const PackedWeights<Form, N>& w) {
    add_dots<lane>(t.own, x.own, w);
    Next::template add<lane>(t.rest, x.rest, w);
  }
};
template <>
struct LanePixels<PackedPixels<0, 0> > {
  template <class Form, int P, class In>
  static N2D2_INLINE void load(LaneInputs<typename Form::Inputs, P>&, const In*, ptrdiff_t) {}
  template <int lane, class Form, int P, int N>
  static N2D2_INLINE void add(PackedTile<Form, P, N>&, const LaneInputs<typename Form::Inputs, P>&,
                              const PackedWeights<Form, N>&) {}
};

template <int lane>
struct LaneSteps {
  template <class Pixels, class Form, int P, int N, class Weight>
  static N2D2_INLINE void add(PackedTile<Form, P, N>& t, const LaneInputs<typename Form::Inputs, P>& x,
                              const Weight* weights, ptrdiff_t block) {
    PackedWeights<Form, N> w;
    load_weights(w, weights, block);
    LanePixels<Pixels>::template add<lane>(t, x, w);
    LaneSteps<lane + 1>::template add<Pixels>(t, x, weights + packed_elements<Weight>(kPackedGroup), block);
  }
};
template <>
struct LaneSteps<kLaneGroups> {
  template <class Pixels, class Form, int P, int N, class Weight>
  static N2D2_INLINE void add(PackedTile<Form, P, N>&, const LaneInputs<typename Form::Inputs, P>&,
                              const Weight*, ptrdiff_t) {}
};

template <class T>
struct PackedGroups<PackedForm<T> > {
  template <class Pixels, int P, int N, class In, class Weight>
  static N2D2_INLINE int add(PackedTile<PackedForm<T>, P, N>& t, const In* x, ptrdiff_t pixel,
                             const Weight* weights, ptrdiff_t block, int groups) {
    typedef PackedForm<T> Form;
    const int whole = groups / kLaneGroups * kLaneGroups;
    N2D2_LOOP
    for (int g = 0; g < whole; g += kLaneGroups) {
      LaneInputs<typename Form::Inputs, P> inputs;
      LanePixels<Pixels>::template load<Form>(inputs, x + g * kPackedInputs, pixel);
      LaneSteps<0>::template add<Pixels>(t, inputs, weights + g * packed_elements<Weight>(kPackedGroup),
                                         block);
    }
    return whole;
  }
};

// What the forms for bytes of type In share; Product::dot<lane> is the instruction.
template <class In, class Product>
struct PackedLanes : NeonLanes {
  typedef NeonSums Sums;
  typedef NeonWeights Weights;
  typedef int8x16_t Inputs;
  // 20 sums, a group of weights and inputs of 5 pixels fill the registers.
  enum { kMostPixels = 5, kRegisters = 7 };

  static N2D2_INLINE const char* name() { return Product::name(); }

  typedef int32_t Group __attribute__((aligned(1), may_alias));

  // Keeps products in the order of the text: weights of several groups at once do not fit the registers.
  static N2D2_INLINE Sums in_order(Sums s) {
    __asm__ volatile("" : "+w"(s.a), "+w"(s.b), "+w"(s.c), "+w"(s.d));
    return s;
  }
  static N2D2_INLINE Inputs inputs(const In* from) {
    return vreinterpretq_s8_s32(vdupq_n_s32(*reinterpret_cast<const Group*>(from)));
  }
  static N2D2_INLINE Inputs many(const In* from) { return vld1q_s8(reinterpret_cast<const int8_t*>(from)); }
  template <int lane>
  static N2D2_INLINE Sums dot(const Sums& s, Inputs x, const Weights& w) {
    Sums sums = {Product::template dot<lane>(s.a, w.a, x), Product::template dot<lane>(s.b, w.b, x),
                 Product::template dot<lane>(s.c, w.c, x), Product::template dot<lane>(s.d, w.d, x)};
    return in_order(sums);
  }
  static N2D2_INLINE Sums dot(const Sums& s, Inputs x, const Weights& w) { return dot<0>(s, x, w); }
  static N2D2_INLINE const NeonSums& whole(const Sums& s) { return s; }
};

struct SignedProduct {
  static N2D2_INLINE const char* name() { return "packed_dotprod"; }
  template <int lane>
  static N2D2_INLINE int32x4_t dot(int32x4_t s, int8x16_t w, int8x16_t x) {
    return vdotq_laneq_s32(s, w, x, lane);
  }
};
template <>
struct PackedForm<int8_t> : PackedLanes<int8_t, SignedProduct> {
  enum { kCorrected = 0 };
  static N2D2_INLINE Sums start(const int32_t* bias, int n, int32_t) { return biases(bias, n); }
  static N2D2_INLINE int32_t total(const int8_t*, int) { return 0; }
};

}  // namespace N2D2_EXPORT_NAMESPACE
