// Products of constants: every one is a sum over the axes that the result does not have.
#include <algorithm>

#include "fold.hpp"

namespace n2d2::onnx {

namespace {

/// A factor whose axes are letters; a letter that is there twice is its diagonal.
struct Factor {
  const Array* array;
  std::string letters;
};

/// An axis of the loops: how many steps, and how far each takes the factors.
struct Loop {
  int64_t extent = 1;
  std::vector<int64_t> strides;
};

/// An extent of 1 stands for all of another factor.
Loop loop_of(char letter, const std::vector<Factor>& factors) {
  Loop out;
  for (const Factor& factor : factors)
    for (size_t i = 0; i < factor.letters.size(); ++i) {
      const int64_t extent = factor.array->dims[i];
      if (factor.letters[i] != letter || extent == 1) continue;
      if (out.extent != 1 && out.extent != extent)
        refuse(fmt::format("axes of {} and {} elements are multiplied", out.extent, extent));
      out.extent = extent;
    }
  for (const Factor& factor : factors) {
    const Extents strides = strides_of(factor.array->dims);
    int64_t stride = 0;
    for (size_t i = 0; i < factor.letters.size(); ++i)
      if (factor.letters[i] == letter && factor.array->dims[i] != 1) stride += strides[i];
    out.strides.push_back(stride);
  }
  return out;
}

/// A small file is not worth all the time there is.
void limit_products(const std::vector<Loop>& loops) {
  constexpr double kMost = 0x1p28;
  double count = 1;
  for (const Loop& loop : loops) count *= static_cast<double>(std::max<int64_t>(1, loop.extent));
  if (count > kMost)
    refuse("the product of constants takes more than 2^28 multiplications",
           "fold constants before the import (onnxsim, or graph optimization of ONNX Runtime)");
}

class Counter {
 public:
  Counter(const std::vector<Loop>& loops, size_t first, size_t last)
      : loops_(loops), first_(first), last_(last), index_(loops.size(), 0) {}
  /// The next element of these loops; false behind the last one, where all are at their starts again.
  bool next(std::vector<int64_t>& at) {
    for (size_t axis = last_; axis-- > first_;) {
      const Loop& loop = loops_[axis];
      const bool is_over = ++index_[axis] >= loop.extent;
      const int64_t steps = is_over ? 1 - loop.extent : 1;
      for (size_t f = 0; f < at.size(); ++f) at[f] += steps * loop.strides[f];
      if (!is_over) return true;
      index_[axis] = 0;
    }
    return false;
  }

