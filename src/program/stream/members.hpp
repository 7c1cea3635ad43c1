// Which of some calls that follow each other reads what of whom?
#pragma once

#include <map>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// What is read element by element is read row by row.
Window by_rows(const Window& window);

/// One input of a call that another call makes, or that is there before all of them.
struct Dependence {
  CallId reader = kNone, maker = kNone;  ///< maker kNone: there before
  ViewId view = kNone;                   ///< that is read
  Window window;
};

/// The calls [first, end) of a program, which must outlive it.
class Members {
 public:
  Members(const Program& program, CallId first, CallId end);

  CallId first() const { return first_; }
  CallId end() const { return end_; }
  const std::vector<Dependence>& inner() const { return inner_; }
  /// Returns the dependences of inner() that read a view in this root.
  const std::vector<Dependence>& inner_of(ViewId root) const;
  const std::vector<Dependence>& outer() const { return outer_; }
  /// Roots that calls write to, with these.
  const std::map<ViewId, std::vector<CallId>>& made() const { return makers_; }
  const std::vector<CallId>& makers_of(ViewId root) const;
  int height(CallId call) const { return p_.view(p_.call(call).out.at(0)).h; }

 private:
  const Program& p_;
  CallId first_, end_;
  std::map<ViewId, std::vector<CallId>> makers_;
  std::vector<Dependence> inner_, outer_;
  std::map<ViewId, std::vector<Dependence>> inner_of_;
};

}  // namespace n2d2::program
