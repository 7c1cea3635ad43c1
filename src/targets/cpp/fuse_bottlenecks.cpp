#include "n2d2/targets/cpp/fuse_bottlenecks.hpp"

#include <algorithm>
#include <cstring>

#include "n2d2/ops/conv.hpp"
#include "n2d2/targets/cpp/kernels.hpp"
#include "n2d2/targets/cpp/layer.hpp"

#include "../../../export/CPP/kernels/bottleneck_scratch.hpp"
#include "neighbours.hpp"

namespace n2d2::targets::cpp {

namespace {

using program::Bytes;
using program::ConstantId;
using program::View;
using program::ViewId;

constexpr size_t kLayers = 3;
/// Its constants come last: [slices][outputs][channels of a slice].
constexpr size_t kWeightsOfLast = 6;

bool is_of(const Call& call, std::string_view kernel) {
  return is_whole(call, kernel) && !call.turned;
}

/// One row of biases, all of them, and weights, bytes.
bool is_plain(const Program& program, const Call& call) {
  const graph::Node& node = program.node(call);
  if (node.inputs.size() > 2 && program.graph.value(node.inputs[2]).type.shape.rank() > 1) return false;
  return program.view(call.in[0]).element() == 1 && program.view(call.out[0]).element() == 1 &&
         program.view(call.in[0]).type != DataType::F32;
}

bool is_of_all_channels(const Program& program, const Call& call) {
  return is_of(call, "conv2d") && is_plain(program, call) &&
         graph::as<ops::Conv>(program.node(call))->groups == 1;
}

bool is_of_one_pixel(const Program& program, const Call& call) {
  if (!is_of_all_channels(program, call)) return false;
  const auto& conv = *graph::as<ops::Conv>(program.node(call));
  return conv.kernel == Dims{1, 1} && conv.stride == Dims{1, 1} && conv.padding == Pads{};
}

bool is_channel_by_channel(const Program& program, const Call& call) {
  return is_of(call, "conv2d_depthwise") && is_plain(program, call) &&
         program.view(call.in[0]).c == program.view(call.out[0]).c;
}

/// Unsigned, and nobody needs it or asks for a place of it.
bool is_free_between(const Program& program, ViewId id) {
  return program.view(id).type == DataType::U8 && program.view(id).memories.empty() &&
         is_between(program, id);
}

DataType type_of_factors(const Program& program, const Call& call) {
  return program.constant(call.constants.at(2)).data->dtype();
}

bool can_be_fused(const Program& program, std::span<const Call> calls) {
  const Call &expand = calls[0], &depthwise = calls[1], &project = calls[2];
  if (!is_of_all_channels(program, expand) || !is_channel_by_channel(program, depthwise) ||
      !is_of_one_pixel(program, project))
    return false;
  for (const Call* call : {&expand, &depthwise})
    if (call->contract.windows.at(0).kind != Window::Kind::Rows) return false;
  if (depthwise.in[0] != expand.out[0] || project.in[0] != depthwise.out[0]) return false;
  for (const ViewId id : {expand.out[0], depthwise.out[0]})
    if (!is_free_between(program, id)) return false;
  return type_of_factors(program, expand) == type_of_factors(program, project) &&
         type_of_factors(program, depthwise) == type_of_factors(program, project);
}

/// The most that divide all of them.
int largest_slice(int channels, int most) {
  int out = std::min(channels, most);
  while (channels % out != 0) --out;
  return out;
}

/// Bytes [rows][channels] to [channels / slice][rows][slice].
Tensor sliced(const Tensor& values, int rows, int channels, int slice) {
  const int size = static_cast<int>(size_bytes(values.dtype()));
  Tensor out(Shape{channels / slice, rows, slice}, values.dtype());
  const auto* from = static_cast<const std::byte*>(values.raw());
  auto* to = static_cast<std::byte*>(out.raw());
  for (int first = 0; first < channels; first += slice)
    for (int row = 0; row < rows; ++row, to += slice * size)
      std::memcpy(to, from + (row * channels + first) * size, static_cast<size_t>(slice * size));
  return out;
}

/// The constants of the three, none packed, in the order of conv_bottleneck.hpp.
std::vector<ConstantId> constants_of(Program& program, std::span<const Call> calls, int slice) {
  const int channels = program.view(calls[0].out[0]).c, outputs = program.view(calls[2].out[0]).c;
  const auto& window = graph::as<ops::Conv>(program.node(calls[1]))->kernel;
  std::vector<ConstantId> out;
  for (size_t layer = 0; layer < kLayers; ++layer)
    for (const ConstantId id : calls[layer].constants) {
      Constant constant = program.constant(id);
      constant.packed = nullptr;
      const bool is_weights = constant.role == "weights";
      if (is_weights && layer > 0)
        constant.data = std::make_shared<const Tensor>(
            sliced(*constant.data, layer == 1 ? window.x * window.y : outputs, channels, slice));
      if (layer + 1 < kLayers) constant.role += std::to_string(layer + 1);
      program.constants.push_back(std::move(constant));
      out.push_back(static_cast<ConstantId>(program.constants.size()) - 1);
    }
  return out;
}

/// How a layer and one that reads it read what is before both.
Window composed(const Window& first, const Window& second) {
  return {Window::Kind::Rows, first.stride * second.stride, second.pad * first.stride + first.pad,
          (second.extent - 1) * first.stride + first.extent};
}

/// Rows of the map between that are computed for all rows of the output, less those that there are.
int64_t rows_again(const Window& window, int rows_out, int rows_between) {
  int64_t rows = -rows_between;
  for (int y = 0; y < rows_out; ++y) {
    const int first = y * window.stride - window.pad;
    rows += std::max(0, std::min(first + window.extent, rows_between) - std::max(first, 0));
  }
  return std::max<int64_t>(0, rows);
}

Call fused(Program& program, std::span<const Call> calls, int most_channels) {
  const Call &expand = calls[0], &depthwise = calls[1], &project = calls[2];
  const View &between = program.view(expand.out[0]), &out = program.view(project.out[0]);
  const int slice = largest_slice(between.c, most_channels);
  Call call = project;
  call.kernel = kernels().find("conv2d_bottleneck");
  call.form.clear();
  call.in = expand.in;
  const Window& window = depthwise.contract.windows.at(0);
  call.contract = contract_of(1, composed(expand.contract.windows.at(0), window));
  call.contract.scratch = N2D2_Export::bottleneck_scratch(out.w, out.c, window.extent, between.w, slice);
  const int64_t weights = program.constant(expand.constants.at(0)).data->elements();
  call.contract.macs_again = rows_again(window, out.h, between.h) * between.w * weights;
  call.overlap = expand.overlap && depthwise.overlap && project.overlap;
  call.parallel = false;
  call.constants = constants_of(program, calls, slice);
  return call;
}

}  // namespace

std::vector<graph::NodeId> bottlenecks_of(const Program& program) {
  std::vector<graph::NodeId> out;
  const std::span<const Call> calls(program.calls);
  for (size_t first = program.streams_input() ? 1 : 0; first + kLayers <= calls.size();) {
    const bool can_be = can_be_fused(program, calls.subspan(first, kLayers));
    if (can_be) out.push_back(calls[first + kLayers - 1].node);
    first += can_be ? kLayers : 1;
  }
  return out;
}

program::Combiner fuse_bottlenecks(std::set<graph::NodeId> only, int channels) {
  return {"fuse_bottlenecks", kLayers,
          [only = std::move(only), channels](Program& program,
                                             std::span<const Call> calls) -> program::Replacement {
            if (!only.contains(calls.back().node) || !can_be_fused(program, calls)) return std::nullopt;
            return std::vector<Call>{fused(program, calls, channels)};
          }};
}

bool is_bottleneck(const Call& call) {
  return !call.is_source() && call.kernel->name() == "conv2d_bottleneck";
}

Bottleneck bottleneck_of(const Program& program, graph::NodeId last) {
  const auto producer = [&](graph::NodeId node) {
    return program.graph.value(program.graph.node(node).inputs.at(0)).producer;
  };
  const graph::NodeId depthwise = producer(last);
  return {producer(depthwise), depthwise, last};
}

int channels_of_slice(const Program& program, const Call& bottleneck) {
  return static_cast<int>(program.constant(bottleneck.constants.at(kWeightsOfLast)).data->shape()[2]);
}

}  // namespace n2d2::targets::cpp
