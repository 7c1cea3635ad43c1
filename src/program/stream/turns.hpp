// Which rows of a map must be there while a region runs?
#pragma once

#include "members.hpp"

namespace n2d2::program {

/// A region's turns, and what is still to be read while they go on. All that it is made of must outlive it.
class Turns {
 public:
  Turns(const Program& program, const Members& members, const Region& region)
      : p_(program), m_(members), region_(region) {}

  /// Rows of a map that must be there together.
  int ring(ViewId root) const;
  /// How rows of a map that is there before are read for the rows of the result, which `makers` write: those
  /// that are still needed when `step` rows of it are written together.
  Window window(ViewId read, const std::vector<CallId>& makers, int step) const;

 private:
  /// Rows of a map that have to be kept in one turn.
  struct Kept {
    int rows = 0;
    bool is_complete = false;  ///< it was there before the turn
    bool is_steady = false;    ///< no call of it begins or ends, or reads beyond an edge
  };
  Kept kept_in(ViewId root, int turn) const;
  int tile(ViewId root) const;
  int ring_of_stream(ViewId root) const;
  /// After which a call has made so many rows.
  int64_t first_turn_with(CallId call, int rows) const;
  const Pace& pace(CallId call) const { return region_.paces[static_cast<size_t>(call - m_.first())]; }
  int done(CallId call, int turn) const { return turn < 0 ? 0 : pace(call).done(turn, m_.height(call)); }
  /// The first row that a call makes next, while `now` runs in a turn: calls before that one have had their
  /// run.
  int next(CallId call, int turn, CallId now) const;
  int first_needed(const Window& window, CallId reader, int next, ViewId read) const;
  int first_needed_of(ViewId read, int turn, CallId now) const;
  int stride_of(ViewId read) const;

  const Program& p_;
  const Members& m_;
  const Region& region_;
};

}  // namespace n2d2::program
