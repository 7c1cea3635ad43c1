// What must the program that is exported give for a sample? An answer that shares no code with its kernels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::compute {

/// Runs a network with the operators' plain loops: IntegerExecutor where the graph holds integers, else the
/// executor of Backend::Reference, which adds in double.
class Judge {
 public:
  /// The graph as it is before the passes of targets::Stage::Layout. One that has been through them (a .graph
  /// file, say) is brought back to logical order; their permutations are not judged then.
  explicit Judge(graph::Graph graph);

  bool has_integers() const { return has_integers_; }
  /// Multiply-accumulates of one sample.
  int64_t macs() const { return macs_; }
  /// One sample 1,C,H,W in the element type of the network input: every activation by its name in the graph,
  /// N,C,H,W (Layout::Nchw).
  std::map<std::string, Tensor> run(const Tensor& sample) const;
  /// How far each float activation moves where each element of the sample changes by kRounding of itself, up
  /// or down: what a network makes of rounding. `expected`: run() of the sample.
  std::map<std::string, double> amplified_rounding(const Tensor& sample,
                                                   const std::map<std::string, Tensor>& expected) const;

 private:
  std::map<std::string, Tensor> run_floats(const Tensor& sample) const;

  graph::Graph graph_;
  bool has_integers_ = false;
  int64_t macs_ = 0;
};

/// A value as a program gives it: logical N,C,H,W of one sample, in any layout.
struct NamedValue {
  std::string name;
  Tensor tensor;
};

/// Where a program departs from the judge.
struct Difference {
  std::string name;
  int64_t channel = 0, row = 0, column = 0;
  double expected = 0, found = 0;
  int64_t count = 0;  ///< elements of the value that differ
};

/// The first value, in the order given, that differs, and the first of its elements (channel, row, column).
/// Integers are equal or differ; floats may be apart by kFloatTolerance of the largest magnitude of the
/// value, and by kRoundings of what `amplified` has of it. Kernels end at the largest finite float, which is
/// as good as infinity. InternalError for a value that the judge does not have, or has in another shape or
/// type.
std::optional<Difference> first_difference(const std::vector<NamedValue>& found,
                                           const std::map<std::string, Tensor>& expected,
                                           const std::map<std::string, double>& amplified = {});

/// Kernels add thousands of float32 products in orders of their own, the judge adds in double. A wrong kernel
/// is wrong by the size of the values themselves.
inline constexpr double kFloatTolerance = 1e-3;

/// A few units in the last place of a float, as the rounding of a layer's sums is.
inline constexpr double kRounding = 4.0 / (1 << 23);
/// Each layer rounds, and a deep network has a hundred of them: roundings of both signs add up to about ten
/// times one.
inline constexpr double kRoundings = 16;

}  // namespace n2d2::compute
