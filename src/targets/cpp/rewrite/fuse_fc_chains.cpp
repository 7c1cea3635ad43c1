#include "fuse_fc_chains.hpp"

#include "n2d2/targets/cpp/kernels.hpp"
#include "n2d2/targets/cpp/layer.hpp"

#include "../../../../export/CPP/kernels/slices_scratch.hpp"
#include "fused_layers.hpp"

namespace n2d2::targets::cpp {

namespace {

constexpr size_t kLayersOfChain = 2;

bool are_chained(const Program& program, std::span<const Call> calls) {
  const Call &first = calls[0], &second = calls[1];
  return is_of(first, "fc") && is_of(second, "fc") && second.in[0] == first.out[0] &&
         is_of_bytes(program, first) && is_of_bytes(program, second) &&
         is_free_between(program, first.out[0]);
}

Call fused_chain(Program& program, std::span<const Call> calls, int most_channels) {
  const Call &first = calls[0], &second = calls[1];
  const int between = program.view(first.out[0]).c, outputs = program.view(second.out[0]).c;
  const int slice = largest_slice(between, most_channels);
  Call call = second;
  call.kernel = kernels().find("fc_chain");
  call.form.clear();
  call.in = first.in;
  call.contract = first.contract;
  call.contract.scratch = N2D2_Export::fc_chain_scratch(outputs, slice);
  call.overlap = first.overlap && second.overlap;
  call.parallel = false;
  take_layers(program, calls, {0, outputs}, between, slice, call);
  return call;
}

}  // namespace

std::vector<std::vector<graph::NodeId>> fc_chains_of(const Program& program) {
  std::vector<std::vector<graph::NodeId>> out;
  const std::span<const Call> calls(program.calls);
  const auto elements_between = [&](size_t first) { return program.view(calls[first].out[0]).c; };
  const auto is_chain = [&](size_t first) {
    return first + kLayersOfChain <= calls.size() &&
           are_chained(program, calls.subspan(first, kLayersOfChain));
  };
  for (size_t first = program.streams_input() ? 1 : 0; first + kLayersOfChain <= calls.size();) {
    const bool takes =
        is_chain(first) && (!is_chain(first + 1) || elements_between(first) >= elements_between(first + 1));
    if (takes) out.push_back(nodes_of(calls.subspan(first, kLayersOfChain)));
    first += takes ? kLayersOfChain : 1;
  }
  return out;
}

program::Combiner fuse_fc_chains(const std::vector<std::vector<graph::NodeId>>& only, int channels) {
  return {"fuse_fc_chains", kLayersOfChain,
          [only, channels](Program& program, std::span<const Call> calls) -> program::Replacement {
            if (!contains(only, nodes_of(calls)) || !are_chained(program, calls)) return std::nullopt;
            return std::vector<Call>{fused_chain(program, calls, channels)};
          }};
}

}  // namespace n2d2::targets::cpp
