// The kernels on bytes, compiled for one instruction set: see n2d2_kernel_variant_objects.
#include "kernels/variant_kernels.hpp"

#include <type_traits>

#include "conv.hpp"
#include "conv_depthwise.hpp"
#include "elemwise.hpp"
#include "fc.hpp"
#include "pool.hpp"
#include "scaling.hpp"

namespace kernels = N2D2_EXPORT_NAMESPACE;

namespace n2d2::kernels_test::N2D2_VARIANT {

const VariantTable& table();

namespace {

const PickedForm kPicked[] = {
#define N2D2_KERNEL_PICKED(unit, variant) {#unit, #variant},
#include "picked_variants.inc"
#undef N2D2_KERNEL_PICKED
    {nullptr, nullptr}};

kernels::Rows rows(const VariantArrays& a) {
  return {a.first_row, a.rows};
}

struct SumOperand {
  int in_w, in_h, in_c, in_pixel, in_row, in_ring, in_first, in_turn;
  int32_t multiplier;
  int is_signed;
};

template <class In, class Out>
struct Calls {
  static const In* in(const VariantArrays& a) { return static_cast<const In*>(a.in); }
  static Out* out(const VariantArrays& a) { return static_cast<Out*>(a.out); }

  static void conv(const Config<int>& c, const VariantArrays& a) {
    kernels::conv2d(c, rows(a), in(a), out(a), a.weights, a.bias, a.factor);
  }
  static void fixed_conv(const Config<int>& c, const VariantArrays& a) {
    kernels::conv2d(c, rows(a), in(a), out(a), a.weights, a.bias, a.multiplier);
  }
  // Adds the input and what is stored where the output goes.
  static void sum(const Config<int>& c, const VariantArrays& a) {
    // Sums that fit 32 bits, sums that do not, and such that do not even behind their shift.
    const int size = c.shift % 3 == 0 ? 20 : 28;
    const SumOperand from = {c.in_w,    c.in_h,     c.in_c,    c.in_pixel, c.in_row,
                             c.in_ring, c.in_first, c.in_turn, 3 << size,  std::is_signed_v<In>};
    const SumOperand old = {c.out_w,    c.out_h,     c.out_c,    c.out_pixel,        c.out_row,
                            c.out_ring, c.out_first, c.out_turn, -(5 << (size - 1)), std::is_signed_v<Out>};
    Config<int> rounded = c;
    rounded.shift = c.shift % 3 == 2 ? 3 : size + 2;
    if (c.in_c % 2 == 1) rounded.start = (int64_t{c.in_c - 20} << rounded.shift) + c.in_w * 12345;
    kernels::sum(rounded, rows(a), out(a), kernels::operand(from, in(a)),
                 kernels::operand(old, static_cast<const Out*>(out(a))));
  }
  template <int kKind>
  static auto narrow(const VariantArrays& a) {
    constexpr NarrowKind kHeld = kNarrowKinds[kKind];
    return kernels::narrow < kHeld.bits, kHeld.is_odd ? 1 : 0 > (reinterpret_cast<const uint8_t*>(a.weights));
  }
  template <int kKind>
  static void narrow_conv(const Config<int>& c, const VariantArrays& a) {
    kernels::conv2d(c, rows(a), in(a), out(a), narrow<kKind>(a), a.bias, a.factor);
  }
  template <int kKind>
  static void narrow_fc(const Config<int>& c, const VariantArrays& a) {
    kernels::fc(c, rows(a), in(a), out(a), narrow<kKind>(a), a.bias, a.factor);
  }
  static void depthwise_conv(const Config<int>& c, const VariantArrays& a) {
    kernels::conv2d_depthwise(c, rows(a), in(a), out(a), a.weights, a.bias, a.factor);
  }
  static void fixed_depthwise(const Config<int>& c, const VariantArrays& a) {
    kernels::conv2d_depthwise(c, rows(a), in(a), out(a), a.weights, a.bias, a.multiplier);
  }
  static void fc(const Config<int>& c, const VariantArrays& a) {
    kernels::fc(c, rows(a), in(a), out(a), a.weights, a.bias, a.factor);
  }
  static void fixed_fc(const Config<int>& c, const VariantArrays& a) {
    kernels::fc(c, rows(a), in(a), out(a), a.weights, a.bias, a.multiplier);
  }
  static void fixed_average_pool(const Config<int>& c, const VariantArrays& a) {
    kernels::average_pool(c, rows(a), in(a), out(a), a.multiplier);
  }
  static void scaling(const Config<int>& c, const VariantArrays& a) {
    kernels::scaling(c, rows(a), in(a), out(a), a.factor);
  }
  static void average_pool(const Config<int>& c, const VariantArrays& a) {
    kernels::average_pool(c, rows(a), in(a), out(a), a.factor);
  }
  static void max_pool(const Config<int>& c, const VariantArrays& a) {
    kernels::max_pool(c, rows(a), in(a), out(a));
  }
};

using UU = Calls<uint8_t, uint8_t>;
using US = Calls<uint8_t, int8_t>;
using SU = Calls<int8_t, uint8_t>;
using SS = Calls<int8_t, int8_t>;
using U16 = Calls<uint8_t, int16_t>;
using U32 = Calls<uint8_t, int32_t>;
using S16 = Calls<int8_t, int16_t>;
using S32 = Calls<int8_t, int32_t>;

}  // namespace

const VariantTable& table() {
#define N2D2_FOUR(call)     \
  {                         \
    {UU::call, US::call}, { \
      SU::call, SS::call    \
    }                       \
  }
#define N2D2_WIDE(call)       \
  {                           \
    {U16::call, U32::call}, { \
      S16::call, S32::call    \
    }                         \
  }
#if defined(N2D2_PACKED)
  const bool packed = true;
#else
  const bool packed = false;
#endif
#if defined(N2D2_ISA_AMX)
  const bool tiles = kernels::amx_permitted();
#else
  const bool tiles = false;
#endif
  static const VariantTable all_calls = {
      kPicked,
      packed,
      tiles,
      N2D2_FOUR(conv),
      N2D2_FOUR(fixed_conv),
      N2D2_FOUR(sum),
      N2D2_FOUR(depthwise_conv),
      N2D2_FOUR(fixed_depthwise),
      N2D2_FOUR(fc),
      N2D2_FOUR(scaling),
      N2D2_FOUR(average_pool),
      {UU::max_pool, SS::max_pool},
      N2D2_WIDE(fixed_conv),
      N2D2_WIDE(fixed_depthwise),
      N2D2_WIDE(fixed_fc),
      N2D2_WIDE(fixed_average_pool),
      {{UU::narrow_conv<kNarrowConvs[0][0]>, UU::narrow_conv<kNarrowConvs[0][1]>},
       {SS::narrow_conv<kNarrowConvs[1][0]>, SS::narrow_conv<kNarrowConvs[1][1]>}},
      {{UU::narrow_fc<0>, UU::narrow_fc<1>, UU::narrow_fc<2>, UU::narrow_fc<3>, UU::narrow_fc<4>},
       {SS::narrow_fc<0>, SS::narrow_fc<1>, SS::narrow_fc<2>, SS::narrow_fc<3>, SS::narrow_fc<4>}}};
  return all_calls;
}

}  // namespace n2d2::kernels_test::N2D2_VARIANT
