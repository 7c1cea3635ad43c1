// Answers: what is there of the network for each instruction set of a program that holds several?
// Part of an exported project; may be used without condition.
//
// Built by `make DISPATCH=1`. The code of an instruction set lies in a namespace of its own and has types of its own: functions
// of plain types are what it has in common with the rest of the program.
#pragma once

#include "typedefs.h"

// As DumpFn and TimeFn of Network.hpp.
typedef void (*N2D2_Export_dump_t)(const N2D2_Export_rows_t* map, void* user);
typedef void (*N2D2_Export_time_t)(const char* cell, void* user);
// A RowsFn of Network.hpp, of whatever type elements have.
typedef void (*N2D2_Export_any_function_t)();

// As the functions of Network; what is called after each cell may be null.
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
