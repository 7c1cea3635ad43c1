#include <array>
#include <map>
#include <optional>
#include <utility>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/concat.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/pixel_reshape.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/transpose.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

using graph::Graph;
using graph::Node;
using graph::NodeId;
using graph::ValueId;

/// The order in which the values of a map C,H,W lie: Pixels is (y, x, channel), as in every map of an export,
/// Channels is (channel, y, x), the order of the tensor in an ONNX file.
enum class Order { Pixels, Channels };
constexpr std::array kOrders{Order::Pixels, Order::Channels};

/// One channel or one pixel: both orders are the same.
bool has_one_order(const Shape& shape) {
  return shape.c() == 1 || shape.h() * shape.w() == 1;
}

/// The axes of the input of a Transpose, outermost first, along which the values of a map lie. `axes` names
/// the input's axis (1 = C, 2 = H, 3 = W) of each axis C, H, W of the map; axes of one element are left out.
std::vector<size_t> nesting(const std::array<size_t, 3>& axes, Order order, const Shape& input) {
  const auto [c, h, w] = axes;
  std::vector<size_t> out;
  for (const size_t axis : order == Order::Pixels ? std::array{h, w, c} : std::array{c, h, w})
    if (input[axis] > 1) out.push_back(axis);
  return out;
}

bool is_view(const ops::Transpose& transpose, const Shape& input, Order from, Order to) {
  return nesting({1, 2, 3}, from, input) == nesting(transpose.order(), to, input);
}

/// A function of each value by itself, the same one for all of them.
bool is_of_single_values(const Node& node) {
  if (const auto* round = graph::as<ops::FakeQuantize>(node))
    return round->scale.size() == 1 && round->zero_point.size() == 1;
  return graph::as<ops::Nonlinearity>(node) || graph::as<ops::Relu>(node) || graph::as<ops::Saturation>(node);
}

bool only_moves(const Node& node) {
  return graph::as<ops::Transpose>(node) || graph::as<ops::Reshape>(node) || graph::as<ops::Concat>(node);
}

/// The extents of a map whose values lie in the order of pixels where those of `shape` lie in that of
/// channels.
Shape channels_last(const Shape& shape) {
  return {shape.n(), shape.w(), shape.c(), shape.h()};
}

/// Finds what is a view, and puts it in place of what moves values.
class TransposeElision {
 public:
  TransposeElision(Graph& graph, bool outputs_may_reshape)
      : graph_(graph), outputs_may_reshape_(outputs_may_reshape) {}

  /// New layers are made beside the old ones, whose order of values decides, before any of them changes.
  int run() {
    std::vector<std::pair<NodeId, ValueId>> replaced;  // a layer, and what its PixelReshape reads
    for (const NodeId id : graph_.schedule())
      if (const std::optional<ValueId> source = source_in_pixels(id)) replaced.emplace_back(id, *source);
    std::vector<ValueId> outputs = graph_.outputs();
    int rewrites = static_cast<int>(replaced.size());
    for (ValueId& output : outputs)
      if (outputs_may_reshape_ && !can_be(output, Order::Pixels) && can_be(output, Order::Channels))
        output = in_channels(output), ++rewrites;
    for (const auto& [id, source] : replaced)
      graph_.replace(id, ops::pixel_reshape_to(shape(graph_.node(id).outputs.at(0))), {unviewed(source)});
    graph_.set_outputs(std::move(outputs));
    if (rewrites > 0) drop_identities(), erase_unread();
    for (const NodeId id : graph_.nodes()) {
      const auto wanted = names_.find(id);
      if (wanted != names_.end() && !graph_.find_node(wanted->second) && !graph_.find_value(wanted->second))
        graph_.rename(id, wanted->second);
    }
    return rewrites;
  }

