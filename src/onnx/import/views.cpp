// How does a view become what a rule needs? Maps of its bytes, or the tensor of the file.
#include <algorithm>
#include <numeric>

#include "n2d2/ops/pixel_reshape.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/transpose.hpp"

#include "channels_last.hpp"
#include "importer.hpp"
#include "rules/transpose.hpp"

namespace n2d2::onnx {

namespace {

/// Extents that stay beside each other move as one: how many, in the order of the bytes, and where each is in
/// the order that is wanted.
struct Runs {
  Extents extents;
  std::vector<size_t> order;
};

Runs runs_of(const Split& split, const std::vector<size_t>& order) {
  std::vector<std::pair<size_t, int64_t>> runs;  // first extent, product
  size_t before = 0;
  for (const size_t i : order) {
    if (!runs.empty() && i == before + 1)
      runs.back().second *= split.extents[i];
    else
      runs.emplace_back(i, split.extents[i]);
    before = i;
  }
  std::vector<std::pair<size_t, int64_t>> sorted = runs;
  std::sort(sorted.begin(), sorted.end());
  Runs out;
  for (const auto& run : sorted) out.extents.push_back(run.second);
  for (const auto& run : runs)
    out.order.push_back(static_cast<size_t>(std::find(sorted.begin(), sorted.end(), run) - sorted.begin()));
  return out;
}

int64_t product(const Extents& extents, size_t first, size_t last) {
  int64_t out = 1;
  for (size_t i = first; i < last; ++i) out *= extents[i];
  return out;
}

}  // namespace

/// `channels` extents at the end of `order` become channels. Nothing: the map is in the order channel, row,
/// column instead, whatever its shape is.
graph::ValueId Importer::moved(graph::ValueId value, const Split& split, const std::vector<size_t>& order,
                               std::optional<size_t> channels, const std::string& name) {
  const auto add = [&](std::unique_ptr<graph::Operator> op) {
    const graph::NodeId node = graph_.add(std::move(op), graph_.unique_name(name), {value}, origin_);
    nodes_.insert(node);
    value = graph_.node(node).outputs.at(0);
  };
  const auto view = [&](const Shape& shape) {
    if (graph_.value(value).type.shape != shape) add(ops::pixel_reshape_to(shape));
  };
  Runs runs = runs_of(split, order);
  if (runs.order.size() > 3)
    refuse(fmt::format("moves {} groups of axes of {}, at most 3 behind the batch are imported",
                       runs.order.size(), text_of(split.extents)));
  while (runs.extents.size() < 3) {  // rows and columns of one element
    runs.extents.insert(runs.extents.begin(), 1);
    for (size_t& at : runs.order) ++at;
    runs.order.insert(runs.order.begin(), 0);
  }
  if (!channels) {
    view({1, runs.extents[2], runs.extents[0], runs.extents[1]});
    // Row, column, channel of the bytes are axes 2, 3, 1 of the map.
    constexpr std::array<size_t, 3> kAxis{2, 3, 1};
    const ops::Transpose turn =
        ops::transpose_of({kAxis[runs.order[0]], kAxis[runs.order[1]], kAxis[runs.order[2]]});
    if (!turn.is_identity()) add(turn.clone());
    return value;
  }
  const Extents extents = [&] {
    Extents out;
    for (const size_t i : order) out.push_back(split.extents[i]);
    return out;
  }();
  const int64_t c = product(extents, extents.size() - *channels, extents.size());
  if (!std::is_sorted(runs.order.begin(), runs.order.end())) {
    view({1, runs.extents[2], runs.extents[0], runs.extents[1]});
    constexpr std::array<size_t, 3> kAxis{2, 3, 1};
    add(ops::transpose_of({kAxis[runs.order[2]], kAxis[runs.order[0]], kAxis[runs.order[1]]}).clone());
  }
  const Shape shape = graph_.value(value).type.shape;
  if (shape.c() != c) view({1, c, 1, shape.elements() / c});
  return value;
}

graph::ValueId Importer::as_map(graph::ValueId value, const Shape& shape, const std::string& name) {
  if (graph_.value(value).type.shape == shape) return value;
  const graph::NodeId node =
      graph_.add(ops::pixel_reshape_to(shape), graph_.unique_name(name), {value}, origin_);
  nodes_.insert(node);
  return graph_.node(node).outputs.at(0);
}

/// Whether the batch is another axis than 0 in a view.
bool Importer::is_turned(const std::string& name) const {
  const std::shared_ptr<const Split>& split = operands_.find(name)->second.split;
  return split && !split->axes[0].empty();
}

/// What was put off is done; another view becomes the map of the file's extents.
void Importer::make_straight(const std::string& name, Operand& operand) {
  if (!operand.split->axes[0].empty())
    refuse(fmt::format("reads {}, whose axis 0 is not the batch", text_of(operand.dims)),
           "keep axis 0 in its place");
  const FileNode* node = std::exchange(operand.deferred, nullptr);
  if (node != nullptr && !is_turned(node->inputs.at(0))) {
    operand.split = nullptr;
    --names_[operand.value];
    Node again(*this, *node, true);
    rules().find(node->type)->convert(again);
    for (Layer& layer : imported_.layers)
      if (layer.output == name && !layer.node) layer.node = again.layer;
    return;
  }
  const std::shared_ptr<const Split> split = std::exchange(operand.split, nullptr);
  const Shape wanted = map_shape(operand.dims);
  graph::ValueId value = moved(operand.value, *split, split->order(), std::nullopt, name);
  if (graph_.value(value).type.shape != wanted) {
    const graph::NodeId node =
        graph_.add(ops::reshape_to(wanted), graph_.unique_name(name), {value}, origin_);
    nodes_.insert(node);
    value = graph_.node(node).outputs.at(0);
  }
  --names_[operand.value];
  operand.value = value;
  ++names_[value];
  imported_.values[name] = value;
}

void Node::set_split(graph::ValueId value, Split split, size_t output) {
  if (!wants_output(output)) return;
  Operand operand;
  operand.dims = split.dims();
  operand.value = value;
  elements_of(operand.dims);
  if (operand.dims.size() == 2 && split.axes[0].empty() && split.is_in_order()) {  // channels of one pixel
    operand.value = importer_.as_map(value, map_shape(operand.dims), helper(""));
  } else if (can_be_channels_last(operand.dims) && split.axes[0].empty() && split.is_in_order()) {
    const Shape wanted = map_shape(channels_first(operand.dims));
    if (graph().value(value).type.shape != wanted)
      operand.value =
          add(ops::pixel_reshape_to(wanted), {value}, output == 0 ? "" : fmt::format("{}", output));
    operand.channels_last = true;
  } else {
    operand.split = std::make_shared<const Split>(std::move(split));
  }
  importer_.set(file_.outputs[output], std::move(operand));
}

bool Node::defer(const Operand& from, Split split) {
  if (is_needed_ || from.grid || file_.outputs.size() != 1) return false;
  const bool has_batch = split.axes[0].empty();
  if (has_batch && (sees_batch_first || (!from.channels_last && !from.split))) return false;
  if ((from.split && !from.deferred) || sees_batch_first) {  // bytes of a layer that made a view
    set_split(from.value, std::move(split));
    return true;
  }
  Operand operand;
  operand.dims = split.dims();
  operand.value = from.value;
  operand.split = std::make_shared<const Split>(std::move(split));
  operand.deferred = &file_;
  importer_.set(file_.outputs[0], std::move(operand));
  return true;
}

std::optional<Split> Node::split_of(size_t slot) {
  const Operand& operand = lying(slot);
  if (operand.is_constant() || operand.dims.size() < 2) return std::nullopt;
  if (operand.split) return *operand.split;
  if (operand.dims[0] != 1) return std::nullopt;
  return operand.channels_last ? split_in_order(operand.dims) : split_of_map(operand.dims);
}

graph::ValueId Node::arranged(graph::ValueId value, const Split& split, const std::vector<size_t>& order,
                              size_t channels, std::string_view suffix) {
  return importer_.moved(value, split, order, channels, helper(suffix));
}

graph::ValueId Node::with_channels_last(size_t slot) {
  const Operand& operand = lying(slot);
  if (operand.channels_last) return operand.value;
  const std::optional<Split> split = split_of(slot);
  if (!split) {  // of several samples
    const size_t rank = operand.dims.size();
    if (rank > 4) refuse(fmt::format("the last axis of {}", text_of(operand.dims)), "a batch of 1");
    constexpr std::array<size_t, 3> kLine{3, 2, 1}, kMap{3, 1, 2};
    return transposed(*this, data(slot).value, rank == 3 ? kLine : kMap, "features");
  }
  return arranged(operand.value, *split, split->order(), split->axes.back().size(), "features");
}

namespace {

/// A constant that is one number, or one for each element of the last axes, as an array beside channels:
/// these are the last `channels` extents of the view, and other extents are left.
std::optional<Array> beside_channels(const Array& constant, const Split& split, size_t& channels) {
  if (constant.is_integer || constant.size() == 0) return std::nullopt;
  if (constant.size() == 1) return constant.with_dims({});
  const auto first =
      std::find_if(constant.dims.begin(), constant.dims.end(), [](int64_t extent) { return extent != 1; });
  const Extents dims(first, constant.dims.end());
  if (dims.size() > split.axes.size()) return std::nullopt;
  const auto axes = split.axes.end() - static_cast<std::ptrdiff_t>(dims.size());
  std::vector<size_t> last;
  for (size_t i = 0; i < dims.size(); ++i) {
    const std::vector<size_t>& axis = axes[static_cast<std::ptrdiff_t>(i)];
    if (split.extent(axis) != dims[i]) return std::nullopt;
    last.insert(last.end(), axis.begin(), axis.end());
  }
  if (last.size() >= split.extents.size() || !split.is_last(last)) return std::nullopt;
  channels = last.size();
  return constant.with_dims({constant.size(), 1, 1});
}

/// A constant beside a map whose bytes a view is.
struct BesideMap {
  Array constant;
  Shape map;
};

/// Extents of a view beside each other along all of which a constant varies, or along none of which it does.
struct Run {
  int64_t size = 1;
  bool varies = false;
  int64_t of_constant() const { return varies ? size : 1; }
};

/// A constant that has all elements of some axes and repeats along the others, beside a map of rows, columns
/// and channels: these are runs of extents, in the order of the bytes. Nothing where there are more runs.
std::optional<BesideMap> beside_map(const Array& constant, const Split& split) {
  if (constant.is_integer || constant.size() < 2 || constant.dims.size() > split.axes.size())
    return std::nullopt;
  const size_t missing = split.axes.size() - constant.dims.size();
  std::vector<int64_t> steps(split.extents.size(), 0);  // of the constant, 0 where it repeats
  int64_t step = 1;
  for (size_t i = split.axes.size(); i-- > missing;) {
    const int64_t extent = constant.dims[i - missing];
    if (extent == 1) continue;
    if (extent != split.extent(split.axes[i])) return std::nullopt;
    for (size_t k = split.axes[i].size(); k-- > 0; step *= split.extents[split.axes[i][k]])
      steps[split.axes[i][k]] = step;
  }
  std::vector<Run> runs;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (runs.empty() || runs.back().varies != (steps[i] != 0)) runs.push_back({1, steps[i] != 0});
    runs.back().size *= split.extents[i];
  }
  if (runs.size() > 3) return std::nullopt;
  runs.insert(runs.begin(), 3 - runs.size(), Run{});
  const int64_t rows = runs[0].of_constant(), columns = runs[1].of_constant(),
                channels = runs[2].of_constant();
  Array turned = constant.like({channels, rows, columns});
  for (int64_t i = 0; i < turned.size(); ++i) {  // in the order of the bytes
    int64_t from = 0, left = i;
    for (size_t k = steps.size(); k-- > 0;) {
      if (steps[k] == 0) continue;
      from += left % split.extents[k] * steps[k];
      left /= split.extents[k];
    }
    turned.take(i % channels * rows * columns + i / channels, constant, from);
  }
  return BesideMap{std::move(turned), Shape{1, runs[2].size, runs[0].size, runs[1].size}};
}

/// Functions of single values, alone or of them and constants.
bool is_of_single_values(std::string_view type) {
  static const std::set<std::string_view> kTypes{
      "Abs",      "Add",  "Celu",        "Clip",       "Div",      "Dropout",        "Elu",     "Erf",
      "Exp",      "Gelu", "HardSigmoid", "HardSwish",  "Identity", "LeakyRelu",      "Log",     "Mish",
      "Mul",      "Neg",  "Pow",         "Reciprocal", "Relu",     "Selu",           "Sigmoid", "Softplus",
      "Softsign", "Sqrt", "Sub",         "Swish",      "Tanh",     "ThresholdedRelu"};
  return kTypes.contains(type);
}

/// Integers of one scale and the reals that they stand for.
bool is_of_one_grid(const FileNode& node, const std::map<std::string, Operand, std::less<>>& operands) {
  if (node.type != "QuantizeLinear" && node.type != "DequantizeLinear") return false;
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& name) {
    if (name.empty()) return true;
    const Operand& operand = operands.find(name)->second;
    return operand.is_constant() ? operand.array->size() == 1 : !operand.grid || operand.grid->is_one();
  });
}

}  // namespace

