/* Answers: how does an exported network call a delegate, which computes a part of it?
 * Part of an exported project; may be used without condition.
 *
 * A delegate <id> defines three functions, N2D2_Export being the namespace of the export:
 *
 *   int  N2D2_Export_<id>_init(void* handle, const void* blob, size_t size);
 *   int  N2D2_Export_<id>_execute(void* handle, const N2D2_Export_Arguments* arguments);
 *   void N2D2_Export_<id>_destroy(void* handle);                                          optional
 *
 * They return 0, or an error code of the delegate, which Network::propagate() returns. None of them allocates
 * memory: handle and scratch are in the arena and have the size that the export planned. The handle keeps its
 * bytes from init to destroy. Blobs are aligned to 16 bytes; handle, scratch and maps to their elements. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The pixels of a map in the order of rows; the channels of a pixel are contiguous, and a pixel starts
 * `pixel` bytes after the one before. */
typedef struct {
  const void* data;
  ptrdiff_t pixel;
} N2D2_Export_Source;
typedef struct {
  void* data;
  ptrdiff_t pixel;
} N2D2_Export_Sink;

/* Sources and sinks have the order of the part's inputs and outputs. They and scratch share no byte. */
typedef struct {
  const N2D2_Export_Source* in;
  const N2D2_Export_Sink* out;
  void* scratch;
  /* May be null. The delegate calls it when the work of a debug handle is done, always in the same order. */
  void (*step)(int debug_handle, void* user);
  void* user;
} N2D2_Export_Arguments;

typedef int (*N2D2_Export_InitFn)(void* handle, const void* blob, size_t size);
typedef int (*N2D2_Export_ExecuteFn)(void* handle, const N2D2_Export_Arguments* arguments);
typedef void (*N2D2_Export_DestroyFn)(void* handle);

#ifdef __cplusplus
}
#endif
