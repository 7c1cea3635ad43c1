/* Answers: how many cycles and how much stack did that take?
 * Part of an exported project; may be used without condition. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the counter: CYCCNT of the DWT, on processors without it SysTick (its interrupt extends the count). */
void n2d2_ticks_start(void);
/* Cycles of the processor since then. At most 2^32 (CYCCNT) may pass between two calls. */
uint64_t n2d2_ticks(void);
/* Stops SysTick, whose interrupts would take stack. */
void n2d2_ticks_stop(void);

/* Writes a pattern to the free part of the stack. */
void n2d2_stack_paint(void);
/* Bytes below `from` that are not what n2d2_stack_paint() wrote, 64 at least; `from` is the stack pointer of a
 * caller of both. */
uint32_t n2d2_stack_used(const void* from);

static inline const void* n2d2_stack_pointer(void) {
  const void* sp;
  __asm__ volatile("mov %0, sp" : "=r"(sp));
  return sp;
}

#ifdef __cplusplus
}
#endif
