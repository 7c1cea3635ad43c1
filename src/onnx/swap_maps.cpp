#include "swap_maps.hpp"

#include <algorithm>
#include <numeric>

#include "node.hpp"

namespace n2d2::onnx {

Shape turned(const Shape& shape) {
  return {shape.n(), shape.c(), shape.w(), shape.h()};
}

std::vector<int64_t> turned_index(const Shape& shape) {
  std::vector<int64_t> index;
  index.reserve(static_cast<size_t>(shape.with_batch(1).elements()));
  for (int64_t c = 0; c < shape.c(); ++c)
    for (int64_t x = 0; x < shape.w(); ++x)
      for (int64_t y = 0; y < shape.h(); ++y) index.push_back((c * shape.h() + y) * shape.w() + x);
  return index;
}

Tensor turned(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  Tensor out(turned(shape));
  const std::vector<int64_t> index = turned_index({1, shape.n() * shape.c(), shape.h(), shape.w()});
  for (size_t i = 0; i < index.size(); ++i) out.data<float>()[i] = tensor.data<float>()[index[i]];
  return out;
}

std::optional<Split> split_of(const Order& order, const Shape& shape) {
  const int64_t pixels = shape.h() * shape.w();
  Split out;
  for (int64_t c = 0; c < shape.c(); ++c)
    out.channels.push_back(order.index[static_cast<size_t>(c * pixels)] / pixels);
  for (int64_t p = 0; p < pixels; ++p) out.positions.push_back(order.index[static_cast<size_t>(p)] % pixels);
  for (size_t i = 0; i < order.index.size(); ++i) {
    const size_t c = i / static_cast<size_t>(pixels), p = i % static_cast<size_t>(pixels);
    if (order.index[i] != out.channels[c] * pixels + out.positions[p]) return std::nullopt;
  }
  return out;
}

void SwappedNode::refuse_order(size_t slot) const {
  refuse(fmt::format(
             "with height and width exchanged, '{}' regroups the elements of maps into an order that this "
             "operator (input {}) does not take",
             orders.at(slot)->cause, slot),
         "without Transpose=1 the graph imports as it is: exchange the axes in the samples or in the model");
}

void SwappedNode::expect_map(size_t slot) const {
  if (orders.at(slot)) refuse_order(slot);
}

Split SwappedNode::expect_split() const {
  auto split = split_of(*orders.at(0), in.at(0));
  if (!split) refuse_order(0);
  return *std::move(split);
}

void SwappedNode::expect_room() const {
  constexpr int64_t kMost = int64_t{1} << 26;
  if (out.elements() > kMost)
    refuse(fmt::format("with height and width exchanged, it regroups {} elements of maps, at most {} are",
                       out.elements(), kMost),
           "regroup smaller maps, or import without Transpose=1");
}

void SwappedNode::set_order(std::vector<int64_t> index, const std::string& cause) {
  const bool same_shape = turned(out) == out;
  order = same_shape && index == turned_index(out)
              ? nullptr
              : std::make_shared<const Order>(Order{std::move(index), cause});
}

namespace {

/// Walks over the old graph and builds the new one.
class Swapper {
 public:
  Swapper(graph::Graph& to, const graph::Graph& from, const Refused& refused)
      : to_(to), from_(from), refused_(refused) {}

  Swapped run(const std::vector<graph::ValueId>& inputs) {
    N2D2_CHECK(inputs.size() == from_.inputs().size(), "{} values for {} inputs", inputs.size(),
               from_.inputs().size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Shape &old = from_.value(from_.inputs()[i]).type.shape, given = to_.value(inputs[i]).type.shape;
      N2D2_CHECK(given == turned(old), "input {} is {}, expected {} turned", i, given.text(), old.text());
      done_.values[from_.inputs()[i]] = inputs[i];
    }
    for (const graph::NodeId id : from_.schedule()) add(from_.node(id));
    return std::move(done_);
  }

 private:
  SwappedNode read(const graph::Node& node) const;
  void add(const graph::Node& node);
  void build(SwappedNode& swapped);
  void lose(const graph::Node& node);

  graph::Graph& to_;
  const graph::Graph& from_;
  const Refused& refused_;
  Swapped done_;
};

SwappedNode Swapper::read(const graph::Node& node) const {
  N2D2_CHECK(node.outputs.size() == 1 && !node.rescale && node.delegate.empty(), "'{}' is no imported layer",
             node.name);
  SwappedNode out{node, {}, from_.value(node.outputs[0]).type.shape, {}, {}};
  for (const graph::ValueId input : node.inputs) {
    const auto order = done_.orders.find(input);
    out.in.push_back(from_.value(input).type.shape);
    out.orders.push_back(order == done_.orders.end() ? nullptr : order->second);
    out.constants.push_back(from_.value(input).constant);
  }
  out.op = node.op->clone();
  return out;
}

/// Adds the operator with its constants.
void Swapper::build(SwappedNode& swapped) {
  std::vector<graph::ValueId> inputs;
  for (size_t slot = 0; slot < swapped.old.inputs.size(); ++slot) {
    const graph::Value& old = from_.value(swapped.old.inputs[slot]);
    if (!old.is_constant()) {
      inputs.push_back(done_.values.at(old.id));
      continue;
    }
    const auto changed = swapped.changed.find(slot);
    inputs.push_back(to_.add_constant(to_.unique_name(old.name),
                                      changed == swapped.changed.end() ? *old.constant : changed->second,
                                      old.type.quant));
  }
  const graph::Node& old = swapped.old;
  const graph::NodeId id = to_.add(std::move(swapped.op), to_.unique_name(old.name), inputs, old.origin);
  to_.set_clamp(id, old.clamp);
  const graph::ValueId value = to_.node(id).outputs.at(0);
  const Shape expected = swapped.order ? swapped.out : turned(swapped.out);
  N2D2_CHECK(to_.value(value).type.shape == expected, "'{}' is {}, expected {}", old.name,
             to_.value(value).type.shape.text(), expected.text());
  done_.nodes[old.id] = id;
  for (const graph::ValueId input : old.inputs)
    if (done_.guessed.contains(input)) done_.guessed.insert(old.outputs[0]);
  done_.values[old.outputs[0]] = value;
  if (swapped.order) done_.orders[old.outputs[0]] = swapped.order;
}

/// What follows is read on with a stand-in, for its own findings.
void Swapper::lose(const graph::Node& node) {
  const Shape shape = turned(from_.value(node.outputs.at(0)).type.shape);
  done_.guessed.insert(node.outputs[0]);
  done_.values[node.outputs[0]] =
      to_.add_input(to_.unique_name(node.name + "_lost"), {shape, DataType::F32, Layout::Nchw, {}});
}

void Swapper::add(const graph::Node& node) {
  SwappedNode swapped = read(node);
  try {
    const SwapRule* rule = swap_rules().find(node.op->type());
    if (rule == nullptr)
      refuse(
          "what it does with height and width exchanged is not known",
          "without Transpose=1 the graph imports as it is: exchange the axes in the samples or in the model");
    (*rule)(swapped);
  } catch (const ModelError& e) {
    refused_(node, e.findings().front().message, e.findings().front().hint);
    return lose(node);
  }
  build(swapped);
}

}  // namespace

Swapped add_swapped(graph::Graph& to, const graph::Graph& from, const std::vector<graph::ValueId>& inputs,
                    const Refused& refused) {
  return Swapper(to, from, refused).run(inputs);
}

}  // namespace n2d2::onnx
