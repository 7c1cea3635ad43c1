// Part of the test of instances: runs the network of the export it lies in through all forms of the C++
// interface and compares everything that they give. PARTS: other code computes parts. TWO_MEMORIES: `fast`
// and `slow`.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "include/Instance.hpp"

using namespace N2D2_Export;

namespace {

typedef std::vector<unsigned char> Bytes;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  std::exit(1);
}

void add(Bytes& to, const void* from, size_t bytes) {
  const unsigned char* const first = static_cast<const unsigned char*>(from);
  to.insert(to.end(), first, first + bytes);
}

void dump(const MapRows* map, void* user) {
  const int type = map->type;
  const long size = type == kElementU8 || type == kElementI8     ? 1
                    : type == kElementU16 || type == kElementI16 ? 2
                                                                 : 4;
  Bytes& to = *static_cast<Bytes*>(user);
  add(to, map->cell, std::strlen(map->cell));
  for (int y = map->from; y < map->from + map->rows; ++y)
    for (int x = 0; x < map->width; ++x) {
      const long turns = map->ring > 0 ? (y + map->first) / map->ring : 0;
      const long at = static_cast<long>(y) * map->row + static_cast<long>(x) * map->pixel - turns * map->turn;
      add(to, static_cast<const char*>(map->data) + at * size, static_cast<size_t>(map->channels * size));
    }
}

std::vector<Input_T> sample(int n) {
  std::vector<Input_T> out(ENV_OUTPUTS_SIZE);
  unsigned state = 12345u + 977u * static_cast<unsigned>(n);
  for (size_t i = 0; i < out.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    out[i] = NB_BITS < 0 ? static_cast<Input_T>(static_cast<float>(state >> 20) / 4096)
                         : static_cast<Input_T>(state >> 24);
  }
  return out;
}

// What every cell makes of a sample, the classes and the scores.
template <class AnyNetwork>
Bytes run(AnyNetwork& network, int n) {
  Bytes out;
  network.set_dump(dump, &out);
  const std::vector<Input_T> inputs = sample(n);
  Target_T classes[OUTPUTS_TOTAL];
  expect(network.propagate(&inputs[0], classes) == 0, "a network runs");
  network.set_dump(0, 0);
  add(out, classes, sizeof classes);
  for (int t = 0; t < NETWORK_TARGETS; ++t) {
    std::vector<float> scores(static_cast<size_t>(OUTPUTS_SIZE[t] * NB_OUTPUTS[t]));
    expect(network.scores(t, &scores[0]), "there are scores");
    add(out, &scores[0], scores.size() * sizeof(float));
  }
  return out;
}

// Bytes at a multiple of the alignment, nothing more, between bytes that nobody may touch.
struct Piece {
  Piece(size_t size, size_t alignment)
      : bytes(size), all(size + 3 * alignment, 0x33), begin(&all[0] + alignment) {
    while (reinterpret_cast<uintptr_t>(begin) % alignment != 0) ++begin;
  }
  void scribble(int value) { std::memset(begin, value, bytes); }
  bool is_alone() const {
    for (const unsigned char* b = &all[0]; b != &all[0] + all.size(); ++b)
      if ((b < begin || b >= begin + bytes) && *b != 0x33) return false;
    return true;
  }

  size_t bytes;
  Bytes all;
  unsigned char* begin;

 private:
  Piece(const Piece&);
  Piece& operator=(const Piece&);
};

#ifdef CHECK_MEMORY
const size_t kBehind = 64;  // for what must stay as it is
#else
const size_t kBehind = 0;
#endif

#ifdef TWO_MEMORIES
struct Memory {
  Memory()
      : fast(MEMORY_FAST_SIZE + kBehind, MEMORY_FAST_ADDRESS_ALIGNMENT),
        slow(MEMORY_SLOW_SIZE + kBehind, MEMORY_SLOW_ADDRESS_ALIGNMENT) {}
  void scribble(int value) { fast.scribble(value), slow.scribble(value); }
  bool is_alone() const { return fast.is_alone() && slow.is_alone(); }
  Piece fast, slow;
};
#define OF(memory) (memory).fast.begin, (memory).fast.bytes, (memory).slow.begin, (memory).slow.bytes
#else
struct Memory {
  Memory() : one(MEMORY_SIZE + kBehind, MEMORY_ADDRESS_ALIGNMENT) {}
  void scribble(int value) { one.scribble(value); }
  bool is_alone() const { return one.is_alone(); }
  Piece one;
};
#define OF(memory) (memory).one.begin, (memory).one.bytes
#endif

const int kSamples = 6;

// Whatever held something gives it back before the memory is used for other things.
void lend(const Instance& instance, Memory& memory, int value) {
#ifdef PARTS
  instance.release();
#else
  (void)instance;
#endif
  memory.scribble(value);
}

