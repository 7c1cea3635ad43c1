#include "n2d2/base/parallel.hpp"

#include <algorithm>
#include <exception>
#include <mutex>

#include <omp.h>

namespace n2d2 {

namespace {
int& thread_limit() {
  static int limit = omp_get_max_threads();
  return limit;
}
}  // namespace

int max_threads() {
  return thread_limit();
}

void set_max_threads(int threads) {
  thread_limit() = std::max(threads, 1);
}

void parallel_for(int64_t count, const std::function<void(int64_t index, int thread)>& body) {
  if (omp_in_parallel() != 0 || max_threads() == 1 || count <= 1) {
    const int thread = omp_in_parallel() != 0 ? omp_get_thread_num() : 0;
    for (int64_t i = 0; i < count; ++i) body(i, thread);
    return;
  }
  std::mutex mutex;
  std::exception_ptr failure;
  int64_t failing_index = count;
#pragma omp parallel for schedule(dynamic, 1) num_threads(max_threads())
  for (int64_t i = 0; i < count; ++i) {
    try {
      body(i, omp_get_thread_num());
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (i < failing_index) {
        failing_index = i;
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace n2d2
