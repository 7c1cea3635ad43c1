// How many rows does each call of a region make a turn, and in which turn does it begin?
#pragma once

#include <map>
#include <vector>

#include "members.hpp"

namespace n2d2::program {

/// The paces of calls that run in turns, by the strides of their windows.
class Paces {
 public:
  /// `result`: the map whose rows the turns are for, `step` of them a turn. `phases`: as many turns as often,
  /// so that what two calls do may come between what others do in a turn. `members` must outlive it.
  Paces(const Members& members, ViewId result, int step, int phases);

  /// False: strides of branches do not fit to each other. Nothing else may be asked for before.
  bool find_rates();
  /// As late as the readers allow; then these calls earlier by so much, or as early as their inputs allow.
  void find_leads(const std::map<CallId, int>& early);
  int turns() const;
  /// Returns the pace of each call, in the order of the calls.
  const std::vector<Pace>& all() const { return paces_; }

 private:
  size_t size() const { return static_cast<size_t>(m_.end() - m_.first()); }
  size_t at(CallId call) const { return static_cast<size_t>(call - m_.first()); }
  void find_latest();
  /// Rows of an input that the rows of a call need which it has made after a turn.
  int64_t needed(const Dependence& d, int64_t turn) const;
  int64_t period(const Dependence& d) const;
  /// Returns the smallest lead of the maker with which each row is there when the reader needs it.
  int64_t least_lead(const Dependence& d) const;
  /// Whether all that a call reads is there in time.
  bool is_fed(CallId call) const;
  void make_early(CallId call, int most);
  void start_at_turn_0();

  const Members& m_;
  ViewId result_;
  int step_, phases_;
  std::vector<std::vector<const Dependence*>> reads_of_;  // what a call reads
  std::vector<std::vector<const Dependence*>> read_of_;   // who reads what it makes
  std::vector<int64_t> rates_;  // rows of a call for a row of the result, by strides
  std::vector<int> latest_;     // leads as late as can be
  bool is_latest_known_ = false;
  std::vector<Pace> paces_;
};

}  // namespace n2d2::program
