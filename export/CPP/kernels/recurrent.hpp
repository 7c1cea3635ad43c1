// Answers: what is the state of a recurrent layer after each step of a sequence?
// Part of an exported project; may be used without condition.
//
// Steps are the pixels of the input, one row or one column. Constants: weights, a row of in_c for each
// direction, gate and unit, in this order; recurrent, a row of `hidden` for each of them; gates, which has in
// integers four words for all rows, the first of which is the shift, and four words for each row: multipliers
// of the sums over inputs and over the state, the bias, the bias inside the reset of a GRU; in floats the
// biases of each direction, those of the inputs before those of the state.
//
// Integers: 2^16 s(a) = 2^15 + T(a), 2^15 tanh(a) = T(2 a), T(a) = 2^15 tanh(a / 2) interpolated in steps of
// 1/32; arguments and states in 2^-16; each product of two of them is rounded half up. The output is
// rescaled from 2^-24, and is what the next step reads. Config fields, besides those of plane.hpp (in_, out_,
// bottom_up; out_w, out_h equal in_w, in_h, or 1) and rescale.hpp (lo, hi, shift, factor_step = 0):
//   cell          0: LSTM (gates input, output, forget, cell); 1: GRU (update, reset, new); 2: RNN
//   hidden        units of a direction
//   directions    1 or 2; out_c = directions * hidden
//   reverse       1: the only direction goes from the last step to the first, as the second of two does
//   linear        1: a GRU resets the product with the state; 0: it resets the state
//   last_step     1: one pixel, the state after the last step of each direction
// A call of some rows computes all steps before them again.
// Stack: at most kStackBytes (plane.hpp) in the portable form, without library functions. Scratch: at any
// address, hidden * (4 + size of an output * (cell == 1 && !linear ? 3 : 2)) + 3 bytes.
#pragma once

#include <math.h>

#include "rescale.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kLstm, kGru, kRnn };
enum { kGateColumns = 4 };

// 2^15 tanh(i / 64).
template <class T>
struct HalfTanh {
  static const uint16_t values[385];
};
template <class T>
const uint16_t HalfTanh<T>::values[385] = {
    0,     512,   1024,  1535,  2045,  2555,  3063,  3570,  4075,  4578,  5079,  5577,  6073,  6566,  7056,
    7542,  8025,  8505,  8980,  9452,  9919,  10382, 10840, 11294, 11743, 12186, 12625, 13058, 13486, 13909,
    14326, 14737, 15143, 15542, 15936, 16324, 16706, 17082, 17452, 17816, 18173, 18525, 18870, 19209, 19542,
    19869, 20189, 20504, 20813, 21115, 21411, 21702, 21986, 22265, 22538, 22804, 23066, 23321, 23571, 23815,
    24054, 24287, 24516, 24738, 24956, 25168, 25376, 25578, 25776, 25969, 26157, 26340, 26519, 26694, 26864,
    27029, 27191, 27348, 27502, 27651, 27797, 27938, 28076, 28211, 28341, 28469, 28592, 28713, 28830, 28944,
    29055, 29163, 29268, 29370, 29470, 29566, 29660, 29751, 29840, 29926, 30010, 30091, 30170, 30247, 30322,
    30394, 30465, 30533, 30600, 30664, 30727, 30788, 30847, 30904, 30960, 31014, 31067, 31118, 31167, 31215,
    31262, 31307, 31351, 31394, 31435, 31476, 31515, 31553, 31589, 31625, 31659, 31693, 31726, 31757, 31788,
    31817, 31846, 31874, 31901, 31928, 31953, 31978, 32002, 32025, 32048, 32070, 32091, 32112, 32132, 32151,
    32170, 32188, 32206, 32223, 32240, 32256, 32271, 32287, 32301, 32316, 32329, 32343, 32356, 32368, 32381,
    32392, 32404, 32415, 32426, 32436, 32447, 32456, 32466, 32475, 32484, 32493, 32501, 32509, 32517, 32525,
    32532, 32540, 32547, 32553, 32560, 32566, 32573, 32579, 32584, 32590, 32596, 32601, 32606, 32611, 32616,
    32620, 32625, 32629, 32634, 32638, 32642, 32646, 32649, 32653, 32657, 32660, 32663, 32667, 32670, 32673,
    32676, 32678, 32681, 32684, 32686, 32689, 32691, 32694, 32696, 32698, 32700, 32702, 32704, 32706, 32708,
    32710, 32712, 32714, 32715, 32717, 32718, 32720, 32721, 32723, 32724, 32726, 32727, 32728, 32729, 32731,
    32732, 32733, 32734, 32735, 32736, 32737, 32738, 32739, 32740, 32741, 32741, 32742, 32743, 32744, 32745,
    32745, 32746, 32747, 32747, 32748, 32749, 32749, 32750, 32750, 32751, 32751, 32752, 32752, 32753, 32753,
    32754, 32754, 32755, 32755, 32755, 32756, 32756, 32757, 32757, 32757, 32758, 32758, 32758, 32759, 32759,
    32759, 32759, 32760, 32760, 32760, 32760, 32761, 32761, 32761, 32761, 32762, 32762, 32762, 32762, 32762,
    32762, 32763, 32763, 32763, 32763, 32763, 32763, 32764, 32764, 32764, 32764, 32764, 32764, 32764, 32764,
    32765, 32765, 32765, 32765, 32765, 32765, 32765, 32765, 32765, 32765, 32765, 32766, 32766, 32766, 32766,
    32766, 32766, 32766, 32766, 32766, 32766, 32766, 32766, 32766, 32766, 32766, 32766, 32767, 32767, 32767,
    32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767,
    32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767, 32767,
    32767, 32767, 32767, 32768, 32768, 32768, 32768, 32768, 32768, 32768};

