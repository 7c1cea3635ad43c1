#include "original_rings.hpp"

#include <algorithm>

#include "n2d2/base/error.hpp"

#include "place/placement.hpp"
#include "problem/families.hpp"
#include "rings/ring_packing.hpp"

namespace n2d2::memory {

int OriginalAllocator::reserve(Bytes size, std::set<int> dependencies) {
  spaces_.push_back({on_stack(size), size, clock_, kAlive, std::move(dependencies)});
  return static_cast<int>(spaces_.size()) - 1;
}

void OriginalAllocator::extend(int space, Bytes required, const std::set<int>& dependencies) {
  Space& s = spaces_[static_cast<size_t>(space)];
  const bool revived = s.released != kAlive;
  s.dependencies.insert(dependencies.begin(), dependencies.end());
  s.released = kAlive;
  if (required <= s.size && !revived) return;
  s.size = std::max(s.size, required);
  replay();
}

void OriginalAllocator::release_dependencies(int cell) {
  for (Space& s : spaces_) {
    if (s.dependencies.erase(cell) == 0 || !s.dependencies.empty()) continue;
    s.released = clock_;
    occupied_.erase(s.offset);
  }
}

void OriginalAllocator::tick() {
  ++clock_;
  for (Space& s : spaces_) {
    if (s.released != kAlive || !s.dependencies.empty()) continue;
    s.released = clock_;
    occupied_.erase(s.offset);
  }
}

Bytes OriginalAllocator::on_stack(Bytes size) {
  Bytes offset = 0;
  for (const auto& [start, length] : occupied_) {
    if (offset + size <= start) break;
    offset = round_up(start + length, alignment_);
  }
  occupied_[offset] = size;
  return offset;
}

void OriginalAllocator::replay() {
  occupied_.clear();
  for (int clock = 0; clock <= clock_; ++clock) {
    for (Space& s : spaces_)
      if (s.allocated == clock) s.offset = on_stack(s.size);
    for (const Space& s : spaces_)
      if (s.released == clock) occupied_.erase(s.offset);
  }
}

namespace {

/// Spaces, what they hold at each clock, and where each buffer lies in its space.
struct OriginalPlan {
  std::vector<Ring> rings;       ///< times are clocks
  std::vector<Bytes> first_fit;  ///< offsets of the construction
  std::vector<View> views;       ///< of buffer i
  std::vector<SpaceId> scratch_of_step;
};

/// The clock at which a cell is made: that of the step before it, unless it needs what is made at that clock.
std::vector<int> clocks_of(const Problem& problem, const Families& families, int first) {
  std::vector<int> clock_of_step, made(families.all.size(), kNone);
  int clock = first;
  for (const Step& step : problem.steps) {
    const auto family = [&](BufferId b) {
      return static_cast<size_t>(families.of_buffer[static_cast<size_t>(b)]);
    };
    if (std::any_of(step.reads.begin(), step.reads.end(),
                    [&](const Read& read) { return made[family(read.buffer)] == clock; }))
      ++clock;
    clock_of_step.push_back(clock);
    for (const BufferId b : step.writes) made[family(b)] = clock;
  }
  return clock_of_step;
}

class OriginalConstruction {
 public:
  explicit OriginalConstruction(const Problem& problem)
      : p_(problem),
        families_(families_of(problem)),
        homes_(families_.all.size()),
        allocator_(alignment_of(problem, 0)) {}

  OriginalPlan run() {
    out_.scratch_of_step.assign(p_.steps.size(), kNone);
    const bool outside = std::any_of(families_.all.begin(), families_.all.end(),
                                     [](const Family& family) { return family.writers.empty(); });
    for (size_t f = 0; f < families_.all.size(); ++f) {
      const Family& family = families_.all[f];
      if (!family.writers.empty()) continue;
      homes_[f] = {allocator_.reserve(root(f).size(), needed_by(family)), 0};
      planes_.push_back({f, family.root, allocator_.clock()});
    }
    if (outside) allocator_.tick();
    const auto clock = clocks_of(p_, families_, allocator_.clock());
    for (StepId t = 0; t < static_cast<StepId>(p_.steps.size()); ++t) {
      while (allocator_.clock() < clock[static_cast<size_t>(t)]) allocator_.tick();
      cell(t);
    }
    allocator_.tick();
    finish();
    return std::move(out_);
  }

