#include "fuse_bottlenecks.hpp"

#include <algorithm>

#include "n2d2/ops/conv.hpp"
#include "n2d2/targets/cpp/kernels.hpp"
#include "n2d2/targets/cpp/layer.hpp"

#include "../../../../export/CPP/kernels/slices_scratch.hpp"
#include "fused_layers.hpp"

namespace n2d2::targets::cpp {

namespace {

using program::Bytes;
using program::View;
using program::ViewId;

constexpr size_t kLayersOfBottleneck = 3;

/// Inputs, weights and outputs.
bool is_plain(const Program& program, const Call& call) {
  return is_of_bytes(program, call) && program.view(call.out[0]).element() == 1;
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

bool is_bottleneck_of(const Program& program, std::span<const Call> calls) {
  const Call &expand = calls[0], &depthwise = calls[1], &project = calls[2];
  if (!is_of_all_channels(program, expand) || !is_channel_by_channel(program, depthwise) ||
      !is_of_one_pixel(program, project))
    return false;
  for (const Call* call : {&expand, &depthwise, &project})
    if (call->turned) return false;  // the slices of its scratch are rows of a map that has several
  for (const Call* call : {&expand, &depthwise})
    if (call->contract.windows.at(0).kind != Window::Kind::Rows) return false;
  if (depthwise.in[0] != expand.out[0] || project.in[0] != depthwise.out[0]) return false;
  for (const ViewId id : {expand.out[0], depthwise.out[0]})
    if (!is_free_between(program, id)) return false;
  return type_of_factors(program, expand) == type_of_factors(program, project) &&
         type_of_factors(program, depthwise) == type_of_factors(program, project);
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

Call fused_bottleneck(Program& program, std::span<const Call> calls, int most_channels) {
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
  const int64_t weights = program.constant(expand.constants, "weights").data->elements();
  call.contract.macs_again = rows_again(window, out.h, between.h) * between.w * weights;
  call.overlap = expand.overlap && depthwise.overlap && project.overlap;
  call.parallel = false;
  const Dims& kernel = graph::as<ops::Conv>(program.node(depthwise))->kernel;
  take_layers(program, calls, {0, kernel.x * kernel.y, out.c}, between.c, slice, call);
  return call;
}

}  // namespace

std::vector<std::vector<graph::NodeId>> bottlenecks_of(const Program& program) {
  std::vector<std::vector<graph::NodeId>> out;
  const std::span<const Call> calls(program.calls);
  for (size_t first = program.streams_input() ? 1 : 0; first + kLayersOfBottleneck <= calls.size();) {
    const bool can_be = is_bottleneck_of(program, calls.subspan(first, kLayersOfBottleneck));
    if (can_be) out.push_back(nodes_of(calls.subspan(first, kLayersOfBottleneck)));
    first += can_be ? kLayersOfBottleneck : 1;
  }
  return out;
}

program::Combiner fuse_bottlenecks(const std::vector<std::vector<graph::NodeId>>& only, int channels) {
  return {"fuse_bottlenecks", kLayersOfBottleneck,
          [only, channels](Program& program, std::span<const Call> calls) -> program::Replacement {
            if (!contains(only, nodes_of(calls)) || !is_bottleneck_of(program, calls)) return std::nullopt;
            return std::vector<Call>{fused_bottleneck(program, calls, channels)};
          }};
}

}  // namespace n2d2::targets::cpp
