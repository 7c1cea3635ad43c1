/* Answers: how does a program on a bare processor print, and how does it end?
 * Part of an exported project; may be used without condition.
 *
 * Output goes through n2d2_put_char(). Without a definition of yours it goes to the debugger or emulator, if one
 * is there: startup.c finds out at reset, and no breakpoint is executed where nobody waits for it.
 * N2D2_SEMIHOSTING=0 leaves out all breakpoints. */
#pragma once

#include <stdint.h>

#ifndef N2D2_SEMIHOSTING
#define N2D2_SEMIHOSTING 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Weak: define it to print elsewhere, for instance on a UART. */
void n2d2_put_char(char c);

void n2d2_put(const char* text);
/* Decimal digits, right-aligned with blanks in `width` places. */
void n2d2_put_number(uint64_t value, int width);
/* 0x and eight digits. */
void n2d2_put_hex(uint32_t value);

/* Ends the program. A debugger or emulator gets the status; without one the processor sleeps for ever, and the
 * status stays in n2d2_exit_status. */
void n2d2_exit(int status) __attribute__((noreturn));
/* -1 until n2d2_exit() is called. */
extern volatile int n2d2_exit_status;

/* Whether a debugger or emulator answers. The fault handler clears it. */
enum N2d2Debugger { kN2d2NoDebugger, kN2d2Probing, kN2d2Debugger };
extern volatile int n2d2_debugger;
/* Asks once. Without a debugger its breakpoint ends in the fault handler, which returns behind it. */
void n2d2_probe_debugger(void);

#ifdef __cplusplus
}
#endif
