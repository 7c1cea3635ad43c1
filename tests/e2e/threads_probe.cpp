// How many threads compute? Linked into an exported program by threads_test.py: stands between the program
// and the run time library of OpenMP, notes each thread that enters a parallel region, and says at the end
// how many they were, and whether there was a region at all.
#include <dlfcn.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

namespace {

unsigned seen = 0;  // bit t: thread t of a region

void note() {
  __atomic_or_fetch(&seen, 1U << omp_get_thread_num(), __ATOMIC_SEQ_CST);
}

struct Report {
  // The first thread is always there.
  ~Report() {
    fprintf(stderr, "threads that computed: %d\n%s", __builtin_popcount(seen | 1U),
            seen == 0 ? "no parallel region\n" : "");
  }
} report;

}  // namespace

#if defined(__clang__)

// The region calls this in each thread, before its share of the loop.
extern "C" void __kmpc_for_static_init_4(void* where, int thread, int schedule, int* last, int* low,
                                         int* high, int* stride, int step, int chunk) {
  typedef void (*Next)(void*, int, int, int*, int*, int*, int*, int, int);
  static const Next next = reinterpret_cast<Next>(dlsym(RTLD_NEXT, "__kmpc_for_static_init_4"));
  if (next == nullptr) abort();
  note();
  next(where, thread, schedule, last, low, high, stride, step, chunk);
}

#else

namespace {

struct Region {
  void (*body)(void*);
  void* data;
};

void noted(void* argument) {
  const Region* region = static_cast<const Region*>(argument);
  note();
  region->body(region->data);
}

}  // namespace

extern "C" void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  typedef void (*Next)(void (*)(void*), void*, unsigned, unsigned);
  static const Next next = reinterpret_cast<Next>(dlsym(RTLD_NEXT, "GOMP_parallel"));
  if (next == nullptr) abort();
  Region region = {body, data};
  next(noted, &region, threads, flags);
}

#endif
