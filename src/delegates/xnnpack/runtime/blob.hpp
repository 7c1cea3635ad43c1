// Answers: what stands in a blob of xnnpack?
// Part of an exported project; may be used without condition.
//
//   Header   Map for each input, then each output   Step for each step   scales, biases, weights
//
// Words are in the machine's order, the first of them kMagic (so that another order is found out). Maps lie
// in the scratch, pixel after pixel, as bytes that XNNPACK calls qs8 of scale 1: those of an unsigned map
// less 128, with zero point -128.
#pragma once

#include <stdint.h>

namespace N2D2_Export {
namespace xnnpack {

enum { kMagic = 0x31504e58 };
// Bytes behind each map that XNNPACK may read (XNN_EXTRA_BYTES).
enum { kSpare = 16 };

// Bytes of a handle: kHandleBytes, kMapBytes for each map, kWorkBytes for each step. As on the widest
// machine.
enum { kHandleBytes = 24, kMapBytes = 16, kWorkBytes = 32 };

// What the functions return; where XNNPACK says no: (1 + index of the step) * 256 + its status.
enum { kDone = 0, kBlobBroken = 1, kHandleLost = 2, kNoLibrary = 3 };

enum Kind { kConvolution = 0, kMaxPool = 1 };

struct Header {
  int32_t magic, bytes, inputs, outputs, steps;
};

// A map that comes in or goes out.
struct Map {
  int32_t place;  // in the scratch
  int32_t pixels, channels;
  int32_t is_unsigned;
};

struct Step {
  int32_t kind, debug_handle;
  int32_t in, out;  // places in the scratch
  int32_t in_h, in_w, in_c, out_c;
  int32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
  int32_t top, right, bottom, left;
  int32_t groups;
  int32_t in_zero, out_zero, lo, hi;  // zero points, and bounds of the output as it lies in the scratch
  // Offsets in the blob: a factor and a bias for each output, weights [output][kernel_h][kernel_w][in_c /
  // groups].
  int32_t scales, biases, weights;
};

}  // namespace xnnpack
}  // namespace N2D2_Export
