// Answers: what stands in a blob of loopback?
// Part of an exported project; may be used without condition.
//
// Words of 32 bits in the machine's order, the first of them kMagic (so that another order is found out),
// then arrays:
//
//   kMagic  bytes in all  inputs  outputs  calls  whether init keeps a copy of it behind the handle
//   input or output:  offset  w  h  bytes of a pixel's channels  pixel  row  ring  first  turn
//   call:             words in all  kernel  type of in  type of out  factors are multipliers  first row  rows
//                     debug handle or -1  inputs  offset of each  offset of the output  offsets of three
//                     constants the members of the kernel's config, then for `sum` those of each operand
//   constants, aligned to 16 bytes
//
// Offsets of maps count from the start of the scratch, those of constants from the start of the blob.
#pragma once

#include <stddef.h>
#include <stdint.h>

// clang-format off: version 14 does not come to an end with these lists

// Members of the kernels' configs in the order of their words; Bound and Factor are int or float.
#define N2D2_LOOPBACK_IN(V) \
  V(int, in_w)              \
  V(int, in_h)              \
  V(int, in_c)              \
  V(ptrdiff_t, in_pixel) V(ptrdiff_t, in_row) V(int, in_ring) V(int, in_first) V(ptrdiff_t, in_turn)
#define N2D2_LOOPBACK_PLANES(V) \
  N2D2_LOOPBACK_IN(V)           \
  V(int, out_w)                 \
  V(int, out_h)                 \
  V(int, out_c)                 \
  V(ptrdiff_t, out_pixel)       \
  V(ptrdiff_t, out_row)         \
  V(int, out_ring) V(int, out_first) V(ptrdiff_t, out_turn) V(int, bottom_up) V(int, ordered)
#define N2D2_LOOPBACK_RESCALED(V) \
  N2D2_LOOPBACK_PLANES(V) V(Bound, lo) V(Bound, hi) V(int, shift) V(int, factor_step)
#define N2D2_LOOPBACK_CONV(V) \
  N2D2_LOOPBACK_RESCALED(V)   \
  V(int, kernel_w)            \
  V(int, kernel_h)            \
  V(int, stride_x)            \
  V(int, stride_y)            \
  V(int, dilation_x) V(int, dilation_y) V(int, pad_x) V(int, pad_y) V(int, groups) V(int, parallel)
#define N2D2_LOOPBACK_BORDERED(V) \
  N2D2_LOOPBACK_CONV(V)           \
  V(int, border_top)              \
  V(int, border_bottom)           \
  V(int, border_left) V(int, border_right) V(int, packed) V(int, matrix) V(int, small_factors)
#define N2D2_LOOPBACK_DEPTHWISE(V) N2D2_LOOPBACK_CONV(V) V(int, whole_rows) V(int, small_factors)
#define N2D2_LOOPBACK_COUNTED(V) \
  V(int, by_count) V(int, counted_x) V(int, counted_y) V(int, counted_w) V(int, counted_h)
#define N2D2_LOOPBACK_POOL(V) \
  N2D2_LOOPBACK_RESCALED(V)   \
  N2D2_LOOPBACK_COUNTED(V)    \
  V(int, pool_w)              \
  V(int, pool_h)              \
  V(int, stride_x) V(int, stride_y) V(int, pad_x) V(int, pad_y) V(int, count_zeros) V(int, parallel)
#define N2D2_LOOPBACK_FC(V) N2D2_LOOPBACK_RESCALED(V) V(int, parallel) V(int, packed) V(int, small_factors)
#define N2D2_LOOPBACK_CONCAT(V) N2D2_LOOPBACK_PLANES(V) V(int, out_offset)
#define N2D2_LOOPBACK_PADDING(V) N2D2_LOOPBACK_PLANES(V) V(int, left) V(int, top)
#define N2D2_LOOPBACK_OPERAND(V) N2D2_LOOPBACK_IN(V) V(Factor, multiplier) V(int, is_signed)

// V(kernel, members of its config); the number of a kernel is its place in this list.
#define N2D2_LOOPBACK_KERNELS(V)               \
  V(average_pool, N2D2_LOOPBACK_POOL)          \
  V(concat_part, N2D2_LOOPBACK_CONCAT)         \
  V(conv2d, N2D2_LOOPBACK_BORDERED)            \
  V(conv2d_depthwise, N2D2_LOOPBACK_DEPTHWISE) \
  V(fc, N2D2_LOOPBACK_FC)                      \
  V(max_pool, N2D2_LOOPBACK_POOL)              \
  V(pad_map, N2D2_LOOPBACK_PADDING)            \
  V(reshape_copy, N2D2_LOOPBACK_PLANES)        \
  V(scaling, N2D2_LOOPBACK_RESCALED)           \
  V(sum, N2D2_LOOPBACK_RESCALED)

// clang-format on

namespace N2D2_Export {
namespace loopback {

enum { kMagic = 0x424c324e };
enum { kHeaderWords = 6, kEndWords = 9, kCallWords = 9, kConstants = 3, kAlignment = 16, kMaxOperands = 8 };
enum ElementKind { kU8, kI8, kU16, kI16, kFloat };

#define N2D2_LOOPBACK_NUMBER(kernel, members) kernel_##kernel,
enum KernelNumber { N2D2_LOOPBACK_KERNELS(N2D2_LOOPBACK_NUMBER) kKernels };
#undef N2D2_LOOPBACK_NUMBER

// What the functions return.
enum Code {
  kDone,
  kHandleLost,   // execute: the handle is not what init made of it
  kBlobBroken,   // init: not a blob, or cut short
  kNotCompiled,  // init: a kernel or a type of elements that is not compiled in (N2D2_LOOPBACK_SOME)
};

}  // namespace loopback
}  // namespace N2D2_Export
