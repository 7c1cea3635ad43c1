// How many cases does a test take that draws them?
#pragma once

#include <utility>

namespace n2d2 {

/// All of `n`, or one in `sanitized_one_in` under sanitizers: those look for accesses and overflows, which
/// few cases of each kind show, and cost ten times the time; that the values are right is what the release
/// build checks with all.
template <class Count>
constexpr Count cases(Count n, [[maybe_unused]] Count sanitized_one_in = 10) {
#if defined(N2D2_SANITIZED)
  return n / sanitized_one_in;
#else
  return n;
#endif
}

/// Thins loops over all shapes out: takes one in seven, which no loop over two signs or six widths always
/// meets at the same place.
class Sparse {
 public:
  bool take() {
    const int before = std::exchange(taken_, cases(++called_, 7));
    return taken_ > before;
  }

 private:
  int called_ = 0, taken_ = 0;
};

}  // namespace n2d2
