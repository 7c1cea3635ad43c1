// Answers: in which order does a fully connected layer with packed weights read inputs and compute outputs?
// Part of an exported project; may be used without condition.
//
// It works as conv_packed.hpp with one window. Config fields: those of fc.hpp. An input of several runs that
// are no whole groups is gathered, kFcGathered elements at a time.
// Stack: 64 elements of input, the sums of a step. Scratch: none.
#pragma once

#include "conv_packed.hpp"

namespace N2D2_EXPORT_NAMESPACE {

enum { kFcGathered = 64 };

// Collects runs of any length and multiplies whole groups.
template <class Form, int N, class In, class Weight>
struct FcGathered {
  PackedTile<Form, 1, N>& tile;
  const PackedFilters<Weight>& filters;
  ptrdiff_t done;  // elements that are multiplied
  int n;           // elements in the buffer
  In values[kFcGathered];

  N2D2_INLINE FcGathered(PackedTile<Form, 1, N>& t, const PackedFilters<Weight>& f)
      : tile(t), filters(f), done(0), n(0) {}

  N2D2_INLINE void take(const In* x, int run) {
    for (int i = 0; i < run; ++i) {
      values[n++] = x[i];
      if (n == kFcGathered) multiply();
    }
  }
  N2D2_INLINE void multiply() {
    while (n % kPackedInputs != 0) values[n++] = 0;
    add_run<PackedPixels<0, 1> >(tile, values, 0,
                                 filters.start + packed_elements<Weight>(done * kPackedOutputs),
                                 filters.block, n / kPackedInputs);
    done += n, n = 0;
  }
};

// Calls use(x, n) for each run of the input.
template <class In, class Use>
N2D2_INLINE void for_runs_of(const Windows<In>& windows, Use& use) {
  const In* x = windows.start;
  int at = windows.position;
  for (int r = 0; r < windows.rows; ++r) {
    for (int i = 0; i < windows.taps; ++i) use(x + i * windows.tap, windows.run);
    windows.advance(x, at);
  }
}

template <class Form, int N, class In, class Weight>
struct FcTake {
  FcGathered<Form, N, In, Weight>& to;
  N2D2_INLINE void operator()(const In* x, int n) { to.take(x, n); }
};
template <class Form, class In>
struct FcTotal {
  int32_t sum;
  N2D2_INLINE void operator()(const In* x, int n) { sum += Form::total(x, n); }
};

// Returns whether all runs are whole groups, or there is only one run.
template <class In>
N2D2_INLINE bool read_in_place(const Windows<In>& windows) {
  return windows.run % kPackedInputs == 0 || (windows.rows == 1 && windows.taps == 1);
}

// Adds an input that is read in place. The tile stays in registers because its address is not taken.
template <class Form, int N, class In, class Weight>
N2D2_INLINE void add_input(PackedTile<Form, 1, N>& t, const Windows<In>& windows,
                           PackedFilters<Weight> filters) {
  Windows<In> whole = windows;
  const int rest = windows.run % kPackedInputs;
  whole.run = windows.run - rest;
  filters.tap = packed_elements<Weight>(static_cast<ptrdiff_t>(whole.run) * kPackedOutputs);
  filters.row = whole.taps * filters.tap;
  add_windows(t, whole, filters);
  if (rest == 0) return;
  In last[kPackedInputs] = {};
  for (int i = 0; i < rest; ++i) last[i] = windows.start[whole.run + i];
  add_run<PackedPixels<0, 1> >(t, last, 0, filters.start + filters.tap, filters.block, 1);
}

// Computes the sums of any other input.
template <class Form, int N, class In, class Weight>
N2D2_APART void sums_of_gathered(const Windows<In>& windows, const PackedFilters<Weight>& filters,
                                 const int32_t* bias, int n, int32_t total, int32_t* sums) {
  PackedTile<Form, 1, N> t;
  start_sums(t.own, bias, n, total);
  FcGathered<Form, N, In, Weight> gathered(t, filters);
  FcTake<Form, N, In, Weight> take = {gathered};
  for_runs_of(windows, take);
  gathered.multiply();
  store_sums(t.own, sums);
}

// Computes blocks [first, end), N blocks a step as long as N are left, then fewer.
template <int N>
struct FcSteps {
  template <class Form, class C, class In, class Weight, class To, class Factor>
  static N2D2_INLINE void run(const C& c, const Windows<In>& windows, PackedFilters<Weight> filters,
                              const To& to, const int32_t* bias, const Factor* factor, int first, int end,
                              int32_t total) {
    int b = first;
    for (; b + N <= end; b += N) {
      const int o = b * kPackedOutputs, n = outputs_of<N>(c, o);
      PackedFilters<Weight> here = filters;
      here.start += b * filters.block;
      if (!read_in_place(windows)) {
        int32_t sums[N * kPackedOutputs];
        sums_of_gathered<Form, N>(windows, here, bias + o, n, total, sums);
        to.finish(c, sums, factor, 0, o, n);
        continue;
      }
      PackedTile<Form, 1, N> t;
      start_sums(t.own, bias + o, n, total);
      add_input(t, windows, here);
      typedef PackedEnd<Form, To, Factor> End;
      typename End::template Factors<N> factors;
      End::load(c, factor, o, n, factors);
      End::put(c, to, t.own, factors, 0, o, n);
    }
    if (b < end) FcSteps<N / 2>::template run<Form>(c, windows, filters, to, bias, factor, b, end, total);
  }
};
template <>
struct FcSteps<0> {
  template <class Form, class C, class In, class Weight, class To, class Factor>
  static N2D2_INLINE void run(const C&, const Windows<In>&, const PackedFilters<Weight>&, const To&,
                              const int32_t*, const Factor*, int, int, int32_t) {}
};

template <class C, class In, class Out, class Weight, class Factor>
N2D2_APART void fc_packed_blocks(const C& c, const Windows<In>& windows, Out* out, const Weight* weights,
                                 const int32_t* bias, const Factor* factor, int first, int end) {
  typedef PackedForm<In> Form;
  const Plane src = in_plane(c);
  const PackedFilters<Weight> filters = {
      weights, packed_groups(src.h * src.w * src.c) * packed_elements<Weight>(kPackedGroup), 0, 0};
  const Stored<Out> to = {out};
  FcTotal<Form, In> total = {0};
  if (Form::kCorrected) for_runs_of(windows, total);
  enum { kBlocks = PackedShape<Form>::blocks_of(1, PackedShape<Form>::kMostBlocks) };
  FcSteps<kBlocks>::template run<Form>(c, windows, filters, to, bias, factor, first, end, total.sum);
}

template <class C, class In, class Out, class Weight, class Factor>
N2D2_INLINE void fc_packed(const C& c, const Windows<In>& windows, Out* out, const Weight* weights,
                           const int32_t* bias, const Factor* factor) {
  enum { kStep = PackedShape<PackedForm<In> >::kMostBlocks };
  const int blocks = packed_blocks(c.out_c);
#if defined(_OPENMP)
  if (has_threads(c)) {
#pragma omp parallel for schedule(static)
    for (int b = 0; b < blocks; b += kStep)
      fc_packed_blocks(c, windows, out, weights, bias, factor, b, smaller(b + kStep, blocks));
    return;
  }
#endif
  fc_packed_blocks(c, windows, out, weights, bias, factor, 0, blocks);
}

}  // namespace N2D2_EXPORT_NAMESPACE
