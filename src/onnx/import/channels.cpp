#include "channels.hpp"

#include "n2d2/ops/conv.hpp"

namespace n2d2::onnx {

graph::ValueId pick_channels(Node& node, graph::ValueId value, const std::vector<int64_t>& from,
                             std::string_view suffix) {
  constexpr int64_t kMostWeights = int64_t{1} << 26;
  const int64_t in = node.graph().value(value).type.shape.c(), out = static_cast<int64_t>(from.size());
  if (out < 1 || out > kMostWeights / in) refuse(fmt::format("{} channels are picked from {}", out, in));
  Tensor weights(Shape{out, in, 1, 1});
  for (int64_t o = 0; o < out; ++o)
    if (from[static_cast<size_t>(o)] >= 0) weights.data<float>()[o * in + from[static_cast<size_t>(o)]] = 1;
  auto conv = std::make_unique<ops::Conv>();
  conv->kernel = {1, 1};
  conv->nb_outputs = static_cast<int>(out);
  const std::string role = suffix.empty() ? "weights" : std::string(suffix) + "_weights";
  const graph::ValueId constant = node.add_constant(role, std::move(weights));
  return node.add(std::move(conv), {value, constant}, suffix);
}

}  // namespace n2d2::onnx
