/* Answers: how does a Cortex-M get from reset to main(), and what does it report when it fails?
 * Part of an exported project; may be used without condition.
 *
 * Any Cortex-M, g++ or clang. link.ld defines the symbols; a SystemInit() of yours (clocks, watchdogs, external
 * memories) runs before variables have their values. A vector without a function of its own reports
 * the exception and ends the program with status 99. N2D2_INTERRUPTS is the number of vectors behind the 16 of
 * the processor; a startup file of the vendor may replace this one. */
#include <stdint.h>

#include "semihosting.h"

#ifndef N2D2_INTERRUPTS
#define N2D2_INTERRUPTS 0
#endif

#if defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_8M_BASE__)
#define IS_BASELINE 1
#else
#define IS_BASELINE 0
#endif

#define REGISTER(address) (*(volatile uint32_t*)(address))
#define CPUID REGISTER(0xE000ED00)
#define VTOR REGISTER(0xE000ED08)
#define CCR REGISTER(0xE000ED14)
#define SHCSR REGISTER(0xE000ED24)
#define CFSR REGISTER(0xE000ED28)
#define HFSR REGISTER(0xE000ED2C)
#define MMFAR REGISTER(0xE000ED34)
#define BFAR REGISTER(0xE000ED38)
#define CLIDR REGISTER(0xE000ED78)
#define CCSIDR REGISTER(0xE000ED80)
#define CSSELR REGISTER(0xE000ED84)
#define CPACR REGISTER(0xE000ED88)
#define ICIALLU REGISTER(0xE000EF50)
#define DCISW REGISTER(0xE000EF60)

enum { kFaultStatus = 99 };

typedef void (*Function)(void);
extern uint32_t __stack_limit[], __stack_top[], __ram_start[], __ram_end[];
extern uint32_t __data_load[], __data_start[], __data_end[], __bss_start[], __bss_end[];
extern const Function __init_array_start[], __init_array_end[];

int main(void);
void SystemInit(void) __attribute__((weak));
void Reset_Handler(void);
void n2d2_exception(void);
void n2d2_report_exception(const uint32_t* frame, uint32_t number);

#define WEAK_HANDLER(name) void name(void) __attribute__((weak, alias("n2d2_exception")))
WEAK_HANDLER(NMI_Handler);
WEAK_HANDLER(HardFault_Handler);
WEAK_HANDLER(MemManage_Handler);
WEAK_HANDLER(BusFault_Handler);
WEAK_HANDLER(UsageFault_Handler);
WEAK_HANDLER(SecureFault_Handler);
WEAK_HANDLER(SVC_Handler);
WEAK_HANDLER(DebugMon_Handler);
WEAK_HANDLER(PendSV_Handler);
WEAK_HANDLER(SysTick_Handler);
WEAK_HANDLER(Interrupt_Handler);

typedef union {
  Function handler;
  uint32_t* stack;
} Vector;

__attribute__((section(".vectors"), used, aligned(128))) const Vector n2d2_vectors[16 + N2D2_INTERRUPTS] = {
    [0] = {.stack = __stack_top},
    [1] = {Reset_Handler},
    [2] = {NMI_Handler},
    [3] = {HardFault_Handler},
    [4] = {MemManage_Handler},
    [5] = {BusFault_Handler},
    [6] = {UsageFault_Handler},
    [7] = {SecureFault_Handler},
    [11] = {SVC_Handler},
    [12] = {DebugMon_Handler},
    [14] = {PendSV_Handler},
    [15] = {SysTick_Handler},
#if N2D2_INTERRUPTS > 0
    [16 ... 15 + N2D2_INTERRUPTS] = {Interrupt_Handler},
#endif
};

static void wait_for_stores(void) {
  __asm__ volatile("dsb\n\tisb" ::: "memory");
}

#if !IS_BASELINE
/* Caches hold garbage after reset. Those of the first level: bit 0 of CLIDR for instructions, bits 1 or 2 for
 * data; DCISW takes the way in the highest bits and the set above the bits of a line. */
static void enable_caches(void) {
  const uint32_t levels = CLIDR;
  if (levels & 1u) {
    ICIALLU = 0;
    wait_for_stores();
    CCR |= 1u << 17;
  }
  if ((levels & 6u) && !(CCR & (1u << 16))) {
    CSSELR = 0;
    wait_for_stores();
    const uint32_t size = CCSIDR;
    const uint32_t last_set = (size >> 13) & 0x7fff, last_way = (size >> 3) & 0x3ff, line = (size & 7) + 4;
    const int way_shift = last_way > 0 ? __builtin_clz(last_way) : 31;
    for (uint32_t set = 0; set <= last_set; ++set)
      for (uint32_t way = 0; way <= last_way; ++way) DCISW = way << way_shift | set << line;
    wait_for_stores();
    CCR |= 1u << 16;
  }
  wait_for_stores();
}
#endif

