// Answers: how is the exported network called?
// Part of an exported project; may be used without condition.
//
// The inference part is this class, dnn/ and include/kernels/: no heap, no exceptions, no streams. All memory is one
// static arena, so two calls of propagate() must not run at the same time. Networks in memory of the caller's: Instance.hpp.
#pragma once

#include "../dnn/include/env.hpp"
#include "typedefs.h"

namespace N2D2_Export {

typedef Elements<NB_BITS, ENV_DATA_UNSIGNED != 0>::type Input_T;

// What set_dump() and set_time() take: map_rows.h. The names of cells are null with N2D2_NO_NAMES; typedefs.h says what else
// may be left out.

// Writes the rows [first, first + rows) of the input, ENV_ROW_SIZE elements each, one behind the other. 0: done.
typedef int (*RowsFn)(int first, int rows, Input_T* to, void* user);

class Network {
 public:
#ifdef N2D2_NO_CALLBACKS
  Network() {}
#else
  Network() : dump_(0), dump_user_(0), time_(0), time_user_(0) {}
#endif

  // Runs the network once. `inputs`: ENV_SIZE_Y * ENV_SIZE_X * ENV_NB_OUTPUTS elements, HWC without gaps, or input().
  // `outputs`: OUTPUTS_TOTAL entries; target t begins at outputs_offset(t) and gets the class of each pixel, row
  // by row, which means nothing where data are wanted of it (OUTPUTS_DATA). 0: done; else what a part of other code (delegates/) said went wrong, and the outputs mean nothing.
  int propagate(const Input_T* inputs, Target_T* outputs) const;

  // The same of an input that is nowhere as a whole: each of its ENV_ROWS rows is asked for once, from the first to the last,
  // right before layers read it, some at a time. What `read` gives but 0 ends the run and is given back. Only where
  // ENV_STREAM_INPUT is 1; propagate() copies rows of `inputs` there.
  int propagate_rows(RowsFn read, void* user, Target_T* outputs) const;

  // What the elements of an output of the last propagate() stand for: outputs_size(target) * output_channels(target) reals,
  // pixel by pixel, the channels of one beside each other. False: there is no such target, or it is the input itself.
  bool scores(int target, float* to) const;

  // Gives back what parts of other code hold, if any; the next propagate() begins them anew.
  static void release();

  // Where the input lies in the arena (strides: cells::ENV_MEM_* of mem_info.hpp), or null if it is not in the memory plan, or
  // not as a whole (ENV_STREAM_INPUT).
  // Layers may overwrite it: fill it before each call.
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
  // False once a cell of any call of propagate() wrote outside the arena.
  static bool memory_intact();
#endif

#ifdef N2D2_NO_CALLBACKS
 protected:
  // For forward.cpp.
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
  // For forward.cpp: before the first cell, and after each cell (Cell: its config struct).
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
// What self_test() found: the first cell whose output is not what it must be, counted from the input (0) on in the order of
// execution, and its name; "classes" follow the last one. -1: all is as it must be.
struct SelfTest {
  int cell;
  const char* name;
};

// Runs the network on a sample that is compiled in, and compares the CRC-32 of what each cell makes of it with the
// framework's. `outputs`: OUTPUTS_TOTAL entries. Only where ENV_SELF_TEST is 1: floats depend on the compiler.
inline SelfTest self_test(Target_T* outputs);

// The same of a network that `run` calls: propagate() with this as what set_dump() is given.
typedef int (*RunFn)(void* network, DumpFn dump, void* user, const Input_T* inputs, Target_T* outputs);
SelfTest self_test(RunFn run, void* network, Target_T* outputs);

// A RunFn of a Network or an Instance, which has no dump afterwards.
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

// The network's input for a picture of ENV_SIZE_Y x ENV_SIZE_X pixels of ENV_PICTURE_CHANNELS bytes, row by row, which stand
// for ENV_CHANNELS. `inputs`: ENV_OUTPUTS_SIZE elements. Only where ENV_PICTURE_CHANNELS is not 0; env.hpp says why not.
void quantize_input(const uint8_t* pixels, Input_T* inputs);
// The same of `count` pixels, of a row for one.
void quantize_pixels(const uint8_t* pixels, int count, Input_T* inputs);

// The network's input for ENV_OUTPUTS_SIZE values as they are measured, row by row, the channels of a place beside each other:
// each becomes (value - mean) / deviation of its channel. Only where ENV_FEATURES is 1.
void quantize_input(const float* values, Input_T* inputs);

// The name of a class of a target as the data call it; "" for what has none.
const char* label_name(int target, int index);

// Of n scores; may be in place.
void softmax(const float* scores, int n, float* probabilities);

}  // namespace N2D2_Export
