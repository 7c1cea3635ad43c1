#include "softmax_inputs.hpp"

#include <algorithm>
#include <limits>

#include "n2d2/ops/softmax.hpp"

namespace n2d2::quantize {

SoftmaxInputs::SoftmaxInputs(const graph::Graph& graph) {
  for (const graph::ValueId id : graph.values()) {
    const graph::Value& value = graph.value(id);
    if (value.is_constant() || value.uses.empty() || graph.is_output(id)) continue;
    const Shape& shape = value.type.shape;
    // The longest groups of all readers leave most elements as they are only where all read the same ones.
    int64_t size = 0;
    const bool is_one_way = std::all_of(value.uses.begin(), value.uses.end(), [&](const graph::Use& use) {
      const auto* softmax = graph::as<ops::Softmax>(graph.node(use.node));
      if (softmax == nullptr) return false;
      const int64_t own = softmax->group_size > 0 ? softmax->group_size : shape.c();
      const bool is_same = size == 0 || size == own;
      size = own;
      return is_same;
    });
    if (is_one_way) groups_.emplace(id, Groups{shape.c(), shape.h() * shape.w(), size});
  }
}

compute::Observation SoftmaxInputs::bounded(const compute::Observation& seen,
                                            std::vector<float>& room) const {
  const auto found = groups_.find(seen.value);
  if (found == groups_.end()) return seen;
  const Groups& g = found->second;
  room.assign(seen.data.begin(), seen.data.end());
  const bool is_planar = seen.layout == Layout::Nchw;
  const int64_t to_channel = is_planar ? g.pixels : 1, to_pixel = is_planar ? 1 : g.channels;
  bool changed = false;
  for (int64_t n = 0; n < seen.count; ++n)
    for (int64_t pixel = 0; pixel < g.pixels; ++pixel)
      for (int64_t first = 0; first < g.channels; first += g.size) {
        float* group = room.data() + n * g.channels * g.pixels + pixel * to_pixel + first * to_channel;
        const int64_t count = std::min(g.size, g.channels - first);
        float largest = -std::numeric_limits<float>::infinity();
        for (int64_t c = 0; c < count; ++c) largest = std::max(largest, group[c * to_channel]);
        for (int64_t c = 0; c < count; ++c)
          if (group[c * to_channel] < largest - kFar) {
            group[c * to_channel] = largest - kFar;
            changed = true;
          }
      }
  if (!changed) return seen;
  compute::Observation out = seen;
  out.data = room;
  return out;
}

}  // namespace n2d2::quantize
