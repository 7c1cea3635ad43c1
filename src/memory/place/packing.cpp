#include "packing.hpp"

#include <limits>

#include "search_pairs.hpp"

namespace n2d2::memory {

namespace {

/// The smallest span of blocks that live together, by exhaustive search: they are an output and two or three
/// inputs.
Bytes smallest_span(const Packing& group) {
  Bytes inputs = 0, apart = 0, overlap = 0;
  for (const Block& block : group.blocks) apart += round_up(block.size, group.alignment);
  for (const Pair& pair : group.pairs) {
    inputs += group.blocks[static_cast<size_t>(pair.dying)].size;
    overlap = std::max(overlap, pair.overlap);
  }
  const Bytes output = group.blocks.front().size;
  if (group.pairs.size() == 1) return inputs + output - overlap;
  Bytes low = std::max(inputs, output), known = apart - overlap;
  while (low < known) {
    const Bytes cap = low + (known - low) / 2;
    PairSearch search{0, std::numeric_limits<int64_t>::max()};
    Placement found;
    if (search_pairs(group, cap, search, found) == Verdict::Fits)
      known = peak_of(group.blocks, found.offsets);
    else
      low = cap + 1;
  }
  return known;
}

/// The output of a step with the inputs it may overlap, as a packing of its own.
Packing group_of(const Packing& packing, std::span<const Pair> pairs, Bytes step, std::vector<int>& members) {
  Packing out;
  out.alignment = step;
  members = {pairs.front().born};
  for (const Pair& pair : pairs) members.push_back(pair.dying);
  for (const int b : members) {
    out.blocks.push_back(packing.blocks[static_cast<size_t>(b)]);
    out.blocks.back().life = {0, 1};
  }
  for (size_t i = 0; i < pairs.size(); ++i) {
    out.pairs.push_back(pairs[i]);
    out.pairs.back().born = 0;
    out.pairs.back().dying = static_cast<int>(i) + 1;
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