 private:
  /// Views of a shape that the map has: they are the map.
  void drop_identities() {
    for (const NodeId id : graph_.schedule()) {
      const Node& node = graph_.node(id);
      const bool is_view = graph::as<ops::PixelReshape>(node) && !graph_.is_output(node.outputs.at(0));
      if (is_view && shape(node.inputs.at(0)) == shape(node.outputs[0])) graph_.bypass(id);
    }
  }

  const Shape& shape(ValueId id) const { return graph_.value(id).type.shape; }

  /// The layer that makes a value; null where its order is that of pixels, whatever it reads.
  const Node* mover(ValueId id) const {
    const NodeId producer = graph_.value(id).producer;
    const Node* node = producer ? &graph_.node(producer) : nullptr;
    return node && (only_moves(*node) || is_of_single_values(*node)) ? node : nullptr;
  }

  /// Whether no byte has to be moved for the values of a map to lie in this order.
  bool can_be(ValueId id, Order order) {
    const auto key = std::pair(id, order);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    bool possible = false;
    for (const Order same : kOrders)
      if (same == order || has_one_order(shape(id))) possible = possible || is_made_in(id, same);
    return known_[key] = possible;
  }
  bool is_made_in(ValueId id, Order order) {
    const Node* node = mover(id);
    return node ? order_of_inputs(*node, order).has_value() : order == Order::Pixels;
  }

  /// The order in which the inputs of a layer lie when its output lies in `order` and no byte is moved.
  std::optional<Order> order_of_inputs(const Node& node, Order order) {
    const ValueId in = node.inputs.at(0), out = node.outputs.at(0);
    const bool is_concat = graph::as<ops::Concat>(node) != nullptr;
    if (only_moves(node) && (node.clamp || node.rescale) && !(is_concat && order == Order::Pixels))
      return std::nullopt;
    if (const auto* transpose = graph::as<ops::Transpose>(node)) {
      for (const Order from : kOrders)
        if (is_view(*transpose, shape(in), from, order) && can_be(in, from)) return from;
      return std::nullopt;
    }
    if (graph::as<ops::Reshape>(node) && order == Order::Pixels && shape(in).c() != shape(out).c())
      return std::nullopt;
    for (const ValueId input : node.inputs)
      if (!can_be(input, order)) return std::nullopt;
    return order;
  }

  /// What the PixelReshape reads that takes the place of a Transpose, or of a Reshape of pixels and channels;
  /// nothing where the layer stays.
  std::optional<ValueId> source_in_pixels(NodeId id) {
    const Node& node = graph_.node(id);
    const ValueId in = node.inputs.at(0), out = node.outputs.at(0);
    if (!graph::as<ops::Transpose>(node) && !graph::as<ops::Reshape>(node)) return std::nullopt;
    for (const Order order : kOrders) {
      if (order == Order::Channels && !has_one_order(shape(out))) continue;
      const std::optional<Order> from = order_of_inputs(node, order);
      if (!from) continue;
      // A Reshape that keeps its channels, or between maps of one order, is a view as it is.
      if (graph::as<ops::Reshape>(node) && can_be(in, Order::Pixels) &&
          (order == Order::Pixels || has_one_order(shape(in))))
        return std::nullopt;
      return *from == Order::Pixels ? in : in_channels(in);
    }
    return std::nullopt;
  }

  /// A value of the extents channels_last() whose values lie, in the order of pixels, as those of this one do
  /// in the order of channels, which they can.
  ValueId in_channels(ValueId id) {
    if (const auto made = made_.find(id); made != made_.end()) return made->second;
    return made_[id] = made_in_channels(id);
  }
  ValueId made_in_channels(ValueId id) {
    const Shape last = channels_last(shape(id));
    const std::string name = graph_.value(id).name;
    if (has_one_order(shape(id)) && is_made_in(id, Order::Pixels)) return reshaped(id, last, name);
    const Node* const node = mover(id);
    const std::optional<Order> from = node ? order_of_inputs(*node, Order::Channels) : std::nullopt;
    N2D2_CHECK(from.has_value(), "the values of '{}' do not lie in the order of channels", name);
    const std::vector<ValueId> inputs = node->inputs;
    if (graph::as<ops::Concat>(*node)) return joined(inputs, last, name);
    if (!only_moves(*node)) {
      const ValueId made = add(node->op->clone(), name, {in_channels(inputs.at(0))});
      graph_.set_clamp(graph_.value(made).producer, node->clamp);
      return made;
    }
    return reshaped(*from == Order::Pixels ? inputs.at(0) : in_channels(inputs.at(0)), last, name);
  }

