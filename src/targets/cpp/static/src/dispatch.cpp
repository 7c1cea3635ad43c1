// Selects the network of an instruction set. Part of an exported project; may be used without condition.
//
// `make DISPATCH=1` compiles it with N2D2_DISPATCH and N2D2_DISPATCH_<name> for instruction sets but sse2.
#if defined(N2D2_DISPATCH)
#include "../include/dispatch.hpp"

#include <cpuid.h>
#include <string.h>

#include "../include/Network.hpp"
#include "../include/dispatch_table.hpp"

#if !defined(__x86_64__)
#error "DISPATCH=1 is for x86-64"
#endif

namespace N2D2_Export {
namespace {

struct Leaf {
  unsigned a, b, c, d;
};

// Returns zeros where the processor has no such leaf.
Leaf cpuid(unsigned number, unsigned part) {
  Leaf leaf = {0, 0, 0, 0};
  if (!__get_cpuid_count(number, part, &leaf.a, &leaf.b, &leaf.c, &leaf.d)) return Leaf();
  return leaf;
}

bool has(unsigned word, int bit) {
  return (word >> bit & 1u) != 0;
}

// Bits of XCR0: registers of 256 and of 512 bits.
const unsigned kVectors256 = 0x06, kVectors512 = 0xe6;

// A program may hold only some of these.
struct Processor {
  // XCR0 lists the registers that the system keeps for each thread.
  static unsigned kept_registers() {
    if (!has(cpuid(1, 0).c, 27)) return 0;  // OSXSAVE
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
  }

  static bool has_avx2() {
    return (kept_registers() & kVectors256) == kVectors256 && has(cpuid(1, 0).c, 28) && has(cpuid(7, 0).b, 5);
  }
  static bool has_avxvnni() { return has_avx2() && has(cpuid(7, 1).a, 4); }
  // It needs F, DQ, BW, VL and VNNI.
  static bool has_avx512vnni() {
    const Leaf leaf = cpuid(7, 0);
    return has_avx2() && (kept_registers() & kVectors512) == kVectors512 && has(leaf.b, 16) &&
           has(leaf.b, 17) && has(leaf.b, 30) && has(leaf.b, 31) && has(leaf.c, 11);
  }
  // The kernels ask the system for the registers.
  static bool has_amx() {
    const unsigned d = cpuid(7, 0).d;
    return has_avx512vnni() && has(d, 24) && has(d, 25);
  }
  static bool has_sse2() {
    return true;  // every x86-64 has it
  }
};

struct Choice {
  const char* name;
  bool (*runs)();
  const N2D2_Export_dispatched_t* network;
};

// The best one comes first.
const Choice kChoices[] = {
#if defined(N2D2_DISPATCH_amx)
    {"amx", Processor::has_amx, &N2D2_Export_on_amx},
#endif
#if defined(N2D2_DISPATCH_avx512vnni)
    {"avx512vnni", Processor::has_avx512vnni, &N2D2_Export_on_avx512vnni},
#endif
#if defined(N2D2_DISPATCH_avxvnni)
    {"avxvnni", Processor::has_avxvnni, &N2D2_Export_on_avxvnni},
#endif
#if defined(N2D2_DISPATCH_avx2)
    {"avx2", Processor::has_avx2, &N2D2_Export_on_avx2},
#endif
    {"sse2", Processor::has_sse2, &N2D2_Export_on_sse2}};

const Choice* chosen = 0;

const Choice& choice() {
  if (!chosen)
    for (const Choice* c = kChoices; !chosen; ++c)
      if (c->runs()) chosen = c;
  return *chosen;
}

}  // namespace

const char* instruction_set() {
  return choice().name;
}

bool use_instruction_set(const char* name) {
  for (const Choice& c : kChoices)
    if (strcmp(c.name, name) == 0 && c.runs()) {
      chosen = &c;
      return true;
    }
  return false;
}

int Network::propagate(const Input_T* inputs, Target_T* outputs) const {
#ifdef N2D2_NO_CALLBACKS
  return choice().network->propagate(inputs, outputs, 0, 0, 0, 0);
#else
  return choice().network->propagate(inputs, outputs, dump_, dump_user_, time_, time_user_);
#endif
}

int Network::propagate_rows(RowsFn read, void* user, Target_T* outputs) const {
  const N2D2_Export_any_function_t any = reinterpret_cast<N2D2_Export_any_function_t>(read);
#ifdef N2D2_NO_CALLBACKS
  return choice().network->propagate_rows(any, user, outputs, 0, 0, 0, 0);
#else
  return choice().network->propagate_rows(any, user, outputs, dump_, dump_user_, time_, time_user_);
#endif
}

bool Network::scores(int target, float* to) const {
  return choice().network->scores(target, to) != 0;
}

Input_T* Network::input() const {
  return static_cast<Input_T*>(choice().network->input());
}

void Network::release() {
  choice().network->release();
}

#ifdef CHECK_MEMORY
bool Network::memory_intact() {
  return choice().network->memory_intact() != 0;
}
#endif

}  // namespace N2D2_Export
#endif
