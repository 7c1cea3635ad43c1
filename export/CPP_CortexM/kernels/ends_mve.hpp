// Answers: how do MVE instructions turn sums into bytes?
// Part of an exported project; may be used without condition.
//
// It has no config fields; conv2d_mve.hpp and fc_mve.hpp share it. The bytes are those of rescale.hpp with
// the bounds of the output's type, factors float, or int32_t with shift 32. Narrowing saturates, which is
// the clamp. Float factors need MVE with floating point; without it they take the portable form.
// Alignment: sums and factors to 4 bytes. Stack: at most 64 bytes. Scratch: none.
#pragma once

#include "rescale.hpp"
#include "tile_mve.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Ends of sums: `two` stores 16 outputs of two pixels from sums[0..15] and sums[16..31], `few` stores n
// outputs, 1 to 16, of one pixel.
struct MveEnds {
  void (*two)(const int32_t* sums, const void* factor, void* first, void* second);
  void (*few)(const int32_t* sums, const void* factor, void* out, int n);
};

// Bounds of a type and the shift of its factors, as rescale.hpp reads them.
template <class Out>
struct MveBounds {
  enum { kSigned = static_cast<Out>(-1) < static_cast<Out>(1) ? 1 : 0 };
  static constexpr int lo = kSigned ? -128 : 0, hi = kSigned ? 127 : 255, shift = 32;
};

template <class Factor, class Out>
struct MveEnd {
  static N2D2_MVE_SHARED void few(const int32_t* sums, const void* factor, void* out, int n) {
    for (int i = 0; i < n; ++i)
      static_cast<Out*>(out)[i] =
          rescale<Out>(MveBounds<Out>(), sums[i], static_cast<const Factor*>(factor)[i]);
  }
  static N2D2_MVE_SHARED void two(const int32_t* sums, const void* factor, void* first, void* second) {
    few(sums, factor, first, kMveOutputs);
    few(sums + kMveOutputs, factor, second, kMveOutputs);
  }
};

#if defined(N2D2_ISA_MVE) && N2D2_MVE_ASSEMBLY

// Sums and factors are read with a stride of 4, so that narrowing puts the bytes in order.
#define N2D2_MVE_LOAD4(Q, P)                                                                              \
  "vld40.32 {" Q "},[" P "]\n vld41.32 {" Q "},[" P "]\n vld42.32 {" Q "},[" P "]\n vld43.32 {" Q "},[" P \
  "]!\n"
#define N2D2_MVE_NARROW4(SIGN, P)                                                   \
  "vqmovnb.s32 q0,q0\n vqmovnb.s32 q1,q1\n vqmovnt.s32 q0,q2\n vqmovnt.s32 q1,q3\n" \
  "vqmov" SIGN "nb.s16 q0,q0\n vqmov" SIGN "nt.s16 q0,q1\n vstrb.8 q0,[" P "]\n"
#define N2D2_MVE_FLOAT(S, F) \
  "vcvt.f32.s32 " S "," S "\n vmul.f32 " S "," S "," F "\n vcvtn.s32.f32 " S "," S "\n"
#define N2D2_MVE_FIXED(S, F) "vrmulh.s32 " S "," S "," F "\n"

#define N2D2_MVE_ENDS(Factor, Out, SCALE, SIGN)                                                             \
  template <>                                                                                               \
  N2D2_ASSEMBLY void MveEnd<Factor, Out>::two(const int32_t*, const void*, void*, void*) {                  \
    __asm__ volatile("vpush {d8-d15}\n" N2D2_MVE_LOAD4("q4,q5,q6,q7", "r1") N2D2_MVE_LOAD4(                 \
        "q0,q1,q2,q3", "r0") SCALE("q0", "q4") SCALE("q1", "q5") SCALE("q2", "q6") SCALE("q3", "q7")        \
                         N2D2_MVE_NARROW4(SIGN, "r2") N2D2_MVE_LOAD4("q0,q1,q2,q3", "r0") SCALE("q0", "q4") \
                             SCALE("q1", "q5") SCALE("q2", "q6") SCALE("q3", "q7")                          \
                                 N2D2_MVE_NARROW4(SIGN, "r3") "vpop {d8-d15}\n bx lr\n");                   \
  }                                                                                                         \
  template <>                                                                                               \
  N2D2_ASSEMBLY void MveEnd<Factor, Out>::few(const int32_t*, const void*, void*, int) {                    \
    __asm__ volatile(                                                                                       \
        "push {r4,lr}\n dlstp.32 lr,r3\n"                                                                   \
        "1: vldrw.u32 q0,[r0],#16\n vldrw.u32 q1,[r1],#16\n" SCALE(                                         \
            "q0", "q1") "vqmovnb.s32 q0,q0\n vqmov" SIGN                                                    \
                        "nb.s16 q0,q0\n vstrb.32 q0,[r2],#4\n letp lr,1b\n pop {r4,pc}\n");                 \
  }

N2D2_MVE_ENDS(int32_t, uint8_t, N2D2_MVE_FIXED, "u")
N2D2_MVE_ENDS(int32_t, int8_t, N2D2_MVE_FIXED, "")
#if __ARM_FEATURE_MVE & 2
N2D2_MVE_ENDS(float, uint8_t, N2D2_MVE_FLOAT, "u")
N2D2_MVE_ENDS(float, int8_t, N2D2_MVE_FLOAT, "")
#endif

#endif

// The ends of outputs of a type with factors of a type.
template <class Factor, class Out>
N2D2_INLINE MveEnds mve_ends() {
  const MveEnds ends = {MveEnd<Factor, Out>::two, MveEnd<Factor, Out>::few};
  return ends;
}

}  // namespace N2D2_EXPORT_NAMESPACE

#if defined(N2D2_ISA_MVE) && !N2D2_MVE_ASSEMBLY
#include "ends_mve_acle.hpp"
#endif
