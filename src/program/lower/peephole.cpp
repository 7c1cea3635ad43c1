#include "n2d2/program/peephole.hpp"

#include <algorithm>
#include <set>

namespace n2d2::program {

namespace {

/// What a written view lets others read: itself, its hosts, and what lies inside them.
class Written {
 public:
  explicit Written(const Program& program) : p_(program) {
    for (const graph::ValueId input : p_.graph.inputs()) roots_.insert(p_.root_of(p_.maps.at(input)));
  }
  bool holds(ViewId id) const { return roots_.contains(p_.root_of(id)); }
  void add(ViewId id) { roots_.insert(p_.root_of(id)); }

 private:
  const Program& p_;
  std::set<ViewId> roots_;
};

/// "": in order.
std::string fault_of(const Program& program) {
  Written written(program);
  std::set<ViewId> once;
  for (const Call& call : program.calls) {
    for (const ViewId in : call.in)
      if (!written.holds(in))
        return fmt::format("'{}' reads '{}', which nobody has written", program.name_of(call),
                           program.view(in).name);
    for (const ViewId out : call.out) {
      if (!once.insert(out).second)
        return fmt::format("'{}' writes '{}' a second time", program.name_of(call), program.view(out).name);
      written.add(out);
    }
  }
  for (const Output& output : program.outputs) {
    const auto map = program.maps.find(output.value);
    if (map == program.maps.end() || !written.holds(map->second))
      return fmt::format("nobody writes the output '{}'", program.graph.value(output.value).name);
  }
  return {};
}

/// Calls visit(call) for every call, and for the steps of each loop nest.
template <class Calls, class Visit>
void for_calls_and_steps(Calls& calls, Visit visit) {
  for (auto& call : calls) {
    visit(call);
    for (auto& step : call.steps) visit(step);
  }
}

/// Constants that nobody reads any more leave; the others close up.
void sweep_constants(Program& program) {
  std::vector<ConstantId> place(program.constants.size(), kNone);
  for_calls_and_steps(program.calls, [&](const Call& call) {
    for (const ConstantId id : call.constants) place[static_cast<size_t>(id)] = id;
  });
  std::vector<Constant> constants;
  for (size_t c = 0; c < program.constants.size(); ++c)
    if (place[c] != kNone) {
      place[c] = static_cast<ConstantId>(constants.size());
      constants.push_back(std::move(program.constants[c]));
    }
  for_calls_and_steps(program.calls, [&](Call& call) {
    for (ConstantId& id : call.constants) id = place[static_cast<size_t>(id)];
  });
  program.constants = std::move(constants);
}

/// Cells and views that nobody needs any more leave; the others close up.
void sweep_views(Program& program) {
  std::vector<bool> needed(program.views.size(), false);
  const auto need = [&](ViewId id) {
    for (; id != kNone; id = program.view(id).host) needed[static_cast<size_t>(id)] = true;
  };
  Written written(program);
  for_calls_and_steps(program.calls, [&](const Call& call) {
    for (const ViewId in : call.in) need(in);
    for (const ViewId out : call.out) need(out), written.add(out);
  });
  for (const graph::ValueId input : program.graph.inputs()) need(program.maps.at(input));
  std::erase_if(program.cells, [&](const Cell& cell) {
    return cell.calls.empty() && std::none_of(cell.outputs.begin(), cell.outputs.end(),
                                              [&](ViewId id) { return written.holds(id); });
  });
  for (const Cell& cell : program.cells)
    for (const ViewId out : cell.outputs) need(out);
  std::vector<ViewId> place(program.views.size(), kNone);
  std::vector<View> views;
  for (size_t v = 0; v < program.views.size(); ++v)
    if (needed[v]) {
      place[v] = static_cast<ViewId>(views.size());
      views.push_back(program.views[v]);
    }
  const auto move = [&](ViewId& id) { id = id == kNone ? kNone : place[static_cast<size_t>(id)]; };
  for (View& view : views) move(view.host);
  for_calls_and_steps(program.calls, [&](Call& call) {
    for (ViewId& id : call.in) move(id);
    for (ViewId& id : call.out) move(id);
  });
  for (Cell& cell : program.cells)
    for (ViewId& id : cell.outputs) move(id);
  for (auto& [value, id] : program.maps) move(id);
  std::erase_if(program.maps, [](const auto& map) { return map.second == kNone; });
  program.views = std::move(views);
}

class Rewriting {
 public:
  Rewriting(Program& program, const Peephole& peephole)
      : p_(program), peephole_(peephole), most_(kMostRewrites * std::max<size_t>(1, program.calls.size())) {}

