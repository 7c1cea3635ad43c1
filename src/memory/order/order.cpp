#include "n2d2/memory/order.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "n2d2/base/error.hpp"
#include "n2d2/memory/strategy.hpp"

#include "step_load.hpp"

namespace n2d2::memory {

namespace {

/// Loads that are computed for a stretch of steps, about: bounds the sets of steps that are followed at a
/// time.
constexpr int kMostLoads = 400'000;
constexpr int kFewestSets = 16;

class OrderSearch {
 public:
  explicit OrderSearch(const Problem& problem)
      : families_(families_of(problem)),
        graph_(step_graph(problem, families_)),
        loads_(problem, families_),
        count_(static_cast<int>(problem.steps.size())) {}

  std::vector<StepId> run() {
    auto stretches = cut();
    std::vector<size_t> by_peak(stretches.size());
    std::iota(by_peak.begin(), by_peak.end(), size_t{0});
    Bytes floor = 0;  // no order has a lower peak, or none was found
    Progress progress = loads_.start();
    for (Stretch& s : stretches) {
      s.start = progress;
      for (const StepId t : s.steps) {
        s.peak = std::max(s.peak, loads_.load(progress, t));
        progress = loads_.after(progress, t);
      }
      if (s.steps.size() == 1) floor = std::max(floor, s.peak);
    }
    std::stable_sort(by_peak.begin(), by_peak.end(),
                     [&](size_t a, size_t b) { return stretches[a].peak > stretches[b].peak; });
    for (const size_t i : by_peak) {
      Stretch& s = stretches[i];
      if (s.peak <= floor) break;
      improve(s);
      floor = std::max(floor, s.peak);
    }
    std::vector<StepId> order;
    for (const Stretch& s : stretches) order.insert(order.end(), s.steps.begin(), s.steps.end());
    return order;
  }

 private:
  /// Steps that run one after the other in every order, in any order among themselves.
  struct Stretch {
    std::vector<StepId> steps;
    Progress start;  ///< when it begins
    Bytes peak = 0;
  };
  /// A way to run some steps of a stretch.
  struct State {
    Progress progress;
    Bytes peak = 0;
    const State* before = nullptr;
    StepId last = kNone;
    Bytes load = 0;  ///< of the last step
  };
  using Layer = std::map<IndexSet, State>;

  /// A step that comes before or after every other is a stretch of its own.
  std::vector<Stretch> cut() const {
    std::vector<int> after(static_cast<size_t>(count_), 0);
    for (StepId t = 0; t < count_; ++t)
      for (StepId u = 0; u < t; ++u)
        if (graph_.ever_before[static_cast<size_t>(t)].has(u)) ++after[static_cast<size_t>(u)];
    std::vector<Stretch> out;
    bool open = false;
    for (StepId t = 0; t < count_; ++t) {
      const auto at = static_cast<size_t>(t);
      const bool alone = graph_.ever_before[at].count() + after[at] == count_ - 1;
      if (alone || !open) out.emplace_back();
      out.back().steps.push_back(t);
      open = !alone;
    }
    return out;
  }

  /// Puts the steps into an order with a lower peak if one is found: all sets of steps that can have run, by
  /// their number, each with the lowest peak that leads to it; of too many, those with the lowest.
  void improve(Stretch& stretch) {
    const auto count = static_cast<int>(stretch.steps.size());
    const auto most = static_cast<size_t>(std::max(kFewestSets, kMostLoads / (count * count)));
    std::vector<Layer> layers(1);
    layers.reserve(static_cast<size_t>(count) + 1);
    layers[0].emplace(stretch.start.done, State{stretch.start, 0, nullptr, kNone, 0});
    for (int i = 0; i < count; ++i) {
      Layer next;
      for (const auto& [done, state] : layers.back())
        for (const StepId t : stretch.steps)
          if (!done.has(t) && graph_.before[static_cast<size_t>(t)].within(done))
            follow(state, t, stretch.peak, next);
      if (next.empty()) return;  // nothing is lower than the given order
      keep_lowest(next, most);
      layers.push_back(std::move(next));
    }
    const State* state = &layers.back().begin()->second;
    stretch.peak = state->peak;
    for (int i = count - 1; i >= 0; --i, state = state->before)
      stretch.steps[static_cast<size_t>(i)] = state->last;
  }

  void follow(const State& state, StepId t, Bytes known, Layer& next) {
    const Bytes load = loads_.load(state.progress, t), peak = std::max(state.peak, load);
    if (peak >= known) return;
    State way{loads_.after(state.progress, t), peak, &state, t, load};
    const auto at = next.find(way.progress.done);
    if (at == next.end()) {
      IndexSet done = way.progress.done;
      next.emplace(std::move(done), std::move(way));
    } else if (peak < at->second.peak) {
      at->second = std::move(way);
    }
  }

  static void keep_lowest(Layer& layer, size_t most) {
    if (layer.size() <= most) return;
    std::vector<Layer::iterator> ways;
    for (auto at = layer.begin(); at != layer.end(); ++at) ways.push_back(at);
    std::stable_sort(ways.begin(), ways.end(), [](Layer::iterator a, Layer::iterator b) {
      return std::pair(a->second.peak, a->second.load) < std::pair(b->second.peak, b->second.load);
    });
    for (size_t i = most; i < ways.size(); ++i) layer.erase(ways[i]);
  }

  Families families_;
  StepGraph graph_;
  StepLoads loads_;
  int count_;
};

}  // namespace

std::vector<StepId> best_order(const Problem& problem) {
  std::vector<StepId> given(problem.steps.size());
  std::iota(given.begin(), given.end(), 0);
  auto found = OrderSearch(problem).run();
  if (found == given) return given;
  return lower_bound(reordered(problem, found)) < lower_bound(reordered(problem, given)) ? found : given;
}

Problem reordered(const Problem& problem, std::span<const StepId> order) {
  const size_t count = problem.steps.size();
  N2D2_CHECK(order.size() == count, "order of {} steps for {}", order.size(), count);
  const StepGraph graph = step_graph(problem, families_of(problem));
  IndexSet done(count);
  Problem out = problem;
  for (size_t i = 0; i < count; ++i) {
    const StepId t = order[i];
    N2D2_CHECK(t >= 0 && t < static_cast<StepId>(count) && !done.has(t), "order: step {} at {}", t, i);
    const auto at = static_cast<size_t>(t);
    N2D2_CHECK(graph.before[at].within(done), "order: step '{}' comes before what it needs",
               problem.steps[at].name);
    done.insert(t);
    out.steps[i] = problem.steps[at];
  }
  derive_lifetimes(out);
  return out;
}

}  // namespace n2d2::memory
