// Who computes parts of a network with code of its own? What a delegate answers: which nodes it takes, what
// it makes of them ahead of time, and how that runs.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/base/registry.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/program/kernel.hpp"

#include "delegates/delegate.h"

namespace n2d2::delegates {

using Bytes = int64_t;
using NodeSet = std::set<graph::NodeId>;

/// What a delegate makes of one part.
struct Blob {
  std::vector<std::byte> bytes;
  /// Whether execute still reads the bytes; false: they may be freed or overwritten after init.
  bool lasts = true;
  Bytes scratch = 0;  ///< during each execution; content does not matter
  Bytes handle = 0;   ///< from init to destroy, at least 1
  /// Which layers a debug handle stands for, those numbers that execute passes to
  /// N2D2_Export_Arguments::step.
  std::map<int, std::vector<std::string>> layers;
  /// Options that compile the run-time sources of the delegate, and options that link the program. An export
  /// uses the options of all its parts together.
  std::vector<std::string> compile_options, link_options;
};

/// The run time, as export/CPP/delegates/delegate.h has it: the very functions that an export ships, here for
/// the run in process. Several threads may run them, each with a handle and scratch of its own.
struct Functions {
  N2D2_Export_InitFn init = nullptr;
  N2D2_Export_ExecuteFn execute = nullptr;
  N2D2_Export_DestroyFn destroy = nullptr;  ///< null: there is nothing to give back
};

/// A file of a run time, as an export gets it in delegates/<id>/.
struct RunTimeFile {
  std::string name;  ///< "mirror.cpp": .cpp files are compiled, others (.hpp, .h) included
  std::string text;
};

/// An object is a delegate with its options read.
class Delegate {
 public:
  virtual ~Delegate() = default;
  /// "loopback": a C identifier.
  virtual std::string_view id() const = 0;
  virtual void read(const KeySource& options, Diagnostics& diagnostics) = 0;
  /// Whether partition() may take such a node, though the target has no kernel for it: asked before
  /// calibration, of a float graph. What is not taken then is refused behind calibration.
  virtual bool may_take(const graph::Graph&, const graph::Node&) const { return false; }
  /// The nodes it takes, in regions: each becomes one part. Moves nothing. `kernels`: those that the target
  /// has for all other nodes. `taken`: the regions of delegates before it, whose nodes it leaves alone.
  virtual std::vector<NodeSet> partition(const graph::Graph& graph, const program::KernelLibrary& kernels,
                                         std::span<const NodeSet> taken) const = 0;
  /// The graph of one region, its types and layouts those of the whole graph.
  virtual Blob preprocess(const graph::Graph& part, const program::KernelLibrary& kernels) const = 0;
  /// Called N2D2_Export_<id>_init, _execute, _destroy in the files of the run time.
  virtual Functions functions() const = 0;
  /// What an export compiles, in C++11; an export includes what it has as "delegates/<file>". None: the files
  /// of src/delegates/<id>/runtime.
  virtual std::vector<RunTimeFile> run_time() const { return {}; }
};

/// Gives a delegate with `static constexpr const char* kId` and `fields()` its name and options.
template <class Self>
class DelegateBase : public Delegate {
 public:
  std::string_view id() const override { return Self::kId; }
  void read(const KeySource& options, Diagnostics& diagnostics) override {
    read_fields(static_cast<Self&>(*this), options, diagnostics);
  }
};

struct DelegateEntry {
  std::function<std::unique_ptr<Delegate>()> make;
  std::vector<FieldHelp> options;
};
using DelegateRegistry = Registry<DelegateEntry>;

template <class D>
void register_delegate(DelegateRegistry& registry) {
  registry.add(D::kId, {[] { return std::make_unique<D>(); }, describe_fields<D>()});
}

/// Filled once from the sorted list of src/delegates/CMakeLists.txt; modules add to it.
DelegateRegistry& open_registry();
const DelegateRegistry& registry();

}  // namespace n2d2::delegates