  bool run() {
    while (pass()) {
    }
    if (done_ > 0) sweep_views(p_), sweep_constants(p_);
    return done_ > 0;
  }

 private:
  bool pass() {
    bool changed = false;
    for (const Expander& expander : peephole_.expanders)
      changed = apply(expander.name, 1,
                      [&](std::span<const Call> calls) { return expander.expand(p_, calls.front()); }) ||
                changed;
    for (const Combiner& combiner : peephole_.combiners)
      changed = apply(combiner.name, combiner.window,
                      [&](std::span<const Call> calls) { return combiner.combine(p_, calls); }) ||
                changed;
    return changed;
  }

  /// Each window once, behind what has just been put in.
  template <class Find>
  bool apply(const std::string& name, size_t window, Find find) {
    bool changed = false;
    for (size_t first = p_.streams_input() ? 1 : 0; first + window <= p_.calls.size();) {
      const std::vector<Call> seen(p_.calls.begin() + static_cast<std::ptrdiff_t>(first),
                                   p_.calls.begin() + static_cast<std::ptrdiff_t>(first + window));
      Replacement found = find(seen);
      if (!found) {
        ++first;
        continue;
      }
      const size_t size = found->size();
      replace(first, window, std::move(*found));
      count(name);
      changed = true;
      first += size;
    }
    return changed;
  }

  void replace(size_t first, size_t window, std::vector<Call> calls) {
    std::vector<size_t> cell_of(p_.calls.size(), p_.cells.size());  // of no cell: the source
    for (size_t c = 0; c < p_.cells.size(); ++c)
      for (const CallId call : p_.cells[c].calls) cell_of[static_cast<size_t>(call)] = c;
    const size_t owner = cell_of.at(first + window - 1);
    const auto at = p_.calls.begin() + static_cast<std::ptrdiff_t>(first);
    p_.calls.erase(at, at + static_cast<std::ptrdiff_t>(window));
    const auto cells = cell_of.begin() + static_cast<std::ptrdiff_t>(first);
    cell_of.erase(cells, cells + static_cast<std::ptrdiff_t>(window));
    cell_of.insert(cell_of.begin() + static_cast<std::ptrdiff_t>(first), calls.size(), owner);
    p_.calls.insert(p_.calls.begin() + static_cast<std::ptrdiff_t>(first),
                    std::make_move_iterator(calls.begin()), std::make_move_iterator(calls.end()));
    for (Cell& cell : p_.cells) cell.calls.clear();
    for (size_t c = 0; c < cell_of.size(); ++c)
      if (cell_of[c] < p_.cells.size()) p_.cells[cell_of[c]].calls.push_back(static_cast<CallId>(c));
  }

  void count(const std::string& name) {
    const std::string fault = fault_of(p_);
    N2D2_CHECK(fault.empty(), "rewrite '{}': {}", name, fault);
    N2D2_CHECK(++done_ <= most_, "rewrites '{}' and '{}' undo each other", last_, name);
    last_ = name;
  }

  Program& p_;
  const Peephole& peephole_;
  size_t most_, done_ = 0;
  std::string last_;
};

}  // namespace

bool rewrite(Program& program, const Peephole& peephole) {
  return Rewriting(program, peephole).run();
}

}  // namespace n2d2::program
