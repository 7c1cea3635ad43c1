#include "rings.hpp"

#include <algorithm>
#include <numeric>

#include "n2d2/base/error.hpp"

#include "ring_packing.hpp"
#include "rings_exact.hpp"

namespace n2d2::memory {

namespace {

/// The spaces at these offsets, without lives; no views.
Plan with_spaces(const Problem& problem, std::span<const Ring> rings, std::span<const Bytes> offsets) {
  Plan plan;
  plan.peaks.assign(problem.memories.size(), 0);
  plan.peaks[0] = peak_of(rings, offsets);
  plan.scan_of_step.assign(problem.steps.size(), Scan::TopDown);
  plan.scratch_of_step.assign(problem.steps.size(), kNone);
  for (size_t i = 0; i < rings.size(); ++i) plan.spaces.push_back({0, offsets[i], rings[i].size, {0, 0}});
  return plan;
}

/// Every space lives as long as what it holds.
void set_lives(const Problem& problem, Plan& plan) {
  const auto extend = [&](SpaceId space, Lifetime held) {
    Lifetime& life = plan.spaces[static_cast<size_t>(space)].life;
    life =
        life == Lifetime{} ? held : Lifetime{std::min(life.first, held.first), std::max(life.end, held.end)};
  };
  for (size_t b = 0; b < problem.buffers.size(); ++b) extend(plan.views[b].space, problem.buffers[b].life);
  for (size_t t = 0; t < problem.steps.size(); ++t)
    if (plan.scratch_of_step[t] != kNone)
      extend(plan.scratch_of_step[t], {static_cast<int>(t), static_cast<int>(t) + 1});
}

/// What a chain takes while its families live; a family is born with its life.
Ring ring_of(const Problem& problem, const Families& families, const Chain& chain) {
  Ring ring;
  ring.size = chain.size;
  const auto root = [&](const Link& link) -> const Buffer& {
    return problem.buffers[static_cast<size_t>(families.all[static_cast<size_t>(link.family)].root)];
  };
  Lifetime life = root(chain.links.front()).life;
  for (const Link& link : chain.links)
    life = {std::min(life.first, root(link).life.first), std::max(life.end, root(link).life.end)};
  ring.first = life.first;
  ring.taken.resize(static_cast<size_t>(life.end - life.first));
  for (const Link& link : chain.links) {
    const Buffer& buffer = root(link);
    ring.hole = std::max(ring.hole, chain.size - buffer.size());
    const Bytes first = link.wrap > 0 ? link.wrap : buffer.size();
    for (int t = buffer.life.first; t < buffer.life.end; ++t) {
      auto& taken = ring.taken[static_cast<size_t>(t - life.first)];
      taken.push_back({link.offset, link.offset + first});
      if (link.wrap > 0) taken.push_back({0, buffer.size() - link.wrap});
    }
  }
  return ring;
}

}  // namespace

Plan plan_rings(const Problem& problem, std::string_view strategy) {
  const auto wrong = faults(problem);
  N2D2_CHECK(wrong.empty(), "memory problem: {}", wrong.front().text);
  const Families families = families_of(problem);
  const auto chains = construct_exact(problem, families);
  std::vector<Ring> rings;
  for (const Chain& chain : chains) rings.push_back(ring_of(problem, families, chain));
  std::vector<SpaceId> scratch(problem.steps.size(), kNone);
  for (size_t t = 0; t < problem.steps.size(); ++t) {
    const Bytes size = problem.steps[t].scratch;
    if (size == 0) continue;
    scratch[t] = static_cast<SpaceId>(rings.size());
    rings.push_back({size, 0, static_cast<int>(t), {{{0, size}}}});
  }
  std::vector<int> by_birth(rings.size());
  std::iota(by_birth.begin(), by_birth.end(), 0);
  std::stable_sort(by_birth.begin(), by_birth.end(), [&](int a, int b) {
    return rings[static_cast<size_t>(a)].first < rings[static_cast<size_t>(b)].first;
  });
  const Bytes alignment = alignment_of(problem, 0);
  const auto offsets = pack_rings(rings, strategy, alignment, place_rings(rings, by_birth, alignment));
  Plan plan = with_spaces(problem, rings, offsets);
  plan.scratch_of_step = std::move(scratch);
  plan.views.resize(problem.buffers.size());
  for (size_t c = 0; c < chains.size(); ++c)
    for (const Link& link : chains[c].links)
      for (const BufferId b : families.all[static_cast<size_t>(link.family)].members) {
        const auto at = static_cast<size_t>(b);
        const auto view = view_of_member(problem.buffers[at], families.place[at], link.offset, link.wrap);
        N2D2_CHECK(view.has_value(), "'{}' does not wrap with its host", problem.buffers[at].name);
        plan.views[at] = *view;
        plan.views[at].space = static_cast<SpaceId>(c);
      }
  set_lives(problem, plan);
  return plan;
}

}  // namespace n2d2::memory
