#include "n2d2/ops/concat.hpp"

#include <algorithm>

#include "n2d2/ops/padding.hpp"

#include "channels.hpp"
#include "transpose.hpp"

namespace n2d2::onnx {

namespace {

// ---- Concat ----------------------------------------------------------------------------------------------

/// Ours joins channels; another axis changes places with them before and after.
void convert_concat(Node& node) {
  const Extents& first = node.data(0).dims;
  const size_t axis = axis_of(node.integer("axis", 1), first.size()), rank = first.size();
  if (axis == 0 || (axis > 1 && rank > 4))
    refuse(fmt::format("along axis {} of {}: only axes 1 to 3 are joined", axis, text_of(first)));
  std::vector<graph::ValueId> inputs;
  Extents dims = first;
  dims[axis] = 0;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Operand& operand = node.data(i);
    Extents expected = first;
    if (operand.dims.size() > axis) expected[axis] = operand.dims[axis];
    if (operand.dims != expected)
      refuse(
          fmt::format("input {} has extents {}, input 0 has {}", i, text_of(operand.dims), text_of(first)));
    dims[axis] += operand.dims[axis];
    inputs.push_back(operand.value);
  }
  if (inputs.size() == 1) return node.pass_on(node.data(0), dims);
  if (axis == 1) return node.finish(std::make_unique<ops::Concat>(), std::move(inputs), std::move(dims));
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = swap_channels(node, inputs[i], axis, rank, fmt::format("part_{}", i));
  const graph::ValueId joined = node.add(std::make_unique<ops::Concat>(), std::move(inputs), "joined");
  node.set_value(swap_channels(node, joined, axis, rank, ""), std::move(dims));
}

void fold_concat(Node& node) {
  if (node.input_count() == 0) refuse("has no input");
  const Array& first = node.constant(0, "the inputs");
  const size_t axis = axis_of(node.integer("axis", 1), first.dims.size());
  Extents dims = first.dims;
  dims[axis] = 0;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Array& part = node.constant(i, "the inputs");
    Extents expected = first.dims;
    if (part.dims.size() > axis) expected[axis] = part.dims[axis];
    if (part.dims != expected || part.is_integer != first.is_integer)
      refuse(
          fmt::format("input {} has extents {}, input 0 has {}", i, text_of(part.dims), text_of(first.dims)));
    dims[axis] += part.dims[axis];
  }
  Array out = first.like(dims);
  int64_t inner = 1, outer = 1, at = 0;
  for (size_t i = 0; i < dims.size(); ++i) (i < axis ? outer : inner) *= i == axis ? 1 : dims[i];
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Array& part = node.constant(i, "the inputs");
    const int64_t rows = part.dims[axis] * inner;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t k = 0; k < rows; ++k) out.take(o * dims[axis] * inner + at + k, part, o * rows + k);
    at += rows;
  }
  node.set_constant(std::move(out));
}

// ---- Pad -----------------------------------------------------------------------------------------------------

/// Pads of every axis, those in front first.
std::vector<int64_t> read_pads(Node& node, size_t rank) {
  const std::string mode = node.text("mode", "constant");
  if (mode != "constant") refuse(fmt::format("mode '{}' is not imported", mode), "mode=constant");
  double value = node.real("value", 0);
  const auto pads = node.integers_of("pads", 1);
  if (const Array* given = node.optional_constant(2, "the value"))
    value = given->size() == 1 ? given->at(0) : -1;
  if (value != 0) refuse(fmt::format("pads with {}, only zeros are imported", value));
  if (!pads) refuse("pads are missing");
  const auto axes = node.integers_of("axes", 3);
  std::vector<int64_t> all(2 * rank, 0);
  const size_t count = axes ? axes->size() : rank;
  if (pads->size() != 2 * count) refuse(fmt::format("{} pads, expected {}", pads->size(), 2 * count));
  for (size_t i = 0; i < count; ++i) {
    const size_t axis = axes ? axis_of((*axes)[i], rank) : i;
    all[axis] = (*pads)[i];
    all[axis + rank] = (*pads)[i + count];
  }
  return all;
}

void convert_pad(Node& node) {
  const Operand& data = node.data();
  const size_t rank = data.dims.size();
  if (rank < 2 || rank > 4)
    refuse(fmt::format("pads {}, expected N,C or N,C,L or N,C,H,W", text_of(data.dims)));
  const std::vector<int64_t> pads = read_pads(node, rank);
  if (pads[0] != 0 || pads[rank] != 0) refuse("pads the batch");
  Extents dims = data.dims;
  for (size_t i = 0; i < rank; ++i) {
    for (const int64_t pad : {pads[i], pads[i + rank]})
      if (pad < -(1 << 20) || pad > 1 << 20) refuse(fmt::format("a pad of {}", pad));
    dims[i] += pads[i] + pads[i + rank];
    if (dims[i] < 1) refuse(fmt::format("nothing is left of {}", text_of(data.dims)));
  }
  graph::ValueId value = data.value;
  if (dims[1] != data.dims[1] || pads[1] != 0) {
    std::vector<int64_t> from;
    for (int64_t i = 0; i < dims[1]; ++i) {
      const int64_t c = i - pads[1];
      from.push_back(c >= 0 && c < data.dims[1] ? c : -1);
    }
    value = pick_channels(node, value, from, "channels");
  }
  auto padding = std::make_unique<ops::Padding>();
  if (rank > 2) {
    padding->left = static_cast<int>(pads[rank - 1]);
    padding->right = static_cast<int>(pads[2 * rank - 1]);
  }
  if (rank > 3) {
    padding->top = static_cast<int>(pads[2]);
    padding->bottom = static_cast<int>(pads[2 + rank]);
  }
  if (padding->pads() != Pads{}) return node.finish(std::move(padding), {value}, std::move(dims));
  node.set_value(value, std::move(dims));
}

}  // namespace

void register_concat(RuleRegistry& registry);
void register_concat(RuleRegistry& registry) {
  registry.add("Concat", {convert_concat, fold_concat, Integers::Moved});
  registry.add("Pad", {convert_pad, nullptr});
}

}  // namespace n2d2::onnx
