/* Answers: how does an exported network call code that computes a part of it?
 * Part of an exported project; may be used without condition.
 *
 * A delegate <id> defines three functions, N2D2_Export being the namespace of the export:
 *
 *   int  N2D2_Export_<id>_init(void* handle, const void* blob, size_t size);
 *   int  N2D2_Export_<id>_execute(void* handle, const N2D2_Export_Arguments* arguments);
 *   void N2D2_Export_<id>_destroy(void* handle);                                          where it says so
 *
 * 0: done; anything else is the delegate's own code of what went wrong, which Network::propagate() returns. None of them
 * takes memory by itself: handle and scratch lie in the arena and have the size that the export planned. The handle keeps
 * its bytes from init to destroy. Blobs are aligned to 16 bytes; handle, scratch and maps to their elements. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The pixels of one map, each of its channels side by side, in the order of rows; a pixel starts `pixel` bytes after
 * the one before. */
typedef struct {
  const void* data;
  ptrdiff_t pixel;
} N2D2_Export_Source;
typedef struct {
  void* data;
  ptrdiff_t pixel;
} N2D2_Export_Sink;

/* In the order of the part's inputs and outputs; sources, sinks and scratch share no byte. */
typedef struct {
  const N2D2_Export_Source* in;
  const N2D2_Export_Sink* out;
  void* scratch;
  /* May be null. To be called whenever the work that a debug handle stands for is done, always in the same order. */
  void (*step)(int debug_handle, void* user);
  void* user;
} N2D2_Export_Arguments;

typedef int (*N2D2_Export_InitFn)(void* handle, const void* blob, size_t size);
typedef int (*N2D2_Export_ExecuteFn)(void* handle, const N2D2_Export_Arguments* arguments);
typedef void (*N2D2_Export_DestroyFn)(void* handle);

#ifdef __cplusplus
}
#endif