N2D2_INLINE int32_t signed_tanh(uint32_t magnitude, bool is_negative) {
  const uint16_t* const values = HalfTanh<void>::values;
  const uint32_t i = magnitude >> 11;
  int32_t v = 32768;
  if (i < 384) {
    const int32_t below = values[i];
    v = below + (((values[i + 1] - below) * static_cast<int32_t>(magnitude & 2047) + 1024) >> 11);
  }
  return is_negative ? -v : v;
}
N2D2_INLINE uint32_t magnitude_of(int32_t a) {
  return a < 0 ? 0u - static_cast<uint32_t>(a) : static_cast<uint32_t>(a);
}
// Returns 2^16 times the logistic function of a in 2^-16.
N2D2_INLINE int32_t gate_value(int32_t a) {
  return 32768 + signed_tanh(magnitude_of(a), a < 0);
}
// Returns 2^15 tanh of a in 2^-16; the magnitude of a is at most 2^30.
N2D2_INLINE int32_t tanh_value(int32_t a) {
  return signed_tanh(2 * magnitude_of(a), a < 0);
}

N2D2_INLINE int32_t saturated(int64_t x, int32_t most) {
  return static_cast<int32_t>(x < -most ? -most : (x > most ? most : x));
}
// Returns x / 2^bits, half up.
N2D2_INLINE int64_t shifted(int64_t x, int bits) {
  return (x + (static_cast<int64_t>(1) << (bits - 1))) >> bits;
}

template <class In, class Weight>
N2D2_INLINE typename SumOf<In>::type product_of(const Weight* weight, const In* x, int n) {
  typedef typename SumOf<In>::type Sum;
  Sum sum = 0;
  for (int i = 0; i < n; ++i) sum += static_cast<Sum>(weight[i]) * static_cast<Sum>(x[i]);
  return sum;
}

// One direction of a layer at one step, in integers. State: what the state products read, and what is kept.
template <class C, class In, class Out, class Factor>
struct RecurrentStep {
  typedef int32_t State;
  enum { kMostArgument = 1 << 29, kMostState = 1 << 30 };
  const C& c;
  const int8_t* weights;
  const int8_t* recurrent;
  const int32_t* gates;
  const Factor* factor;
  int shift;
  const In* x;
  const Out* h;
  State* state;

