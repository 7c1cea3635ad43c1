#include "n2d2/memory/strategy.hpp"

#include "place/improve.hpp"
#include "place/memory_choices.hpp"
#include "place/strategies.hpp"
#include "problem/families.hpp"
#include "rings/rings.hpp"

namespace n2d2::memory {

namespace {

bool meet(const Pieces& a, const Pieces& b) {
  const auto share = [](Bytes start, Bytes size, Bytes other, Bytes other_size) {
    return size > 0 && other_size > 0 && start < other + other_size && other < start + size;
  };
  return share(a.start, a.size, b.start, b.size) || share(a.start, a.size, b.wrap_start, b.wrap_size) ||
         share(a.wrap_start, a.wrap_size, b.start, b.size) ||
         share(a.wrap_start, a.wrap_size, b.wrap_start, b.wrap_size);
}

/// Whether what lies in no other buffer starts at a multiple of the alignment, in a ring as in a space of its
/// own.
bool starts_aligned(const Problem& problem, const Plan& plan) {
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const Space& space = plan.spaces[static_cast<size_t>(plan.views[b].space)];
    if (!problem.buffers[b].inside && (space.offset + plan.views[b].offset) % alignment_of(problem, 0) != 0)
      return false;
  }
  return true;
}

/// Rows of outputs that lie apart from the inputs may come in any order.
void relax_scans(const Problem& problem, Plan& plan) {
  for (size_t t = 0; t < problem.steps.size(); ++t) {
    const Step& step = problem.steps[t];
    const bool apart = std::none_of(step.reads.begin(), step.reads.end(), [&](const Read& read) {
      return std::any_of(step.writes.begin(), step.writes.end(), [&](BufferId written) {
        return meet(pieces(plan, written), pieces(plan, read.buffer));
      });
    });
    if (apart) plan.scan_of_step[t] = Scan::Any;
  }
}

class Planner {
 public:
  Planner(const Problem& problem, const Strategy& strategy, const SolveOptions& options)
      : p_(problem),
        strategy_(strategy),
        options_(options),
        made_(blocks_of(problem)),
        choices_(made_, problem) {
    for (const Step& step : p_.steps) wishes_.push_back(step.any_order);
    placed_.resize(p_.memories.size());
  }

  Plan run() {
    for (size_t m = 0; m < placed_.size(); ++m) fill(static_cast<MemoryId>(m));
    for (size_t m = 0; m < placed_.size(); ++m)
      while (overflows(m)) {
        const int block =
            choices_.cheapest_to_move(placed_[m].packing, placed_[m].members, p_.memories[m].capacity);
        if (block == kNone) break;  // validate names the memory that is too small
        fill(choices_.move_on(block));
        fill(static_cast<MemoryId>(m));
      }
    for (size_t m = 0; m < placed_.size(); ++m) place(placed_[m]);
    return plan();
  }

 private:
  struct Filled {
    std::vector<int> members;  // indices into made_.blocks
    Packing packing;
    std::optional<Placement> placement;
  };

  /// What chose this memory; not placed yet.
  void fill(MemoryId m) {
    Filled& filled = placed_[static_cast<size_t>(m)];
    filled.members = choices_.in(m);
    filled.packing = packing_of(p_, made_, filled.members, alignment_of(p_, m));
    filled.placement.reset();
  }

  void place(Filled& filled) const {
    if (filled.placement) return;
    const Packing& packing = filled.packing;
    Placement start;
    start.offsets = strategy_.place(packing.blocks, packing.alignment);
    start.scan_of_pair.assign(packing.pairs.size(), std::nullopt);
    const bool searches = strategy_.exhaustive || (strategy_.improve && options_.search_nodes > 0);
    filled.placement = searches ? improve(packing, std::move(start),
                                          strategy_.exhaustive ? 0 : options_.search_nodes, wishes_)
                                : std::move(start);
  }

  bool overflows(size_t m) {
    const Bytes capacity = p_.memories[m].capacity;
    if (capacity == 0) return false;
    if (bound_of(placed_[m].packing) > capacity) return true;
    place(placed_[m]);
    return peak_of(placed_[m].packing.blocks, placed_[m].placement->offsets) > capacity;
  }

  Plan plan() const {
    Plan out;
    out.peaks.assign(placed_.size(), 0);
    out.spaces.resize(made_.blocks.size());
    out.scratch_of_step = made_.of_step;
    out.scan_of_step.assign(p_.steps.size(), Scan::Any);
    for (size_t m = 0; m < placed_.size(); ++m) {
      const Filled& filled = placed_[m];
      out.peaks[m] = peak_of(filled.packing.blocks, filled.placement->offsets);
      for (size_t i = 0; i < filled.members.size(); ++i) {
        const Block& block = filled.packing.blocks[i];
        out.spaces[static_cast<size_t>(filled.members[i])] = {
            static_cast<MemoryId>(m), filled.placement->offsets[i], block.size, block.life};
      }
      for (size_t i = 0; i < filled.packing.pairs.size(); ++i)
        if (const auto& scan = filled.placement->scan_of_pair[i])
          out.scan_of_step[static_cast<size_t>(filled.packing.pairs[i].step)] = *scan;
    }
    const Families families = families_of(p_);
    for (size_t b = 0; b < p_.buffers.size(); ++b) {
      const Buffer& buffer = p_.buffers[b];
      out.views.push_back({made_.of_buffer[b], families.place[b], buffer.pixel, buffer.row(), 0, buffer.width,
                           buffer.height});
    }
    return out;
  }

  const Problem& p_;
  const Strategy& strategy_;
  const SolveOptions& options_;
  Blocks made_;
  MemoryChoices choices_;
  std::vector<bool> wishes_;
  std::vector<Filled> placed_;
};

}  // namespace

Plan solve(const Problem& problem, const SolveOptions& options) {
  const Strategy* strategy = strategies().find(options.strategy);
  if (strategy == nullptr)
    throw ConfigError("MemoryManagerStrategy: " + strategies().unknown("strategy", options.strategy));
  const auto wrong = faults(problem);
  N2D2_CHECK(wrong.empty(), "memory problem: {}", wrong.front().text);
  N2D2_CHECK(options.search_nodes >= 0, "search nodes: expected >= 0, got {}", options.search_nodes);
  Plan straight = Planner(problem, *strategy, options).run();
  if (problem.memories.size() > 1 || straight.peaks[0] == lower_bound(problem)) return straight;
  Plan wrapped = plan_rings(problem, strategy->candidate ? options.strategy : "OptimizeBest");
  const bool lower = wrapped.peaks[0] < straight.peaks[0];  // wrapped rows cost address arithmetic
  if (!lower || !starts_aligned(problem, wrapped)) return straight;
  relax_scans(problem, wrapped);
  return wrapped;
}

Plan solve(const Problem& problem, std::string_view strategy) {
  return solve(problem, {.strategy = std::string(strategy), .search_nodes = SolveOptions{}.search_nodes});
}

}  // namespace n2d2::memory
