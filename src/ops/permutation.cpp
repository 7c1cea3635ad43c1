#include "permutation.hpp"

namespace n2d2::ops {

namespace {

/// Calls move(from, to) for each element: its index in the order of `extents` and in the permuted order.
template <class Move>
void for_moves(const Permutation& p, int64_t samples, Move&& move) {
  const size_t rank = p.extents.size();
  std::vector<int64_t> strides(rank, 1), extents, steps, index(rank, 0);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * p.extents[i];
  for (const size_t axis : p.order) {
    extents.push_back(p.extents[axis]);
    steps.push_back(strides[axis]);
  }
  const int64_t size = strides[0] * p.extents[0];
  for (int64_t n = 0; n < samples; ++n) {
    int64_t from = n * size;
    for (int64_t to = n * size; to < (n + 1) * size; ++to) {
      move(from, to);
      for (size_t axis = rank; axis-- > 0;) {
        from += steps[axis];
        if (++index[axis] < extents[axis]) break;
        from -= steps[axis] * extents[axis];
        index[axis] = 0;
      }
    }
  }
}

}  // namespace

void permute(const Permutation& p, int64_t samples, const float* in, float* out) {
  for_moves(p, samples, [&](int64_t from, int64_t to) { out[to] = in[from]; });
}

void permute(const Permutation& p, int64_t samples, const int64_t* in, int64_t* out) {
  for_moves(p, samples, [&](int64_t from, int64_t to) { out[to] = in[from]; });
}

void permute_back(const Permutation& p, int64_t samples, const float* out, float* in) {
  for_moves(p, samples, [&](int64_t from, int64_t to) { in[from] = out[to]; });
}

void permute_back(const Permutation& p, int64_t samples, const int64_t* out, int64_t* in) {
  for_moves(p, samples, [&](int64_t from, int64_t to) { in[from] = out[to]; });
}

}  // namespace n2d2::ops
