// What do all kernels of `-export CPP` share? Types, bounds, factors, windows and reasons. For kernels of
// modules, too.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/base/text.hpp"
#include "n2d2/program/kernel.hpp"
#include "n2d2/targets/cpp/config.hpp"

namespace n2d2::targets::cpp {

using program::Call;
using program::Config;
using program::ConfigField;
using program::ConfigFields;
using program::Constant;
using program::Contract;
using program::HostArgs;
using program::HostCall;
using program::Program;
using program::Window;

/// A call with what it is about.
struct Site {
  const Program& program;
  const Call& call;

  const graph::Node& node() const { return program.node(call); }
  const program::View& in(size_t i = 0) const { return program.view(call.in.at(i)); }
  const program::View& out() const { return program.view(call.out.at(0)); }
  const TensorType& out_type() const { return program.graph.value(out().value).type; }
  const Constant& constant(size_t i) const { return program.constant(call.constants.at(i)); }
  bool is_float() const { return out().type == DataType::F32; }
  /// Along x and y of the views.
  Dims oriented(Dims dims) const { return call.turned ? Dims{dims.y, dims.x} : dims; }
  int before_x(const Pads& pads) const { return call.turned ? pads.top : pads.left; }
  int before_y(const Pads& pads) const { return call.turned ? pads.left : pads.top; }
};

/// "" when data inputs and output 0 have element types the kernels take (all float32, or all integers of one
/// width), else why not. `data_inputs` is how many leading inputs are activations.
std::string check_types(const graph::Graph& graph, const graph::Node& node, size_t data_inputs);

/// "" when a node of one data input can be computed by a kernel that only moves values, else why not.
std::string refuses_to_move(const graph::Graph& graph, const graph::Node& node);

/// Checks the types like check_types(), for a kernel that rescales (requantizes). Output 0 may also be signed
/// and wider than the inputs, which all have one width: an output that leaves the network then has 16 or 32
/// bits. The factors of the kernel are multipliers in that case.
std::string check_rescaled_types(const graph::Graph& graph, const graph::Node& node, size_t data_inputs);
/// Checks the types of a sum of integers: inputs have 8 or 16 bits each, the output 8, 16 or 32.
std::string check_summed_types(const graph::Graph& graph, const graph::Node& node);
/// Checks the types of a layer with weights at slot 1. Bytes of weights take inputs to outputs of 8 and
/// 16 bits, whatever the inputs have; words of weights take 16 bits to 16. Outputs may have 32 bits.
std::string check_weighted_types(const graph::Graph& graph, const graph::Node& node);

/// Factors as the kernel reads them: float (also for a float network, where `float_factor` fills it), or
/// int32 multipliers. A list whose entries are all equal collapses to one.
Constant factors_of(const graph::Graph& graph, const graph::Node& node, float float_factor);
/// Biases of a slot (or zeros) in the accumulator's type.
Constant biases_of(const graph::Graph& graph, const graph::Node& node, size_t slot, int64_t outputs);
Constant weights_of(Tensor weights);
/// Whether all are floats of at most 0.5: any 32-bit sum times one of them fits 32 bits again.
bool has_small_factors(const Constant& factors);

inline Window whole_window() {
  return {Window::Kind::Whole, 1, 0, 1};
}
inline Window element_window() {
  return {Window::Kind::Element, 1, 0, 1};
}
inline Window same_window() {
  return {Window::Kind::Same, 1, 0, 1};
}
/// The rows that a sliding window reads: columns where both maps are one row. Where only one of them is, the
/// rows of one view say nothing about those of the other: everything.
Window rows_window(const Shape& in, const Shape& out, Dims kernel, Dims stride, Dims dilation,
                   const Pads& padding);

/// The one window of all data inputs.
inline Contract contract_of(size_t data_inputs, const Window& window) {
  Contract out;
  out.windows.assign(data_inputs, window);
  return out;
}

/// Bounds of the output: Node::rescale when there is one, else the clamp of a float node, else everything the
/// element type (with its bits) holds.
template <class Bound>
std::pair<Bound, Bound> bounds_of(const Site& site) {
  const graph::Node& node = site.node();
  if constexpr (std::is_same_v<Bound, float>) {
    constexpr float kMax = std::numeric_limits<float>::max();
    const Clamp clamp = node.clamp.value_or(Clamp{});
    return {std::max(clamp.lo, -kMax), std::min(clamp.hi, kMax)};
  } else {
    if (node.rescale) return {static_cast<Bound>(node.rescale->lo), static_cast<Bound>(node.rescale->hi)};
    N2D2_CHECK(site.out_type().quant.has_value(), "'{}' has no scale", node.name);
    return {static_cast<Bound>(site.out_type().quant->lowest()),
            static_cast<Bound>(site.out_type().quant->highest())};
  }
}

/// What the sums of a node start from.
inline int64_t start_of(const graph::Node& node) {
  return node.rescale ? node.rescale->start : 0;
}

/// What a window of taps reads outside the map: the integer that stands for 0 (IntegerForm::reads_zeros).
int pad_value(const graph::Graph& graph, const graph::Node& node);

/// Places and order.
template <class C>
void set_planes(C& config, const Site& site) {
  config.set_in(program::plane_of(site.in()));
  config.set_out(program::plane_of(site.out()));
  config.bottom_up = site.call.scan == memory::Scan::BottomUp ? 1 : 0;
  config.ordered = site.call.scan == memory::Scan::Any ? 0 : 1;
}

/// `factors`: the constant the kernel reads them from; null: it reads none.
template <class Bound, class C>
void set_rescale(C& config, const Site& site, const Constant* factors) {
  std::tie(config.lo, config.hi) = bounds_of<Bound>(site);
  config.shift = site.node().rescale ? site.node().rescale->shift : 0;
  config.factor_step = factors != nullptr && factors->data->elements() > 1 ? 1 : 0;
}

struct ConfigPrinter {
  ConfigFields fields;
  static std::string text_of(float value) {
    if (std::isinf(value)) return value < 0 ? "-__builtin_inff()" : "__builtin_inff()";
    const std::string digits = print_real(value);
    const bool plain = digits.find_first_of(".e") == std::string::npos;
    return digits + (plain ? ".0f" : "f");
  }
  template <class T>
  void operator()(const char* name, const T& value) {
    if constexpr (std::is_same_v<T, float>) {
      fields.push_back({name, "float", text_of(value)});
    } else {
      fields.push_back({name, std::in_range<int>(value) ? "int" : "int64_t", std::to_string(value)});
    }
  }
};

template <class C>
ConfigFields print_config(const C& config) {
  ConfigPrinter printer;
  config.visit(printer);
  return printer.fields;
}

}  // namespace n2d2::targets::cpp
