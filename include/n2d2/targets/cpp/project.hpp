// From a finished graph to a project: kernels chosen, memory planned and proven, run in process, written out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "n2d2/export/file_tree.hpp"
#include "n2d2/export/stimulus.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/program/program.hpp"
#include "n2d2/targets/cpp/parameters.hpp"
#include "n2d2/targets/cpp/platform.hpp"
#include "n2d2/targets/target.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::targets::cpp {

using exporter::ExtraFiles;
using exporter::Samples;
using exporter::Stimulus;
using program::Output;
using targets::LayerOutput;

struct Options {
  int bits = 8;  ///< > 0 integer, -32 float32
  Parameters parameters;
  bool memory_curve = false;  ///< also plans for less and less memory (Project::memory_curve)
  Platform platform = {};
  exporter::PackageRequest packages = {};
};

/// Adds why no kernel of the export takes this node, with place and hint; false when one does. Also for
/// graphs that have no integers yet.
bool find_without_kernel(const graph::Graph& graph, const graph::Node& node, const Platform& platform,
                         Diagnostics& findings);

/// What the plan takes of one memory; size 0: unlimited.
struct MemoryUse {
  std::string name;
  memory::Bytes size = 0, peak = 0, lower_bound = 0;
};

struct MemorySummary {
  memory::Bytes peak = 0, lower_bound = 0;  ///< of all memories together
  std::string strategy;
  double milliseconds = 0;  ///< spent on the plan
  std::vector<MemoryUse> memories;
};

class Project {
 public:
  Project(Project&&) noexcept;
  Project& operator=(Project&&) noexcept;
  ~Project();

  /// Runs the shipped kernels in the planned memory on N samples (N,C,H,W f32), in parallel over samples.
  /// One tensor per target: N,C,H,W in the element type of the target's value (Layout::Nchw).
  std::vector<Tensor> host_run(const Tensor& batch) const;
  /// One sample (1,C,H,W f32), every layer's output after it ran, in order of execution; "env" comes first.
  std::vector<LayerOutput> host_run_layers(const Tensor& sample) const;

  /// Proves by runs of one sample (1,C,H,W f32) that the memory plan keeps every byte the kernels need: with
  /// the free bytes overwritten by two patterns, with guard bytes around, and against a run in which nothing
  /// shares memory. ExportError naming the first layer that differs.
  void check_memory(const Tensor& sample) const;

  const MemorySummary& memory() const;
  /// Lines that say which layers no kernel of the platform's own computes, and why; "" where all have one.
  std::string portable_layers() const;
  /// Options::memory_curve: a table of plans, from that of the most memory to that of the least; else "".
  const std::string& memory_curve() const;
  const program::Program& program() const;
  /// As the platform says (Platform::footprint).
  std::optional<Footprint> footprint() const;
  void describe(report::Report& report) const;  ///< Build::describe()
  /// Bytes of all weights and of all biases and factors.
  int64_t weights_bytes() const;
  int64_t constants_bytes() const;
  /// Real value of one step of a target's output; 1 for a float network.
  double target_scale(size_t target) const;
  /// The reals that the elements of the input stand for (N,C,H,W f32), as the exported program computes them;
  /// the batch itself for a float network.
  Tensor seen(const Tensor& batch) const;

  /// Writes the whole project into the tree: static files, kernels, generated code, stimuli, reference dumps,
  /// statistics. With CheckMemory, check_memory comes first. ExportError.
  void write(const Samples& samples, exporter::FileTree& tree) const;
  /// Writes the whole project beside `folder` and moves it into place when complete: generated files of an
  /// earlier export are replaced, unrelated files are kept. ExportError when something cannot be written.
  void write(const std::filesystem::path& folder, const Samples& samples, const ExtraFiles& extra = {}) const;

 private:
  friend Project prepare(graph::Graph graph, std::vector<Output> targets, const Options& options);
  struct Impl;
  explicit Project(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Chooses kernels (ExportError listing every node without one, with the reasons), plans the memory and
/// validates the plan (ExportError with the violations), makes every call. The graph has gone through
/// passes::export_pipeline.
Project prepare(graph::Graph graph, std::vector<Output> targets, const Options& options);

/// Reads the parameters of such an export, which chooses from the kernels of `library`, and judges them with
/// the request. Every finding goes to `findings`.
Parameters configured_parameters(const ParameterSections& sections, const Request& request,
                                 const program::KernelLibrary& library, Diagnostics& findings);

/// The export that `-export CPP` is, or that of another platform.
std::unique_ptr<const Export> export_of(const Request& request, Parameters parameters,
                                        Platform platform = {});
/// The project that such an export has built; null for a build of another target.
const Project* project_of(const Build& build);

}  // namespace n2d2::targets::cpp
