// Answers: what do the tests of kernels for MVE print, draw and count, on a bare core and on the PC?
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
inline void n2d2_stack_paint() {}
inline const void* n2d2_stack_pointer() {
  return nullptr;
}
inline uint32_t n2d2_stack_used(const void*) {
  return 0;
}
#endif

namespace n2d2::mve_test {

inline void print(const char* text) {
  n2d2_put(text);
}
inline void print(int64_t value) {
  if (value < 0) n2d2_put("-");
  n2d2_put_number(value < 0 ? 0ULL - static_cast<uint64_t>(value) : static_cast<uint64_t>(value), 0);
}
inline void print(int value) {
  print(static_cast<int64_t>(value));
}
template <class First, class Second, class... Rest>
void print(First first, Second second, Rest... rest) {
  print(first);
  print(second, rest...);
}

/// Draws the same numbers on every machine.
class Draw {
 public:
  explicit Draw(uint32_t seed) : state_(seed) {}
  int below(int n) {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<int>((state_ >> 8) % static_cast<uint32_t>(n));
  }
  int in(int lo, int hi) { return lo + below(hi - lo + 1); }
  bool one_in(int n) { return below(n) == 0; }
  int8_t byte() { return static_cast<int8_t>(below(256) - 128); }

 private:
  uint32_t state_;
};

/// Returns the instructions of run() under emulation, one in a nanosecond; the clock has 32 MHz.
template <class Run>
int64_t instructions(const Run& run) {
  n2d2_ticks_start();
  const uint64_t start = n2d2_ticks();
  run();
  return static_cast<int64_t>(n2d2_ticks() - start) * 1000 / 32;
}

/// Returns the bytes of stack that run() takes with its call tree.
template <class Run>
__attribute__((noinline)) int stack_of(const Run& run) {
  n2d2_stack_paint();
  const void* const before = n2d2_stack_pointer();
  run();
  return static_cast<int>(n2d2_stack_used(before));
}

}  // namespace n2d2::mve_test
