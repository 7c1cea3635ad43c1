// What does a network cost where it gets less memory?
#pragma once

#include <string>
#include <vector>

#include "n2d2/export/file_tree.hpp"
#include "n2d2/program/plan.hpp"

namespace n2d2::targets::cpp {

/// One plan of the curve.
struct CurvePoint {
  memory::Bytes ram = 0;    ///< of all memories together
  int64_t runs = 0;         ///< calls of kernels in one run of the network
  int streamed = 0;         ///< layers that run in turns
  int64_t macs = 0;         ///< multiplications of one run, those that tiles do again among them
  std::string peak_layer;   ///< whose step sets the peak
  double milliseconds = 0;  ///< a run in process takes on this machine; the only thing here that varies
};

/// One point for each plan of program::budget_curve. Times are the shortest of a few runs over `input` (one
/// sample as the program takes it).
std::vector<CurvePoint> memory_curve(const std::vector<program::Planned>& plans, const Tensor& input);

/// A table for people: bytes, share of the first, calls, layers in turns, multiplications, time as a ratio to
/// the first.
std::string curve_table(const std::vector<CurvePoint>& curve);

/// statistics/memory/: memory_curve.{csv,svg,png}; without times, so that trees are the same on every
/// machine.
void write_memory_curve(const std::vector<CurvePoint>& curve, exporter::FileTree& tree);

}  // namespace n2d2::targets::cpp
