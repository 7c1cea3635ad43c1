#include "source.hpp"

#include "n2d2/program/stream.hpp"

namespace n2d2::program {

namespace {

/// What one call does with the input; "": nothing that is against rows.
std::string fault_of(const Program& program, const Call& call, size_t slot) {
  const View &read = program.view(call.in[slot]), &input = program.map_of(program.input());
  const std::string subject = graph::subject(program.node(call));
  const Window& window = call.contract.windows.at(slot);
  const bool is_high = window.kind == Window::Kind::Rows && window.extent - window.pad >= read.h;
  if (call.contract.opaque || window.kind == Window::Kind::Whole || is_high)
    return subject + " reads the input as a whole";
  if (read.h != input.h || read.row != input.row) return subject + " reads the input in other rows";
  return {};
}

bool has_region(const Program& program) {
  const Streams streams(program);
  for (CallId end = 2; end <= streams.limit(0); ++end)
    if (streams.find(0, end, 1)) return true;
  return false;
}

}  // namespace

SourceFault source_fault(const Program& program) {
  N2D2_CHECK(program.streams_input(), "the input is there");
  const ViewId input = program.maps.at(program.input());
  if (program.view(input).keep) return {"the input is an output of the network", {}};
  const Call* last = nullptr;
  for (const Call& call : program.calls)
    for (size_t slot = 0; slot < call.in.size(); ++slot) {
      if (program.root_of(call.in[slot]) != input) continue;
      last = &call;
      if (std::string reason = fault_of(program, call, slot); !reason.empty())
        return {std::move(reason), program.node(call).origin};
    }
  if (last == nullptr) return {"no layer reads the input", {}};
  if (has_region(program)) return {};
  return {fmt::format("the layers from the input to {}, which reads it last, cannot run in turns and keep "
                      "few of its rows",
                      graph::subject(program.node(*last))),
          program.node(*last).origin};
}

}  // namespace n2d2::program
