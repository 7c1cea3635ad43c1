#include "places.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace n2d2::program {

namespace {

class Places {
 public:
  explicit Places(const Program& program) : p_(program) {}

  std::vector<std::string> faults() {
    for (const View& view : p_.views) check(view);
    for (const Call& call : p_.calls) check_steps(call), check_state(call);
    for (const Memory& memory : p_.memories)
      if (memory.capacity > 0 && memory.peak > memory.capacity)
        found_.push_back(
            fmt::format("{} bytes of memory '{}', which has {}", memory.peak, memory.name, memory.capacity));
    return std::move(found_);
  }

 private:
  const Memory& memory_of(const Place& place) const {
    return p_.memories.at(static_cast<size_t>(place.memory));
  }
  bool is_inside(const Place& place, Bytes size) const {
    return place.offset >= 0 && place.offset + size <= memory_of(place).peak;
  }

  /// Every row of it inside its memory.
  void check(const View& view) {
    if (view.outside) return;
    if (!view.place) {
      found_.push_back(fmt::format("'{}' has no place", view.name));
      return;
    }
    const Memory& memory = memory_of(*view.place);
    const auto& allowed = view.memories;
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), view.place->memory) == allowed.end())
      found_.push_back(fmt::format("'{}' lies in memory '{}', where it may not", view.name, memory.name));
    for (int y = 0; y < view.h; ++y) {
      const Bytes start = view.place->offset + view.row_at(y);
      if (start >= 0 && start + (view.w - 1) * view.pixel + view.used() <= memory.peak) continue;
      found_.push_back(
          fmt::format("row {} of '{}' starts at byte {} of {}", y, view.name, start, memory.peak));
      return;
    }
  }

  void check_state(const Call& call) {
    if (call.contract.state == 0) return;
    const std::string& name = p_.name_of(call);
    if (!call.state)
      found_.push_back(fmt::format("the state of '{}' has no place", name));
    else if (!is_inside(*call.state, call.contract.state))
      found_.push_back(fmt::format("the state of '{}' leaves its memory", name));
  }

  /// Maps between the steps of a loop nest lie in its scratch, and that in its memory.
  void check_steps(const Call& call) {
    if (!call.is_loop_nest()) return;
    if (!call.scratch || !is_inside(*call.scratch, call.contract.scratch)) {
      found_.push_back(fmt::format("the scratch of '{}' leaves its memory", p_.name_of(call)));
      return;
    }
    for (const Call& step : call.steps)
      for (const ViewId id : step.out)
        if (const View& view = p_.view(id); view.in_scratch && view.place && !is_in_scratch(view, call))
          found_.push_back(fmt::format("'{}' leaves the scratch of '{}'", view.name, p_.name_of(call)));
  }
  static bool is_in_scratch(const View& view, const Call& call) {
    const Bytes end = view.place->offset + view.row * (view.ring > 0 ? view.ring : view.h);
    return view.place->memory == call.scratch->memory && view.place->offset >= call.scratch->offset &&
           end <= call.scratch->offset + call.contract.scratch && view.place->offset % view.element() == 0;
  }

  const Program& p_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> faults_of_places(const Program& program) {
  return Places(program).faults();
}

}  // namespace n2d2::program