 private:
  const std::vector<Loop>& loops_;
  size_t first_, last_;
  std::vector<int64_t> index_;
};

Array product_of(const std::vector<Factor>& factors, const std::string& kept) {
  const bool is_integer = factors.at(0).array->is_integer;
  std::string letters = kept;
  for (const Factor& factor : factors) {
    if (factor.array->is_integer != is_integer) refuse("one operand is integer, the other real");
    for (const char letter : factor.letters)
      if (letters.find(letter) == std::string::npos) letters += letter;
  }
  std::vector<Loop> loops;
  Extents dims;
  bool is_empty = false;
  for (const char letter : letters) {
    loops.push_back(loop_of(letter, factors));
    if (dims.size() < kept.size()) dims.push_back(loops.back().extent);
    is_empty = is_empty || loops.back().extent == 0;
  }
  limit_products(loops);
  Array out = is_integer ? integers_like(dims) : Array{}.like(dims);
  if (is_empty) return out;
  std::vector<int64_t> at(factors.size(), 0);
  Counter outer(loops, 0, kept.size()), inner(loops, kept.size(), loops.size());
  for (int64_t i = 0; i < out.size(); ++i, outer.next(at)) {
    uint64_t whole = 0;
    double real = 0;
    do {
      uint64_t integer = 1;
      double term = 1;
      for (size_t f = 0; f < factors.size(); ++f) {
        const auto k = static_cast<size_t>(at[f]);
        if (is_integer)
          integer *= static_cast<uint64_t>(factors[f].array->integers[k]);
        else
          term *= static_cast<double>(factors[f].array->reals[k]);
      }
      whole += integer;
      real += term;
    } while (inner.next(at));
    if (is_integer)
      out.integers[static_cast<size_t>(i)] = static_cast<int64_t>(whole);
    else
      out.reals[static_cast<size_t>(i)] = static_cast<float>(real);
  }
  return out;
}

/// Axes under "..." have digits as letters: the last ones of all operands are the same.
std::string spelt(std::string term, size_t rank, size_t& most) {
  const size_t dots = term.find("...");
  const size_t named = term.size() - (dots == std::string::npos ? 0 : 3);
  if (named > rank || (dots == std::string::npos && named != rank))
    refuse(fmt::format("'{}' does not fit an operand of rank {}", term, rank));
  if (dots == std::string::npos) return term;
  const size_t under = rank - named;
  most = std::max(most, under);
  if (under > 10) refuse(fmt::format("'...' stands for {} axes", under));
  std::string axes;
  for (size_t i = under; i-- > 0;) axes += static_cast<char>('0' + i);
  return term.replace(dots, 3, axes);
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Without an arrow, the result has the axes under "..." and the letters that are there once, sorted.
std::string implied(const std::vector<Factor>& factors, size_t under) {
  std::string all, out;
  for (const Factor& factor : factors) all += factor.letters;
  for (size_t i = under; i-- > 0;) out += static_cast<char>('0' + i);
  std::sort(all.begin(), all.end());
  for (const char letter : all)
    if (is_letter(letter) && std::count(all.begin(), all.end(), letter) == 1) out += letter;
  return out;
}

}  // namespace

void fold_einsum(Node& node) {
  std::string equation = node.text("equation", "");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const size_t arrow = equation.find("->");
  std::string left = equation.substr(0, arrow);
  std::vector<Factor> factors;
  size_t under = 0;
  for (size_t slot = 0; slot < node.input_count(); ++slot) {
    const size_t comma = left.find(',');
    const std::string term = left.substr(0, comma);
    left = comma == std::string::npos ? "" : left.substr(comma + 1);
    const Array& array = node.constant(slot, "the operand");
    factors.push_back({&array, spelt(term, array.dims.size(), under)});
    if ((comma == std::string::npos) != (slot + 1 == node.input_count()))
      refuse(fmt::format("the equation '{}' beside {} operands", equation, node.input_count()));
  }
  std::string kept;
  if (arrow == std::string::npos) {
    kept = implied(factors, under);
  } else {
    kept = equation.substr(arrow + 2);
    if (const size_t dots = kept.find("..."); dots != std::string::npos)
      kept = spelt(kept, kept.size() - 3 + under, under);
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    const bool is_known = std::any_of(factors.begin(), factors.end(), [&](const Factor& factor) {
      return factor.letters.find(kept[i]) != std::string::npos;
    });
    if (!is_known || kept.find(kept[i], i + 1) != std::string::npos)
      refuse(fmt::format("the equation '{}' has no single axis '{}' for its result", equation, kept[i]));
  }
  node.set_constant(product_of(factors, kept));
}

/// A vector is a matrix of one row, or of one column, whose axis the result does not have.
void fold_matmul(Node& node) {
  const Array& a = node.constant(0, "the matrix");
  const Array& b = node.constant(1, "the matrix");
  const size_t of_a = a.dims.size(), of_b = b.dims.size();
  constexpr size_t kMost = 12;
  if (of_a < 1 || of_b < 1 || of_a > kMost || of_b > kMost)
    refuse(fmt::format("the product of {} and {}", text_of(a.dims), text_of(b.dims)));
  const int64_t columns = a.dims.back(), rows = of_b == 1 ? b.dims[0] : b.dims[of_b - 2];
  if (columns != rows) refuse(fmt::format("the product of {} and {}", text_of(a.dims), text_of(b.dims)));
  const auto batches = [](size_t rank) {
    std::string out;
    for (size_t i = rank > 2 ? rank - 2 : 0; i-- > 0;) out += static_cast<char>('A' + i);
    return out;
  };
  const std::string kept = batches(std::max(of_a, of_b)) + (of_a > 1 ? "i" : "") + (of_b > 1 ? "j" : "");
  const std::vector<Factor> factors{{&a, batches(of_a) + (of_a > 1 ? "ik" : "k")},
                                    {&b, batches(of_b) + (of_b > 1 ? "kj" : "k")}};
  node.set_constant(product_of(factors, kept));
}

/// alpha A B + beta C.
void fold_gemm(Node& node) {
  const Array& a = node.constant(0, "the matrix");
  const Array& b = node.constant(1, "the matrix");
  const Array* c = node.optional_constant(2, "C");
  const bool turns_a = node.integer("transA", 0) != 0, turns_b = node.integer("transB", 0) != 0;
  const double alpha = node.real("alpha", 1), beta = node.real("beta", 1);
  if (a.dims.size() != 2 || b.dims.size() != 2 || a.is_integer ||
      a.dims[turns_a ? 0 : 1] != b.dims[turns_b ? 1 : 0])
    refuse(fmt::format("the product of {} and {}, expected real numbers", text_of(a.dims), text_of(b.dims)));
  Array out = product_of({{&a, turns_a ? "ki" : "ik"}, {&b, turns_b ? "jk" : "kj"}}, "ij");
  for (float& x : out.reals) x = static_cast<float>(alpha * static_cast<double>(x));
  if (c != nullptr) {
    if (c->is_integer || broadcast(out.dims, c->dims) != out.dims)
      refuse(fmt::format("C has extents {}, expected {}", text_of(c->dims), text_of(out.dims)));
    for_broadcast(out.dims, out.dims, c->dims, [&](int64_t i, int64_t, int64_t k) {
      float& x = out.reals[static_cast<size_t>(i)];
      x = static_cast<float>(static_cast<double>(x) + beta * c->at(k));
    });
  }
  node.set_constant(std::move(out));
}

}  // namespace n2d2::onnx
