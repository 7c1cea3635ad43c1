// Answers: how do compilers without GNU assembly turn sums into bytes with MVE?
// Part of an exported project; may be used without condition.
//
// It has no config fields; its functions are those of ends_mve.hpp, by the intrinsics of arm_mve.h.
// Stack: 200 bytes. Scratch: none.
#pragma once

#include "ends_mve.hpp"

#if defined(N2D2_ISA_MVE) && !N2D2_MVE_ASSEMBLY

#include <arm_mve.h>

namespace N2D2_EXPORT_NAMESPACE {

// Factors of a type, and sums times factors, rounded.
template <class Factor>
struct MveScale;
template <>
struct MveScale<int32_t> {
  typedef int32x4_t Vector;
  static N2D2_INLINE Vector load(const void* from) { return vldrwq_s32(static_cast<const int32_t*>(from)); }
  static N2D2_INLINE int32x4_t run(int32x4_t sums, Vector factors) { return vrmulhq_s32(sums, factors); }
};
#if __ARM_FEATURE_MVE & 2
template <>
struct MveScale<float> {
  typedef float32x4_t Vector;
  static N2D2_INLINE Vector load(const void* from) { return vldrwq_f32(static_cast<const float*>(from)); }
  static N2D2_INLINE int32x4_t run(int32x4_t sums, Vector factors) {
    return vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(sums), factors));
  }
};
#endif

// Stores values of 16 outputs: those 4 * i + j are in v[j]. The bytes that `there` has are written.
template <class Out>
N2D2_INLINE void mve_narrow(const int32x4_t* v, Out* out, mve_pred16_t there) {
  int16x8_t even = vdupq_n_s16(0), odd = vdupq_n_s16(0);
  even = vqmovntq_s32(vqmovnbq_s32(even, v[0]), v[2]);
  odd = vqmovntq_s32(vqmovnbq_s32(odd, v[1]), v[3]);
  if (MveBounds<Out>::kSigned) {
    int8x16_t bytes = vdupq_n_s8(0);
    bytes = vqmovntq_s16(vqmovnbq_s16(bytes, even), odd);
    vstrbq_p_s8(reinterpret_cast<int8_t*>(out), bytes, there);
  } else {
    uint8x16_t bytes = vdupq_n_u8(0);
    bytes = vqmovuntq_s16(vqmovunbq_s16(bytes, even), odd);
    vstrbq_p_u8(reinterpret_cast<uint8_t*>(out), bytes, there);
  }
}

template <class Factor, class Out>
struct MveAcleEnd {
  typedef MveScale<Factor> Scale;

  static N2D2_MVE_SHARED void few(const int32_t* sums, const void* factor, void* out, int n) {
    for (int done = 0; done < n; done += 4) {
      const mve_pred16_t there = vctp32q(static_cast<uint32_t>(n - done));
      const int32x4_t lo = vdupq_n_s32(MveBounds<Out>::lo), hi = vdupq_n_s32(MveBounds<Out>::hi);
      const int32x4_t scaled = Scale::run(vldrwq_z_s32(sums + done, there),
                                          load(static_cast<const Factor*>(factor) + done, there));
      vstrbq_p_s32(static_cast<int8_t*>(out) + done, vminq_s32(vmaxq_s32(scaled, lo), hi), there);
    }
  }
  static N2D2_MVE_SHARED void two(const int32_t* sums, const void* factor, void* first, void* second) {
    one(sums, static_cast<const Factor*>(factor), static_cast<Out*>(first));
    one(sums + kMveOutputs, static_cast<const Factor*>(factor), static_cast<Out*>(second));
  }

 private:
  static N2D2_INLINE int32x4_t load(const int32_t* from, mve_pred16_t there) {
    return vldrwq_z_s32(from, there);
  }
#if __ARM_FEATURE_MVE & 2
  static N2D2_INLINE float32x4_t load(const float* from, mve_pred16_t there) {
    return vldrwq_z_f32(from, there);
  }
  static N2D2_INLINE float32x4x4_t load4(const float* from) {
    return vld4q_f32(from);
  }
#endif
  static N2D2_INLINE int32x4x4_t load4(const int32_t* from) {
    return vld4q_s32(from);
  }
  static N2D2_INLINE void one(const int32_t* sums, const Factor* factor, Out* out) {
    const int32x4x4_t s = vld4q_s32(sums);
    const auto f = load4(factor);
    const int32x4_t v[4] = {Scale::run(s.val[0], f.val[0]), Scale::run(s.val[1], f.val[1]),
                            Scale::run(s.val[2], f.val[2]), Scale::run(s.val[3], f.val[3])};
    mve_narrow(v, out, vctp8q(kMveOutputs));
  }
};

template <>
struct MveEnd<int32_t, uint8_t> : MveAcleEnd<int32_t, uint8_t> {};
template <>
struct MveEnd<int32_t, int8_t> : MveAcleEnd<int32_t, int8_t> {};
#if __ARM_FEATURE_MVE & 2
template <>
struct MveEnd<float, uint8_t> : MveAcleEnd<float, uint8_t> {};
template <>
struct MveEnd<float, int8_t> : MveAcleEnd<float, int8_t> {};
#endif

}  // namespace N2D2_EXPORT_NAMESPACE

#endif
