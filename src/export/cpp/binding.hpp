// What do all bindings of `-export CPP` share? Types, bounds, factors and reasons.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "n2d2/export/export_lib.hpp"

#include "../host/host_kernels.hpp"
#include "configs.hpp"

namespace n2d2::exporter::cpp {

/// "" when data inputs and output 0 have element types the kernels take (all float32, or all integers of one
/// width), else why not. `data_inputs` is how many leading inputs are activations.
std::string check_types(const graph::Graph& graph, const graph::Node& node, size_t data_inputs);

inline bool is_float(const NodeView& view) {
  return view.out().type.dtype == DataType::F32;
}

host::Types types_of(const NodeView& view, size_t slot = 0);

/// Bounds of the output: Node::rescale when there is one, else the clamp of a float node, else everything the
/// element type (with its bits) holds.
template <class Bound>
std::pair<Bound, Bound> bounds_of(const NodeView& view) {
  if constexpr (std::is_same_v<Bound, float>) {
    constexpr float kMax = std::numeric_limits<float>::max();
    const Clamp clamp = view.node.clamp.value_or(Clamp{});
    return {std::max(clamp.lo, -kMax), std::min(clamp.hi, kMax)};
  } else {
    if (view.node.rescale)
      return {static_cast<Bound>(view.node.rescale->lo), static_cast<Bound>(view.node.rescale->hi)};
    N2D2_CHECK(view.out().type.quant.has_value(), "'{}' has no scale", view.node.name);
    return {static_cast<Bound>(view.out().type.quant->lowest()),
            static_cast<Bound>(view.out().type.quant->highest())};
  }
}

/// Factors as the kernel reads them: float (also for a float network, where `float_factor` fills it), or int32
/// multipliers. A list whose entries are all equal collapses to one; `count` receives how many remain.
ExportParameter factors_of(const NodeView& view, float float_factor, int64_t& count);

template <class Bound, class Config>
void set_rescale(Config& config, const NodeView& view, int64_t factor_count) {
  std::tie(config.lo, config.hi) = bounds_of<Bound>(view);
  config.shift = view.node.rescale ? view.node.rescale->shift : 0;
  config.factor_step = factor_count > 1 ? 1 : 0;
}

/// Biases of slot 2 (or zeros) in the accumulator's type.
ExportParameter biases_of(const NodeView& view, size_t slot, int64_t outputs);

inline Argument input_argument(int slot) {
  return {Argument::Kind::Input, slot, {}};
}
inline Argument output_argument() {
  return {Argument::Kind::Output, 0, {}};
}
inline Argument parameter_argument(int index) {
  return {Argument::Kind::Parameter, index, {}};
}

inline memory::Window whole_window() {
  return {memory::Window::Kind::Whole, 1, 0, 1};
}
inline memory::Window element_window() {
  return {memory::Window::Kind::Element, 1, 0, 1};
}
/// The rows that a sliding window reads: columns where both maps are one row, scanned by pixels. Where only one
/// of them is, the rows of one buffer say nothing about those of the other: everything.
memory::Window rows_window(const Shape& in, const Shape& out, Dims kernel, Dims stride, Dims dilation,
                           const Pads& padding);

/// The one window of all data inputs.
inline Contract contract_of(size_t data_inputs, const memory::Window& window) {
  Contract out;
  out.windows.assign(data_inputs, window);
  return out;
}

/// Places and order of a node that one call computes.
template <class Config>
void set_planes(Config& config, const NodeView& view) {
  config.set_in(view.inputs.at(0));
  config.set_out(view.output);
  config.set_order(view.calls.at(0).scan);
}

/// The call of a kernel with weights, biases and factors, its config and its host form.
template <class Config, class Run>
KernelCall make_call(std::string kernel, std::string header, const Config& config,
                     std::vector<Argument> arguments, Run host) {
  KernelCall call;
  call.kernel = std::move(kernel);
  call.header = std::move(header);
  call.config = print_config(config);
  call.arguments = std::move(arguments);
  call.host = std::move(host);
  return call;
}

/// Keeps the bytes of a node's parameters alive for the closures of its calls.
using SharedParameters = std::shared_ptr<const std::vector<ExportParameter>>;
SharedParameters share(ExportNode& node);

}  // namespace n2d2::exporter::cpp
