// Answers: how does a program call the exported network?
// Part of an exported project; may be used without condition.
//
// The inference part is this class, dnn/ and include/kernels/: no heap, no exceptions, no streams. All memory
// is one static arena, so calls of propagate() must not overlap. Instance.hpp takes memory of the caller.
#pragma once

#include "../dnn/include/env.hpp"
#include "typedefs.h"

namespace N2D2_Export {

typedef Elements<NB_BITS, ENV_DATA_UNSIGNED != 0>::type Input_T;

// map_rows.h has the functions that set_dump() and set_time() take. With N2D2_NO_NAMES the names of cells are
// null; typedefs.h lists what else may be left out.

// Writes the rows [first, first + rows) of the input, ENV_ROW_SIZE elements each, contiguous. 0: done.
typedef int (*RowsFn)(int first, int rows, Input_T* to, void* user);

class Network {
 public:
#ifdef N2D2_NO_CALLBACKS
  Network() {}
#else
  Network() : dump_(0), dump_user_(0), time_(0), time_user_(0) {}
#endif

  // Runs the network once. `inputs`: ENV_SIZE_Y * ENV_SIZE_X * ENV_NB_OUTPUTS elements, HWC, or input().
  // `outputs`: OUTPUTS_TOTAL entries. Target t has those from outputs_offset(t) on, each pixel's class in row
  // order, undefined for data (OUTPUTS_DATA). Returns 0, or an error of delegates/ and undefined outputs.
  int propagate(const Input_T* inputs, Target_T* outputs) const;

  // Runs the network on an input that no array holds as a whole: `read` makes each of its ENV_ROWS rows once,
  // in order, some at a time, right before layers read them. A code of `read` other than 0 ends the run and
  // is returned. It exists only where ENV_STREAM_INPUT is 1; there propagate() copies rows of `inputs`.
  int propagate_rows(RowsFn read, void* user, Target_T* outputs) const;

  // Writes an output of the last propagate() as outputs_size(target) * output_channels(target) reals, pixel
  // by pixel, channels last. Returns false if there is no such target, or if it is the input itself.
  bool scores(int target, float* to) const;

  // Releases what delegates hold, if any; the next propagate() initialises them again.
  static void release();

  // Returns the input in the arena (strides: cells::ENV_MEM_* of mem_info.hpp), or null if it is not in the
  // memory plan as a whole (ENV_STREAM_INPUT). Layers may overwrite it, so it must be filled before each
  // call.
  Input_T* input() const;

  static int input_height();
  static int input_width();
  static int input_channels();
  static int input_size();

  static int targets();
  static int output_height(int target);
  static int output_width(int target);
  static int output_channels(int target);
  static int outputs_size(int target);
  static int outputs_offset(int target);

#ifdef CHECK_MEMORY
  // Returns false once a cell of any call of propagate() has written outside the arena.
  static bool memory_intact();
#endif

#ifdef N2D2_NO_CALLBACKS
 protected:
  // forward.cpp calls these.
  static constexpr TimeFn time_ = 0;
  static constexpr void* time_user_ = 0;
  static void begin() {}
  static void timed(const char*) {}
  template <class Cell, class T>
  static void done(int, const char*, const T*) {}
  template <class Cell, class T>
  static void made(int, const char*, const T*) {}
  template <class Cell, class T>
  static void made_rows(int, const char*, const T*, int, int) {}
};
#else
  void set_dump(DumpFn dump, void* user) {
    dump_ = dump, dump_user_ = user;
  }
  void set_time(TimeFn time, void* user) {
    time_ = time, time_user_ = user;
  }

 protected:
  // forward.cpp calls these before the first cell and after each cell (Cell: its config struct).
  void begin() const {
    if (time_) time_(0, time_user_);
  }
  void timed(const char* cell) const {
    if (time_) time_(cell, time_user_);
  }
  template <class Cell, class T>
  void done(int index, const char* cell, const T* output) const {
    timed(cell);
    made<Cell>(index, cell, output);
  }
  template <class Cell, class T>
  void made(int index, const char* cell, const T* output) const {
    made_rows<Cell>(index, cell, output, 0, Cell::out_h);
  }
  template <class Cell, class T>
  void made_rows(int index, const char* cell, const T* output, int from, int rows) const {
    if (!dump_ || rows == 0) return;
    const MapRows map = {cell,
                         index,
                         output,
                         ElementTypeOf<T>::value,
                         Cell::out_w,
                         Cell::out_h,
                         Cell::out_c,
                         Cell::out_pixel,
                         Cell::out_row,
                         Cell::out_ring,
                         Cell::out_first,
                         Cell::out_turn,
                         from,
                         rows};
    dump_(&map, dump_user_);
  }

  DumpFn dump_;
  void* dump_user_;
  TimeFn time_;
  void* time_user_;
};
#endif

#ifndef N2D2_NO_SELF_TEST
// The result of self_test(): index and name of the first wrong cell, counted in the order of execution from
// the input (0) on; "classes" come after the last cell. -1: all values are right.
struct SelfTest {
  int cell;
  const char* name;
};

// Runs the network on a compiled sample, and compares the CRC-32 of each cell's output with the framework's.
// `outputs`: OUTPUTS_TOTAL entries. Only where ENV_SELF_TEST is 1, because floats depend on the compiler.
inline SelfTest self_test(Target_T* outputs);

// Tests a network that `run` calls: propagate() with these arguments of set_dump().
typedef int (*RunFn)(void* network, DumpFn dump, void* user, const Input_T* inputs, Target_T* outputs);
SelfTest self_test(RunFn run, void* network, Target_T* outputs);

// A RunFn for a Network or an Instance; it leaves no dump function behind.
template <class AnyNetwork>
int run_watched(void* network, DumpFn dump, void* user, const Input_T* inputs, Target_T* outputs) {
  AnyNetwork& watched = *static_cast<AnyNetwork*>(network);
  watched.set_dump(dump, user);
  const int code = watched.propagate(inputs, outputs);
  watched.set_dump(0, 0);
  return code;
}

inline SelfTest self_test(Target_T* outputs) {
  Network network;
  return self_test(run_watched<Network>, &network, outputs);
}
#endif

// Makes an input of ENV_SIZE_Y x ENV_SIZE_X pixels of ENV_PICTURE_CHANNELS bytes, row by row (ENV_CHANNELS).
// `inputs`: ENV_OUTPUTS_SIZE elements. Only where ENV_PICTURE_CHANNELS is not 0; env.hpp has the reason.
void quantize_input(const uint8_t* pixels, Input_T* inputs);
// Makes the input of `count` pixels, for instance of a row.
void quantize_pixels(const uint8_t* pixels, int count, Input_T* inputs);

// Makes an input of ENV_OUTPUTS_SIZE measured values, row by row, channels last. Each value becomes
// (value - mean) / deviation of its channel. Only where ENV_FEATURES is 1.
void quantize_input(const float* values, Input_T* inputs);

// Returns the name of a class of a target as in the data, "" for a class without a name.
const char* label_name(int target, int index);

// Computes the softmax of n scores; both arrays may be the same.
void softmax(const float* scores, int n, float* probabilities);

}  // namespace N2D2_Export
