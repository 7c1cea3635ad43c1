#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/scaling.hpp"

#include "import/node.hpp"

namespace n2d2::onnx {

namespace {

enum class Reduction { Max, Mean, Min, Prod, Sum };

/// Which axes go, and what is left of the extents.
struct Reduced {
  std::vector<bool> gone;
  Extents dims;
  int64_t elements = 1;  // of the input for one of the output
};

Reduced read_axes(Node& node) {
  const Extents dims = node.lying(0).dims;
  const auto axes = node.integers_of("axes", 1);
  const bool keeps = node.integer("keepdims", 1) != 0, none = node.integer("noop_with_empty_axes", 0) != 0;
  const bool all = (!axes || axes->empty()) && !none;
  Reduced out{std::vector<bool>(dims.size(), all), {}};
  for (const int64_t axis : axes.value_or(std::vector<int64_t>{}))
    out.gone[axis_of(axis, dims.size())] = true;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (out.gone[i]) out.elements *= dims[i];
    if (!out.gone[i]) out.dims.push_back(dims[i]);
    if (out.gone[i] && keeps) out.dims.push_back(1);
  }
  return out;
}

/// The axes behind the batch in three groups: what stays, what goes, what stays. Axes of one element fit
/// everywhere.
struct Groups {
  int64_t before = 1, reduced = 1, behind = 1;
};

std::optional<Groups> groups_of(const Extents& dims, const std::vector<bool>& gone) {
  Groups out;
  for (size_t i = 1; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (gone[i] && out.behind != 1) return std::nullopt;
    (gone[i] ? out.reduced : out.reduced == 1 ? out.before : out.behind) *= dims[i];
  }
  return out;
}

/// Every output is the same weighted sum of all channels.
graph::ValueId join_channels(Node& node, graph::ValueId value, double weight) {
  auto conv = std::make_unique<ops::Conv>();
  conv->kernel = {1, 1};
  conv->nb_outputs = 1;
  Tensor weights(Shape{1, node.graph().value(value).type.shape.c(), 1, 1});
  weights.fill(static_cast<float>(weight));
  return node.add(std::move(conv), {value, node.add_constant("weights", std::move(weights))}, "joined");
}

graph::ValueId pool_of(Node& node, graph::ValueId value, Dims kernel, ops::Pooling pooling) {
  auto pool = std::make_unique<ops::Pool>();
  pool->pooling = pooling;
  pool->kernel = kernel;
  return node.add(std::move(pool), {value}, "pool");
}

/// One window over the rows, the columns or both of the map as it lies; else over the rows of a view of the
/// groups.
graph::ValueId pool_groups(Node& node, graph::ValueId value, const Groups& groups, ops::Pooling pooling) {
  const Shape map = node.graph().value(value).type.shape;
  Dims kernel{1, 1};
  if (groups.before == map.c() && groups.behind == 1)
    kernel = {window_size("width of the map", map.w(), 1), window_size("height of the map", map.h(), 1)};
  else if (groups.before == map.c() * map.h() && groups.behind == 1)
    kernel.x = window_size("width of the map", map.w(), 1);
  else if (groups.before == map.c() && groups.behind == map.w())
    kernel.y = window_size("height of the map", map.h(), 1);
  if (kernel != Dims{1, 1}) return pool_of(node, value, kernel, pooling);
  const graph::ValueId view = node.as_map(value, {1, groups.before, groups.reduced, groups.behind}, "groups");
  kernel.y = window_size("axes that are reduced", groups.reduced, 1);
  return pool_of(node, view, kernel, pooling);
}

graph::ValueId negative(Node& node, graph::ValueId value, std::string_view suffix) {
  auto scaling = std::make_unique<ops::Scaling>();
  scaling->factor = {-1};
  return node.add(std::move(scaling), {value}, suffix);
}

/// What one output is of the elements it joins.
graph::ValueId joined(Node& node, const Groups& groups, Reduction reduction) {
  const graph::ValueId value = node.data().value;
  const auto count = static_cast<double>(groups.reduced);
  const bool channels = groups.before == 1 && groups.reduced == node.graph().value(value).type.shape.c();
  if (reduction == Reduction::Max) return pool_groups(node, value, groups, ops::Pooling::Max);
  if (reduction == Reduction::Min) {
    const graph::ValueId most =
        pool_groups(node, negative(node, value, "negative"), groups, ops::Pooling::Max);
    return negative(node, most, "least");
  }
  if (channels) return join_channels(node, value, reduction == Reduction::Sum ? 1 : 1 / count);
  const graph::ValueId mean = pool_groups(node, value, groups, ops::Pooling::Average);
  if (reduction == Reduction::Mean) return mean;
  auto scaling = std::make_unique<ops::Scaling>();
  scaling->factor = {count};
  return node.add(std::move(scaling), {mean}, "sum");
}

/// All pixels of rows of features, whose channels stay.
bool reduce_pixels(Node& node, const Reduced& reduced, Reduction reduction) {
  const Operand& data = node.lying(0);
  const bool is_pool = reduction == Reduction::Mean || reduction == Reduction::Max;
  if (!data.channels_last || !is_pool || reduced.gone.front() || reduced.gone.back()) return false;
  if (!std::all_of(reduced.gone.begin() + 1, reduced.gone.end() - 1, [](bool gone) { return gone; }))
    return false;
  const Shape map = node.graph().value(data.value).type.shape;
  auto pool = std::make_unique<ops::Pool>();
  pool->pooling = reduction == Reduction::Max ? ops::Pooling::Max : ops::Pooling::Average;
  pool->kernel = {window_size("width of the map", map.w(), 1), window_size("height of the map", map.h(), 1)};
  const graph::ValueId value = node.add(std::move(pool), {data.value});
  if (reduced.dims.size() == 2)
    node.set_value(value, reduced.dims);
  else
    node.set_channels_last(value, reduced.dims);
  return true;
}

void convert_reduce(Node& node, Reduction reduction) {
  const Reduced reduced = read_axes(node);
  if (reduce_pixels(node, reduced, reduction)) return;
  const Operand& data = node.data();
  if (reduced.gone[0])
    refuse(fmt::format("reduces the batch of {}", text_of(data.dims)),
           "axes=[2, 3] joins height and width, axes=[1] the channels");
  const std::optional<Groups> groups = groups_of(data.dims, reduced.gone);
  if (!groups)
    refuse(fmt::format("reduces axes of {} that do not lie beside each other", text_of(data.dims)),
           "reduce them one after the other");
  if (groups->reduced == 1) return node.pass_on(data, reduced.dims);
  const graph::ValueId value = joined(node, *groups, reduction);
  const Shape result = map_shape(reduced.dims);
  if (node.graph().value(value).type.shape == result) node.graph().rename(node.layer, node.helper(""));
  node.set_value(node.as_map(value, result, ""), reduced.dims);
}

double combined(Reduction reduction, double a, double b) {
  switch (reduction) {
    case Reduction::Max:
      return std::max(a, b);
    case Reduction::Min:
      return std::min(a, b);
    case Reduction::Prod:
      return a * b;
    case Reduction::Mean:
    case Reduction::Sum:
      break;
  }
  return a + b;
}

double start_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::Max:
      return -std::numeric_limits<double>::infinity();
    case Reduction::Min:
      return std::numeric_limits<double>::infinity();
    case Reduction::Prod:
      return 1;
    case Reduction::Mean:
    case Reduction::Sum:
      break;
  }
  return 0;
}

