// Answers: does the network compute on this processor what it must, how fast, and with how much memory?
// Part of an exported project; may be used without condition.
//
// Prints a table of cells, and the memory that the program takes. Exit status: 0, or 1 + the index of the
// first cell with a wrong output; 95: the export has no self test; 96: an error of propagate(); 97: more
// stack than STACK_SIZE; 99: a fault.
#include "../dnn/include/mem_info.hpp"
#include "../include/Network.hpp"
#include "measure.h"
#include "semihosting.h"

#ifndef N2D2_CORE
#define N2D2_CORE "this processor"
#endif

extern "C" {
// Addresses that link.ld defines; sizes are addresses, too.
extern char __nn_code_size[], __nn_parameters_size[], __nn_self_test_size[], __nn_memory_size[];
extern char __flash_used[], __flash_size[], __ram_used[], __ram_size[], __stack_size[], __ram_free_start[],
    __ram_end[];
}

namespace {

using namespace N2D2_Export;

enum Status { kMostCells = 94, kNoSelfTest = 95, kFailed = 96, kTooMuchStack = 97 };

// Picoseconds of a tick, where an emulator takes one nanosecond for an instruction; 0: a tick is a cycle.
#ifdef N2D2_TICK_PICOSECONDS
const uint64_t kTickPicoseconds = N2D2_TICK_PICOSECONDS;
const char* const kUnit = "instructions";
#else
const uint64_t kTickPicoseconds = 0;
const char* const kUnit = "cycles";
#endif

uint64_t in_units(uint64_t ticks) {
  return kTickPicoseconds == 0 ? ticks : ticks * kTickPicoseconds / 1000;
}

// A line of the table; it is in the RAM that nothing else takes.
struct Line {
  const char* cell;
  uint64_t ticks;
};

struct Measured {
  Line* lines;
  int room, count;
  uint64_t mark, total;
  uint32_t stack, stack_with_callbacks;
  int code;
};

Measured measured;

// A DumpFn: the time since the last call is that of the cell, which may come in several parts.
void on_rows(const MapRows* map, void*) {
  const uint64_t now = n2d2_ticks();
  if (map->index < measured.room) {
    Line& line = measured.lines[map->index];
    while (measured.count <= map->index) measured.lines[measured.count++] = Line();
    line.cell = map->cell;
    line.ticks += now - measured.mark;
  }
  measured.mark = n2d2_ticks();
}

uint32_t stack_of(Network& network, const Input_T* inputs, Target_T* outputs) {
  const void* const top = n2d2_stack_pointer();
  n2d2_stack_paint();
  measured.code |= network.propagate(inputs, outputs);
  return n2d2_stack_used(top);
}

// A RunFn of self_test(): runs once with its checks, then to measure.
int run_and_measure(void* watched, DumpFn dump, void* user, const Input_T* inputs, Target_T* outputs) {
  Network& network = *static_cast<Network*>(watched);
  network.set_dump(dump, user);
  measured.stack_with_callbacks = stack_of(network, inputs, outputs);
  network.set_dump(0, 0);
  measured.stack = stack_of(network, inputs, outputs);

  n2d2_ticks_start();
  network.propagate(inputs, outputs);
  measured.total = n2d2_ticks();
  network.set_dump(on_rows, 0);
  measured.mark = n2d2_ticks();
  network.propagate(inputs, outputs);
  n2d2_ticks_stop();
  network.set_dump(0, 0);
  return measured.code;
}

uint32_t number(const char* symbol) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(symbol));
}

void put_padded(const char* text, int width) {
  for (; *text; ++text, --width) n2d2_put_char(*text);
  for (; width > 0; --width) n2d2_put_char(' ');
}

void put_part(const char* name, uint32_t bytes) {
  n2d2_put(name);
  n2d2_put_number(bytes, 0);
}

void put_cells(int first_wrong) {
  put_padded("cell", 32);
  n2d2_put(kUnit);
  n2d2_put("\n");
  for (int i = 0; i < measured.count; ++i) {
    put_padded(measured.lines[i].cell ? measured.lines[i].cell : "?", 32);
    n2d2_put_number(in_units(measured.lines[i].ticks), 12);
    n2d2_put(first_wrong < 0 || i < first_wrong ? "  right\n" : i == first_wrong ? "  WRONG\n" : "\n");
  }
  put_padded("all, without callbacks", 32);
  n2d2_put_number(in_units(measured.total), 12);
  n2d2_put("\n");
}

Target_T outputs[OUTPUTS_TOTAL];

// The class of each target that is one class for the whole input.
void put_classes() {
  for (int target = 0; target < NETWORK_TARGETS; ++target) {
    if (OUTPUTS_SIZE[target] != 1 || OUTPUTS_DATA[target] != 0) continue;
    const int chosen = static_cast<int>(outputs[Network::outputs_offset(target)]);
    put_part("class: ", static_cast<uint32_t>(chosen));
    n2d2_put(" ");
    n2d2_put(label_name(target, chosen));
    n2d2_put("\n");
  }
}

void put_memory() {
  put_part("stack: ", measured.stack);
  put_part(" bytes, with the callbacks of the test ", measured.stack_with_callbacks);
  put_part(", promised ", STACK_SIZE);
  put_part("\nflash: ", number(__flash_used));
  put_part(" of ", number(__flash_size));
  put_part(" bytes: network's code ", number(__nn_code_size));
  put_part(", parameters ", number(__nn_parameters_size));
  put_part(", sample of the test ", number(__nn_self_test_size));
  put_part("\nRAM: ", number(__ram_used));
  put_part(" of ", number(__ram_size));
  put_part(" bytes: arena ", number(__nn_memory_size));
  put_part(", stack of the program ", number(__stack_size));
  n2d2_put("\n");
}

int report(const SelfTest& found) {
  put_cells(found.cell);
  put_classes();
  put_memory();
  if (measured.code != 0) {
    n2d2_put("self test: FAILED, propagate() returned an error\n");
    return kFailed;
  }
  if (found.cell >= 0) {
    n2d2_put("self test: FAILED, first wrong output: ");
    n2d2_put(found.name ? found.name : "");
    put_part(" (", static_cast<uint32_t>(found.cell));
    n2d2_put(")\n");
    return found.cell < kMostCells ? found.cell + 1 : int{kMostCells};
  }
  if (measured.stack > STACK_SIZE) {
    n2d2_put("self test: FAILED, more stack than STACK_SIZE\n");
    return kTooMuchStack;
  }
  n2d2_put("self test: passed\n");
  return 0;
}

// Exports in floats have no self_test(), because floats depend on the compiler.
template <bool kIsThere>
struct Tester {
  static int run() {
    Network network;
    return report(self_test(run_and_measure, &network, outputs));
  }
};
template <>
struct Tester<false> {
  static int run() {
    n2d2_put("self test: none, floats depend on the compiler\n");
    return kNoSelfTest;
  }
};

}  // namespace

int main() {
  measured.lines = reinterpret_cast<Line*>(__ram_free_start);
  measured.room = static_cast<int>(static_cast<uint32_t>(__ram_end - __ram_free_start) / sizeof(Line));
  n2d2_put("self test of N2D2_Export on " N2D2_CORE "\n");
  return Tester<ENV_SELF_TEST == 1>::run();
}
