#include "n2d2/program/cut.hpp"

#include <algorithm>

namespace n2d2::program {

namespace {

void expect_whole(const std::vector<Rows>& ranges, Rows all) {
  int next = all.first;
  for (const Rows& rows : ranges) {
    N2D2_CHECK(rows.first == next && rows.count > 0, "rows {} to {} where {} is the next one", rows.first,
               rows.first + rows.count, next);
    next += rows.count;
  }
  N2D2_CHECK(next == all.first + all.count, "rows end with {} of {}", next, all.first + all.count);
}

}  // namespace

Program cut(Program program, const RowCuts& cuts) {
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