 private:
  static constexpr int kForever = -1;  // a cell that never runs

  /// Where the first byte of a family lies.
  struct Home {
    int space = kNone;
    Bytes offset = 0;
  };
  struct Plane {
    size_t family;
    BufferId buffer;
    int clock;
  };
  /// The two parts of a plane in its space; wrapped == 0: all of it is at offset.
  struct Parts {
    Bytes offset, contiguous, wrapped;
    Bytes final() const { return wrapped > 0 ? wrapped : offset + contiguous; }
  };

  const Buffer& buffer(BufferId b) const { return p_.buffers[static_cast<size_t>(b)]; }
  const Buffer& root(size_t family) const { return buffer(families_.all[family].root); }
  const Step& step(StepId t) const { return p_.steps[static_cast<size_t>(t)]; }
  size_t family_of(BufferId b) const {
    return static_cast<size_t>(families_.of_buffer[static_cast<size_t>(b)]);
  }
  Bytes size_of(int space) const { return allocator_.spaces()[static_cast<size_t>(space)].size; }

  static std::set<int> needed_by(const Family& family) {
    std::set<int> out(family.readers.begin(), family.readers.end());
    if (family.keep) out.insert(kForever);
    return out;
  }

  /// Parts of a space from a place on, with the size it has by now.
  Parts parts(const Home& home, Bytes place, Bytes row, Bytes total) const {
    const Bytes offset = home.offset + place;
    const Bytes limit = std::max<Bytes>(0, (size_of(home.space) - offset) / row * row);
    if (limit == 0) return {0, total, 0};
    return {offset, std::min(total, limit), std::max<Bytes>(0, total - limit)};
  }
  Parts parts(size_t family) const {
    return parts(homes_[family], 0, root(family).row(), root(family).size());
  }
  Parts parts(size_t family, BufferId b) const {
    return parts(homes_[family], families_.place[static_cast<size_t>(b)], buffer(b).row(), buffer(b).size());
  }

  void cell(StepId t) {
    if (step(t).scratch > 0)
      out_.scratch_of_step[static_cast<size_t>(t)] = allocator_.reserve(step(t).scratch, {t});
    for (const BufferId b : step(t).writes) make(b);
    allocator_.release_dependencies(t);
  }

  void make(BufferId written) {
    const size_t family = family_of(written);
    Home& home = homes_[family];
    const Bytes place = families_.place[static_cast<size_t>(written)];
    const auto needed = needed_by(families_.all[family]);
    if (home.space == kNone) {
      const size_t parent = parent_of(family);
      if (parent == kNoParent) {
        home = {allocator_.reserve(place + buffer(written).size(), needed), 0};
      } else {
        home = {homes_[parent].space, parts(parent).final()};
        parent_[family] = parent;
      }
    }
    allocator_.extend(home.space, required(family, written), needed);
    planes_.push_back({family, written, allocator_.clock()});
  }

  /// Allocates a plane of the family. Lanes one above the other, which the original does not
  /// know, count together.
  Bytes required(size_t family, BufferId b) const {
    const Bytes offset = homes_[family].offset + families_.place[static_cast<size_t>(b)];
    const auto parent = parent_.find(family);
    if (parent == parent_.end() || !wrappable(family)) return offset + buffer(b).size();
    Bytes base = std::max(buffer(b).size(), root(family).size()) + extra(family);
    const auto whole_rows = [&](const Buffer& map, Bytes from) {
      if (map.height > 1) base += ((from - base) % map.row() + map.row()) % map.row();
    };
    whole_rows(buffer(b), offset);
    whole_rows(root(parent->second), homes_[parent->second].offset);
    return base;
  }

  /// Extra space of a family that joined a space.
  Bytes extra(size_t family) const {
    Bytes extra = 0;
    for (const StepId t : families_.all[family].writers) {
      const Buffer& output = buffer(step(t).writes.front());
      Bytes in = 0, lines = 0;
      for (const Read& read : step(t).reads) {
        const Window& window = read.window;
        if (window.kind != Window::Kind::Rows) continue;
        in += buffer(read.buffer).size();
        lines = std::max<Bytes>(lines, window.pad / std::max(window.stride, 1));
      }
      if (in == 0) in = output.size();
      extra = std::max(extra, std::max(in, output.size()) + output.row() * (lines + 1) - output.size());
    }
    return extra;
  }

