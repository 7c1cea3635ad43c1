// Answers: which functions does the network have for each instruction set of a program that holds several?
// Part of an exported project; may be used without condition.
//
// `make DISPATCH=1` builds it. The code of an instruction set has a namespace and types of its own. It shares
// only functions of plain types with the rest of the program.
#pragma once

#include "typedefs.h"

// Types of DumpFn and TimeFn of Network.hpp.
typedef void (*N2D2_Export_dump_t)(const N2D2_Export_rows_t* map, void* user);
typedef void (*N2D2_Export_time_t)(const char* cell, void* user);
// A RowsFn of Network.hpp for any type of element.
typedef void (*N2D2_Export_any_function_t)();

// The functions of Network; those that are called after each cell may be null.
struct N2D2_Export_dispatched_t {
  int (*propagate)(const void* inputs, int32_t* outputs, N2D2_Export_dump_t dump, void* dump_user,
                   N2D2_Export_time_t time, void* time_user);
  int (*propagate_rows)(N2D2_Export_any_function_t read, void* user, int32_t* outputs,
                        N2D2_Export_dump_t dump, void* dump_user, N2D2_Export_time_t time, void* time_user);
  int (*scores)(int target, float* to);
  void* (*input)();
  void (*release)();
  int (*memory_intact)();
};

extern "C" {
extern const N2D2_Export_dispatched_t N2D2_Export_on_sse2;
extern const N2D2_Export_dispatched_t N2D2_Export_on_avx2;
extern const N2D2_Export_dispatched_t N2D2_Export_on_avxvnni;
extern const N2D2_Export_dispatched_t N2D2_Export_on_avx512vnni;
extern const N2D2_Export_dispatched_t N2D2_Export_on_amx;
}
