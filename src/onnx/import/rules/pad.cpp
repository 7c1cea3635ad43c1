#include <algorithm>

#include "n2d2/ops/border.hpp"
#include "n2d2/ops/padding.hpp"

#include "import/channels.hpp"
#include "import/node.hpp"

namespace n2d2::onnx {

namespace {

constexpr int64_t kLargestPad = 1 << 20;

/// What a Pad node asks for: pads of every axis, those in front first, and what they hold.
struct AskedPads {
  std::vector<int64_t> pads;
  ops::BorderMode mode = ops::BorderMode::Constant;
  double value = 0;

  bool is_zeros() const { return mode == ops::BorderMode::Constant && value == 0; }
};

ops::BorderMode read_mode(Node& node) {
  const std::string mode = node.text("mode", "constant");
  if (mode == "constant") return ops::BorderMode::Constant;
  if (mode == "reflect") return ops::BorderMode::Reflect;
  if (mode == "edge") return ops::BorderMode::Edge;
  refuse(fmt::format("mode '{}' is not imported", mode), "mode constant, reflect or edge");
}

AskedPads read_pads(Node& node, size_t rank) {
  AskedPads out{std::vector<int64_t>(2 * rank, 0), read_mode(node), node.real("value", 0)};
  const auto pads = node.integers_of("pads", 1);
  if (const Array* given = node.optional_constant(2, "the value")) {
    if (given->size() != 1) refuse(fmt::format("{} values, expected one", given->size()));
    out.value = given->at(0);
  }
  if (!pads) refuse("pads are missing");
  const auto axes = node.integers_of("axes", 3);
  const size_t count = axes ? axes->size() : rank;
  if (pads->size() != 2 * count) refuse(fmt::format("{} pads, expected {}", pads->size(), 2 * count));
  for (size_t i = 0; i < count; ++i) {
    const size_t axis = axes ? axis_of((*axes)[i], rank) : i;
    out.pads[axis] = (*pads)[i];
    out.pads[axis + rank] = (*pads)[i + count];
  }
  return out;
}

/// Channels in front and behind, zeros.
graph::ValueId pad_channels(Node& node, graph::ValueId value, const AskedPads& asked, int64_t channels,
                            int64_t padded) {
  const int64_t front = asked.pads[1];
  if (padded == channels && front == 0) return value;
  if (!asked.is_zeros()) refuse("pads the channels with something else than zeros", "a Concat");
  std::vector<int64_t> from;
  for (int64_t i = 0; i < padded; ++i) {
    const int64_t c = i - front;
    from.push_back(c >= 0 && c < channels ? c : -1);
  }
  return pick_channels(node, value, from, "channels");
}

template <class Op>
Op around(const std::vector<int64_t>& pads, size_t rank) {
  Op op;
  if (rank > 2) {
    op.left = static_cast<int>(pads[rank - 1]);
    op.right = static_cast<int>(pads[2 * rank - 1]);
  }
  if (rank > 3) {
    op.top = static_cast<int>(pads[2]);
    op.bottom = static_cast<int>(pads[2 + rank]);
  }
  return op;
}

/// The columns of N,C, which are channels, as those of a row.
void pad_row(Node& node, const AskedPads& asked, Extents dims) {
  auto border = std::make_unique<ops::Border>();
  border->left = static_cast<int>(asked.pads[1]);
  border->right = static_cast<int>(asked.pads[3]);
  border->mode = asked.mode;
  border->value = asked.mode == ops::BorderMode::Constant ? asked.value : 0;
  const Operand& data = node.data();
  const graph::ValueId row = node.as_map(data.value, {1, 1, 1, data.dims[1]}, "row");
  const graph::ValueId padded = node.add(std::move(border), {row}, "padded");
  const graph::NodeId layer = node.layer;
  node.set_value(node.as_map(padded, map_shape(dims), ""), dims);
  node.layer = layer;
}

void convert_pad(Node& node) {
  const Operand& data = node.data();
  const size_t rank = data.dims.size();
  if (rank < 2 || rank > 4)
    refuse(fmt::format("pads {}, expected N,C or N,C,L or N,C,H,W", text_of(data.dims)));
  const AskedPads asked = read_pads(node, rank);
  const std::vector<int64_t>& pads = asked.pads;
  if (pads[0] != 0 || pads[rank] != 0) refuse("pads the batch");
  Extents dims = data.dims;
  for (size_t i = 0; i < rank; ++i) {
    for (const int64_t pad : {pads[i], pads[i + rank]})
      if (pad < -kLargestPad || pad > kLargestPad) refuse(fmt::format("a pad of {}", pad));
    dims[i] += pads[i] + pads[i + rank];
    if (dims[i] < 1) refuse(fmt::format("nothing is left of {}", text_of(data.dims)));
  }
  const bool crops = *std::min_element(pads.begin(), pads.end()) < 0;
  if (rank == 2 && !asked.is_zeros() && !crops && dims != data.dims)
    return pad_row(node, asked, std::move(dims));
  const graph::ValueId value = pad_channels(node, data.value, asked, data.dims[1], dims[1]);
  const auto padding = around<ops::Padding>(pads, rank);
  if (padding.pads() == n2d2::Pads{}) return node.set_value(value, std::move(dims));
  if (asked.is_zeros()) return node.finish(std::make_unique<ops::Padding>(padding), {value}, std::move(dims));
  if (crops) refuse("crops, and pads with something else than zeros", "a Slice in front");
  auto border = std::make_unique<ops::Border>(around<ops::Border>(pads, rank));
  border->mode = asked.mode;
  border->value = asked.mode == ops::BorderMode::Constant ? asked.value : 0;
  node.finish(std::move(border), {value}, std::move(dims));
}

}  // namespace

void register_pad(RuleRegistry& registry);
void register_pad(RuleRegistry& registry) {
  registry.add("Pad", {convert_pad, nullptr});
}

}  // namespace n2d2::onnx
