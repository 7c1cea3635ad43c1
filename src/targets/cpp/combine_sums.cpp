#include "n2d2/targets/cpp/combine_sums.hpp"

#include "n2d2/targets/cpp/kernels.hpp"
#include "n2d2/targets/cpp/layer.hpp"

#include "neighbours.hpp"

namespace n2d2::targets::cpp {

namespace {

using program::View;
using program::ViewId;

/// The end of such a convolution and that of a sum are more than a kernel's stack (kStackBytes).
bool has_border_biases(const Program& program, const Call& conv) {
  const graph::Node& node = program.node(conv);
  return node.inputs.size() > 2 && program.graph.value(node.inputs[2]).type.shape.rank() > 1;
}

bool have_one_size(const View& a, const View& b) {
  return a.h == b.h && a.w == b.w && a.c == b.c && a.element() == b.element();
}

program::Replacement combine(Program& program, std::span<const Call> calls) {
  const Call &conv = calls[0], &sum = calls[1];
  if (!is_whole(conv, "conv2d") || !is_whole(sum, "sum") || sum.in.size() != 2) return std::nullopt;
  if (has_border_biases(program, conv)) return std::nullopt;
  const ViewId between = conv.out[0];
  if (sum.in[0] != between && sum.in[1] != between) return std::nullopt;
  const ViewId addend = sum.in[0] == between ? sum.in[1] : sum.in[0];
  if (!is_between(program, between)) return std::nullopt;
  for (const ViewId id : {addend, sum.out[0]})
    if (!have_one_size(program.view(id), program.view(between))) return std::nullopt;
  Call both = conv;
  both.kernel = kernels().find("conv2d_sum");
  both.node = sum.node;
  both.in.push_back(addend);
  both.out = sum.out;
  both.contract.windows.push_back(same_window());
  both.overlap = conv.overlap && sum.overlap;
  return std::vector<Call>{both};
}

}  // namespace

bool is_combined_sum(const Call& call) {
  return call.kernel->name() == "conv2d_sum";
}

graph::NodeId convolution_of(const Program& program, const Call& call) {
  const graph::Node& sum = program.node(call);
  const graph::ValueId addend = program.view(call.in.at(1)).value;
  return program.graph.value(sum.inputs.at(sum.inputs.at(0) == addend ? 1 : 0)).producer;
}

program::Combiner combine_sums() {
  return {"combine_sums", 2, combine};
}

}  // namespace n2d2::targets::cpp
