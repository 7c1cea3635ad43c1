#include <algorithm>

#include "import/cut.hpp"

namespace n2d2::onnx {

namespace {

std::vector<Range> read_slice(Node& node, const Extents& dims) {
  const auto starts = node.integers_of("starts", 1), ends = node.integers_of("ends", 2);
  const auto axes = node.integers_of("axes", 3), steps = node.integers_of("steps", 4);
  if (!starts || !ends || starts->size() != ends->size()) refuse("starts and ends do not fit each other");
  if ((axes && axes->size() != starts->size()) || (steps && steps->size() != starts->size()))
    refuse("axes or steps do not fit starts");
  if (!axes && starts->size() > dims.size()) refuse("more starts than axes");
  std::vector<Range> ranges = whole(dims);
  for (size_t i = 0; i < starts->size(); ++i) {
    const size_t axis = axes ? axis_of((*axes)[i], dims.size()) : i;
    ranges[axis] = range_of((*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1, dims[axis]);
  }
  return ranges;
}

/// Whether one axis alone is cut, by steps of 1, and the data are a view: then that is done.
bool slice_view(Node& node) {
  const Operand& data = node.lying(0);
  if (data.is_constant() || (!data.split && !data.channels_last)) return false;
  const std::vector<Range> ranges = read_slice(node, data.dims);
  std::vector<size_t> cuts;
  for (size_t axis = 0; axis < ranges.size(); ++axis)
    if (!ranges[axis].is_all(data.dims[axis])) cuts.push_back(axis);
  return cuts.size() == 1 && cut_view(node, cuts[0], ranges[cuts[0]], false, 0);
}

void slice(Node& node) {
  if (slice_view(node)) return;
  const Operand& operand = node.input(0);
  const std::vector<Range> ranges = read_slice(node, operand.dims);
  if (operand.is_constant()) return node.set_constant(cut(*operand.array, ranges));
  node.set_value(cut(node, ranges, ""), extents_of(ranges));
}

/// Since operator set 18 the last part may be smaller, as `num_outputs` says.
std::vector<int64_t> even_sizes(Node& node, int64_t extent, int64_t parts) {
  const int64_t asked = node.integer("num_outputs", 0);
  if (asked != 0 && asked != parts)
    refuse(fmt::format("num_outputs is {}, there are {} outputs", asked, parts));
  if (asked == 0 && extent % parts != 0) refuse(fmt::format("{} does not split into {}", extent, parts));
  const int64_t size = (extent + parts - 1) / parts, last = extent - size * (parts - 1);
  if (last < 0) refuse(fmt::format("{} does not split into {}", extent, parts));
  std::vector<int64_t> sizes(static_cast<size_t>(parts), size);
  sizes.back() = last;
  return sizes;
}

void split(Node& node) {
  const Operand& operand = node.lying(0);
  const size_t axis = axis_of(node.integer("axis", 0), operand.dims.size()),
               parts = node.file().outputs.size();
  const int64_t extent = operand.dims[axis];
  auto sizes = node.integers_of("split", 1);
  if (!sizes) sizes = even_sizes(node, extent, static_cast<int64_t>(parts));
  if (sizes->size() != parts) refuse(fmt::format("{} sizes for {} outputs", sizes->size(), parts));
  int64_t start = 0;
  for (size_t i = 0; i < parts; ++i) {
    const int64_t size = (*sizes)[i];
    if (size < 0 || size > extent - start) refuse(fmt::format("the parts do not add up to {}", extent));
    std::vector<Range> ranges = whole(operand.dims);
    ranges[axis] = {start, 1, size};
    start += size;
    if (operand.is_constant())
      node.set_constant(cut(*operand.array, ranges), i);
    else if (node.wants_output(i) && !cut_view(node, axis, ranges[axis], false, i))
      node.set_value(cut(node, ranges, fmt::format("{}_", i)), extents_of(ranges), i);
  }
  if (start != extent) refuse(fmt::format("the parts do not add up to {}", extent));
}

// ---- Gather
// ------------------------------------------------------------------------------------------------

/// Elements of an axis, counted from its start.
std::vector<int64_t> read_indices(Node& node, int64_t extent) {
  const Array& indices = node.constant(1, "the indices");
  if (!indices.is_integer) refuse("the indices are real numbers");
  std::vector<int64_t> from = indices.integers;
  for (int64_t& index : from) {
    if (index < -extent || index >= extent) refuse(fmt::format("index {} of an axis of {}", index, extent));
    if (index < 0) index += extent;
  }
  return from;
}

/// The axis makes room for those of the indices.
Extents gathered(Node& node, const Extents& dims, size_t axis) {
  const Extents& indices = node.constant(1, "the indices").dims;
  const auto at = dims.begin() + static_cast<int64_t>(axis);
  Extents out(dims.begin(), at);
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), at + 1, dims.end());
  return out;
}

void fold_gather(Node& node) {
  const Array& in = node.constant(0, "the data");
  const size_t axis = axis_of(node.integer("axis", 0), in.dims.size());
  const std::vector<int64_t> from = read_indices(node, in.dims[axis]);
  Array out = in.like(gathered(node, in.dims, axis));
  const auto count = static_cast<int64_t>(from.size());
  int64_t inner = 1;
  for (size_t i = axis + 1; i < in.dims.size(); ++i) inner *= in.dims[i];
  const int64_t extent = in.dims[axis];
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t k = i % inner, which = i / inner % count, outer = i / inner / count;
    out.take(i, in, (outer * extent + from[static_cast<size_t>(which)]) * inner + k);
  }
  node.set_constant(std::move(out));
}

