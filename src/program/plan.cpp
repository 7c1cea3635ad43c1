#include "n2d2/program/plan.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "n2d2/memory/order.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"
#include "n2d2/program/schedule.hpp"
#include "n2d2/program/stream.hpp"
#include "n2d2/program/tiling.hpp"
#include "n2d2/program/validate.hpp"

#include "stream/budget.hpp"
#include "stream/source.hpp"

namespace n2d2::program {

namespace {

using Order = std::vector<graph::NodeId>;

/// Nodes by the last of their steps; one without a step comes as soon as all it reads is there, but right
/// before its reader if it has no cell either: a call of the reader computes it, too. `nodes`: a topological
/// order.
Order by_steps(const Program& program, const Order& nodes, std::span<const memory::StepId> order) {
  std::vector<int> time(order.size());
  for (size_t t = 0; t < order.size(); ++t) time[static_cast<size_t>(order[t])] = static_cast<int>(t);
  std::map<graph::NodeId, int> last_step;
  for (const Cell& cell : program.cells)
    for (const CallId call : cell.calls) {
      int& last = last_step.try_emplace(cell.node, -1).first->second;
      last = std::max(last, time[static_cast<size_t>(call)]);
    }
  for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
    const bool has_cell = std::any_of(program.cells.begin(), program.cells.end(),
                                      [&](const Cell& cell) { return cell.node == *id; });
    if (has_cell) continue;
    for (const graph::ValueId output : program.graph.node(*id).outputs)
      for (const graph::Use& use : program.graph.value(output).uses)
        if (const auto reader = last_step.find(use.node); reader != last_step.end())
          last_step[*id] = reader->second;
  }
  std::map<graph::ValueId, int> made;  // when a value is there
  std::vector<std::pair<int, graph::NodeId>> timed;
  for (const graph::NodeId id : nodes) {
    const graph::Node& node = program.graph.node(id);
    const auto step = last_step.find(id);
    int last = step == last_step.end() ? -1 : step->second;
    for (const graph::ValueId input : node.inputs)
      if (const auto it = made.find(input); it != made.end()) last = std::max(last, it->second);
    for (const graph::ValueId output : node.outputs) made[output] = last;
    timed.emplace_back(last, id);
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Order out;
  for (const auto& [last, node] : timed) out.push_back(node);
  return out;
}

Order order_of_memory(const Lowering& lowering, const MemorySettings& settings) {
  Order first = lowering.graph().schedule();
  const Program program = lowering.program(first, settings);
  const memory::Problem problem = memory_problem(program);
  Order other = by_steps(program, first, memory::best_order(problem));
  const auto bound = memory::lower_bound(memory_problem(lowering.program(other, settings)));
  return bound < memory::lower_bound(problem) ? other : first;
}

/// A program, and the parts of its concatenations that are copied instead of being lanes.
struct WithCopies {
  Program program;
  std::set<graph::ValueId> copied;
};

/// The lanes of each node that reads some.
std::vector<std::vector<graph::ValueId>> lanes_by_reader(const Program& program) {
  const std::vector<graph::ValueId> lanes = lanes_of(program);
  std::vector<std::vector<graph::ValueId>> out;
  for (const graph::NodeId id : program.graph.nodes()) {
    std::vector<graph::ValueId> read;
    for (const graph::ValueId input : program.graph.node(id).inputs)
      if (std::find(lanes.begin(), lanes.end(), input) != lanes.end()) read.push_back(input);
    if (!read.empty()) out.push_back(std::move(read));
  }
  return out;
}

/// Copies those groups of lanes, one after another, whose copies lower `bytes_of` a program by more than a
/// part of it: none, or one in `worth`.
template <class BytesOf>
void copy_useless_lanes(const Lowering& lowering, const Order& order, const MemorySettings& settings,
                        const std::vector<std::vector<graph::ValueId>>& groups, const BytesOf& bytes_of,
                        Bytes worth, WithCopies& best) {
  Bytes bytes = bytes_of(best.program);
  for (const std::vector<graph::ValueId>& group : groups) {
    std::set<graph::ValueId> copied = best.copied;
    copied.insert(group.begin(), group.end());
    if (copied.size() == best.copied.size()) continue;
    Program other = lowering.program(order, settings, copied);
    const Bytes other_bytes = bytes_of(other);
    if (other_bytes >= bytes - (worth > 0 ? bytes / worth : 0)) continue;
    bytes = other_bytes;
    best = {std::move(other), std::move(copied)};
  }
}

/// With those lanes only that do not raise the bound. All that one layer reads are copied where that lowers
/// it by a sixteenth: they take time.
WithCopies with_useful_lanes(const Lowering& lowering, const Order& order, const MemorySettings& settings) {
  constexpr Bytes kWorth = 16;
  WithCopies best{lowering.program(order, settings), {}};
  std::vector<std::vector<graph::ValueId>> single;
  for (const graph::ValueId lane : lanes_of(best.program)) single.push_back({lane});
  const auto bound = [](const Program& program) { return memory::lower_bound(memory_problem(program)); };
  const std::vector<std::vector<graph::ValueId>> groups = lanes_by_reader(best.program);
  copy_useless_lanes(lowering, order, settings, single, bound, 0, best);
  copy_useless_lanes(lowering, order, settings, groups, bound, kWorth, best);
  return best;
}

/// How many elements wait for how many layers until the concatenation of these lanes is complete.
int64_t waiting(const Program& program, const Order& order, const std::vector<graph::ValueId>& lanes) {
  const graph::Graph& graph = program.graph;
  const auto place = [&](graph::NodeId id) {
    return std::find(order.begin(), order.end(), id) - order.begin();
  };
  int64_t last = 0, out = 0;
  for (const graph::ValueId lane : lanes) last = std::max(last, place(graph.value(lane).producer));
  for (const graph::ValueId lane : lanes)
    out += graph.value(lane).type.shape.elements() * (last - place(graph.value(lane).producer));
  return out;
}

/// Programs with more copies, for layers in turns: a lane keeps all rows of its concatenation from its first
/// layer on, where a copy needs some of them. One program has copies alone, the other one those that lower
/// the least that streams, of the few concatenations that wait longest.
std::vector<Program> with_copies_for_streams(const Lowering& lowering, const Order& order,
                                             const MemorySettings& settings, const WithCopies& first) {
  constexpr size_t kTried = 4, kMostCopied = 16;
  std::vector<std::vector<graph::ValueId>> groups = lanes_by_reader(first.program);
  std::vector<Program> out;
  if (groups.empty()) return out;
  if (groups.size() <= kMostCopied) {
    MemorySettings none = settings;
    none.lanes = false;
    out.push_back(lowering.program(order, none));
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return waiting(first.program, order, a) > waiting(first.program, order, b);
  });
  groups.resize(std::min(groups.size(), kTried));
  WithCopies best = first;
  const auto least = [](const Program& program) {
    const StreamChoices choices(program);
    return choices.any() ? choices.least() : memory::lower_bound(memory_problem(program));
  };
  copy_useless_lanes(lowering, order, settings, groups, least, 0, best);
  if (best.copied.size() > first.copied.size()) out.push_back(std::move(best.program));
  return out;
}

/// `in_turns`: layers may run in turns.
void expect_room(const Program& program, bool in_turns, const std::string& subject) {
  Diagnostics findings;
  for (const Memory& memory : program.memories) {
    if (memory.capacity == 0 || memory.peak <= memory.capacity) continue;
    findings.error(
        {},
        fmt::format("{}: memory '{}' has {} bytes; what must lie there needs {}, and {}", subject,
                    memory.name, memory.capacity, memory.peak,
                    in_turns ? "with layers in turns nothing less was found"
                             : fmt::format("no plan less than {}", memory.lower_bound)),
        fmt::format("Size={} in [memory.{}], or another memory behind it in MemorySection{}", memory.peak,
                    memory.name, in_turns ? "" : ", or layers in turns: MemoryBudget=min"));
  }
  findings.finish<ExportError>();
}

Planned solved(Program program, const memory::SolveOptions& options) {
  const memory::Problem problem = memory_problem(program);
  const auto start = std::chrono::steady_clock::now();
  memory::Plan found = memory::solve(problem, options);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  Planned out = placed(std::move(program), std::move(found));
  out.milliseconds = spent.count();
  return out;
}

Bytes peak_of(const Planned& planned) {
  Bytes peak = 0;
  for (const Memory& memory : planned.program.memories) peak += memory.peak;
  return peak;
}

/// Bytes that the memories do not have.
Bytes excess_of(const Planned& planned) {
  Bytes excess = 0;
  for (const Memory& memory : planned.program.memories)
    if (memory.capacity > 0) excess += std::max<Bytes>(0, memory.peak - memory.capacity);
  return excess;
}

bool fits(const Planned& planned, const MemoryBudget& budget) {
  return excess_of(planned) == 0 && budget.holds(peak_of(planned));
}

bool needs_less(const Planned& a, const Planned& b) {
  return std::pair(excess_of(a), peak_of(a)) < std::pair(excess_of(b), peak_of(b));
}

/// What the memories have together, if that is less than the budget.
Bytes within_capacities(Bytes budget, const std::vector<Memory>& memories) {
  Bytes sum = 0;
  for (const Memory& memory : memories) {
    if (memory.capacity == 0) return budget;
    sum += memory.capacity;
  }
  return std::min(budget, sum);
}

/// A program, the regions that it has in any case, and how it came from the calls of the network.
struct Asked {
  Program program;
  std::vector<Stream> tiles;
  std::shared_ptr<const Program> plain;
  Peephole rewrites;
};

/// The ways in which a network may stream: its calls, and, where there are any, those that
/// MemorySettings::for_streams makes of them. What each can do is found when it is asked for.
class Ways {
 public:
  explicit Ways(const std::vector<Asked>& asked) : asked_(asked), choices_(asked.size()) {
    N2D2_CHECK(first() != nullptr, "no choice of regions");
  }
  Bytes least() const {
    Bytes out = first()->least();
    for (size_t way = 0; way < asked_.size(); ++way)
      if (const StreamChoices* choices = choices_of(way)) out = std::min(out, choices->least());
    return out;
  }
  Bytes most() const { return first()->most(); }
  /// The first choice of regions that fits, else the one that needs least. `whole`: the plan without those
  /// that stream; none where the input comes row by row, which takes one.
  Planned within(const std::optional<Planned>& whole, const MemoryBudget& budget,
                 const memory::SolveOptions& options) const {
    std::optional<Planned> best = whole;
    const Asked* from = nullptr;
    double milliseconds = whole ? whole->milliseconds : 0;
    for (size_t way = 0; way < asked_.size(); ++way) {
      if (best && fits(*best, budget)) break;
      const StreamChoices* choices = choices_of(way);
      if (choices == nullptr) continue;
      Planned found = streamed_within(*choices, budget, options);
      milliseconds += found.milliseconds;
      if (!best || needs_less(found, *best)) best = std::move(found), from = &asked_[way];
    }
    best->milliseconds = milliseconds;
    return from == nullptr ? std::move(*best) : lighter(*from, std::move(*best), budget, options);
  }