static void enable_processor(void) {
#if IS_BASELINE
  /* Code for these cores has no unaligned access; a larger core that runs it says so, too (bit 3). */
  CCR |= 1u << 3;
#else
  VTOR = (uint32_t)n2d2_vectors;
  SHCSR |= 7u << 16;   /* faults of their own for memory, bus and usage */
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  CPACR |= 0xFu << 20; /* CP10 and CP11: floats and vectors */
#endif
  /* Cortex-M55 and later parts of Armv8.1-M: branch prediction, and the cache of low-overhead loops. */
  if (((CPUID >> 4) & 0xfffu) >= 0xd22u) CCR |= 3u << 18;
  enable_caches();
#endif
#if __ARM_ARCH >= 8 && !IS_BASELINE
  __asm__ volatile("msr msplim, %0" ::"r"(__stack_limit));
#endif
  wait_for_stores();
}

__attribute__((noreturn)) void Reset_Handler(void) {
  enable_processor();
  if (SystemInit) SystemInit();
  const uint32_t* from = __data_load;
  for (uint32_t* to = __data_start; to < __data_end;) *to++ = *from++;
  for (uint32_t* to = __bss_start; to < __bss_end;) *to++ = 0;
  n2d2_probe_debugger();
  for (const Function* f = __init_array_start; f < __init_array_end; ++f) (*f)();
  n2d2_exit(main());
}

/* Finds the eight words that the processor stored (r0 to r3, r12, lr, pc, xPSR), without the stack, which may be
 * the fault: near its end it starts anew from the top. During the probe of n2d2_probe_debugger() the exception
 * is the answer: there is no debugger, and the program goes on behind the breakpoint. */
__attribute__((naked)) void n2d2_exception(void) {
  __asm__ volatile(
      ".syntax unified\n"
      "  mov r0, lr\n"
      "  lsls r0, r0, #29\n"
      "  bmi 1f\n"
      "  mrs r0, msp\n"
      "  b 2f\n"
      "1: mrs r0, psp\n"
      "2: ldr r1, =n2d2_debugger\n"
      "  ldr r2, [r1]\n"
      "  cmp r2, %[probing]\n"
      "  bne 3f\n"
      "  movs r2, %[absent]\n"
      "  str r2, [r1]\n"
      "  ldr r2, [r0, #24]\n"
      "  adds r2, r2, #2\n"
      "  str r2, [r0, #24]\n"
      "  bx lr\n"
      "3: mrs r1, ipsr\n"
      "  mov r2, sp\n"
      "  ldr r3, =__stack_limit\n"
      "  subs r2, r2, r3\n"
      "  bcc 4f\n"
      "  lsrs r2, r2, #8\n"
      "  bne 5f\n"
      "4: ldr r3, =__stack_top\n"
      "  mov sp, r3\n"
      "5: ldr r3, =n2d2_report_exception\n"
      "  bx r3\n"
      "  .ltorg\n" ::[probing] "I"(kN2d2Probing),
      [absent] "I"(kN2d2NoDebugger));
}

static const char* name_of(uint32_t number) {
  static const char* const names[16] = {
      0, 0, "NMI", "HardFault", "MemManage",    "BusFault", "UsageFault", "SecureFault",
      0, 0, 0,     "SVCall",    "DebugMonitor", 0,          "PendSV",     "SysTick"};
  return number < 16 && names[number] ? names[number] : "interrupt";
}

static void put_word(const char* name, uint32_t word) {
  n2d2_put(name);
  n2d2_put_hex(word);
}

__attribute__((used, noreturn)) void n2d2_report_exception(const uint32_t* frame, uint32_t number) {
  const int is_readable = (uintptr_t)frame % 4 == 0 && frame >= __ram_start && frame + 8 <= __ram_end;
  const uint32_t pc = is_readable ? frame[6] : 0;
  /* The debugger that answered at reset is gone: the next breakpoint would lock up the processor. */
  const uint16_t kBreakpoint = 0xbeab;
  if (number == 3 && pc >= 8 && pc % 2 == 0 && *(const uint16_t*)pc == kBreakpoint)
    n2d2_debugger = kN2d2NoDebugger;
  n2d2_put("\nfault: ");
  n2d2_put(name_of(number));
  if (number >= 16) n2d2_put_number(number - 16, 0);
  if (is_readable) {
    put_word(" at ", pc);
    put_word(", called from ", frame[5]);
  }
#if IS_BASELINE
  if (frame < __stack_limit) n2d2_put(", stack overflow");
#else
  /* The stack pointer's limit, or memory below the stack, was met. */
  if (frame < __stack_limit || (CFSR & (1u << 20 | 1u << 12 | 1u << 4))) n2d2_put(", stack overflow");
  put_word(", CFSR ", CFSR);
  put_word(", HFSR ", HFSR);
  if (CFSR & 0x80u) put_word(", MMFAR ", MMFAR);
  if (CFSR & 0x8000u) put_word(", BFAR ", BFAR);
#endif
  n2d2_put("\n");
  n2d2_exit(kFaultStatus);
}