/// Functions of single values do not care where these lie.
std::shared_ptr<const Split> Importer::show_bytes(Node& node) {
  const FileNode& file = node.file();
  const bool rounds = is_of_one_grid(file, operands_);
  if (!rounds && !is_of_single_values(file.type)) return nullptr;
  std::optional<size_t> data;
  for (size_t slot = 0; slot < file.inputs.size(); ++slot) {
    if (file.inputs[slot].empty() || operands_.find(file.inputs[slot])->second.is_constant()) continue;
    if (data) return nullptr;
    data = slot;
  }
  if (!data) return nullptr;
  const Operand& operand = operands_.find(file.inputs[*data])->second;
  const std::shared_ptr<const Split> split = operand.split;
  // A view that was put off and is none of scattered bytes is what the file says.
  const bool is_plain = operand.deferred && split && split->is_in_order() && split->axes[0].empty();
  if (!split || (is_plain && !rounds)) return nullptr;
  std::map<size_t, Operand> shown;
  size_t channels = 0;
  std::optional<Shape> rows;
  for (size_t slot = 0; slot < file.inputs.size(); ++slot) {
    if (slot == *data || file.inputs[slot].empty()) continue;
    Operand constant = operands_.find(file.inputs[slot])->second;
    if (rounds) {
      shown[slot] = std::move(constant);
      continue;
    }
    auto turned = beside_channels(*constant.array, *split, channels);
    if (!turned && !rows)
      if (auto beside = beside_map(*constant.array, *split))
        turned = std::move(beside->constant), rows = beside->map;
    if (!turned || (rows && channels > 0)) return nullptr;
    constant.array = std::make_shared<const Array>(*turned);
    constant.dims = turned->dims;
    shown[slot] = std::move(constant);
  }
  graph::ValueId value = operand.value;
  if (rows) {
    value = as_map(value, *rows, file.outputs.at(0) + "_rows");
  } else if (channels > 0) {
    std::vector<size_t> order(split->extents.size());
    std::iota(order.begin(), order.end(), size_t{0});
    value = moved(value, *split, order, channels, file.outputs.at(0) + "_features");
  }
  const Shape map = graph_.value(value).type.shape;
  shown[*data] = {{1, map.c(), map.h(), map.w()}, value, nullptr, operand.grid};
  node.show(std::move(shown));
  return split;
}

void Importer::set_bytes(const FileNode& node, const Split& split) {
  const auto found = operands_.find(node.outputs.at(0));
  if (found == operands_.end()) return;
  found->second.dims = split.dims();
  found->second.split = std::make_shared<const Split>(split);
  imported_.dims[node.outputs[0]] = found->second.dims;
}

}  // namespace n2d2::onnx
