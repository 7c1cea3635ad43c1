// Firmware of startup_test.py: what startup.c, semihosting.c and measure.c must do, and the fault of a case.
#include <stddef.h>
#include <stdint.h>

#include "measure.h"
#include "semihosting.h"

// The linker defines them: --defsym=test_case=...
extern "C" char test_case[];

namespace {

enum Case { kReturns, kBadAddress, kStackOverflow, kUndefined, kPendSv, kLostDebugger };

struct Constructed {
  Constructed() : value(7) {}
  int value;
};

int initialised = 42;
int zero;
Constructed constructed;
volatile int sink;

// Takes 256 bytes of stack and more for each call.
__attribute__((noinline)) int deep(int calls) {
  volatile int filled[64];
  for (int i = 0; i < 64; ++i) filled[i] = calls;
  sink = filled[calls & 63];
  return calls == 0 ? 0 : deep(calls - 1) + filled[3];
}

void put(const char* name, uint32_t value) {
  n2d2_put(name);
  n2d2_put_number(value, 0);
  n2d2_put("\n");
}

void measure() {
  const void* const top = n2d2_stack_pointer();
  n2d2_stack_paint();
  deep(3);
  put("stack ", n2d2_stack_used(top));
  n2d2_ticks_start();
  const uint64_t start = n2d2_ticks();
  for (int i = 0; i < 1000; ++i) sink = sink + i;
  const uint64_t once = n2d2_ticks() - start;
  for (int i = 0; i < 1000 * 1000; ++i) sink = sink + i;
  const uint64_t all = n2d2_ticks() - start;
  n2d2_ticks_stop();
  put("ticks ", static_cast<uint32_t>(once));
  put("more ticks ", static_cast<uint32_t>(all));
}

void fault(uintptr_t which) {
  switch (which) {
    case kBadAddress:
      *reinterpret_cast<volatile uint32_t*>(0xf0000004u) = 1;
      break;
    case kStackOverflow:
      deep(1 << 20);
      break;
    case kUndefined:
      __asm__ volatile(".short 0xde00");
      break;
    case kPendSv:
      *reinterpret_cast<volatile uint32_t*>(0xe000ed04u) = 1u << 28;
      __asm__ volatile("dsb\n\tisb");
      break;
    case kLostDebugger:
      n2d2_debugger = kN2d2Debugger;
      break;
    default:
      break;
  }
}

}  // namespace

#ifdef N2D2_UART
// The UART of the emulator's MPS2 boards: data, state (bit 0: full), control (bit 0: send).
extern "C" void n2d2_put_char(char c) {
  volatile uint32_t* const uart = reinterpret_cast<volatile uint32_t*>(N2D2_UART);
  uart[2] = 1;
  while (uart[1] & 1u) {
  }
  uart[0] = static_cast<uint8_t>(c);
}
#endif

int main() {
  put("variables ", static_cast<uint32_t>(initialised + zero + constructed.value));
  measure();
  fault(reinterpret_cast<uintptr_t>(test_case));
  n2d2_put("main returns\n");
  return 5;
}
