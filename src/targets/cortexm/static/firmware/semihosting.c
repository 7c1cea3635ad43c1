/* Part of an exported project; may be used without condition. */
#include "semihosting.h"

/* Operations of Arm's specification "Semihosting for AArch32 and AArch64". */
enum { kWrite0 = 0x04, kErrno = 0x13, kExit = 0x18, kExitExtended = 0x20 };
enum { kApplicationExit = 0x20026, kRunTimeError = 0x20023 };

volatile int n2d2_debugger = kN2d2NoDebugger;
volatile int n2d2_exit_status = -1;

/* What SYS_WRITE0 prints at once: a breakpoint for each character takes milliseconds on most debuggers. */
static char line[64];
static unsigned line_length;

/* The argument of an operation is a pointer or a number. */
static void call_debugger(uint32_t operation, uintptr_t argument) {
#if N2D2_SEMIHOSTING
  register uint32_t r0 __asm__("r0") = operation;
  register uintptr_t r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory", "cc");
#else
  (void)operation;
  (void)argument;
#endif
}

void n2d2_probe_debugger(void) {
#if N2D2_SEMIHOSTING
  n2d2_debugger = kN2d2Probing;
  call_debugger(kErrno, 0);
  if (n2d2_debugger == kN2d2Probing) n2d2_debugger = kN2d2Debugger;
#endif
}

static void flush_line(void) {
  line[line_length] = 0;
  if (line_length > 0 && n2d2_debugger == kN2d2Debugger) call_debugger(kWrite0, (uintptr_t)line);
  line_length = 0;
}

__attribute__((weak)) void n2d2_put_char(char c) {
  line[line_length++] = c;
  if (c == '\n' || line_length == sizeof line - 1) flush_line();
}

void n2d2_put(const char* text) {
  while (*text) n2d2_put_char(*text++);
}

void n2d2_put_number(uint64_t value, int width) {
  char digits[21];
  int length = 0;
  do {
    digits[length++] = (char)('0' + (int)(value % 10));
    value /= 10;
  } while (value != 0);
  for (int i = length; i < width; ++i) n2d2_put_char(' ');
  while (length > 0) n2d2_put_char(digits[--length]);
}

void n2d2_put_hex(uint32_t value) {
  n2d2_put("0x");
  for (int shift = 28; shift >= 0; shift -= 4) n2d2_put_char("0123456789abcdef"[(value >> shift) & 15]);
}

void n2d2_exit(int status) {
  n2d2_exit_status = status;
  flush_line();
  if (n2d2_debugger == kN2d2Debugger) {
    const uint32_t reason[2] = {kApplicationExit, (uint32_t)status};
    call_debugger(kExitExtended, (uintptr_t)reason);
    /* A debugger that knows no extended exit returns. */
    call_debugger(kExit, status == 0 ? kApplicationExit : kRunTimeError);
  }
  for (;;) __asm__ volatile("wfi");
}
