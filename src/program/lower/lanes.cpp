#include "lanes.hpp"

#include <algorithm>

namespace n2d2::program {

using graph::ValueId;

Lanes::Lanes(const graph::Graph& graph, std::span<const graph::NodeId> order, Rules rules)
    : graph_(graph), rules_(std::move(rules)) {
  for (const graph::NodeId id : order)
    if (rules_.is_concat(graph.node(id))) concats_.push_back(id);
  nest_operands();
  nest_runs();
  lay_inputs();
}

std::optional<Lane> Lanes::of(ValueId value) const {
  const auto found = lanes_.find(value);
  return found == lanes_.end() ? std::nullopt : std::optional(found->second);
}

Lane Lanes::outermost(Lane lane) const {
  for (auto outer = lanes_.find(lane.concat); outer != lanes_.end(); outer = lanes_.find(lane.concat))
    lane = {outer->second.concat, outer->second.offset + lane.offset};
  return lane;
}

Lane Lanes::innermost(Lane lane, Bytes size) const {
  const auto inside = nested_.find(lane.concat);
  if (inside == nested_.end()) return lane;
  for (const Nested& inner : inside->second)
    if (inner.offset <= lane.offset && lane.offset + size <= inner.offset + inner.size)
      return innermost({inner.value, lane.offset - inner.offset}, size);
  return lane;
}

std::vector<Part> Lanes::parts(ValueId value) const {
  const graph::NodeId producer = graph_.value(value).producer;
  if (!producer || !rules_.is_concat(graph_.node(producer))) return {{value, 0, size_of(value)}};
  std::vector<Part> out;
  for_inputs(graph_.node(producer), [&](ValueId input, Bytes offset) {
    for (const Part& part : parts(input)) out.push_back({part.value, offset + part.offset, part.size});
  });
  return out;
}

void Lanes::nest_operands() {
  for (const graph::NodeId id : concats_) {
    const graph::Node& outer = graph_.node(id);
    for_inputs(outer, [&](ValueId input, Bytes offset) {
      const graph::NodeId producer = graph_.value(input).producer;
      if (producer && rules_.is_concat(graph_.node(producer)) && !of(input) && rules_.may_lie(input, outer))
        put(input, {outer.outputs.at(0), offset});
    });
  }
}

/// From the largest on, so that what may hold a concatenation has its own place already.
void Lanes::nest_runs() {
  const auto size = [&](graph::NodeId id) { return size_of(graph_.node(id).outputs.at(0)); };
  std::vector<graph::NodeId> falling = concats_;
  std::stable_sort(falling.begin(), falling.end(),
                   [&](graph::NodeId a, graph::NodeId b) { return size(a) > size(b); });
  std::vector<std::vector<Part>> made_of;
  for (const graph::NodeId id : falling) {
    const ValueId inner = graph_.node(id).outputs.at(0);
    made_of.push_back(parts(inner));
    for (size_t o = made_of.size() - 1; o-- > 0 && !of(inner);) {
      const graph::Node& outer = graph_.node(falling[o]);
      const auto run =
          std::search(made_of[o].begin(), made_of[o].end(), made_of.back().begin(), made_of.back().end(),
                      [](const Part& a, const Part& b) { return a.value == b.value; });
      if (run != made_of[o].end() && rules_.may_lie(inner, outer) && !lies_in(outer.outputs.at(0), inner))
        nest(inner, {outer.outputs.at(0), run->offset});
    }
  }
}

void Lanes::lay_inputs() {
  for (const graph::NodeId id : concats_) {
    const graph::Node& concat = graph_.node(id);
    for_inputs(concat, [&](ValueId input, Bytes offset) {
      if (!of(input) && rules_.may_lie(input, concat))
        put(input, innermost({concat.outputs.at(0), offset}, size_of(input)));
    });
  }
}

bool Lanes::lies_in(ValueId value, ValueId concat) const {
  for (std::optional<Lane> lane = of(value); lane; lane = of(lane->concat))
    if (lane->concat == concat) return true;
  return false;
}

/// Not where it would share bytes with something there that neither holds.
void Lanes::nest(ValueId inner, Lane lane) {
  const Bytes first = lane.offset, end = first + size_of(inner);
  std::vector<Nested>& there = nested_[lane.concat];
  const auto apart = [&](const Nested& n) { return n.offset + n.size <= first || end <= n.offset; };
  const auto held = [&](const Nested& n) { return first <= n.offset && n.offset + n.size <= end; };
  if (!std::all_of(there.begin(), there.end(), [&](const Nested& n) { return apart(n) || held(n); })) return;
  const auto moved = std::stable_partition(there.begin(), there.end(), apart);
  const std::vector<Nested> inside(moved, there.end());
  there.erase(moved, there.end());
  for (const Nested& n : inside) put(n.value, {inner, n.offset - first});
  put(inner, lane);
}

void Lanes::put(ValueId value, Lane lane) {
  lanes_[value] = lane;
  const graph::NodeId producer = graph_.value(value).producer;
  if (rules_.is_concat(graph_.node(producer)))
    nested_[lane.concat].push_back({value, lane.offset, size_of(value)});
}

Bytes Lanes::size_of(ValueId value) const {
  const TensorType& type = graph_.value(value).type;
  return type.shape.c() * size_bytes(type.dtype);
}

template <class Visit>
void Lanes::for_inputs(const graph::Node& concat, Visit visit) const {
  Bytes offset = 0;
  for (const ValueId input : concat.inputs) {
    visit(input, offset);
    offset += size_of(input);
  }
}

}  // namespace n2d2::program