void refuse() {
  Memory memory;
  memory.scribble(0x44);
  Target_T classes[OUTPUTS_TOTAL];
  float scores[1];
  const std::vector<Input_T> inputs = sample(0);
#ifdef TWO_MEMORIES
  Instance nowhere(memory.fast.begin, memory.fast.bytes, 0, memory.slow.bytes);
  Instance tight(memory.fast.begin, memory.fast.bytes, memory.slow.begin, MEMORY_SLOW_SIZE - 1);
  Instance askew(memory.fast.begin, memory.fast.bytes, memory.slow.begin + 1, memory.slow.bytes);
#else
  Instance nowhere(0, memory.one.bytes);
  Instance tight(memory.one.begin, MEMORY_SIZE - 1);
  Instance askew(memory.one.begin + 1, memory.one.bytes);
#endif
  Instance* const refused[] = {&nowhere, &tight, &askew};
  const int why[] = {kArenaNull, kArenaTooSmall, kArenaMisaligned};
  for (int i = 0; i < 3; ++i) {
    expect(refused[i]->status() == why[i], "memory is refused for what it is");
    expect(refused[i]->propagate(&inputs[0], classes) == why[i], "a refused instance does not run");
    expect(!refused[i]->scores(0, scores) && !refused[i]->input() && !refused[i]->output(0),
           "it has nothing");
#ifndef N2D2_NO_SELF_TEST
    expect(!ENV_SELF_TEST || self_test(*refused[i], classes).cell == 0, "its self test fails");
#endif
    refused[i]->release();
  }
  Memory untouched;
  untouched.scribble(0x44);
  const Memory& m = memory;
#ifdef TWO_MEMORIES
  expect(std::memcmp(m.slow.begin, untouched.slow.begin, m.slow.bytes) == 0, "refused memory is not written");
#else
  expect(std::memcmp(m.one.begin, untouched.one.begin, m.one.bytes) == 0, "refused memory is not written");
#endif
  expect(memory.is_alone(), "nothing is written beside it");
}

#ifndef CHECK_MEMORY
void run_often(Instance* instance, const std::vector<Bytes>* expected, int first, int* different) {
  for (int i = 0; i < 20; ++i) {
    const int n = (first + i) % kSamples;
    if (run(*instance, n) != (*expected)[static_cast<size_t>(n)]) ++*different;
  }
}
#endif

}  // namespace

int main() {
  std::vector<Bytes> expected;
  Network network;
  for (int n = 0; n < kSamples; ++n) expected.push_back(run(network, n));
  expect(expected[0] != expected[1], "samples differ");

  Memory memories[2];
  memories[0].scribble(0xff), memories[1].scribble(0x80);
  Instance a(OF(memories[0])), b(OF(memories[1]));
  expect(a.status() == 0 && b.status() == 0, "memory of the right size is taken");
  for (int n = 0; n + 1 < kSamples; ++n) {
    expect(run(a, n) == expected[static_cast<size_t>(n)],
           "an instance gives the bytes of the static network");
    expect(run(b, n + 1) == expected[static_cast<size_t>(n + 1)], "so does another one in between");
  }
  const Bytes before = run(network, 3);
  expect(run(a, 3) == before && before == expected[3], "instances leave the static network alone");
  for (int n = 0; n < kSamples; ++n) {
    lend(a, memories[0], n % 2 ? 0x7f : 0xc3);
    expect(run(a, n) == expected[static_cast<size_t>(n)], "memory may be used otherwise in between");
  }
  lend(a, memories[0], 0x11);
  {
    Instance second(OF(memories[0]));
    expect(run(second, 4) == expected[4], "another instance may take the memory");
    second.release();
  }
  expect(run(a, 5) == expected[5], "and give it back");
#ifndef N2D2_NO_SELF_TEST
  Target_T classes[OUTPUTS_TOTAL];
  expect(!ENV_SELF_TEST || (self_test(a, classes).cell == -1 && self_test(classes).cell == -1),
         "the self test holds");
#endif
  if (a.input()) {
    const std::vector<Input_T> inputs = sample(2);
    Target_T from_arena[OUTPUTS_TOTAL], of_sample[OUTPUTS_TOTAL];
    expect(network.propagate(&inputs[0], of_sample) == 0, "the static network runs");
    if (cells::ENV_MEM_STRIDE == sizeof(Input_T) * ENV_NB_OUTPUTS && cells::ENV_MEM_WRAP_SIZE == 0) {
      std::memcpy(a.input(), &inputs[0], inputs.size() * sizeof(Input_T));
      expect(a.propagate(a.input(), from_arena) == 0, "an instance runs on its input");
      expect(std::memcmp(from_arena, of_sample, sizeof of_sample) == 0, "and finds the same");
    }
  }
  refuse();
#ifdef CHECK_MEMORY
  expect(Network::memory_intact() && Instance::memory_intact(), "nothing is written outside");
#else
  int different[2] = {0, 0};
  std::thread one(run_often, &a, &expected, 0, &different[0]),
      other(run_often, &b, &expected, 3, &different[1]);
  one.join(), other.join();
  expect(different[0] == 0 && different[1] == 0, "two threads do not disturb each other");
#endif
  a.release(), b.release(), network.release();
  expect(memories[0].is_alone() && memories[1].is_alone(), "nothing is written beside the memory");
  std::printf("all equal\n");
  return 0;
}