  bool wrappable(size_t family) const {
    const auto& writers = families_.all[family].writers;
    return std::all_of(writers.begin(), writers.end(), [&](StepId t) {
      return std::none_of(step(t).reads.begin(), step(t).reads.end(),
                          [](const Read& read) { return read.window.kind == Window::Kind::Whole; });
    });
  }

  /// The family whose space the new one joins. The original knows no step with several
  /// outputs.
  size_t parent_of(size_t family) const {
    const Family& made = families_.all[family];
    size_t best = kNoParent;
    for (const StepId t : made.writers) {
      if (!step(t).overlap || step(t).writes.size() > 1) return kNoParent;
      for (const Read& read : step(t).reads) {
        const size_t parent = family_of(read.buffer);
        const Family& from = families_.all[parent];
        if (homes_[parent].space == kNone || from.readers.size() != 1 || from.keep) continue;
        if (!wrappable(family) && parts(parent).final() + root(family).size() > size_of(homes_[parent].space))
          continue;
        if (best == kNoParent || root(parent).size() > root(best).size()) best = parent;
      }
    }
    return best;
  }

  /// Rings over the clock, and views.
  void finish() {
    int end = 0;
    for (const auto& space : allocator_.spaces()) end = std::max({end, space.allocated, space.released});
    for (const auto& space : allocator_.spaces()) {
      Ring ring;
      ring.size = space.size;
      ring.first = space.allocated;
      const int last = space.released == OriginalAllocator::kAlive ? end : space.released;
      ring.taken.resize(static_cast<size_t>(last - space.allocated + 1));
      out_.rings.push_back(std::move(ring));
      out_.first_fit.push_back(space.offset);
    }
    for (size_t s = 0; s < out_.rings.size(); ++s) occupy(static_cast<int>(s));
    for (BufferId b = 0; b < static_cast<BufferId>(p_.buffers.size()); ++b) out_.views.push_back(view(b));
  }

  /// At each clock the planes of that clock, or of the closest earlier one; scratch is all of its space.
  void occupy(int space) {
    Ring& ring = out_.rings[static_cast<size_t>(space)];
    const std::vector<Extent>* latest = nullptr;
    for (int i = 0; i < ring.length(); ++i) {
      auto& taken = ring.taken[static_cast<size_t>(i)];
      Bytes born = 0;
      for (const Plane& plane : planes_) {
        if (homes_[plane.family].space != space || plane.clock != ring.first + i) continue;
        const Parts at = parts(plane.family, plane.buffer);
        taken.push_back({at.offset, at.offset + at.contiguous});
        if (at.wrapped > 0) taken.push_back({0, at.wrapped});
        born += buffer(plane.buffer).size();
      }
      if (born > 0) ring.hole = std::max(ring.hole, ring.size - born);
      if (taken.empty()) taken = latest != nullptr ? *latest : std::vector<Extent>{{0, ring.size}};
      latest = &taken;
    }
  }

  View view(BufferId b) const {
    const size_t family = family_of(b);
    const Buffer& x = buffer(b);
    const auto& writers = families_.all[family].writers;
    const bool plane =
        b == families_.all[family].root || std::any_of(writers.begin(), writers.end(), [&](StepId t) {
          const auto& writes = step(t).writes;
          return std::find(writes.begin(), writes.end(), b) != writes.end();
        });
    View out;
    if (plane) {
      const Parts at = parts(family, b);
      out = {0, at.offset, x.pixel, x.row(), at.wrapped > 0 ? at.contiguous : 0, x.width, x.height};
    } else {  // an alias
      const Parts at = parts(family);
      const Bytes place = families_.place[static_cast<size_t>(b)];
      const auto moved = view_of_member(x, place, at.offset, at.wrapped > 0 ? at.contiguous : 0);
      out = moved ? *moved : *view_of_member(x, place, at.offset, 0);
    }
    out.space = homes_[family].space;
    return out;
  }

