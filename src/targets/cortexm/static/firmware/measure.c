/* Part of an exported project; may be used without condition. */
#include "measure.h"

#define REGISTER(address) (*(volatile uint32_t*)(address))
#define SYST_CSR REGISTER(0xE000E010)
#define SYST_RVR REGISTER(0xE000E014)
#define SYST_CVR REGISTER(0xE000E018)
#define DEMCR REGISTER(0xE000EDFC)
#define DWT_CTRL REGISTER(0xE0001000)
#define DWT_CYCCNT REGISTER(0xE0001004)

/* Bits of SysTick; a test may take fewer, so that it begins anew soon. */
#ifndef N2D2_SYSTICK_BITS
#define N2D2_SYSTICK_BITS 24
#endif
enum { kSysTickBits = N2D2_SYSTICK_BITS };
static const uint32_t kSysTickMost = (1u << kSysTickBits) - 1;

extern uint32_t __stack_limit[];

static int has_cycle_counter;
/* Of CYCCNT: its last value; of SysTick: how often it began anew. */
static volatile uint32_t last, turns;
static uint64_t cycles;

/* Whether CYCCNT counts: there is none in Armv6-M and Armv8-M Baseline, and in many emulators. */
static int start_cycle_counter(void) {
#if defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__)
  return 0;
#else
  DEMCR |= 1u << 24;
  DWT_CTRL |= 1u;
  const uint32_t before = DWT_CYCCNT;
  for (volatile int i = 0; i < 16; ++i) {
  }
  return DWT_CYCCNT != before;
#endif
}

void SysTick_Handler(void) {
  ++turns;
}

void n2d2_ticks_start(void) {
  cycles = 0;
  turns = 0;
  has_cycle_counter = start_cycle_counter();
  if (has_cycle_counter) {
    last = DWT_CYCCNT;
    return;
  }
  SYST_CSR = 0;
  SYST_RVR = kSysTickMost;
  SYST_CVR = 0;
  SYST_CSR = 7; /* the processor's clock, interrupt, on */
  while (SYST_CVR == 0) {
  }
}

uint64_t n2d2_ticks(void) {
  if (has_cycle_counter) {
    const uint32_t now = DWT_CYCCNT;
    cycles += now - last;
    last = now;
    return cycles;
  }
  uint32_t before, passed;
  do {
    before = turns;
    passed = kSysTickMost - SYST_CVR;
  } while (before != turns);
  uint64_t now = ((uint64_t)before << kSysTickBits) + passed;
  /* It began anew, and its interrupt is on the way. */
  if (now < cycles) now += 1u << kSysTickBits;
  return cycles = now;
}

void n2d2_ticks_stop(void) {
  if (!has_cycle_counter) SYST_CSR = 0;
}

static const uint32_t kPaint = 0xc5a3965au;

void n2d2_stack_paint(void) {
  /* Its own frame is in the 64 bytes below the stack pointer. */
  volatile uint32_t* const end = (volatile uint32_t*)n2d2_stack_pointer() - 16;
  for (volatile uint32_t* word = __stack_limit; word < end; ++word) *word = kPaint;
}

uint32_t n2d2_stack_used(const void* from) {
  const uint32_t* word = __stack_limit;
  while ((const void*)word < from && *word == kPaint) ++word;
  return (uint32_t)((const char*)from - (const char*)word);
}
