#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/transpose.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// The operator that makes a value for one reader alone; null when it is another, or bounds its values.
template <class Op>
const graph::Node* sole_producer(const graph::Graph& graph, graph::ValueId id) {
  const graph::Value& value = graph.value(id);
  if (!value.producer || value.uses.size() != 1 || graph.is_output(id)) return nullptr;
  const graph::Node& node = graph.node(value.producer);
  return graph::as<Op>(node) && !node.clamp && !node.rescale ? &node : nullptr;
}

/// Channels that change places: channel c of the result is channel from[c] of the source.
struct Shuffle {
  graph::NodeId view, turn;
  graph::ValueId source;
  std::vector<int64_t> from;
};

/// a b,H,W seen as a,b,H W; a and b exchanged; seen as b a,H,W.
std::optional<Shuffle> shuffle_of(const graph::Graph& graph, graph::NodeId id) {
  const graph::Node& back = graph.node(id);
  if (!graph::as<ops::Reshape>(back) || back.clamp || back.rescale) return std::nullopt;
  const graph::Node* turn = sole_producer<ops::Transpose>(graph, back.inputs.at(0));
  if (!turn || graph::as<ops::Transpose>(*turn)->order() != std::array<size_t, 3>{2, 1, 3})
    return std::nullopt;
  const graph::Node* view = sole_producer<ops::Reshape>(graph, turn->inputs.at(0));
  if (!view) return std::nullopt;
  const graph::ValueId source = view->inputs.at(0);
  const Shape& shape = graph.value(source).type.shape;
  const Shape& groups = graph.value(turn->inputs[0]).type.shape;
  if (graph.value(back.outputs.at(0)).type.shape != shape || groups.w() != shape.h() * shape.w())
    return std::nullopt;
  Shuffle out{view->id, turn->id, source, {}};
  for (int64_t j = 0; j < groups.h(); ++j)
    for (int64_t i = 0; i < groups.c(); ++i) out.from.push_back(i * groups.h() + j);
  return out;
}

/// A Conv that sees all channels reads them in the order of the source.
bool fold(graph::Graph& graph, const graph::Use& use, const Shuffle& shuffle) {
  const auto* conv = graph::as<ops::Conv>(graph.node(use.node));
  if (conv == nullptr || use.slot != 0 || conv->groups != 1 || !conv->connections.empty()) return false;
  const graph::ValueId weights = own_constant(graph, use.node, 1);
  const Tensor& old = *graph.value(weights).constant;
  Tensor folded(old.shape());
  const int64_t channels = old.shape()[1], taps = old.shape()[2] * old.shape()[3];
  for (int64_t o = 0; o < old.shape()[0]; ++o)
    for (int64_t c = 0; c < channels; ++c)
      std::copy_n(old.data<float>() + (o * channels + c) * taps, taps,
                  folded.data<float>() + (o * channels + shuffle.from[static_cast<size_t>(c)]) * taps);
  graph.set_constant(weights, std::move(folded), graph.value(weights).type.quant);
  std::vector<graph::ValueId> inputs = graph.node(use.node).inputs;
  inputs[0] = shuffle.source;
  graph.replace(use.node, graph.op(use.node).clone(), std::move(inputs));
  return true;
}

/// What others than such Convs read is picked by a 1x1 Conv of zeros and ones.
void pick(graph::Graph& graph, graph::NodeId id, const Shuffle& shuffle) {
  const auto channels = static_cast<int64_t>(shuffle.from.size());
  Tensor weights(Shape{channels, channels, 1, 1});
  for (int64_t o = 0; o < channels; ++o)
    weights.data<float>()[o * channels + shuffle.from[static_cast<size_t>(o)]] = 1;
  auto conv = std::make_unique<ops::Conv>();
  conv->kernel = {1, 1};
  conv->nb_outputs = static_cast<int>(channels);
  const std::string name = graph.unique_name(graph.node(id).name + "_weights");
  graph.replace(id, std::move(conv), {shuffle.source, graph.add_constant(name, std::move(weights))});
}

bool rewrite(graph::Graph& graph, graph::NodeId id) {
  const std::optional<Shuffle> shuffle = shuffle_of(graph, id);
  if (!shuffle) return false;
  const graph::ValueId result = graph.node(id).outputs.at(0);
  const std::vector<graph::Use> uses = graph.value(result).uses;
  bool folds = false;
  for (const graph::Use& use : uses) folds = fold(graph, use, *shuffle) || folds;
  const auto channels = static_cast<int64_t>(shuffle->from.size());
  if (graph.value(result).uses.empty() && !graph.is_output(result))
    graph.erase(id);
  else if (channels > kMostWeights / channels)
    return folds;
  else
    pick(graph, id, *shuffle);
  graph.erase(shuffle->turn);
  graph.erase(shuffle->view);
  return true;
}

/// Reshape, Transpose, Reshape that only change the order of channels (the channel shuffle of ShuffleNet) go
/// into the weights of the Convs behind them; for other readers they become a Conv, which has an integer
/// form, unless it would have more than 2^29 weights. Runs after merge_transpose.
class FoldChannelShuffle final : public Pass {
 public:
  std::string_view name() const override { return "fold_channel_shuffle"; }
  std::string_view summary() const override {
    return "puts the order of shuffled channels into the weights of the Convs behind them";
  }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    // In schedule order; a shuffle erases only nodes whose turn has passed.
    for (const graph::NodeId id : graph.schedule()) rewrites += rewrite(graph, id) ? 1 : 0;
    return rewrites;
  }
};

}  // namespace

void register_fold_channel_shuffle(PassRegistry& registry);
void register_fold_channel_shuffle(PassRegistry& registry) {
  register_pass<FoldChannelShuffle>(registry);
}

}  // namespace n2d2::passes
