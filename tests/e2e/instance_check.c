/* Part of the test of instances: the C interface of the export it lies in. PARTS: other code computes parts. */
#include <stdio.h>
#include <string.h>

#include "include/network.h"

#ifndef WITHOUT_INPUT
#define WITHOUT_INPUT 0
#endif
#define ALIGNMENT N2D2_EXPORT_MEMORY_ADDRESS_ALIGNMENT

static unsigned char bytes[2][N2D2_EXPORT_MEMORY_SIZE + 2 * ALIGNMENT];
static N2D2_Export_input_t inputs[3][N2D2_EXPORT_INPUT_ELEMENTS];
static int32_t expected[3][N2D2_EXPORT_CLASSES], found[N2D2_EXPORT_CLASSES];
static float expected_scores[3][N2D2_EXPORT_TARGET_0_SCORES], scores[N2D2_EXPORT_TARGET_0_SCORES];
static int failures = 0;

static void expect(int holds, const char* what) {
  if (!holds) printf("not so: %s\n", what), ++failures;
}

static unsigned char* aligned(unsigned char* memory) {
  return memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
}

static void run(N2D2_Export_instance_t* instance, int n, const N2D2_Export_input_t* from) {
  expect(N2D2_Export_instance_propagate(instance, from, found) == 0, "an instance runs");
  expect(memcmp(found, expected[n], sizeof found) == 0, "it finds the classes of the static network");
  expect(N2D2_Export_instance_scores(instance, 0, scores) == 1, "it has scores");
  expect(memcmp(scores, expected_scores[n], sizeof scores) == 0, "it has the scores of the static network");
}

static void refuse(void) {
  N2D2_Export_instance_t refused;
  unsigned char* const memory = aligned(bytes[0]);
  expect(N2D2_Export_instance_init(&refused, 0, sizeof bytes[0]) == N2D2_EXPORT_ARENA_NULL, "null is refused");
  expect(N2D2_Export_instance_propagate(&refused, inputs[0], found) == N2D2_EXPORT_ARENA_NULL, "null does not run");
  expect(N2D2_Export_instance_init(&refused, memory, N2D2_EXPORT_MEMORY_SIZE - 1) == N2D2_EXPORT_ARENA_TOO_SMALL,
         "too little is refused");
  expect(N2D2_Export_instance_init(&refused, memory + 1, sizeof bytes[0]) == N2D2_EXPORT_ARENA_MISALIGNED,
         "another alignment is refused");
  expect(N2D2_Export_instance_propagate(&refused, inputs[0], found) == N2D2_EXPORT_ARENA_MISALIGNED, "it does not run");
  expect(!N2D2_Export_instance_input(&refused) && !N2D2_Export_instance_output(&refused, 0), "it has no maps");
  expect(N2D2_Export_instance_scores(&refused, 0, scores) == 0, "it has no scores");
  N2D2_Export_instance_release(&refused);
}

int main(void) {
  N2D2_Export_instance_t instances[2];
  N2D2_Export_input_t* input;
  int n, i;
  unsigned state = 1;
  for (n = 0; n < 3; ++n) {
    for (i = 0; i < N2D2_EXPORT_INPUT_ELEMENTS; ++i) {
      state = state * 1664525u + 1013904223u;
      inputs[n][i] = (N2D2_Export_input_t)(state >> 25);
    }
    expect(N2D2_Export_propagate(inputs[n], expected[n]) == 0, "the static network runs");
    expect(N2D2_Export_scores(0, expected_scores[n]) == 1, "it has scores");
  }
  input = N2D2_Export_input();
  expect((input == 0) == (WITHOUT_INPUT), "the static network has a place for its input");
  if (input) {
    memcpy(input, inputs[1], sizeof inputs[1]);
    expect(N2D2_Export_propagate(input, found) == 0, "it runs on what is there");
    expect(memcmp(found, expected[1], sizeof found) == 0, "it finds the same classes");
    expect(N2D2_Export_scores(0, scores) == 1 && memcmp(scores, expected_scores[1], sizeof scores) == 0,
           "it has the same scores");
  }
  for (i = 0; i < 2; ++i)
    expect(N2D2_Export_instance_init(&instances[i], aligned(bytes[i]), N2D2_EXPORT_MEMORY_SIZE) == 0, "memory is taken");
  for (n = 0; n < 3; ++n)
    for (i = 0; i < 2; ++i) run(&instances[i], (n + i) % 3, inputs[(n + i) % 3]);
#ifdef PARTS
  N2D2_Export_instance_release(&instances[0]);
#endif
  memset(aligned(bytes[0]), 0x99, N2D2_EXPORT_MEMORY_SIZE);
  run(&instances[0], 1, inputs[1]);
  input = N2D2_Export_instance_input(&instances[0]);
  if (input) {
    memcpy(input, inputs[2], sizeof inputs[2]);
    run(&instances[0], 2, input);
  }
#if N2D2_EXPORT_TARGET_0_NB_BITS == 32
  {
    const int32_t* const output = (const int32_t*)N2D2_Export_instance_output(&instances[0], 0);
    expect(output != 0, "scores lie one behind the other");
    for (i = 0; output && i < N2D2_EXPORT_TARGET_0_SCORES; ++i)
      expect((float)output[i] * N2D2_EXPORT_TARGET_0_SCALE == scores[i], "an element stands for its score");
  }
#endif
#ifdef SELF_TEST
  {
    const char* name = 0;
    expect(N2D2_Export_instance_self_test(&instances[1], found, &name) == -1 && name, "the self test holds");
    instances[1].bytes = 0;
    expect(N2D2_Export_instance_self_test(&instances[1], found, 0) == 0, "it fails without memory");
    instances[1].bytes = N2D2_EXPORT_MEMORY_SIZE;
  }
#endif
  for (i = 0; i < 2; ++i) N2D2_Export_instance_release(&instances[i]);
  refuse();
  if (failures == 0) printf("all equal\n");
  return failures != 0;
}
