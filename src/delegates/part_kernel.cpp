#include "part_kernel.hpp"

#include <algorithm>

namespace n2d2::delegates {

namespace {

/// What becomes of a blob that nobody may read any more.
constexpr std::byte kOverwritten{0xA5};

void expect_done(int code, const char* what, std::string_view delegate, const graph::Node& node) {
  if (code == 0) return;
  throw ExportError(
      fmt::format("{}: delegate '{}': {} failed with code {}", graph::subject(node), delegate, what, code),
      node.origin);
}

}  // namespace

std::string PartKernel::refuses(const graph::Graph&, const graph::Node& node) const {
  if (blobs_.contains(node.name)) return {};
  return fmt::format("the part is not of '{}'", delegate_->id());
}

program::Contract PartKernel::contract(const graph::Graph&, const graph::Node& node) const {
  program::Contract out;
  out.windows.assign(node.inputs.size(), {program::Window::Kind::Whole, 1, 0, 1});
  out.scratch = blob_of(node).scratch;
  out.state = blob_of(node).handle;
  out.opaque = true;
  return out;
}

std::vector<program::Constant> PartKernel::pack(const graph::Graph&, const graph::Node& node) const {
  const Blob& blob = blob_of(node);
  Tensor bytes(Shape{static_cast<int64_t>(blob.bytes.size())}, DataType::U8);
  std::copy(blob.bytes.begin(), blob.bytes.end(), static_cast<std::byte*>(bytes.raw()));
  return {{"blob", std::make_shared<const Tensor>(std::move(bytes)), false}};
}

program::HostCall PartKernel::host(const program::Program& program, const program::Call& call) const {
  std::vector<N2D2_Export_Source> in;
  std::vector<N2D2_Export_Sink> out;
  for (const program::ViewId id : call.in) in.push_back({nullptr, program.view(id).pixel});
  for (const program::ViewId id : call.out) out.push_back({nullptr, program.view(id).pixel});
  const graph::Node& node = program.node(call);
  return [in, out, &node, delegate = delegate_](const program::HostArgs& args) {
    auto sources = in;
    auto sinks = out;
    for (size_t i = 0; i < sources.size(); ++i) sources[i].data = args.in[i];
    for (size_t i = 0; i < sinks.size(); ++i) sinks[i].data = args.out[i];
    const N2D2_Export_Arguments arguments{sources.data(), sinks.data(), args.scratch, nullptr, nullptr};
    expect_done(delegate->functions().execute(args.state, &arguments), "execute", delegate->id(), node);
  };
}

program::HostStart PartKernel::host_start(const program::Program& program, const program::Call& call) const {
  const graph::Node& node = program.node(call);
  return [&node, delegate = delegate_, blob = blobs_.at(node.name)](void* state) {
    const auto init = [&](const std::vector<std::byte>& bytes) {
      expect_done(delegate->functions().init(state, bytes.data(), bytes.size()), "init", delegate->id(),
                  node);
    };
    if (blob->lasts) return init(blob->bytes);
    auto passing = blob->bytes;
    init(passing);
    std::fill(passing.begin(), passing.end(), kOverwritten);
  };
}

program::HostEnd PartKernel::host_end(const program::Program&, const program::Call&) const {
  return delegate_->functions().destroy;
}

}  // namespace n2d2::delegates
