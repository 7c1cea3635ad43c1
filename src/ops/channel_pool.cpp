#include "n2d2/ops/channel_pool.hpp"

#include <algorithm>

#include "n2d2/graph/turn.hpp"

#include "checks.hpp"

namespace n2d2::ops {

namespace {

/// The channel of the largest value at a position, the first one if several.
int64_t largest(const float* x, const std::vector<int64_t>& channels, int64_t pixels) {
  return *std::max_element(channels.begin(), channels.end(),
                           [&](int64_t a, int64_t b) { return x[a * pixels] < x[b * pixels]; });
}

double mean(const float* x, const std::vector<int64_t>& channels, int64_t pixels) {
  double sum = 0;
  for (const int64_t c : channels) sum += x[c * pixels];
  return sum / static_cast<double>(channels.size());
}

}  // namespace

std::vector<int64_t> ChannelPool::sources(int64_t output) const {
  std::vector<int64_t> channels;
  for (size_t c = 0; c * static_cast<size_t>(nb_outputs) < connections.size(); ++c)
    if (connections[c * static_cast<size_t>(nb_outputs) + static_cast<size_t>(output)] != 0)
      channels.push_back(static_cast<int64_t>(c));
  return channels;
}

std::vector<Shape> ChannelPool::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(in);
  expect_at_least("NbOutputs", nb_outputs, 1);
  if (static_cast<int64_t>(connections.size()) != s.c() * nb_outputs)
    throw ModelError(fmt::format("Connections has {} values, expected {} ({} channels x {} outputs)",
                                 connections.size(), s.c() * nb_outputs, s.c(), nb_outputs));
  for (int64_t o = 0; o < nb_outputs; ++o)
    if (sources(o).empty()) throw ModelError(fmt::format("output {} reads no channel", o));
  return {{s.n(), nb_outputs, s.h(), s.w()}};
}

void ChannelPool::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w();
  for (int64_t o = 0; o < nb_outputs; ++o) {
    const std::vector<int64_t> channels = sources(o);
    for (int64_t n = 0; n < s.n(); ++n)
      for (int64_t p = 0; p < pixels; ++p) {
        const float* x = args.in[0]->data<float>() + n * s.c() * pixels + p;
        args.out[0]->data<float>()[(n * nb_outputs + o) * pixels + p] =
            pooling == Pooling::Max ? x[largest(x, channels, pixels) * pixels]
                                    : static_cast<float>(mean(x, channels, pixels));
      }
  }
}

bool ChannelPool::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w();
  args.d_in[0]->fill(0);
  for (int64_t o = 0; o < nb_outputs; ++o) {
    const std::vector<int64_t> channels = sources(o);
    const auto count = static_cast<float>(channels.size());
    for (int64_t n = 0; n < s.n(); ++n)
      for (int64_t p = 0; p < pixels; ++p) {
        const int64_t first = n * s.c() * pixels + p;
        const float d_y = args.d_out[0]->data<float>()[(n * nb_outputs + o) * pixels + p];
        float* d_x = args.d_in[0]->data<float>() + first;
        if (pooling == Pooling::Max)
          d_x[largest(args.in[0]->data<float>() + first, channels, pixels) * pixels] += d_y;
        else
          for (const int64_t c : channels) d_x[c * pixels] += d_y / count;
      }
  }
  return true;
}

graph::IntegerForm ChannelPool::integer_form(std::span<const Shape>) const {
  return graph::no_integers(fmt::format("the {} of several channels (Mapping) has no integer form",
                                        pooling == Pooling::Max ? "maximum" : "mean"),
                            "'Mapping.Size=1' in a Pool takes each channel by itself; a Conv with "
                            "KernelDims=1 1 in front mixes them");
}

std::vector<Clamp> ChannelPool::range(std::span<const Clamp> in, std::span<const Shape>) const {
  return {in[0]};
}

void ChannelPool::turned(graph::TurnedNode& node) const {
  node.expect_map();
}

void register_channel_pool(graph::OperatorRegistry& registry);
void register_channel_pool(graph::OperatorRegistry& registry) {
  graph::register_operator<ChannelPool>(registry);
}

}  // namespace n2d2::ops
