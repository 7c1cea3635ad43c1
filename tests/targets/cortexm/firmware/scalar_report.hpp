// Answers: what do the tests of kernels for cores without DSP print, draw and count, on a bare core and on
// the PC?
#pragma once

#include <cstdint>

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include "measure.h"
#include "semihosting.h"
#else
#include <cstdio>
inline void n2d2_put(const char* text) {
  std::fputs(text, stdout);
}
inline void n2d2_put_number(uint64_t value, int width) {
  std::printf("%*llu", width, static_cast<unsigned long long>(value));
}
inline void n2d2_ticks_start() {}
inline uint64_t n2d2_ticks() {
  return 0;
}
#endif

namespace n2d2::scalar_test {

inline void print(const char* text) {
  n2d2_put(text);
}
inline void print(int value) {
  if (value < 0) n2d2_put("-");
  n2d2_put_number(value < 0 ? 0ULL - static_cast<uint64_t>(value) : static_cast<uint64_t>(value), 0);
}
template <class First, class Second, class... Rest>
void print(First first, Second second, Rest... rest) {
  print(first);
  print(second, rest...);
}

/// Draws the same numbers on every machine.
class Draw {
 public:
  uint32_t word() {
    state_ ^= state_ << 13, state_ ^= state_ >> 17, state_ ^= state_ << 5;
    return state_;
  }
  int in(int lo, int hi) { return lo + static_cast<int>((word() >> 8) % static_cast<uint32_t>(hi - lo + 1)); }
  bool one_in(int n) { return in(1, n) == 1; }

 private:
  uint32_t state_ = 2463534242U;
};

/// Instructions that the emulator executes in a tick of the counter (-icount shift=0: one in a nanosecond).
#if !defined(N2D2_TICK_INSTRUCTIONS)
#define N2D2_TICK_INSTRUCTIONS 40
#endif

/// Returns the instructions of run().
template <class Run>
uint32_t instructions(const Run& run) {
  n2d2_ticks_start();
  const uint64_t start = n2d2_ticks();
  run();
  return static_cast<uint32_t>(n2d2_ticks() - start) * N2D2_TICK_INSTRUCTIONS;
}

}  // namespace n2d2::scalar_test
