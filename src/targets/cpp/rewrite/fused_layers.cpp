#include "fused_layers.hpp"

#include <algorithm>
#include <cstring>

namespace n2d2::targets::cpp {

namespace {

/// Reorders values of any type from [rows][channels] to [channels / slice][rows][slice].
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

}  // namespace

bool is_of(const program::Call& call, std::string_view kernel) {
  return is_whole(call, kernel) && !call.turned;
}

bool is_of_bytes(const program::Program& program, const program::Call& call) {
  const graph::Node& node = program.node(call);
  if (node.inputs.size() > 2 && program.graph.value(node.inputs[2]).type.shape.rank() > 1) return false;
  return program.view(call.in[0]).element() == 1;
}

bool is_free_between(const program::Program& program, program::ViewId id) {
  return program.view(id).type == DataType::U8 && program.view(id).memories.empty() &&
         is_between(program, id);
}

DataType type_of_factors(const program::Program& program, const program::Call& call) {
  return program.constant(call.constants, "factors").data->dtype();
}

int largest_slice(int channels, int most) {
  int out = std::min(channels, most);
  while (channels % out != 0) --out;
  return out;
}

std::vector<graph::NodeId> nodes_of(std::span<const program::Call> calls) {
  std::vector<graph::NodeId> out;
  for (const program::Call& call : calls) out.push_back(call.node);
  return out;
}

bool contains(const std::vector<std::vector<graph::NodeId>>& candidates,
              const std::vector<graph::NodeId>& layers) {
  return std::find(candidates.begin(), candidates.end(), layers) != candidates.end();
}

void take_layers(program::Program& program, std::span<const program::Call> layers,
                 const std::vector<int>& rows, int channels, int slice, program::Call& fused) {
  fused.slice = slice;
  fused.constants.clear();
  for (size_t layer = 0; layer < layers.size(); ++layer) {
    fused.layers.push_back({layers[layer].node, fused.constants.size(), layers[layer].constants.size()});
    for (const program::ConstantId id : layers[layer].constants) {
      program::Constant constant = program.constant(id);
      constant.packed = nullptr;
      if (constant.role == "weights" && rows.at(layer) > 0)
        constant.data = std::make_shared<const Tensor>(sliced(*constant.data, rows[layer], channels, slice));
      if (layer + 1 < layers.size()) constant.role += std::to_string(layer + 1);
      program.constants.push_back(std::move(constant));
      fused.constants.push_back(static_cast<program::ConstantId>(program.constants.size()) - 1);
    }
  }
}

}  // namespace n2d2::targets::cpp