  N2D2_INLINE RecurrentStep(const C& config, const int8_t* w, const int8_t* r, const int32_t* g,
                            const Factor* f, int direction, int rows)
      : c(config),
        weights(w + static_cast<ptrdiff_t>(direction) * rows * config.in_c),
        recurrent(r + static_cast<ptrdiff_t>(direction) * rows * config.hidden),
        gates(g + kGateColumns * (1 + direction * rows)),
        factor(f),
        shift(static_cast<int>(g[0])),
        x(0),
        h(0),
        state(0) {}

  N2D2_INLINE int64_t of_input(int row) const {
    const int64_t sum = product_of(weights + static_cast<ptrdiff_t>(row) * c.in_c, x, c.in_c);
    return sum * gates[kGateColumns * row];
  }
  N2D2_INLINE int64_t of_state(int row, const Out* values) const {
    const int64_t sum = product_of(recurrent + static_cast<ptrdiff_t>(row) * c.hidden, values, c.hidden);
    return sum * gates[kGateColumns * row + 1];
  }
  N2D2_INLINE int32_t argument(int row, const Out* values) const {
    const int64_t sum = shifted(of_input(row) + of_state(row, values), shift);
    return saturated(sum + gates[kGateColumns * row + 2], kMostArgument);
  }
  N2D2_INLINE int32_t gate(int g, int j) const { return gate_value(argument(g * c.hidden + j, h)); }
  // The value is in 2^-24.
  N2D2_INLINE Out rounded(int64_t value) const {
    return rescale<Out>(c, static_cast<int32_t>(value), factor[0]);
  }

  N2D2_INLINE Out reset(int j) const {
    return rounded(shifted(static_cast<int64_t>(gate(1, j)) * state[j], 8));
  }

  N2D2_INLINE Out lstm(int j) const {
    const int64_t input = gate(0, j);
    const int64_t kept = gate(2, j);
    const int32_t fresh = tanh_value(argument(3 * c.hidden + j, h));
    state[j] = saturated(shifted(kept * state[j] + 2 * input * fresh, 16), kMostState);
    return rounded(shifted(static_cast<int64_t>(gate(1, j)) * tanh_value(state[j]), 7));
  }

  N2D2_INLINE int32_t fresh_argument(int j, const Out* reset_state) const {
    const int row = 2 * c.hidden + j;
    if (!c.linear) return argument(row, reset_state);
    const int32_t* const entry = gates + kGateColumns * row;
    const int32_t inside = saturated(shifted(of_state(row, h), shift) + entry[3], kMostArgument);
    const int32_t outside = saturated(shifted(of_input(row), shift) + entry[2], kMostArgument);
    return saturated(outside + shifted(static_cast<int64_t>(gate(1, j)) * inside, 16), kMostArgument);
  }
  N2D2_INLINE Out gru(int j, const Out* reset_state) const {
    const int64_t kept = gate(0, j);
    const int64_t fresh = tanh_value(fresh_argument(j, reset_state));
    state[j] = static_cast<int32_t>(shifted(2 * fresh * (65536 - kept) + kept * state[j], 16));
    return rounded(static_cast<int64_t>(state[j]) * 256);
  }

  N2D2_INLINE Out next(int j, const Out* reset_state) const {
    if (c.cell == kLstm) return lstm(j);
    if (c.cell == kGru) return gru(j, reset_state);
    return rounded(static_cast<int64_t>(tanh_value(argument(j, h))) * 512);
  }
};

// Does in floats what RecurrentStep does in integers.
template <class C, class Factor>
struct RecurrentStep<C, float, float, Factor> {
  typedef float State;
  const C& c;
  const float* weights;
  const float* recurrent;
  const float* gates;
  int rows;
  const float* x;
  const float* h;
  State* state;

  N2D2_INLINE RecurrentStep(const C& config, const float* w, const float* r, const float* g, const Factor*,
                            int direction, int rows_of_direction)
      : c(config),
        weights(w + static_cast<ptrdiff_t>(direction) * rows_of_direction * config.in_c),
        recurrent(r + static_cast<ptrdiff_t>(direction) * rows_of_direction * config.hidden),
        gates(g + 2 * direction * rows_of_direction),
        rows(rows_of_direction),
        x(0),
        h(0),
        state(0) {}

