#include "scratch.hpp"

#include <algorithm>

namespace n2d2::delegates {

namespace {

/// A map with the steps during which it lives, both included.
struct Buffer {
  graph::ValueId value;
  Bytes bytes = 0;
  size_t first = 0, last = 0;
  Bytes place = 0;

  bool lives_with(const Buffer& other) const { return first <= other.last && other.first <= last; }
};

/// Inputs stand at step 0, the nodes at 1, 2, ..., outputs leave after them.
std::vector<Buffer> buffers_of(const graph::Graph& part, std::span<const graph::NodeId> order, Bytes spare) {
  std::map<graph::ValueId, Buffer> out;
  const auto add = [&](graph::ValueId id, size_t step) {
    const TensorType& type = part.value(id).type;
    out[id] = {id, type.shape.elements() * size_bytes(type.dtype) + spare, step, step};
  };
  for (const graph::ValueId id : part.inputs()) add(id, 0);
  for (size_t i = 0; i < order.size(); ++i) {
    const graph::Node& node = part.node(order[i]);
    for (const graph::ValueId id : node.inputs)
      if (!part.value(id).is_constant()) out.at(id).last = i + 1;
    for (const graph::ValueId id : node.outputs) add(id, i + 1);
  }
  for (const graph::ValueId id : part.outputs()) out.at(id).last = order.size() + 1;
  std::vector<Buffer> buffers;
  for (const auto& [id, buffer] : out) buffers.push_back(buffer);
  return buffers;
}

/// The lowest place that none of the buffers that live with it covers.
Bytes free_place(const Buffer& buffer, std::span<const Buffer> placed) {
  std::vector<const Buffer*> beside;
  for (const Buffer& other : placed)
    if (buffer.lives_with(other)) beside.push_back(&other);
  std::sort(beside.begin(), beside.end(), [](const auto* a, const auto* b) { return a->place < b->place; });
  Bytes place = 0;
  for (const Buffer* other : beside) {
    if (place + buffer.bytes <= other->place) break;
    place = std::max(place, other->place + other->bytes);
  }
  return place;
}

}  // namespace

ScratchPlan plan_scratch(const graph::Graph& part, std::span<const graph::NodeId> order, Bytes spare) {
  std::vector<Buffer> buffers = buffers_of(part, order, spare);
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const Buffer& a, const Buffer& b) { return a.bytes > b.bytes; });
  ScratchPlan out;
  for (size_t i = 0; i < buffers.size(); ++i) {
    buffers[i].place = free_place(buffers[i], std::span(buffers).first(i));
    out.places[buffers[i].value] = buffers[i].place;
    out.bytes = std::max(out.bytes, buffers[i].place + buffers[i].bytes);
  }
  return out;
}

}  // namespace n2d2::delegates
