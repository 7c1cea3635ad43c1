// Answers: what does the test driver ask the network?
// Part of an exported project; may be used without condition.
//
// Values replace the constants of env.hpp, so that the driver's sources are the same text for every network.
#pragma once

#include "map_rows.h"

namespace N2D2_Export {

// Fields as in Network.hpp and env.hpp. Arrays have an entry for each target.
struct NetworkFacts {
  int width, height, channels;  // size of the input
  ElementType input;
  int input_bytes;  // size of an element
  int maximum;      // maximum in a stimulus header: 255, or 65535 for more than 8 bits and for floats
  float scale;      // an element q of the input is the real number scale * (q - zero_point)
  double zero_point;
  int targets;
  const int *widths, *heights, *channels_of, *classes, *sizes;
  const int* are_data;  // 1: the target gives data, not classes
  const float* scales;
  const char* const* cells;
};

const NetworkFacts& facts();
inline int input_size() {
  return facts().width * facts().height * facts().channels;
}
// Returns the entries that propagate() writes for all targets before this one; facts().targets: for all.
int outputs_before(int target);

// Functions that the running network calls; each may be null.
struct Watchers {
  DumpFn dump;
  void* dump_user;
  TimeFn time;
  void* time_user;
};

// Calls Network::propagate(); `inputs` are elements of the type that facts() names.
int propagate(const void* inputs, int32_t* outputs, const Watchers& watchers);
void release_network();
// Returns Network::memory_intact(), true without CHECK_MEMORY.
bool is_memory_intact();

}  // namespace N2D2_Export