  static constexpr size_t kNoParent = static_cast<size_t>(-1);

  const Problem& p_;
  Families families_;
  std::vector<Home> homes_;
  std::map<size_t, size_t> parent_;  // of a family that joined a space
  OriginalAllocator allocator_;
  std::vector<Plane> planes_;
  OriginalPlan out_;
};

/// First fit in this order: a ring comes where none of its bytes is taken by another during its whole life.
std::vector<Bytes> placed(const std::vector<Ring>& rings, const std::vector<int>& order, Bytes alignment) {
  std::vector<Bytes> offsets(rings.size(), 0);
  std::vector<int> before;
  for (const int id : order) {
    const Ring& ring = rings[static_cast<size_t>(id)];
    std::vector<Extent> busy;
    for (const int other : before) {
      const Ring& there = rings[static_cast<size_t>(other)];
      const Bytes offset = offsets[static_cast<size_t>(other)];
      for (int t = std::max(ring.first, there.first);
           t < std::min(ring.first + ring.length(), there.first + there.length()); ++t)
        for (const Extent& taken : there.taken[static_cast<size_t>(t - there.first)])
          busy.push_back({offset + taken.start, offset + taken.end});
    }
    std::sort(busy.begin(), busy.end(), [](const Extent& a, const Extent& b) { return a.start < b.start; });
    Bytes offset = 0;
    for (const Extent& taken : busy) {
      if (offset + ring.size <= taken.start) break;
      if (offset < taken.end) offset = round_up(taken.end, alignment);
    }
    offsets[static_cast<size_t>(id)] = offset;
    before.push_back(id);
  }
  return offsets;
}

std::vector<Bytes> packed(const OriginalPlan& made, std::string_view strategy, Bytes alignment) {
  if (strategy == "None") return made.first_fit;
  if (strategy != "OptimizeBest") {
    const std::vector<int> order = ring_order(made.rings, strategy);
    if (order.size() != made.rings.size()) throw ConfigError("no rings under " + std::string(strategy));
    return placed(made.rings, order, alignment);
  }
  std::vector<Bytes> best = made.first_fit;
  for (const char* name : {"OptimizeMaxHoleMaxLifetimeFirst", "OptimizeMaxLifetimeMaxSizeFirst",
                           "OptimizeMaxLifetimeMinSizeFirst"}) {
    auto offsets = packed(made, name, alignment);
    if (peak_of(made.rings, offsets) < peak_of(made.rings, best)) best = std::move(offsets);
  }
  return best;
}

/// Every space lives as long as what it holds.
void set_lives(const Problem& problem, Plan& plan) {
  for (Space& space : plan.spaces) space.life = {static_cast<int>(problem.steps.size()), 0};
  const auto extend = [&](SpaceId space, Lifetime held) {
    Lifetime& life = plan.spaces[static_cast<size_t>(space)].life;
    life = {std::min(life.first, held.first), std::max(life.end, held.end)};
  };
  for (size_t b = 0; b < problem.buffers.size(); ++b) extend(plan.views[b].space, problem.buffers[b].life);
  for (size_t t = 0; t < problem.steps.size(); ++t)
    if (plan.scratch_of_step[t] != kNone)
      extend(plan.scratch_of_step[t], {static_cast<int>(t), static_cast<int>(t) + 1});
}

}  // namespace

Plan plan_original(const Problem& problem, std::string_view strategy) {
  OriginalPlan made = OriginalConstruction(problem).run();
  const auto offsets = packed(made, strategy, alignment_of(problem, 0));
  Plan plan;
  plan.peaks.assign(problem.memories.size(), 0);
  plan.peaks[0] = peak_of(made.rings, offsets);
  plan.scan_of_step.assign(problem.steps.size(), Scan::TopDown);
  for (size_t i = 0; i < made.rings.size(); ++i)
    plan.spaces.push_back({0, offsets[i], made.rings[i].size, {0, 0}});
  plan.scratch_of_step = std::move(made.scratch_of_step);
  plan.views = std::move(made.views);
  set_lives(problem, plan);
  return plan;
}

}  // namespace n2d2::memory
