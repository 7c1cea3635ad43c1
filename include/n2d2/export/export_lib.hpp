// Which kernel runs a node, and what does it take to emit and to run it? (After Aidge's export libraries.)
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/memory/plan.hpp"

namespace n2d2::exporter {

/// One member of a kernel's config: `static constexpr <type> <name> = <text>;`.
struct ConfigField {
  std::string name, type, text;
  friend bool operator==(const ConfigField&, const ConfigField&) = default;
};
using ConfigFields = std::vector<ConfigField>;

/// Where an activation lies, in elements of its type: the fields of export/CPP/kernels/plane.hpp.
struct Plane {
  int width = 0, height = 0, channels = 0;
  int64_t pixel = 0, row = 0;
  int split = 0;
  int64_t jump = 0;
  /// A packed H,W,C map.
  static Plane packed(const Shape& shape);
  friend bool operator==(const Plane&, const Plane&) = default;
};

/// What a kernel call takes, in the order of its parameters.
struct Argument {
  enum class Kind { Input, Output, Parameter, Operand };
  Kind kind = Kind::Input;
  /// Input, Operand: input slot of the node; Parameter: index into ExportNode::parameters; -1: none (null).
  int index = 0;
  /// Operand (an input with a config of its own, as sums take it): suffix of that config's name.
  std::string suffix;
};

/// Pointers to row 0, pixel 0, channel 0 of the planned views of the node's data inputs and output 0.
struct HostArgs {
  std::span<const void* const> inputs;
  void* output = nullptr;
};

/// One call in forward.cpp, and the same kernel with the same parameters in process.
struct KernelCall {
  std::string kernel, header;  ///< "conv2d", "conv.hpp"
  std::string suffix;          ///< of the config's name; "" for the first call of a node
  ConfigFields config;
  std::vector<std::pair<std::string, ConfigFields>> operand_configs;  ///< suffix, fields
  std::vector<Argument> arguments;
  std::function<void(const HostArgs&)> host;
};

/// A constant array of the project, tagged with a linker section.
struct ExportParameter {
  std::string role;  ///< "weights", "biases", "factors"
  Tensor data;       ///< bytes in the order the kernel reads them
  bool is_bias = false;
};

struct ExportNode {
  std::vector<ExportParameter> parameters;
  std::vector<KernelCall> calls;  ///< one for each of NodeView::calls
};

/// What one call of a node does: the whole node, or its part for one data input (Placement::Parts).
struct CallView {
  int slot = memory::kNone;
  memory::Scan scan = memory::Scan::TopDown;
};

/// A node with everything a binding needs: values, planes of data inputs and of output 0.
struct NodeView {
  const graph::Graph& graph;
  const graph::Node& node;
  std::vector<Plane> inputs;
  Plane output;
  std::vector<CallView> calls;
  /// OpenMP loops allowed in this layer.
  bool parallel = false;

  const graph::Value& input(size_t slot) const { return graph.value(node.inputs.at(slot)); }
  const graph::Value& out() const { return graph.value(node.outputs.at(0)); }
};

/// What a kernel accepts of a node. Empty: accepted; else the reason it is ruled out.
using Accepts = std::function<std::string(const graph::Graph&, const graph::Node&)>;

/// What a kernel promises about the order of its reads and writes; the planner derives every margin from it
/// (memory::Step says what the members mean). Rows are those of the buffers: pixels where a map is one row.
struct Contract {
  std::vector<memory::Window> windows;  ///< of each data input
  int rows_per_step = 1;
  bool raster_order = false;
  memory::Bytes scratch = 0;
  bool any_order = false;  ///< faster when the order is free
};

/// How the bytes of a node's output come to be.
enum class Placement {
  Own,    ///< one call writes them
  Alias,  ///< they are those of the input, in its order; where pitches forbid it, one call copies them
  Parts  ///< each data input is a range of channels: written there by its producer, or copied by a call of its own
};

struct ImplSpec {
  std::string kernel;
  Accepts accepts;
  int priority = 0;  ///< the highest accepting one is chosen
  std::function<Contract(const graph::Graph&, const graph::Node&)> contract;
  std::function<ExportNode(const NodeView&)> make;
  Placement placement = Placement::Own;
};

/// The kernels of one export target by operator type.
class ExportLib {
 public:
  void add(std::string_view op, ImplSpec spec);
  /// The chosen kernel, or null with the reasons of all candidates in `reasons`.
  const ImplSpec* choose(const graph::Graph& graph, const graph::Node& node, std::string& reasons) const;
  /// Operator types that have a kernel, sorted.
  std::vector<std::string> operators() const;

 private:
  std::map<std::string, std::vector<ImplSpec>, std::less<>> specs_;
};

/// The kernels of `-export CPP`.
const ExportLib& cpp_library();

}  // namespace n2d2::exporter