/// Integers are those of shapes, which a double holds.
void fold_reduce(Node& node, Reduction reduction) {
  const Array& in = node.constant(0, "the operand");
  const Reduced reduced = read_axes(node);
  if (in.size() == 0) refuse(fmt::format("reduces {}, which has no element", text_of(in.dims)));
  Extents kept;
  for (size_t i = 0; i < in.dims.size(); ++i) kept.push_back(reduced.gone[i] ? 1 : in.dims[i]);
  std::vector<double> results(static_cast<size_t>(elements_of(kept)), start_of(reduction));
  for_broadcast(in.dims, in.dims, kept, [&](int64_t, int64_t from, int64_t to) {
    double& result = results[static_cast<size_t>(to)];
    result = combined(reduction, result, in.at(from));
  });
  Array out = in.like(reduced.dims);
  out.steps.clear();
  const double share = reduction == Reduction::Mean ? static_cast<double>(reduced.elements) : 1;
  for (size_t i = 0; i < results.size(); ++i) {
    if (out.is_integer && !(std::abs(results[i]) <= 0x1p53)) refuse("integers pass 2^53");
    if (out.is_integer)
      out.integers[i] = static_cast<int64_t>(results[i] / share);
    else
      out.reals[i] = static_cast<float>(results[i] / share);
  }
  node.set_constant(std::move(out));
}

void add_reduction(RuleRegistry& registry, const char* type, Reduction reduction) {
  const bool of_data = reduction != Reduction::Prod;
  std::function<void(Node&)> convert;
  if (of_data) convert = [reduction](Node& node) { convert_reduce(node, reduction); };
  registry.add(type, {std::move(convert), [reduction](Node& node) { fold_reduce(node, reduction); }});
}

}  // namespace

void register_reduce(RuleRegistry& registry);
void register_reduce(RuleRegistry& registry) {
  add_reduction(registry, "ReduceMax", Reduction::Max);
  add_reduction(registry, "ReduceMean", Reduction::Mean);
  add_reduction(registry, "ReduceMin", Reduction::Min);
  add_reduction(registry, "ReduceProd", Reduction::Prod);
  add_reduction(registry, "ReduceSum", Reduction::Sum);
}

}  // namespace n2d2::onnx
