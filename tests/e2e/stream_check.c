/* Part of the test of inputs that come row by row: the C interface of the export it lies in. */
#include <stdio.h>
#include <string.h>

#include "include/network.h"

#define ALIGNMENT N2D2_EXPORT_MEMORY_ADDRESS_ALIGNMENT

static unsigned char memory[N2D2_EXPORT_MEMORY_SIZE + 2 * ALIGNMENT];
static N2D2_Export_input_t image[N2D2_EXPORT_INPUT_ELEMENTS];
static int32_t expected[N2D2_EXPORT_CLASSES], found[N2D2_EXPORT_CLASSES];
static float expected_scores[N2D2_EXPORT_TARGET_0_SCORES], scores[N2D2_EXPORT_TARGET_0_SCORES];
static int failures = 0;

typedef struct {
  int next, fails_at;
} camera_t;

static void expect(int holds, const char* what) {
  if (!holds) printf("not so: %s\n", what), ++failures;
}

static int read_rows(int first, int rows, N2D2_Export_input_t* to, void* user) {
  camera_t* const camera = (camera_t*)user;
  expect(first == camera->next, "rows come in order");
  if (camera->fails_at >= 0 && first + rows > camera->fails_at) return 42;
  memcpy(to, image + first * N2D2_EXPORT_INPUT_ROW_ELEMENTS,
         (size_t)(rows * N2D2_EXPORT_INPUT_ROW_ELEMENTS) * sizeof *image);
  camera->next += rows;
  return 0;
}

int main(void) {
  N2D2_Export_instance_t instance;
  unsigned char* const arena = memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
  camera_t camera = {0, -1};
  unsigned state = 1;
  int i;
  for (i = 0; i < N2D2_EXPORT_INPUT_ELEMENTS; ++i) {
    state = state * 1664525u + 1013904223u;
    image[i] = (N2D2_Export_input_t)(state >> 25);
  }
  expect(N2D2_Export_propagate(image, expected) == 0 && N2D2_Export_scores(0, expected_scores), "the whole map runs");
  expect(N2D2_Export_propagate_rows(read_rows, &camera, found) == 0, "rows run");
  expect(camera.next == N2D2_EXPORT_INPUT_ROWS, "all rows are read");
  expect(memcmp(found, expected, sizeof found) == 0, "they give the classes of the whole map");
  expect(N2D2_Export_scores(0, scores) && memcmp(scores, expected_scores, sizeof scores) == 0, "and its scores");
  expect(N2D2_Export_instance_init(&instance, arena, N2D2_EXPORT_MEMORY_SIZE) == 0, "memory is taken");
  expect(N2D2_Export_instance_input(&instance) == 0, "the whole input has no place");
  camera.next = 0;
  expect(N2D2_Export_instance_propagate_rows(&instance, read_rows, &camera, found) == 0, "an instance runs");
  expect(memcmp(found, expected, sizeof found) == 0, "it gives the same classes");
  camera.next = 0, camera.fails_at = N2D2_EXPORT_INPUT_ROWS - 1;
  expect(N2D2_Export_propagate_rows(read_rows, &camera, found) == 42, "a code comes back");
  camera.next = 0;
  expect(N2D2_Export_instance_propagate_rows(&instance, read_rows, &camera, found) == 42, "also of an instance");
  expect(N2D2_Export_instance_init(&instance, arena, 1) == N2D2_EXPORT_ARENA_TOO_SMALL, "too little is refused");
  camera.next = 0;
  expect(N2D2_Export_instance_propagate_rows(&instance, read_rows, &camera, found) == N2D2_EXPORT_ARENA_TOO_SMALL &&
             camera.next == 0,
         "and reads nothing");
  N2D2_Export_instance_release(&instance);
  if (failures == 0) printf("all equal\n");
  return failures != 0;
}
