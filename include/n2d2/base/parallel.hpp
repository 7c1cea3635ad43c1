// How is work spread over threads, so that no result depends on their number?
#pragma once

#include <cstdint>
#include <functional>

namespace n2d2 {

/// Threads that parallel_for uses: OMP_NUM_THREADS, else the number of cores.
int max_threads();

/// Sets the number of threads for what follows; tests use it to show that results do not depend on it.
void set_max_threads(int threads);

/// Calls body(index, thread) for each index in [0, count), in any order; thread is in [0, max_threads()).
/// The exception of the lowest failing index is rethrown. Nested calls run on the calling thread.
void parallel_for(int64_t count, const std::function<void(int64_t index, int thread)>& body);

}  // namespace n2d2