  /// Rows behind each other are vectors behind each other.
  ValueId joined(const std::vector<ValueId>& parts, const Shape& last, const std::string& name) {
    std::vector<ValueId> vectors;
    for (const ValueId part : parts) {
      const Shape& from = shape(part);
      const Shape vector{from.n(), from.c() * from.h() * from.w(), 1, 1};
      vectors.push_back(reshaped(in_channels(part), vector, graph_.value(part).name + "_flat"));
    }
    return reshaped(add(std::make_unique<ops::Concat>(), name + "_flat", std::move(vectors)), last, name);
  }

  ValueId reshaped(ValueId source, const Shape& to, const std::string& name) {
    source = unviewed(source);
    return shape(source) == to ? source : add(ops::pixel_reshape_to(to), name, {source});
  }

  /// What a value is a view of.
  ValueId unviewed(ValueId id) const {
    while (const NodeId producer = graph_.value(id).producer) {
      if (!graph::as<ops::PixelReshape>(graph_.node(producer))) break;
      id = graph_.node(producer).inputs.at(0);
    }
    return id;
  }

  ValueId add(std::unique_ptr<graph::Operator> op, const std::string& name, std::vector<ValueId> inputs) {
    const std::optional<NodeId> origin = graph_.find_node(name);
    const SourceLocation where = origin ? graph_.node(*origin).origin : SourceLocation{};
    const NodeId id = graph_.add(std::move(op), graph_.unique_name(name), std::move(inputs), where);
    names_.emplace(id, name);
    return graph_.node(id).outputs.at(0);
  }

  void erase_unread() {
    std::vector<NodeId> order = graph_.schedule();
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      const Node& node = graph_.node(*id);
      const ValueId out = node.outputs.at(0);
      if ((only_moves(node) || is_of_single_values(node) || graph::as<ops::PixelReshape>(node)) &&
          graph_.value(out).uses.empty() && !graph_.is_output(out))
        graph_.erase(*id);
    }
  }

  Graph& graph_;
  bool outputs_may_reshape_;
  std::map<std::pair<ValueId, Order>, bool> known_;
  std::map<ValueId, ValueId> made_;      // in_channels() of a value
  std::map<NodeId, std::string> names_;  // that new layers are to have
};

/// Drops the movement of values that an export does without. In the heads of detectors, a Transpose that puts
/// channels last, a Reshape of its output and a Concat of such rows move no byte, as maps of an export are
/// N,H,W,C. They become views (PixelReshape) and a Concat of vectors. Where outputs may reshape, one that the
/// file has with its channels last is the map with the same bytes then. What would move bytes stays as it is.
class ElideTranspose final : public Pass {
 public:
  std::string_view name() const override { return "elide_transpose"; }
  std::string_view summary() const override {
    return "makes views of Transposes, Reshapes and Concats that move no byte of an N,H,W,C map";
  }
  bool keeps_values() const override { return false; }
  int run(graph::Graph& graph, const PassContext& context) const override {
    return TransposeElision(graph, context.outputs_may_reshape && !context.data_is_target).run();
  }
};

}  // namespace

void register_elide_transpose(PassRegistry& registry);
void register_elide_transpose(PassRegistry& registry) {
  register_pass<ElideTranspose>(registry);
}

}  // namespace n2d2::passes
