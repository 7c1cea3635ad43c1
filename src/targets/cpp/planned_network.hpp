// What does the exported program consist of? The state of a Project.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "n2d2/delegates/hand_over.hpp"
#include "n2d2/program/plan.hpp"
#include "n2d2/program/run.hpp"
#include "n2d2/targets/cpp/project.hpp"

namespace n2d2::targets::cpp {

/// A layer that a kernel of CPP computes in an export that has kernels of its own for it, and why.
struct PortableLayer {
  std::string layer, why;
};

struct PlannedNetwork {
  program::Planned planned;
  std::vector<program::Planned> curve;  ///< Options::memory_curve: for less and less memory
  Options options;
  std::shared_ptr<const program::KernelLibrary> kernels;  ///< of the parts
  std::vector<delegates::HandedPart> parts;
  std::map<graph::NodeId, std::string> why;        ///< each node has its form (choose_forms.hpp)
  std::vector<PortableLayer> portable;             ///< layers that no kernel of the platform computes
  std::map<std::string, std::string> identifiers;  ///< by the names of layers, those in parts among them

  const program::Program& program() const { return planned.program; }
  const graph::Graph& graph() const { return program().graph; }
  const TensorType& input_type() const { return graph().value(program().input()).type; }
};

/// Chooses kernels and the order of execution, plans the memory, names the cells. Errors as prepare() says.
PlannedNetwork plan_network(graph::Graph graph, std::vector<Output> targets, const Options& options);

/// What the export parameters say of the memory.
program::MemorySettings memory_settings(const Parameters& parameters, const program::KernelLibrary& library);

/// The network input in the element type of the program, N,C,H,W (Layout::Nchw): quantized, or the floats.
Tensor input_values(const PlannedNetwork& network, const Tensor& batch);

/// Random numbers of all the values that the network input can have (1,C,H,W f32), the same for every network
/// of a size.
Tensor any_sample(const PlannedNetwork& network);

/// The name of an activation in the network before delegates took parts of it: outputs of a part have those
/// of its layers.
std::string name_in_network(const program::Program& program, graph::ValueId value);

/// One sample (1,C,H,W f32): "env" and every cell's outputs after it ran.
std::vector<LayerOutput> run_layers(const PlannedNetwork& network, const Tensor& sample);
/// Returns the outputs that run_layers() returns, in the same order, as the judge computes them.
std::vector<LayerOutput> judged_layers(const PlannedNetwork& network, const exporter::Judge& judge,
                                       const Tensor& sample);

}  // namespace n2d2::targets::cpp
