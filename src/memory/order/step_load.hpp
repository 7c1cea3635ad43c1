// How many bytes must a memory hold while a step runs, given what has run before?
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "step_graph.hpp"

namespace n2d2::memory {

/// Steps that have run in any order, and the families they leave alive.
struct Progress {
  IndexSet done, live;
  int time = 0;  ///< number of steps that have run
};

/// load_of of packing.hpp as a function of the steps that have run, for every order at once.
class StepLoads {
 public:
  StepLoads(const Problem& problem, const Families& families);

  Progress start() const;
  Progress after(const Progress& progress, StepId step) const;
  /// Load while `step` runs next.
  Bytes load(const Progress& progress, StepId step);

 private:
  /// The families that begin in a step, and those it reads that end there.
  struct Change {
    std::vector<int> born, dying;  // ascending
    friend auto operator<=>(const Change&, const Change&) = default;
  };
  /// Bytes of outputs and the inputs that die with their birth.
  struct Together {
    Bytes apart = 0, span = 0;
  };

  int family_of(BufferId b) const { return families_.of_buffer[static_cast<size_t>(b)]; }
  const Family& family(int f) const { return families_.all[static_cast<size_t>(f)]; }
  /// Nobody needs it when the step has run, too.
  bool ends(int family, const IndexSet& done, StepId step) const;
  std::vector<int> written(StepId step) const;  // families, ascending
  Change change(const Progress& progress, StepId step) const;
  const std::optional<Together>& together(StepId step, const Change& change);
  std::optional<Together> pack_together(StepId step, const Change& change) const;

  const Problem& p_;
  const Families& families_;
  std::vector<IndexSet> users_;      // the steps that write or read a family
  std::vector<BufferId> untouched_;  // roots no step has to do with
  Bytes alignment_;
  std::map<std::pair<StepId, Change>, std::optional<Together>> together_;
};

}  // namespace n2d2::memory
