// How does a graph become calls, views and constants? No place yet: include/n2d2/program/plan.hpp gives every
// view one.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "n2d2/program/kernel.hpp"
#include "n2d2/program/memory_budget.hpp"
#include "n2d2/program/peephole.hpp"
#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// In how many slices of rows a layer runs together with the layers right before and behind it that have as
/// many.
struct Tiling {
  int slices = 1;
  SourceLocation where = {};  ///< of what asks for it
};

/// What may be asked of the memory.
struct MemorySettings {
  bool input_in_arena = true;  ///< the network input has a place, too
  /// The caller makes the rows of the network input when they are needed, packed: no dead row is
  /// kept. Needs input_in_arena.
  bool stream_input = false;
  bool overlap = true;        ///< outputs may share bytes with inputs that no later call reads
  bool lanes = true;          ///< layers write their channels of a concatenation in place
  Bytes alignment = 1;        ///< multiple of every pixel pitch of several channels, and of every place ...
  bool counts_bytes = false;  ///< ... in bytes; else in elements
  std::string strategy{"OptimizeMaxLifetimeMaxSizeFirst"};
  int64_t search_nodes = 2'000'000;
  /// What the plan must do with, by running layers in turns where it must. Unlimited: every layer runs by
  /// itself; with stream_input the least.
  MemoryBudget budget;
  std::vector<Memory> memories;  ///< empty: one, unlimited
  Peephole peephole;             ///< what is done to the calls before they are planned
  /// Other calls for the same network, tried one after another where calls run in turns and those before need
  /// too much: they take longer, or run in turns alone (Contract::accumulates). Of the combiners those that a
  /// plan can do without are left out again, the first ones first. Null: none.
  std::function<std::vector<Peephole>(const Program&)> for_streams = nullptr;
  /// By the name of a layer; null: false. Its output shares no byte with its inputs.
  std::function<bool(std::string_view)> no_overlap;
  /// By the name of a layer; null: anywhere. Where its output may lie, best first.
  std::function<std::vector<memory::MemoryId>(std::string_view)> memories_of;
  /// By the name of a layer; null: one slice.
  std::function<Tiling(std::string_view)> tiles_of = nullptr;
};

/// A graph with a kernel for each of its nodes.
class Lowering {
 public:
  /// Chooses kernels and packs their constants. Adds every node without a kernel to `findings`, through
  /// `refuse` (graph, node, reasons); the value can be used when there is none.
  using Refuse = std::function<void(const graph::Node&, const std::string& reasons)>;
  /// Kernels and forms that were asked for, of KernelLibrary::choices(); other nodes get the first that fits.
  using Asked = std::map<graph::NodeId, Choice>;
  Lowering(graph::Graph graph, std::vector<Output> outputs, const KernelLibrary& library,
           const Refuse& refuse, const Asked& asked = {});

  /// The program with its nodes in this order, a topological one:
  ///   - an activation is a view, its pixel pitch rounded up to the alignment when it has several channels;
  ///   - the inputs of a concatenation are lanes: views inside the concatenation's at their first channel,
  ///   with its
  ///     pitch. An input that cannot be a lane (the network input, something that is a lane or an alias
  ///     already, the second use of a value, a layer with other memories) or that is one of `copied` is
  ///     copied to a lane of its own by one call, once for all concatenations that lie in each other;
  ///   - a concatenation whose parts are a run of those of another is a lane of it, unless it is one of
  ///   `copied`;
  ///   - the maps of an opaque call are one row of pixels, inside what they are for everybody else;
  ///   - with stream_input the source is the first call;
  ///   - a Reshape is an alias inside its source where the pitches allow it, else a copy.
  Program program(std::span<const graph::NodeId> order, const MemorySettings& settings,
                  const std::set<graph::ValueId>& copied = {}) const;

  const graph::Graph& graph() const { return graph_; }
  const Kernel& kernel(graph::NodeId node) const { return *kernels_.at(node); }

 private:
  friend class ProgramBuilder;
  graph::Graph graph_;
  std::vector<Output> outputs_;
  std::map<graph::NodeId, const Kernel*> kernels_;
  std::map<graph::NodeId, std::string> forms_;
  std::vector<Constant> constants_;
  std::map<graph::NodeId, std::vector<ConstantId>> constants_of_;
  std::set<graph::NodeId> parallel_;
};

/// Inputs of concatenations that their producers write in place, in order of execution, then concatenations
/// that lie in others.
std::vector<graph::ValueId> lanes_of(const Program& program);

}  // namespace n2d2::program