 private:
  /// Returns the plan without those loop nests that it does not need, if `best` fits. A loop nest is
  /// not needed where the plan without it fits into the budget, or into the peak of `best` where there is no
  /// budget. At least one combiner stays.
  static Planned lighter(const Asked& asked, Planned best, const MemoryBudget& budget,
                         const memory::SolveOptions& options) {
    const MemoryBudget goal =
        budget.kind == MemoryBudget::Kind::Bytes ? budget : MemoryBudget::of(peak_of(best));
    if (!fits(best, goal) || !asked.tiles.empty()) return best;
    Peephole rewrites = asked.rewrites;
    for (size_t i = 0; i < rewrites.combiners.size() && rewrites.combiners.size() > 1;) {
      Peephole fewer = rewrites;
      fewer.combiners.erase(fewer.combiners.begin() + static_cast<std::ptrdiff_t>(i));
      Program program = *asked.plain;
      rewrite(program, fewer);
      const StreamChoices choices(program);
      if (!choices.any() || (program.streams_input() && !source_fault(program).reason.empty())) {
        ++i;
        continue;
      }
      Planned other = streamed_within(choices, budget, options);
      other.milliseconds += best.milliseconds;
      const bool is_enough = fits(other, goal);
      if (is_enough)
        best = std::move(other), rewrites = std::move(fewer);
      else
        best.milliseconds = other.milliseconds, ++i;
    }
    return best;
  }

