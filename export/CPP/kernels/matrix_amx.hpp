// Answers: how does AMX add the products of a tile of pixels?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for windows of 64 and more products whose channels
// are a multiple of 4 with a divisor of at least 32. One tile register holds 16 sums of up to 16 pixels,
// another their inputs, read in place, a third the weights of a block: groups of packed.hpp are the rows of
// the instruction. Where the system refuses the registers to a process (one system call, asked once) or the
// processor has none, the form for vectors adds all products. So one program runs with and without AMX.
// Stack: up to 8 KiB for sums, 1 KiB for inputs at the ends of a row. Scratch: none.
#pragma once

#include <immintrin.h>

#include "conv_packed.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Size of a register; sums in one, kPackedOutputs in each row; number of registers for sums.
enum { kAmxRows = 16, kAmxBytes = 64, kAmxSums = 256, kAmxBlocks = 4 };

// Asks Linux on x86-64: arch_prctl(ARCH_REQ_XCOMP_PERM, 18), 18: tile data. Later threads inherit it.
N2D2_INLINE bool amx_asked() {
  long result = 0;
  __asm__("syscall" : "=a"(result) : "a"(158l), "D"(0x1023l), "S"(18l) : "rcx", "r11", "memory");
  return result == 0;
}
N2D2_INLINE bool amx_permitted() {
  static int state = 0;  // 1: permitted, 2: refused; threads that ask at the same time get the same answer
  int known = __atomic_load_n(&state, __ATOMIC_RELAXED);
  if (known == 0) {
    known = amx_asked() ? 1 : 2;
    __atomic_store_n(&state, known, __ATOMIC_RELAXED);
  }
  return known == 1;
}

// The shapes of the registers, in the layout of the instruction that sets them.
struct AmxConfig {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
};

// Registers 0 to 3 hold sums, 6 inputs, 7 weights. Instructions contain their numbers as literals.
template <int n>
struct AmxRegister;
#define N2D2_AMX_REGISTER(n)                                                       \
  template <>                                                                      \
  struct AmxRegister<n> {                                                          \
    static N2D2_INLINE void zero() { _tile_zero(n); }                              \
    static N2D2_INLINE void dot(uint8_t) { _tile_dpbusd(n, 6, 7); }                \
    static N2D2_INLINE void dot(int8_t) { _tile_dpbssd(n, 6, 7); }                 \
    static N2D2_INLINE void store(int32_t* to) { _tile_stored(n, to, kAmxBytes); } \
  };
N2D2_AMX_REGISTER(0)
N2D2_AMX_REGISTER(1)
N2D2_AMX_REGISTER(2)
N2D2_AMX_REGISTER(3)
#undef N2D2_AMX_REGISTER

// Sums of N blocks in registers.
template <int N>
struct AmxSums {
  static N2D2_INLINE void zero() {
    AmxSums<N - 1>::zero();
    AmxRegister<N - 1>::zero();
  }
  template <class In>
  static N2D2_INLINE void add(const int8_t* weights, ptrdiff_t block) {
    AmxSums<N - 1>::template add<In>(weights, block);
    _tile_loadd(7, weights + (N - 1) * block, kAmxBytes);
    AmxRegister<N - 1>::dot(static_cast<In>(0));
  }
  static N2D2_INLINE void store(int32_t* to) {
    AmxSums<N - 1>::store(to);
    AmxRegister<N - 1>::store(to + (N - 1) * kAmxSums);
  }
};
template <>
struct AmxSums<0> {
  static N2D2_INLINE void zero() {}
  template <class In>
  static N2D2_INLINE void add(const int8_t*, ptrdiff_t) {}
  static N2D2_INLINE void store(int32_t*) {}
};

// Adds sums in memory to those of the pixels of a tile, block by block.
template <class Form>
N2D2_INLINE void add_stored(PackedSums<Form, 0>&, const int32_t*) {}
template <class Form, int N>
N2D2_INLINE void add_stored(PackedSums<Form, N>& s, const int32_t* from) {
  s.own += reinterpret_cast<typename Form::Sums>(_mm512_loadu_si512(from));
  add_stored(s.rest, from + kAmxSums);
}
template <class Form, int N>
N2D2_INLINE void add_stored(PackedTile<Form, 0, N>&, const int32_t*) {}
template <class Form, int P, int N>
N2D2_INLINE void add_stored(PackedTile<Form, P, N>& t, const int32_t* from) {
  add_stored(t.own, from);
  add_stored(t.rest, from + kPackedOutputs);
}

// Sets the registers to the shape of a layer's tiles for its lifetime, where they serve the layer.
template <class In>
class AmxMatrix {
 public:
  template <class C>
  N2D2_INLINE AmxMatrix(const C& c, int pixels)
      : part_(c.matrix && pixels > 1 && part_of(c) > 0 && amx_permitted() ? part_of(c) : 0) {
    if (part_ == 0) return;
    AmxConfig config = AmxConfig();
    config.palette = 1;
    for (int n = 0; n < kAmxBlocks; ++n) shape(config, n, pixels, kAmxBytes);
    shape(config, 6, pixels, part_);
    shape(config, 7, part_ / kPackedInputs, kAmxBytes);
    __asm__ volatile("" ::: "memory");
    _tile_loadconfig(&config);
  }
  N2D2_INLINE ~AmxMatrix() {
    if (part_ > 0) _tile_release();
  }
  N2D2_INLINE bool serves() const { return part_ > 0; }
  template <class C>
  static N2D2_INLINE const char* name(const C& c) {
    return c.matrix && part_of(c) > 0 && amx_permitted() ? "matrix_amx" : 0;
  }

