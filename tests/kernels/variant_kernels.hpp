// Answers: what does a test call of the kernels that were compiled for one instruction set?
//
// Known to files of any instruction set: plain data and pointers only.
#pragma once

#include <cstdint>

#include "kernels/layer_config.hpp"

namespace n2d2::kernels_test {

// Arrays of a layer of bytes; signed or not as the function says.
struct VariantArrays {
  const void* in;
  void* out;
  const int8_t* weights;  // or bytes of narrow weights
  const int32_t* bias;
  const float* factor;
  const int32_t* multiplier;
  int first_row, rows;  // of the output that are made
};

using VariantCall = void (*)(const Config<int>&, const VariantArrays&);

// Ways to store narrow weights: narrow.hpp.
struct NarrowKind {
  int bits;
  bool is_odd;
};
constexpr NarrowKind kNarrowKinds[] = {{4, false}, {4, true}, {2, false}, {2, true}, {1, true}};
constexpr int kNarrow = 5;
// Convolutions, which take long to compile, are tried with two of them: [signed input].
constexpr int kNarrowConvs[2][2] = {{0, 4}, {1, 2}};

struct PickedForm {
  const char *unit, *variant;
};

struct VariantTable {
  const PickedForm* picked;  // of each unit; ends with null
  bool packed;               // weights are read in the order of packed.hpp
  bool tiles;                // products of pixels are added by AMX
  // [signed input][signed output]; floating-point rescaling, but fixed_*.
  // sum: added to what lies where the output goes.
  VariantCall conv[2][2], fixed_conv[2][2], sum[2][2], depthwise_conv[2][2], fixed_depthwise[2][2], fc[2][2],
      scaling[2][2];
  VariantCall average_pool[2][2], max_pool[2];
  // [signed input][outputs of 16 or of 32 bits]; fixed-point rescaling.
  VariantCall wide_conv[2][2], wide_depthwise[2][2], wide_fc[2][2], wide_average_pool[2][2];
  // Narrow weights, outputs of the sign of the inputs: [signed input][one of kNarrowConvs, of kNarrowKinds].
  VariantCall narrow_conv[2][2], narrow_fc[2][kNarrow];
};

}  // namespace n2d2::kernels_test
