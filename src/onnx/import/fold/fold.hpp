// What do the operators share that only constants are computed with?
#pragma once

#include "import/node.hpp"

namespace n2d2::onnx {

/// An axis and what lies before and behind it: element k of a line is (outer * extent + k) * inner + i.
struct Lines {
  int64_t outer = 1, extent = 1, inner = 1;

  int64_t at(int64_t o, int64_t k, int64_t i) const { return (o * extent + k) * inner + i; }
};
Lines lines_of(const Extents& dims, size_t axis);
/// Calls body(outer, inner) for each line.
template <class Body>
void for_lines(const Lines& lines, const Body& body) {
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) body(o, i);
}

/// The one integer of a constant. Refused when it is none.
int64_t one_integer(const Array& array, std::string_view what);
/// An index into an axis, counted from its end when it is negative. Refused when it is outside.
int64_t index_in(int64_t index, int64_t extent);
/// Integers without bounds, or truths, of these extents: zeros.
Array integers_like(const Extents& dims, bool is_truth = false);

/// The products of constants: Einsum of any number of them, MatMul, Gemm.
void fold_einsum(Node& node);
void fold_matmul(Node& node);
void fold_gemm(Node& node);

}  // namespace n2d2::onnx
