#include "step_load.hpp"

#include <algorithm>
#include <numeric>

#include "place/packing.hpp"

namespace n2d2::memory {

StepLoads::StepLoads(const Problem& problem, const Families& families)
    : p_(problem), families_(families), alignment_(alignment_of(problem, 0)) {
  for (const Family& f : families.all) {
    IndexSet& users = users_.emplace_back(problem.steps.size());
    for (const StepId t : f.writers) users.insert(t);
    for (const StepId t : f.readers) users.insert(t);
    if (f.writers.empty() && f.readers.empty()) untouched_.push_back(f.root);
  }
}

Progress StepLoads::start() const {
  Progress out{IndexSet(p_.steps.size()), IndexSet(families_.all.size()), 0};
  for (int f = 0; f < static_cast<int>(families_.all.size()); ++f) {
    const bool touched = !family(f).writers.empty() || !family(f).readers.empty();
    if (touched && !family(f).made_inside) out.live.insert(f);
  }
  return out;
}

Progress StepLoads::after(const Progress& progress, StepId step) const {
  Progress out = progress;
  const Step& s = p_.steps[static_cast<size_t>(step)];
  const auto settle = [&](BufferId b) {
    if (ends(family_of(b), progress.done, step)) out.live.remove(family_of(b));
  };
  for (const BufferId b : s.writes) out.live.insert(family_of(b));
  for (const BufferId b : s.writes) settle(b);
  for (const Read& read : s.reads) settle(read.buffer);
  out.done.insert(step);
  ++out.time;
  return out;
}

bool StepLoads::ends(int f, const IndexSet& done, StepId step) const {
  return !family(f).keep && users_[static_cast<size_t>(f)].within(done, step);
}

std::vector<int> StepLoads::written(StepId step) const {
  std::vector<int> out;
  for (const BufferId b : p_.steps[static_cast<size_t>(step)].writes) out.push_back(family_of(b));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

StepLoads::Change StepLoads::change(const Progress& progress, StepId step) const {
  const Step& s = p_.steps[static_cast<size_t>(step)];
  const std::vector<int> outputs = written(step);
  Change out;
  for (const int f : outputs)
    if (!progress.live.has(f)) out.born.push_back(f);
  for (const Read& read : s.reads) {
    const int f = family_of(read.buffer);
    if (!std::binary_search(outputs.begin(), outputs.end(), f) && ends(f, progress.done, step))
      out.dying.push_back(f);
  }
  std::sort(out.dying.begin(), out.dying.end());
  out.dying.erase(std::unique(out.dying.begin(), out.dying.end()), out.dying.end());
  return out;
}

const std::optional<StepLoads::Together>& StepLoads::together(StepId step, const Change& change) {
  const auto [at, first] = together_.try_emplace({step, change});
  if (first) at->second = pack_together(step, change);
  return at->second;
}

/// The step as a problem of its own in which all its inputs but the dying ones are kept, and what is not born
/// with it was there before.
std::optional<StepLoads::Together> StepLoads::pack_together(StepId step, const Change& change) const {
  Problem alone;
  alone.memories = p_.memories;
  alone.alignment = p_.alignment;
  alone.steps = {p_.steps[static_cast<size_t>(step)]};
  Step& only = alone.steps.front();
  only.scratch = 0;
  std::vector<BufferId> renumbered(p_.buffers.size(), kNone);
  const auto take_one = [&](BufferId b, bool keep) {
    if (renumbered[static_cast<size_t>(b)] != kNone) return;
    renumbered[static_cast<size_t>(b)] = static_cast<BufferId>(alone.buffers.size());
    alone.buffers.push_back(p_.buffers[static_cast<size_t>(b)]);
    alone.buffers.back().keep = keep;
  };
  const auto take = [&](int f, bool keep) {
    for (const BufferId b : families_.all[static_cast<size_t>(f)].members) take_one(b, keep);
  };
  for (BufferId b : only.writes) {  // with its hosts; other lanes are written by other steps
    take_one(b, false);
    while (p_.buffers[static_cast<size_t>(b)].inside) {
      b = p_.buffers[static_cast<size_t>(b)].inside->buffer;
      take_one(b, false);
    }
  }
  for (const Read& read : only.reads) {
    const int f = families_.of_buffer[static_cast<size_t>(read.buffer)];
    take(f, !std::binary_search(change.dying.begin(), change.dying.end(), f));
  }
  for (Buffer& buffer : alone.buffers)
    if (buffer.inside) buffer.inside->buffer = renumbered[static_cast<size_t>(buffer.inside->buffer)];
  for (Read& read : only.reads) read.buffer = renumbered[static_cast<size_t>(read.buffer)];
  for (BufferId& b : only.writes) b = renumbered[static_cast<size_t>(b)];
  derive_lifetimes(alone);
  for (const int f : written(step)) {
    const BufferId root = renumbered[static_cast<size_t>(family(f).root)];
    const bool born = std::binary_search(change.born.begin(), change.born.end(), f);
    if (!born) alone.buffers[static_cast<size_t>(root)].life.first = -1;
  }

  const Blocks made = blocks_of(alone);
  std::vector<int> all(made.blocks.size());
  std::iota(all.begin(), all.end(), 0);
  const Packing packing = packing_of(alone, made, all, alignment_, Distances::AnyPlan);
  if (packing.groups.empty()) return std::nullopt;
  Together out{0, packing.groups.front().span};
  for (const int b : packing.groups.front().blocks)
    out.apart += round_up(packing.blocks[static_cast<size_t>(b)].size, alignment_);
  return out;
}

Bytes StepLoads::load(const Progress& progress, StepId step) {
  Bytes sum = 0, slack = 0;
  const auto add = [&](Bytes size) {
    const Bytes rounded = round_up(size, alignment_);
    sum += rounded;
    slack = std::max(slack, rounded - size);
  };
  const auto add_root = [&](BufferId root) { add(p_.buffers[static_cast<size_t>(root)].size()); };
  progress.live.each([&](int f) { add_root(family(f).root); });
  const Step& s = p_.steps[static_cast<size_t>(step)];
  const Change now = change(progress, step);
  for (const int f : now.born) add_root(family(f).root);
  for (const BufferId b : untouched_)
    if (p_.buffers[static_cast<size_t>(b)].life.overlaps({progress.time, progress.time + 1})) add_root(b);
  add(s.scratch);
  if (!s.overlap || now.born.empty() || now.dying.empty()) return sum - slack;
  const auto& pair = together(step, now);
  if (!pair) return sum - slack;
  const Bytes rounded = round_up(pair->span, alignment_);
  return std::min(sum - slack, sum - pair->apart + rounded - std::max(slack, rounded - pair->span));
}

}  // namespace n2d2::memory