  /// A plan may need more than the bound of its regions: then others follow, whose steps need less, in
  /// eighths of it.
  static constexpr int kEighths[] = {8, 7, 6, 5, 4};

  static Planned streamed_within(const StreamChoices& choices, const MemoryBudget& budget,
                                 const memory::SolveOptions& options) {
    std::optional<Planned> best;
    double milliseconds = 0;
    const auto is_within = [&](const MemoryBudget& bytes) { return best && fits(*best, bytes); };
    std::vector<Bytes> goals;
    if (const Bytes most = within_capacities(budget.bytes, choices.memories()); most >= choices.least())
      goals.push_back(most);
    goals.push_back(choices.least());
    for (const Bytes goal : goals) {
      if (is_within(budget)) break;
      for (const int eighths : kEighths) {
        Planned other = solved(choices.within(goal, goal / 8 * eighths).program, options);
        milliseconds += other.milliseconds;
        if (!best || needs_less(other, *best)) best = std::move(other);
        if (is_within(MemoryBudget::of(goal))) break;
      }
    }
    best->milliseconds = milliseconds;
    return std::move(*best);
  }

  /// Null: its calls can be cut in no way.
  const StreamChoices* choices_of(size_t way) const {
    std::unique_ptr<const StreamChoices>& choices = choices_[way];
    if (choices == nullptr)
      choices = std::make_unique<const StreamChoices>(asked_[way].program, asked_[way].tiles);
    return choices->any() ? choices.get() : nullptr;
  }
  const StreamChoices* first() const {
    for (size_t way = 0; way < asked_.size(); ++way)
      if (const StreamChoices* choices = choices_of(way)) return choices;
    return nullptr;
  }

