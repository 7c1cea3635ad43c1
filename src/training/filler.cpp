#include "n2d2/training/filler.hpp"

#include "n2d2/ops/conv.hpp"

#include "filler_base.hpp"

namespace n2d2::training {

void register_all_fillers(FillerRegistry& registry);

const FillerRegistry& fillers() {
  static const FillerRegistry registry = [] {
    FillerRegistry filled;
    register_all_fillers(filled);
    return filled;
  }();
  return registry;
}

FanInfo fan_of(const Shape& weights) {
  N2D2_CHECK(weights.rank() >= 1 && weights.elements() > 0, "a filler needs weights, not {}", weights.text());
  const auto elements = static_cast<double>(weights.elements());
  const int64_t channels = weights.rank() > 1 ? weights[1] : 1;
  return {elements / static_cast<double>(weights[0]), elements / static_cast<double>(channels)};
}

std::unique_ptr<Filler> make_filler(std::string_view type, const KeySource& keys, Diagnostics& diagnostics) {
  const FillerEntry* entry = fillers().find(type);
  if (entry == nullptr) {
    diagnostics.error(keys.where(), fmt::format("{} {}", keys.subject(), fillers().unknown("filler", type)));
    return nullptr;
  }
  const size_t errors_before = diagnostics.errors().size();
  std::unique_ptr<Filler> filler = entry->make();
  filler->read(keys, diagnostics);
  if (diagnostics.errors().size() != errors_before) return nullptr;
  return filler;
}

namespace {

/// 1 for each weight of O,I/g,KH,KW that the connection table of the convolution reading it uses.
std::vector<char> used_weights(const ops::Conv& conv, const Shape& weights) {
  const int64_t taps = weights[2] * weights[3];
  std::vector<char> used(static_cast<size_t>(weights.elements()));
  for (int64_t o = 0; o < weights[0]; ++o)
    for (int64_t c = 0; c < weights[1]; ++c)
      for (int64_t k = 0; k < taps; ++k)
        used[static_cast<size_t>((o * weights[1] + c) * taps + k)] = conv.is_connected(c, o);
  return used;
}

void drop_unconnected(graph::Graph& graph, graph::ValueId constant) {
  for (const graph::Use use : graph.value(constant).uses) {
    const auto* conv = graph::as<ops::Conv>(graph.node(use.node));
    if (conv == nullptr || conv->connections.empty() || use.slot != 1) continue;
    Tensor& weights = graph.mutable_constant(constant);
    const std::vector<char> used = used_weights(*conv, weights.shape());
    for (size_t i = 0; i < used.size(); ++i)
      if (used[i] == 0) weights.span()[i] = 0;
  }
}

}  // namespace

void fill_constant(graph::Graph& graph, graph::ValueId constant, std::span<const int64_t> inputs,
                   const Filler& filler, uint64_t seed) {
  Rng rng(seed, "filler:" + graph.value(constant).name);
  Tensor& weights = graph.mutable_constant(constant);
  const Shape& shape = weights.shape();
  if (inputs.size() <= 1) {
    filler.fill(weights, fan_of(shape), rng);
  } else {
    const int64_t outputs = shape[0];
    const int64_t taps = weights.elements() / (outputs * shape[1]);
    int64_t begin = 0;
    for (const int64_t extent : inputs) {
      N2D2_CHECK(extent > 0 && begin + extent <= shape[1], "inputs of '{}' do not add up to {}",
                 graph.value(constant).name, shape[1]);
      Shape part_shape = shape;
      part_shape[1] = extent;
      Tensor part(part_shape);
      filler.fill(part, fan_of(part_shape), rng);
      for (int64_t o = 0; o < outputs; ++o)
        std::copy_n(part.data<float>() + o * extent * taps, extent * taps,
                    weights.data<float>() + (o * shape[1] + begin) * taps);
      begin += extent;
    }
    N2D2_CHECK(begin == shape[1], "inputs of '{}' do not add up to {}", graph.value(constant).name, shape[1]);
  }
  drop_unconnected(graph, constant);
}

}  // namespace n2d2::training
