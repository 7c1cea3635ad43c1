// What integers and reals of constants give, element by element or along an axis.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "fold.hpp"

namespace n2d2::onnx {

namespace {

bool is_unsigned(const Array& array) {
  return array.is_integer && array.lowest == 0 && array.highest > 0;
}
bool is_wide_unsigned(const Array& array) {
  return is_unsigned(array) && array.highest == std::numeric_limits<int64_t>::max();
}

/// What is left of an integer division: with the sign of the divisor, or of the dividend as in C.
int64_t rest(int64_t a, int64_t b, bool as_in_c) {
  if (b == 0) refuse("an integer is divided by 0");
  const int64_t out = b == -1 ? 0 : a % b;
  return !as_in_c && out != 0 && (out < 0) != (b < 0) ? out + b : out;
}

void fold_mod(Node& node) {
  const Array& a = node.constant(0, "the dividend");
  const Array& b = node.constant(1, "the divisor");
  const bool as_in_c = node.integer("fmod", 0) != 0;
  if (a.is_integer != b.is_integer) refuse("one operand is integer, the other real");
  if (!a.is_integer && !as_in_c) refuse("of real numbers asks for fmod=1");
  Array out = a.like(broadcast(a.dims, b.dims));
  out.steps.clear();
  for_broadcast(out.dims, a.dims, b.dims, [&](int64_t i, int64_t at_a, int64_t at_b) {
    const auto k = static_cast<size_t>(i), x = static_cast<size_t>(at_a), y = static_cast<size_t>(at_b);
    if (!out.is_integer)
      out.reals[k] = std::fmod(a.reals[x], b.reals[y]);
    else if (is_wide_unsigned(a) && b.integers[y] != 0)
      out.integers[k] =
          static_cast<int64_t>(static_cast<uint64_t>(a.integers[x]) % static_cast<uint64_t>(b.integers[y]));
    else
      out.integers[k] = rest(a.integers[x], b.integers[y], as_in_c);
  });
  node.set_constant(std::move(out));
}

void fold_bit_shift(Node& node) {
  const Array& a = node.constant(0, "the operand");
  const Array& b = node.constant(1, "the shifts");
  const std::string direction = node.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    refuse(fmt::format("direction '{}', expected LEFT or RIGHT", direction));
  if (!is_unsigned(a) || !b.is_integer) refuse("expected unsigned integers of the file");
  const uint64_t mask = is_wide_unsigned(a) ? ~uint64_t{0} : static_cast<uint64_t>(a.highest);
  Array out = a.like(broadcast(a.dims, b.dims));
  for_broadcast(out.dims, a.dims, b.dims, [&](int64_t i, int64_t x, int64_t y) {
    const auto value = static_cast<uint64_t>(a.integers[static_cast<size_t>(x)]);
    const int64_t shift = b.integers[static_cast<size_t>(y)];
    if (shift < 0 || shift > 63 || (mask >> shift) == 0)
      refuse(fmt::format("a shift by {} of integers up to {}", shift, mask));
    out.integers[static_cast<size_t>(i)] =
        static_cast<int64_t>((direction == "LEFT" ? value << shift : value >> shift) & mask);
  });
  node.set_constant(std::move(out));
}

using BitFunction = uint64_t (*)(uint64_t, uint64_t);

void fold_bits(Node& node, BitFunction join) {
  const Array& a = node.constant(0, "the operand");
  const Array& b = node.constant(1, "the operand");
  if (!a.is_integer || !b.is_integer) refuse("of real numbers");
  Array out = a.like(broadcast(a.dims, b.dims));
  for_broadcast(out.dims, a.dims, b.dims, [&](int64_t i, int64_t x, int64_t y) {
    out.integers[static_cast<size_t>(i)] =
        static_cast<int64_t>(join(static_cast<uint64_t>(a.integers[static_cast<size_t>(x)]),
                                  static_cast<uint64_t>(b.integers[static_cast<size_t>(y)])));
  });
  node.set_constant(std::move(out));
}

void fold_bits_of_one(Node& node) {
  Array out = node.constant(0, "the operand");
  if (!out.is_integer) refuse("of real numbers");
  for (int64_t& x : out.integers) x = is_unsigned(out) && !is_wide_unsigned(out) ? out.highest - x : ~x;
  node.set_constant(std::move(out));
}

void fold_is_inf(Node& node) {
  const Array& in = node.constant(0, "the operand");
  const bool negative = node.integer("detect_negative", 1) != 0,
             positive = node.integer("detect_positive", 1) != 0;
  Array out = integers_like(in.dims, true);
  for (int64_t i = 0; i < in.size(); ++i) {
    const double x = in.at(i);
    out.integers[static_cast<size_t>(i)] = std::isinf(x) && (x > 0 ? positive : negative) ? 1 : 0;
  }
  node.set_constant(std::move(out));
}

void fold_is_nan(Node& node) {
  const Array& in = node.constant(0, "the operand");
  Array out = integers_like(in.dims, true);
  for (int64_t i = 0; i < in.size(); ++i) out.integers[static_cast<size_t>(i)] = std::isnan(in.at(i)) ? 1 : 0;
  node.set_constant(std::move(out));
}

bool is_less(const Array& in, int64_t a, int64_t b) {
  const auto x = static_cast<size_t>(a), y = static_cast<size_t>(b);
  return in.is_integer ? in.integers[x] < in.integers[y] : in.reals[x] < in.reals[y];
}

/// The first (last) of the largest (smallest) elements of a line.
int64_t extreme_of(const Array& in, const Lines& lines, int64_t o, int64_t i, bool is_largest, bool is_last) {
  int64_t best = 0;
  for (int64_t k = 1; k < lines.extent; ++k) {
    const int64_t here = lines.at(o, k, i), there = lines.at(o, best, i);
    const bool is_better = is_largest ? is_less(in, there, here) : is_less(in, here, there);
    const bool is_worse = is_largest ? is_less(in, here, there) : is_less(in, there, here);
    if (is_better || (is_last && !is_worse)) best = k;
  }
  return best;
}

Lines filled_lines(const Array& in, size_t axis) {
  if (in.size() == 0) refuse(fmt::format("chooses from {}, which has no element", text_of(in.dims)));
  return lines_of(in.dims, axis);
}

/// Up to operator set 12 over all axes from `axis` on.
void fold_hardmax(Node& node) {
  const Array& in = node.constant(0, "the operand");
  const bool flattens = node.opset() < 13;
  const size_t axis = axis_of(node.integer("axis", flattens ? 1 : -1), in.dims.size());
  Lines lines = filled_lines(in, axis);
  if (flattens) lines.extent *= std::exchange(lines.inner, 1);
  Array out = Array{}.like(in.dims);
  for_lines(lines, [&](int64_t o, int64_t i) {
    const int64_t best = extreme_of(in, lines, o, i, true, false);
    out.reals[static_cast<size_t>(lines.at(o, best, i))] = 1;
  });
  node.set_constant(std::move(out));
}

void fold_arg(Node& node, bool is_largest) {
  const Array& in = node.constant(0, "the operand");
  const size_t axis = axis_of(node.integer("axis", 0), in.dims.size());
  const bool keeps = node.integer("keepdims", 1) != 0, is_last = node.integer("select_last_index", 0) != 0;
  const Lines lines = filled_lines(in, axis);
  Extents dims = in.dims;
  if (keeps)
    dims[axis] = 1;
  else
    dims.erase(dims.begin() + static_cast<int64_t>(axis));
  Array out = integers_like(dims);
  for_lines(lines, [&](int64_t o, int64_t i) {
    out.integers[static_cast<size_t>(o * lines.inner + i)] = extreme_of(in, lines, o, i, is_largest, is_last);
  });
  node.set_constant(std::move(out));
}

/// Equal elements stay in their order.
void fold_top_k(Node& node) {
  const Array& in = node.constant(0, "the operand");
  const size_t axis = axis_of(node.integer("axis", -1), in.dims.size());
  const bool is_largest = node.integer("largest", 1) != 0;
  node.integer("sorted", 1);
  const int64_t k = node.opset() < 10 ? node.integer("k", 0)
                                      : one_integer(node.constant(1, "their number"), "their number");
  if (k < 0 || k > in.dims[axis]) refuse(fmt::format("{} elements of an axis of {}", k, in.dims[axis]));
  Extents dims = in.dims;
  dims[axis] = k;
  const Lines lines = lines_of(in.dims, axis), made = lines_of(dims, axis);
  Array values = in.like(dims), indices = integers_like(dims);
  std::vector<int64_t> order(static_cast<size_t>(lines.extent));
  for_lines(lines, [&](int64_t o, int64_t i) {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const int64_t x = lines.at(o, a, i), y = lines.at(o, b, i);
      return is_largest ? is_less(in, y, x) : is_less(in, x, y);
    });
    for (int64_t n = 0; n < k; ++n) {
      values.take(made.at(o, n, i), in, lines.at(o, order[static_cast<size_t>(n)], i));
      indices.integers[static_cast<size_t>(made.at(o, n, i))] = order[static_cast<size_t>(n)];
    }
  });
  node.set_constant(std::move(values));
  node.set_constant(std::move(indices), 1);
}

}  // namespace

void register_numbers(RuleRegistry& registry);
void register_numbers(RuleRegistry& registry) {
  const auto add_bits = [&](const char* type, BitFunction join) {
    registry.add(type, {nullptr, [join](Node& node) { fold_bits(node, join); }});
  };
  registry.add("ArgMax", {nullptr, [](Node& node) { fold_arg(node, true); }});
  registry.add("ArgMin", {nullptr, [](Node& node) { fold_arg(node, false); }});
  registry.add("BitShift", {nullptr, fold_bit_shift});
  add_bits("BitwiseAnd", [](uint64_t a, uint64_t b) { return a & b; });
  registry.add("BitwiseNot", {nullptr, fold_bits_of_one});
  add_bits("BitwiseOr", [](uint64_t a, uint64_t b) { return a | b; });
  add_bits("BitwiseXor", [](uint64_t a, uint64_t b) { return a ^ b; });
  registry.add("Hardmax", {nullptr, fold_hardmax});
  registry.add("IsInf", {nullptr, fold_is_inf});
  registry.add("IsNaN", {nullptr, fold_is_nan});
  registry.add("Mod", {nullptr, fold_mod});
  registry.add("TopK", {nullptr, fold_top_k});
}

}  // namespace n2d2::onnx