  // Narrow weights are the business of vectors (PackedMatrix in conv_packed.hpp).
  template <class Tile, class C, class Weight>
  N2D2_INLINE void add(Tile&, const C&, const PackedWork<In, Weight>&, const PackedFilters<Weight>&,
                       const In*, int, int) const {}
  template <class Form, int P, int N, class C>
  N2D2_INLINE void add(PackedTile<Form, P, N>& t, const C& c, const PackedWork<In, int8_t>& work,
                       const PackedFilters<int8_t>& filters, const In* in, int oy, int ox) const {
    enum { kStep = N < kAmxBlocks ? N : static_cast<int>(kAmxBlocks) };  // N is a power of two
    int32_t all[N * static_cast<int>(kAmxSums)];
    for (int n = 0; n < N; n += kStep) {
      PackedFilters<int8_t> some = filters;
      some.start += n * filters.block;
      AmxSums<kStep>::zero();
      if (work.clipped)
        add_clipped_rows<P, kStep>(c, some, in, oy, ox);
      else
        add_rows<kStep>(work.windows, some);
      AmxSums<kStep>::store(all + n * kAmxSums);
    }
    add_stored(t, all);
  }

 private:
  template <class C>
  static N2D2_INLINE int part_of(const C& c) {
    return matrix_part(c.kernel_w * c.kernel_h, c.in_c);
  }
  static N2D2_INLINE void shape(AmxConfig& config, int number, int rows, int bytes) {
    config.rows[number] = static_cast<uint8_t>(rows);
    config.row_bytes[number] = static_cast<uint16_t>(bytes);
  }

  // Adds a run of all pixels, which are `pixel` elements apart.
  template <int N>
  N2D2_INLINE void add_run(const In* x, ptrdiff_t pixel, int run, const int8_t* weights,
                           ptrdiff_t block) const {
    for (int i = 0; i < run; i += part_) {
      _tile_loadd(6, x + i, pixel);
      AmxSums<N>::template add<In>(weights + static_cast<ptrdiff_t>(i) * kPackedOutputs, block);
    }
  }
  template <int N>
  N2D2_INLINE void add_rows(const Windows<In>& windows, const PackedFilters<int8_t>& filters) const {
    const In* x = windows.start;
    const int8_t* w = filters.start;
    int at = windows.position;
    for (int r = 0; r < windows.rows; ++r) {
      for (int i = 0; i < windows.taps; ++i)
        add_run<N>(x + i * windows.tap, windows.pixel, windows.run, w + i * filters.tap, filters.block);
      w += filters.row;
      windows.advance(x, at);
    }
  }
  // Adds a run of which pixels [first, end) are inside the row; the others are zeros.
  template <int P, int N>
  N2D2_INLINE void add_some(const In* x, ptrdiff_t pixel, int first, int end, int run, const int8_t* weights,
                            ptrdiff_t block) const {
    In rows[kAmxRows * kAmxBytes];
    for (int i = 0; i < run; i += part_) {
      for (int p = 0; p < P; ++p)
        for (int b = 0; b < part_; ++b)
          rows[p * kAmxBytes + b] = p >= first && p < end ? x[p * pixel + i + b] : static_cast<In>(0);
      __asm__ volatile("" ::: "memory");  // the compiler does not see what loads of tiles read
      _tile_loadd(6, rows, kAmxBytes);
      AmxSums<N>::template add<In>(weights + static_cast<ptrdiff_t>(i) * kPackedOutputs, block);
    }
  }
  // Adds clipped taps as add_clipped of conv_packed.hpp does.
  template <int P, int N, class C>
  N2D2_INLINE void add_clipped_rows(const C& c, const PackedFilters<int8_t>& filters, const In* in, int oy,
                                    int ox) const {
    const Plane src = in_plane(c);
    const int y0 = oy * c.stride_y - c.pad_y, x0 = ox * c.stride_x - c.pad_x;
    const Inside ky = inside(y0, c.kernel_h, c.dilation_y, src.h);
    const ptrdiff_t pixel = c.stride_x * src.pixel;
    for (int y = ky.first; y < ky.end; ++y) {
      const In* row = in + src.row_at(y0 + y * c.dilation_y);
      const int8_t* w = filters.start + y * filters.row;
      for (int x = 0; x < c.kernel_w; ++x, w += filters.tap) {
        const int column = x0 + x * c.dilation_x;
        const int first = column < 0 ? 1 : 0, end = column + (P - 1) * c.stride_x >= src.w ? P - 1 : P;
        const In* from = row + column * src.pixel;
        if (first == 0 && end == P)
          add_run<N>(from, pixel, c.in_c, w, filters.block);
        else
          add_some<P, N>(from, pixel, first, end, c.in_c, w, filters.block);
      }
    }
  }

  int part_;  // bytes of a pixel that one instruction multiplies; 0: the registers do not serve the layer
};

template <>
struct PackedMatrix<uint8_t> : AmxMatrix<uint8_t> {
  template <class C>
  N2D2_INLINE PackedMatrix(const C& c, int pixels) : AmxMatrix<uint8_t>(c, pixels) {}
};
template <>
struct PackedMatrix<int8_t> : AmxMatrix<int8_t> {
  template <class C>
  N2D2_INLINE PackedMatrix(const C& c, int pixels) : AmxMatrix<int8_t>(c, pixels) {}
};

}  // namespace N2D2_EXPORT_NAMESPACE
