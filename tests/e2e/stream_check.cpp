// Part of the test of inputs that come row by row: reads rows in all ways and compares what the network makes
// of them with what it makes of the whole map.
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

struct Camera {
  std::vector<Input_T> image;
  int next, calls, fails_at, code;
  int most;  // rows of a call
};

Camera camera(unsigned seed) {
  Camera out = {std::vector<Input_T>(ENV_OUTPUTS_SIZE), 0, 0, -1, 0, 0};
  for (size_t i = 0; i < out.image.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    out.image[i] = NB_BITS < 0 ? static_cast<Input_T>(static_cast<float>(seed >> 20) / 4096)
                               : static_cast<Input_T>(seed >> 24);
  }
  return out;
}

// A RowsFn.
int read(int first, int rows, Input_T* to, void* user) {
  Camera& from = *static_cast<Camera*>(user);
  expect(first == from.next && rows > 0 && first + rows <= ENV_ROWS, "each row is asked for once, in order");
  ++from.calls;
  if (from.fails_at >= first && from.fails_at < first + rows) return from.code;
  std::memcpy(to, &from.image[static_cast<size_t>(first) * ENV_ROW_SIZE],
              static_cast<size_t>(rows) * ENV_ROW_SIZE * sizeof(Input_T));
  from.next += rows;
  if (rows > from.most) from.most = rows;
  return 0;
}

void dump(const MapRows* map, void* user) {
  Bytes& to = *static_cast<Bytes*>(user);
  const int type = map->type;
  const long size = type == kElementU8 || type == kElementI8     ? 1
                    : type == kElementU16 || type == kElementI16 ? 2
                                                                 : 4;
  to.insert(to.end(), map->cell, map->cell + std::strlen(map->cell));
  for (int y = map->from; y < map->from + map->rows; ++y)
    for (int x = 0; x < map->width; ++x) {
      const long turns = map->ring > 0 ? (y + map->first) / map->ring : 0;
      const long at = static_cast<long>(y) * map->row + static_cast<long>(x) * map->pixel - turns * map->turn;
      const unsigned char* const bytes = static_cast<const unsigned char*>(map->data) + at * size;
      to.insert(to.end(), bytes, bytes + map->channels * size);
    }
}

template <class AnyNetwork>
Bytes all_of(AnyNetwork& network, Camera& from, bool by_rows) {
  Bytes out;
  network.set_dump(dump, &out);
  from.next = from.calls = 0;
  Target_T classes[OUTPUTS_TOTAL];
  const int code =
      by_rows ? network.propagate_rows(read, &from, classes) : network.propagate(&from.image[0], classes);
  expect(code == 0, "the network runs");
  expect(!by_rows || from.next == ENV_ROWS, "all rows are asked for");
  network.set_dump(0, 0);
  const unsigned char* const bytes = reinterpret_cast<const unsigned char*>(classes);
  out.insert(out.end(), bytes, bytes + sizeof classes);
  for (int t = 0; t < NETWORK_TARGETS; ++t) {
    std::vector<float> scores(static_cast<size_t>(OUTPUTS_SIZE[t] * NB_OUTPUTS[t]));
    expect(network.scores(t, &scores[0]), "there are scores");
    const unsigned char* const reals = reinterpret_cast<const unsigned char*>(&scores[0]);
    out.insert(out.end(), reals, reals + scores.size() * sizeof(float));
  }
  return out;
}

// Every row in turn is the one that cannot be read.
template <class AnyNetwork>
void fail_everywhere(AnyNetwork& network, Camera& from, const Bytes& expected) {
  Target_T classes[OUTPUTS_TOTAL];
  for (int row = 0; row < ENV_ROWS; ++row) {
    from.next = from.calls = 0, from.fails_at = row, from.code = row % 2 ? -5 - row : 7 + row;
    expect(network.propagate_rows(read, &from, classes) == from.code, "the code of the callback comes back");
    expect(from.next <= row, "nothing is read behind the row that failed");
  }
  from.fails_at = -1;
  expect(all_of(network, from, true) == expected, "the next run is as if nothing had been");
}

}  // namespace

int main() {
  static_assert(ENV_STREAM_INPUT == 1 && ENV_ROWS * ENV_ROW_SIZE == ENV_OUTPUTS_SIZE, "rows are the input");
  Network network;
  expect(!network.input(), "the whole input has no place");
  alignas(MEMORY_ADDRESS_ALIGNMENT) static uint8_t memory[MEMORY_SIZE + 64];
  std::memset(memory, 0x5c, sizeof memory);
  Instance instance(memory, sizeof memory);
  expect(instance.status() == 0 && !instance.input(), "an instance has none either");
  Bytes last;
  for (unsigned seed = 1; seed < 5; ++seed) {
    Camera from = camera(seed);
    const Bytes expected = all_of(network, from, false);
    expect(expected != last, "images differ");
    last = expected;
    expect(all_of(network, from, true) == expected, "rows give the bytes of the whole map");
    expect(all_of(instance, from, false) == expected, "so does an instance");
    expect(all_of(instance, from, true) == expected, "and an instance that reads rows");
    expect(from.calls > 1 && from.most < ENV_ROWS, "rows come in several calls");
    fail_everywhere(network, from, expected);
    fail_everywhere(instance, from, expected);
  }
  Instance refused(0, sizeof memory);
  Camera from = camera(9);
  Target_T classes[OUTPUTS_TOTAL];
  expect(refused.propagate_rows(read, &from, classes) == kArenaNull && from.calls == 0,
         "a refused instance reads nothing");
#ifndef N2D2_NO_SELF_TEST
  expect(!ENV_SELF_TEST || (self_test(classes).cell == -1 && self_test(instance, classes).cell == -1),
         "the self test holds");
#endif
#ifdef CHECK_MEMORY
  expect(Network::memory_intact() && Instance::memory_intact(), "nothing is written outside");
#endif
  network.release(), instance.release();
  std::printf("all equal\n");
  return 0;
}
