// Answers: what must a layer compute whose integers lie on lines between the entries of a table?
#pragma once

#include <cstdint>
#include <vector>

#include "oracle/naive_ops.hpp"

namespace n2d2::oracle {

// Each value times the entry at the sum of squares of n channels around it.
Map<int64_t> divided(const Map<int64_t>& in, int n, const std::vector<int64_t>& table);

// 2^8 times the distance to the largest channel, less the logarithm of the sum of powers. `both`: powers,
// then logarithms, as many.
Map<int64_t> logarithms(const Map<int64_t>& in, const std::vector<int64_t>& both);

}  // namespace n2d2::oracle
