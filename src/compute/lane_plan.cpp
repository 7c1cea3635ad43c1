#include "lane_plan.hpp"

#include <algorithm>

#include "samples.hpp"

namespace n2d2::compute {

namespace {

/// Steps that touch a value, counted through all stages.
struct Life {
  int64_t first = -1, last = -1;
  int64_t first_stage = -1, last_stage = -1;

  void meet(int64_t step, int64_t stage) {
    if (first < 0) first = step, first_stage = stage;
    last = step;
    last_stage = stage;
  }
};

/// Places that values of one stage take in turn.
class Slots {
 public:
  /// A free slot: the smallest that is large enough, else the largest, which grows.
  size_t take(int64_t size) {
    constexpr int64_t kLine = 16;  // floats of a cache line
    size = (size + kLine - 1) / kLine * kLine;
    size_t best = slots_.size();
    const auto fits = [&](size_t i) { return slots_[i].size >= size; };
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (!slots_[i].free) continue;
      if (best == slots_.size() || (fits(i) ? !fits(best) || slots_[i].size < slots_[best].size
                                            : !fits(best) && slots_[i].size > slots_[best].size))
        best = i;
    }
    if (best == slots_.size()) slots_.emplace_back();
    slots_[best] = {std::max(slots_[best].size, size), false};
    return best;
  }
  void give_back(size_t slot) { slots_[slot].free = true; }

  int64_t offset(size_t slot) const {
    int64_t sum = 0;
    for (size_t i = 0; i < slot; ++i) sum += slots_[i].size;
    return sum;
  }
  int64_t size() const { return offset(slots_.size()); }

 private:
  struct Slot {
    int64_t size = 0;
    bool free = true;
  };
  std::vector<Slot> slots_;
};

std::vector<Life> lives(const graph::Graph& graph, const std::vector<Item>& items,
                        const std::vector<Stage>& stages, size_t values) {
  std::vector<Life> out(values);
  out[static_cast<size_t>(graph.inputs()[0].index)].meet(0, 0);
  int64_t step_index = 0;
  for (size_t stage = 0; stage < stages.size(); ++stage)
    for (const Stage::Step& step : stages[stage].steps) {
      const graph::Node& node = items[step.item].context.node;
      const auto meet = [&](graph::ValueId id) {
        out[static_cast<size_t>(id.index)].meet(step_index, static_cast<int64_t>(stage));
      };
      std::for_each(node.inputs.begin(), node.inputs.end(), meet);
      if (!step.gathers) std::for_each(node.outputs.begin(), node.outputs.end(), meet);
      ++step_index;
    }
  return out;
}

}  // namespace

LanePlan plan_lanes(const graph::Graph& graph, const std::vector<Item>& items,
                    const std::vector<Stage>& stages, size_t values) {
  LanePlan plan;
  plan.offset.resize(values);
  const std::vector<Life> life = lives(graph, items, stages, values);
  const auto is_local = [&](graph::ValueId id) {
    const Life& l = life[static_cast<size_t>(id.index)];
    return !graph.value(id).is_constant() && l.first >= 0 && l.first_stage == l.last_stage &&
           std::find(graph.outputs().begin(), graph.outputs().end(), id) == graph.outputs().end();
  };
  std::vector<graph::ValueId> local;
  for (const graph::ValueId id : graph.values())
    if (is_local(id)) local.push_back(id);

  int64_t begin = 0;
  for (const Stage& stage : stages) {
    const int64_t end = begin + static_cast<int64_t>(stage.steps.size());
    Slots slots;
    std::vector<std::pair<graph::ValueId, size_t>> taken;
    for (int64_t step = begin; step < end; ++step) {
      for (const graph::ValueId id : local)
        if (life[static_cast<size_t>(id.index)].first == step)
          taken.emplace_back(id, slots.take(stage.block * sample_size(graph.value(id).type.shape)));
      for (const auto& [id, slot] : taken)
        if (life[static_cast<size_t>(id.index)].last == step) slots.give_back(slot);
    }
    for (const auto& [id, slot] : taken) plan.offset[static_cast<size_t>(id.index)] = slots.offset(slot);
    plan.size = std::max(plan.size, slots.size());
    begin = end;
  }
  return plan;
}

}  // namespace n2d2::compute
