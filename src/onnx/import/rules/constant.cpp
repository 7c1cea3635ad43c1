#include <algorithm>
#include <cmath>

#include "import/fold/fold.hpp"

namespace n2d2::onnx {

namespace {

void fold_constant(Node& node) {
  if (const ArrayPtr value = node.tensor("value")) return node.set_constant(*value);
  if (node.has("value_int")) return node.set_constant(Array::of_integers({}, {node.integer("value_int", 0)}));
  if (node.has("value_float"))
    return node.set_constant(Array::of_reals({}, {static_cast<float>(node.real("value_float", 0))}));
  if (node.has("value_ints")) {
    const std::vector<int64_t> list = node.integers("value_ints");
    return node.set_constant(Array::of_integers({static_cast<int64_t>(list.size())}, list));
  }
  if (!node.has("value_floats")) refuse("has no value of a type that is read");
  const std::vector<float> list = node.reals("value_floats");
  node.set_constant(Array::of_reals({static_cast<int64_t>(list.size())}, list));
}

void fold_constant_of_shape(Node& node) {
  const Extents dims = list_of_extents(node.constant(0, "the extents"));
  const ArrayPtr value = node.tensor("value");
  if (value && value->size() != 1) refuse("value has more than one element");
  Array out = value ? value->like(dims) : Array{}.like(dims);
  for (int64_t i = 0; value && i < out.size(); ++i) out.take(i, *value, 0);
  node.set_constant(std::move(out));
}

void shape(Node& node) {
  const Extents& dims = node.lying(0).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const auto settle = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const int64_t start = settle(node.integer("start", 0)), end = settle(node.integer("end", rank));
  Extents out;
  for (int64_t i = start; i < end; ++i) out.push_back(dims[static_cast<size_t>(i)]);
  node.set_constant(Array::of_integers({static_cast<int64_t>(out.size())}, out));
}

void size(Node& node) {
  node.set_constant(Array::of_integers({}, {elements_of(node.lying(0).dims)}));
}

void fold_range(Node& node) {
  const Array& start = node.constant(0, "start");
  const Array& limit = node.constant(1, "limit");
  const Array& delta = node.constant(2, "delta");
  for (const Array* array : {&start, &limit, &delta})
    if (array->size() != 1 || array->is_integer != start.is_integer)
      refuse("expected three numbers of one type");
  const double count = std::ceil((limit.at(0) - start.at(0)) / delta.at(0));
  if (!(count <= 0x1p25)) refuse("the range has no end, or more than 2^25 elements");
  Array out = start.like({std::max<int64_t>(0, static_cast<int64_t>(count))});
  for (int64_t i = 0; i < out.size(); ++i) {
    const auto k = static_cast<size_t>(i);
    if (out.is_integer)
      out.integers[k] = start.integers[0] + i * delta.integers[0];
    else
      out.reals[k] = start.reals[0] + static_cast<float>(i) * delta.reals[0];
  }
  node.set_constant(std::move(out));
}

void fold_where(Node& node) {
  const Array& condition = node.constant(0, "the condition");
  const Array& yes = node.constant(1, "the values");
  const Array& no = node.constant(2, "the values");
  if (yes.is_integer != no.is_integer) refuse("values of two types");
  const Extents dims = broadcast(condition.dims, broadcast(yes.dims, no.dims));
  Array out = yes.like(dims);
  for_broadcast(dims, yes.dims, no.dims, [&](int64_t i, int64_t, int64_t b) { out.take(i, no, b); });
  for_broadcast(dims, condition.dims, yes.dims, [&](int64_t i, int64_t c, int64_t a) {
    if (condition.at(c) != 0) out.take(i, yes, a);
  });
  node.set_constant(std::move(out));
}

void add_comparison(RuleRegistry& registry, const char* type, bool (*holds)(double, double)) {
  registry.add(type, {nullptr, [holds](Node& node) {
                        const Array& a = node.constant(0, "the operand");
                        const Array& b = node.constant(1, "the operand");
                        Array out = integers_like(broadcast(a.dims, b.dims), true);
                        for_broadcast(out.dims, a.dims, b.dims, [&](int64_t i, int64_t x, int64_t y) {
                          out.integers[static_cast<size_t>(i)] = holds(a.at(x), b.at(y)) ? 1 : 0;
                        });
                        node.set_constant(std::move(out));
                      }});
}

/// Only one branch is there in the network.
void decide(Node& node) {
  const Array& condition = node.constant(0, "the condition");
  if (condition.size() != 1)
    refuse(fmt::format("a condition of {}, expected one value", text_of(condition.dims)));
  node.take_branch(condition.at(0) != 0 ? 0 : 1);
}

void fold_not(Node& node) {
  const Array& in = node.constant(0, "the operand");
  Array out = integers_like(in.dims, true);
  for (int64_t i = 0; i < in.size(); ++i) out.integers[static_cast<size_t>(i)] = in.at(i) == 0 ? 1 : 0;
  node.set_constant(std::move(out));
}

}  // namespace

void register_constant(RuleRegistry& registry);
void register_constant(RuleRegistry& registry) {
  add_comparison(registry, "And", [](double a, double b) { return a != 0 && b != 0; });
  add_comparison(registry, "Equal", [](double a, double b) { return a == b; });
  add_comparison(registry, "Greater", [](double a, double b) { return a > b; });
  add_comparison(registry, "GreaterOrEqual", [](double a, double b) { return a >= b; });
  add_comparison(registry, "Less", [](double a, double b) { return a < b; });
  add_comparison(registry, "LessOrEqual", [](double a, double b) { return a <= b; });
  add_comparison(registry, "Or", [](double a, double b) { return a != 0 || b != 0; });
  add_comparison(registry, "Xor", [](double a, double b) { return (a != 0) != (b != 0); });
  registry.add("Constant", {nullptr, fold_constant});
  registry.add("ConstantOfShape", {nullptr, fold_constant_of_shape});
  registry.add("If", {decide, decide});
  registry.add("Not", {nullptr, fold_not});
  registry.add("Range", {nullptr, fold_range});
  registry.add("Shape", {shape, shape});
  registry.add("Size", {size, size});
  registry.add("Where", {nullptr, fold_where});
}

}  // namespace n2d2::onnx
