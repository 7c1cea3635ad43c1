#include "n2d2/base/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

TEST(ParallelFor, RunsEachIndexOnce) {
  for (const int threads : {1, 2, 3}) {
    set_max_threads(threads);
    std::vector<std::atomic<int>> seen(100);
    parallel_for(100, [&](int64_t i, int thread) {
      EXPECT_LT(thread, threads);
      ++seen[static_cast<size_t>(i)];
    });
    for (const auto& s : seen) EXPECT_EQ(s, 1);
  }
}

TEST(ParallelFor, RethrowsTheLowestFailure) {
  set_max_threads(2);
  try {
    parallel_for(10, [](int64_t i, int) {
      if (i >= 4) throw std::runtime_error(std::to_string(i));
    });
    FAIL() << "did not throw";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "4");
  }
}

TEST(ParallelFor, NestedCallsRunOnTheCallingThread) {
  set_max_threads(2);
  std::atomic<int> count{0};
  parallel_for(2, [&](int64_t, int outer) {
    parallel_for(5, [&](int64_t, int inner) {
      EXPECT_EQ(inner, outer);
      ++count;
    });
  });
  EXPECT_EQ(count, 10);
}

}  // namespace
}  // namespace n2d2
