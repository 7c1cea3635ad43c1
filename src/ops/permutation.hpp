// How do values move when axes change places?
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace n2d2::ops {

/// Row-major values of `extents`, read with axis order[0] outermost, order[1] next, ...
struct Permutation {
  std::vector<int64_t> extents;
  std::vector<size_t> order;
};

/// out[i] = in[p(i)] for each sample; a batch has `samples` of them.
void permute(const Permutation& p, int64_t samples, const float* in, float* out);
void permute(const Permutation& p, int64_t samples, const int64_t* in, int64_t* out);
/// The inverse: in[p(i)] = out[i].
void permute_back(const Permutation& p, int64_t samples, const float* out, float* in);
void permute_back(const Permutation& p, int64_t samples, const int64_t* out, int64_t* in);

}  // namespace n2d2::ops
