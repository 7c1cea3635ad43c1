#include "packing.hpp"

#include <algorithm>

#include "search_pairs.hpp"

namespace n2d2::memory {

namespace {

/// Decisions the search for one span may take. A step with one output and three inputs needs some dozens.
constexpr int64_t kSpanDecisions = 20'000;

/// The smallest span of blocks that live together, by exhaustive search: they are the outputs of a step and a
/// few inputs. Where there are too many to search them all, a span that is smaller still.
Bytes smallest_span(const Packing& group) {
  Bytes apart = 0, inputs = 0, outputs = 0, overlap = 0;
  std::vector<bool> is_born(group.blocks.size(), false);
  for (const Pair& pair : group.pairs) {
    is_born[static_cast<size_t>(pair.born)] = true;
    overlap = std::max(overlap, pair.overlap);
  }
  for (size_t b = 0; b < group.blocks.size(); ++b) {
    apart += round_up(group.blocks[b].size, group.alignment);
    (is_born[b] ? outputs : inputs) += group.blocks[b].size;
  }
  if (group.pairs.size() == 1) return inputs + outputs - overlap;
  const bool one_output = std::count(is_born.begin(), is_born.end(), true) == 1;
  Bytes low = std::max(inputs, outputs), known = one_output ? apart - overlap : apart;
  while (low < known) {
    const Bytes cap = low + (known - low) / 2;
    PairSearch search{0, kSpanDecisions};
    Placement found;
    const Verdict verdict = search_pairs(group, cap, search, found);
    if (verdict == Verdict::FitsNot)
      low = cap + 1;
    else
      known = verdict == Verdict::Fits ? peak_of(group.blocks, found.offsets) : cap;
  }
  return known;
}

/// The outputs of a step with the inputs they may overlap, as a packing of its own.
Packing group_of(const Packing& packing, std::span<const Pair> pairs, Bytes step, std::vector<int>& members) {
  Packing out;
  out.alignment = step;
  members.clear();
  const auto member = [&](int block) {
    const auto at = std::find(members.begin(), members.end(), block);
    const auto index = static_cast<int>(at - members.begin());
    if (at == members.end()) {
      members.push_back(block);
      out.blocks.push_back(packing.blocks[static_cast<size_t>(block)]);
      out.blocks.back().life = {0, 1};
    }
    return index;
  };
  for (Pair pair : pairs) {
    pair.born = member(pair.born);
    pair.dying = member(pair.dying);
    out.pairs.push_back(pair);
  }
  return out;
}

void find_groups(Packing& packing, Bytes step) {
  const std::span<const Pair> pairs(packing.pairs);
  for (size_t first = 0, end = 0; first < pairs.size(); first = end) {
    while (end < pairs.size() && pairs[end].step == pairs[first].step) ++end;
    Overlapping group;
    group.step = pairs[first].step;
    const Packing alone = group_of(packing, pairs.subspan(first, end - first), step, group.blocks);
    group.span = smallest_span(alone);
    packing.groups.push_back(std::move(group));
  }
}

}  // namespace

Packing packing_of(const Problem& problem, const Blocks& made, std::span<const int> members, Bytes alignment,
                   Distances distances) {
  Packing out;
  out.alignment = alignment;
  const Bytes step = distances == Distances::Straight ? alignment : 1;
  std::vector<int> renumbered(made.blocks.size(), kNone);
  for (const int m : members) {
    renumbered[static_cast<size_t>(m)] = static_cast<int>(out.blocks.size());
    out.blocks.push_back(made.blocks[static_cast<size_t>(m)]);
  }
  const auto block = [&](BufferId root) {
    return renumbered[static_cast<size_t>(made.of_buffer[static_cast<size_t>(root)])];
  };
  for (const Relation& r : relations_of(problem))
    if (block(r.dying) != kNone && block(r.born) != kNone)
      out.pairs.push_back({r.step, block(r.dying), block(r.born), r.top_down, r.bottom_up, r.in_place,
                           best_overlap(problem, r, step)});
  find_groups(out, step);
  return out;
}

}  // namespace n2d2::memory
