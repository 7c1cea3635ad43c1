// How is a program run in pieces of rows?
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// Ranges that together are all rows of a call's outputs, in ascending order; at least one.
using RowCuts = std::function<std::vector<Rows>(const Program&, const Call&)>;

inline void expect_whole(const std::vector<Rows>& ranges, Rows all) {
  int next = all.first;
  for (const Rows& rows : ranges) {
    N2D2_CHECK(rows.first == next && rows.count > 0, "rows {} to {} where {} is the next one", rows.first,
               rows.first + rows.count, next);
    next += rows.count;
  }
  N2D2_CHECK(next == all.first + all.count, "rows end with {} of {}", next, all.first + all.count);
}

/// The program with a call for each range (opaque calls and the source stay whole), in the scan order of the
/// call they come from. Places, constants and cells stay; the bytes of every output stay those of the whole
/// calls. InternalError when ranges have gaps, overlap, or do not end with the map.
inline Program cut(Program program, const RowCuts& cuts) {
  std::vector<Call> calls;
  if (program.streams_input()) calls.push_back(program.calls.front());
  for (Cell& cell : program.cells) {
    std::vector<CallId> ids;
    for (const CallId id : cell.calls) {
      const Call& whole = program.call(id);
      if (whole.contract.opaque) {
        ids.push_back(static_cast<CallId>(calls.size()));
        calls.push_back(whole);
        continue;
      }
      Rows all = whole.rows;
      if (all.count < 0) all.count = program.view(whole.out.at(0)).h - all.first;
      std::vector<Rows> ranges = cuts(program, whole);
      expect_whole(ranges, all);
      if (whole.scan == memory::Scan::BottomUp) std::reverse(ranges.begin(), ranges.end());
      for (const Rows& rows : ranges) {
        ids.push_back(static_cast<CallId>(calls.size()));
        calls.push_back(whole);
        calls.back().rows = rows;
      }
    }
    cell.calls = std::move(ids);
  }
  program.calls = std::move(calls);
  return program;
}

}  // namespace n2d2::program