  N2D2_INLINE float of_input(int row) const {
    return gates[row] + product_of(weights + static_cast<ptrdiff_t>(row) * c.in_c, x, c.in_c);
  }
  N2D2_INLINE float of_state(int row, const float* values) const {
    return gates[rows + row] +
           product_of(recurrent + static_cast<ptrdiff_t>(row) * c.hidden, values, c.hidden);
  }
  N2D2_INLINE float gate(int g, int j) const {
    const int row = g * c.hidden + j;
    return 1.0f / (1.0f + expf(-(of_input(row) + of_state(row, h))));
  }
  N2D2_INLINE float reset(int j) const { return gate(1, j) * h[j]; }

  N2D2_INLINE float next(int j, const float* reset_state) const {
    if (c.cell == kLstm) {
      const int row = 3 * c.hidden + j;
      state[j] = gate(2, j) * state[j] + gate(0, j) * tanhf(of_input(row) + of_state(row, h));
      return gate(1, j) * tanhf(state[j]);
    }
    if (c.cell == kGru) {
      const int row = 2 * c.hidden + j;
      const float inside = c.linear ? gate(1, j) * of_state(row, h) : of_state(row, reset_state);
      const float fresh = tanhf(of_input(row) + inside);
      const float kept = gate(0, j);
      return (1.0f - kept) * fresh + kept * h[j];
    }
    return tanhf(of_input(j) + of_state(j, h));
  }
};

// Runs one direction over all steps, and stores what belongs to these rows.
template <class C, class Step, class In, class Out>
N2D2_INLINE void recurrent_direction(const C& c, Rows rows, Step step, int direction, const In* in, Out* out,
                                     Out* h, Out* after, Out* reset_state) {
  const Plane src = in_plane(c);
  const Plane dst = out_plane(c);
  const int steps = src.h * src.w;
  const bool is_reverse = c.reverse || direction > 0;
  for (int j = 0; j < c.hidden; ++j) h[j] = static_cast<Out>(0), step.state[j] = 0;
  for (int i = 0; i < steps; ++i) {
    const int t = is_reverse ? steps - 1 - i : i;
    step.x = in + src.row_at(t / src.w) + src.pixel_at(t % src.w);
    step.h = h;
    if (c.cell == kGru && !c.linear)
      for (int j = 0; j < c.hidden; ++j) reset_state[j] = step.reset(j);
    for (int j = 0; j < c.hidden; ++j) after[j] = step.next(j, reset_state);
    Out* const made = after;
    after = h;
    h = made;
    const int place = c.last_step ? 0 : t;
    const int y = place / dst.w;
    if ((c.last_step && i + 1 < steps) || y < rows.first || y >= rows.first + rows.count) continue;
    Out* const to = out + dst.row_at(y) + dst.pixel_at(place % dst.w) + direction * c.hidden;
    for (int j = 0; j < c.hidden; ++j) to[j] = h[j];
  }
}

template <class C, class In, class Out, class Factor, class Weight, class Gate>
N2D2_INLINE void recurrent(const C& c, Rows rows, const In* in, Out* out, const Factor* factor,
                           const Weight* weights, const Weight* recurrent, const Gate* gates, void* scratch) {
  typedef RecurrentStep<C, In, Out, Factor> Step;
  const int rows_of_direction = (c.cell == kLstm ? 4 : (c.cell == kGru ? 3 : 1)) * c.hidden;
  typename Step::State* const state =
      reinterpret_cast<typename Step::State*>((reinterpret_cast<uintptr_t>(scratch) + 3) / 4 * 4);
  Out* const h = reinterpret_cast<Out*>(state + c.hidden);
  for (int d = 0; d < c.directions; ++d) {
    Step step(c, weights, recurrent, gates, factor, d, rows_of_direction);
    step.state = state;
    recurrent_direction(c, rows, step, d, in, out, h, h + c.hidden, h + 2 * c.hidden);
  }
}

}  // namespace N2D2_EXPORT_NAMESPACE
