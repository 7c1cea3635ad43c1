// Answers: what does the test driver ask of the network?
// Part of an exported project; may be used without condition.
//
// Values in place of the constants of env.hpp: the sources of the driver are the same text for every network.
#pragma once

#include "map_rows.h"

namespace N2D2_Export {

// As Network.hpp and env.hpp say. Arrays have an entry for each target.
struct NetworkFacts {
  int width, height, channels;  // of the input
  ElementType input;
  int input_bytes;  // of an element
  int maximum;      // what the header of a stimulus says: 255, or 65535 of more than 8 bits and of floats
  float scale;      // an element q of the input stands for scale * (q - zero_point)
  double zero_point;
  int targets;
  const int *widths, *heights, *channels_of, *classes, *sizes;
  const int* are_data;  // 1: the input is wanted of it, not classes
  const float* scales;
  const char* const* cells;
};

const NetworkFacts& facts();
inline int input_size() {
  return facts().width * facts().height * facts().channels;
}
// Entries that propagate() writes for the targets before this one; of facts().targets: for all.
int outputs_before(int target);

// What is called while the network runs; null: nothing.
struct Watchers {
  DumpFn dump;
  void* dump_user;
  TimeFn time;
  void* time_user;
};

// Network::propagate(); `inputs` are elements of the type that facts() tells.
int propagate(const void* inputs, int32_t* outputs, const Watchers& watchers);
void release_network();
// Network::memory_intact(); true without CHECK_MEMORY.
bool is_memory_intact();

}  // namespace N2D2_Export