  const std::vector<Asked>& asked_;
  mutable std::vector<std::unique_ptr<const StreamChoices>> choices_;
};

/// Every layer by itself but those in tiles.
std::optional<Planned> without_streams(const Asked& asked, const memory::SolveOptions& options) {
  if (asked.program.streams_input()) return std::nullopt;
  Program program = asked.program;
  for (const Stream& tiles : asked.tiles) add_region(program, tiles);
  return solved(std::move(program), options);
}

Planned solved_within(const std::vector<Asked>& asked, const MemoryBudget& budget,
                      const memory::SolveOptions& options) {
  std::optional<Planned> whole = without_streams(asked.front(), options);
  if (whole && fits(*whole, budget)) return std::move(*whole);
  return Ways(asked).within(whole, budget, options);
}

/// An input that no region can make row by row, and why.
void expect_source(const Program& program, const std::string& subject) {
  const SourceFault fault = source_fault(program);
  if (!fault.reason.empty())
    throw ExportError(fmt::format("{}: StreamInput=1: {}", subject, fault.reason), fault.where,
                      "without StreamInput the whole input is in the arena");
}

/// What a plan must do with, the least there is, and what holds it up.
void expect_budget(const Planned& planned, const MemoryBudget& budget, const std::string& subject) {
  if (budget.kind != MemoryBudget::Kind::Bytes || budget.holds(peak_of(planned))) return;
  const memory::StepId step = memory::step_of_lower_bound(planned.problem);
  throw ExportError(
      fmt::format("{}: MemoryBudget={}: the least found is {} bytes; [{}] needs them", subject, budget.bytes,
                  peak_of(planned), planned.problem.steps.at(static_cast<size_t>(step)).name),
      {}, fmt::format("MemoryBudget={}", peak_of(planned)));
}

memory::SolveOptions solve_options(const MemorySettings& settings) {
  memory::SolveOptions out;
  out.strategy = settings.strategy;
  out.search_nodes = settings.search_nodes;
  return out;
}

/// The calls of a network as they run one by one, then those that can be in turns only.
std::vector<Asked> programs_to_plan(const Lowering& lowering, const MemorySettings& settings,
                                    const std::string& subject, Diagnostics& findings) {
  const Order order = order_of_memory(lowering, settings);
  const WithCopies useful = with_useful_lanes(lowering, order, settings);
  const Program& first = useful.program;
  const auto plain = std::make_shared<const Program>(first);
  std::vector<Asked> asked{{first, {}, plain, {}}};
  const bool streams = settings.budget.is_limited() || first.streams_input();
  if (streams)
    for (Program& other : with_copies_for_streams(lowering, order, settings, useful)) {
      const auto same = std::make_shared<const Program>(other);
      asked.push_back({std::move(other), {}, same, {}});
    }
  if (settings.for_streams && streams)
    for (Peephole& rewrites : settings.for_streams(first)) {
      Asked other{first, {}, plain, std::move(rewrites)};
      if (rewrite(other.program, other.rewrites)) asked.push_back(std::move(other));
    }
  if (first.streams_input()) {
    std::erase_if(asked, [](const Asked& each) { return !source_fault(each.program).reason.empty(); });
    if (asked.empty()) expect_source(first, subject);
  }
  std::vector<Asked> out;
  for (Asked& each : asked) {
    Diagnostics same;  // as of the first
    each.tiles = regions_of_tiles(each.program, settings.tiles_of, subject, out.empty() ? findings : same);
    if (!same.has_errors()) out.push_back(std::move(each));
  }
  return out;
}

}  // namespace