/// One element of an axis of a view.
bool gather_view(Node& node) {
  const Operand& data = node.lying(0);
  if (data.is_constant() || (!data.split && !data.channels_last)) return false;
  const size_t axis = axis_of(node.integer("axis", 0), data.dims.size());
  const Extents indices = node.constant(1, "the indices").dims;
  const std::vector<int64_t> from = read_indices(node, data.dims[axis]);
  if (from.size() != 1 || indices.size() > 1) return false;
  return cut_view(node, axis, {from[0], 1, 1}, indices.empty(), 0);
}

/// Indices of even steps are a Slice, others are picked as channels.
void convert_gather(Node& node) {
  if (node.lying(0).is_constant())
    refuse("picks from a constant by data, as embeddings of words do",
           "begin the network behind it (-inputs, or Inputs of an ONNX section), and pick in the program");
  if (gather_view(node)) return;
  const Operand& data = node.data();
  const size_t axis = axis_of(node.integer("axis", 0), data.dims.size());
  if (axis == 0)
    refuse(fmt::format("gathers along the batch of {}", text_of(data.dims)), "keep axis 0 whole");
  const std::vector<int64_t> from = read_indices(node, data.dims[axis]);
  const auto count = static_cast<int64_t>(from.size());
  if (count == 0) refuse(fmt::format("nothing is left of {}", text_of(data.dims)));
  const Range range{from[0], count > 1 ? from[1] - from[0] : 1, count};
  bool even = range.step != 0;
  for (int64_t i = 0; i < count; ++i)
    even = even && from[static_cast<size_t>(i)] == range.start + i * range.step;
  std::vector<Range> ranges = whole(data.dims);
  ranges[axis] = range;
  const graph::ValueId part =
      even ? cut(node, ranges, "") : pick(node, data.value, data.dims, axis, from, "");
  Extents dims = gathered(node, data.dims, axis);
  const graph::ValueId value = node.as_map(part, map_shape(dims), "");
  node.set_value(value, std::move(dims));
}

}  // namespace

void register_slice(RuleRegistry& registry);
void register_slice(RuleRegistry& registry) {
  registry.add("Gather", {convert_gather, fold_gather});
  registry.add("Slice", {slice, slice});
  registry.add("Split", {split, split});
}

}  // namespace n2d2::onnx