Planned plan(const Lowering& lowering, const MemorySettings& settings, const std::string& subject) {
  Diagnostics findings;
  const std::vector<Asked> asked = programs_to_plan(lowering, settings, subject, findings);
  findings.finish<ExportError>();
  const memory::SolveOptions options = solve_options(settings);
  const bool streams = settings.budget.is_limited() || asked.front().program.streams_input();
  const MemoryBudget budget = settings.budget.is_limited() ? settings.budget : MemoryBudget::least();
  Planned out = streams ? solved_within(asked, budget, options) : *without_streams(asked.front(), options);
  expect_room(out.program, streams, subject);
  expect_budget(out, settings.budget, subject);
  expect_valid(out, subject);
  return out;
}

namespace {

/// Neither in calls of kernels nor in multiplications.
bool is_no_faster(const Program& program, const Program& other) {
  return runs_of(program) >= runs_of(other) && multiplications(program).all >= multiplications(other).all;
}

}  // namespace

std::vector<Planned> budget_curve(const Lowering& lowering, const MemorySettings& settings, int steps,
                                  const std::string& subject) {
  MemorySettings streaming = settings;
  streaming.budget = MemoryBudget::least();
  Diagnostics said;  // with the plan
  const std::vector<Asked> asked = programs_to_plan(lowering, streaming, subject, said);
  const memory::SolveOptions options = solve_options(settings);
  const std::optional<Planned> whole = without_streams(asked.front(), options);
  const Ways ways(asked);
  std::vector<Planned> out{whole ? *whole : ways.within(whole, MemoryBudget::of(ways.most()), options)};
  const Bytes most = peak_of(out.front()), least = std::min(ways.least(), most);
  for (int64_t left = steps - 1; left >= 0; --left) {
    const Bytes budget = least + (most - least) * left * left / (int64_t{steps} * steps);
    Planned next = ways.within(whole, MemoryBudget::of(budget), options);
    if (excess_of(next) > 0 || !needs_less(next, out.back())) continue;
    while (out.size() > 1 && is_no_faster(out.back().program, next.program)) out.pop_back();
    expect_valid(next, subject);
    out.push_back(std::move(next));
  }
  if (out.size() > 1 && excess_of(out.front()) > 0) out.erase(out.begin());
  return out;
}

void expect_valid(const Planned& planned, const std::string& subject) {
  Diagnostics findings;
  for (const memory::Violation& violation : memory::validate(planned.problem, planned.plan))
    findings.error({}, subject + ": memory plan rejected: " + violation.text);
  if (!findings.has_errors())
    for (const std::string& violation : validate(planned.program))
      findings.error({}, subject + ": program rejected: " + violation);
  findings.finish<ExportError>();
}

}  // namespace n2d2::program
