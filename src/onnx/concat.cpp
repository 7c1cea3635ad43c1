#include "n2d2/ops/concat.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pool.hpp"

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

// ---- Slice and Split ----------------------------------------------------------------------------------------

/// What stays of one axis: indices start, start + step, ... (count of them).
struct Range {
  int64_t start = 0, step = 1, count = 0;
  bool is_all(int64_t extent) const { return start == 0 && step == 1 && count == extent; }
};

Range range_of(int64_t start, int64_t end, int64_t step, int64_t extent) {
  if (step == 0) refuse("a step of 0");
  const auto settle = [&](int64_t at, int64_t lowest, int64_t highest) {
    if (at < 0) at = at < -extent ? -1 : at + extent;  // -1: before the first
    return std::clamp(at, lowest, highest);
  };
  Range out{0, step, 0};
  if (step > 0) {
    out.start = settle(start, 0, extent);
    const int64_t room = settle(end, 0, extent) - out.start;
    out.count = room > 0 ? (room - 1) / step + 1 : 0;
  } else {
    out.start = settle(start, -1, extent - 1);
    const int64_t room = out.start - settle(end, -1, extent - 1);
    const int64_t length = step == std::numeric_limits<int64_t>::min() ? extent : -step;
    out.count = room > 0 ? (room - 1) / length + 1 : 0;
  }
  return out;
}

std::vector<Range> whole(const Extents& dims) {
  std::vector<Range> ranges;
  for (const int64_t extent : dims) ranges.push_back({0, 1, extent});
  return ranges;
}

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

Array cut(const Array& in, const std::vector<Range>& ranges) {
  Extents dims;
  for (const Range& range : ranges) dims.push_back(range.count);
  Array out = in.like(dims);
  const Extents strides = strides_of(in.dims);
  Extents index(dims.size(), 0);
  for (int64_t i = 0; i < out.size(); ++i) {
    int64_t from = 0;
    for (size_t axis = 0; axis < dims.size(); ++axis)
      from += (ranges[axis].start + index[axis] * ranges[axis].step) * strides[axis];
    out.take(i, in, from);
    for (size_t axis = dims.size(); axis-- > 0;) {
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
    }
  }
  return out;
}

/// Rows and columns: a crop, then a pool of one pixel for a step. Channels: picked.
void cut_data(Node& node, const std::vector<Range>& ranges, size_t output, const std::string& suffix) {
  const Operand& data = node.data();
  const Extents& dims = data.dims;
  if (dims.size() < 2 || dims.size() > 4)
    refuse(fmt::format("cuts {}, expected N,C or N,C,L or N,C,H,W", text_of(dims)));
  if (!ranges[0].is_all(dims[0])) refuse("cuts the batch");
  Extents out;
  for (const Range& range : ranges) {
    if (range.count < 1) refuse(fmt::format("nothing is left of {}", text_of(dims)));
    out.push_back(range.count);
  }
  graph::ValueId value = data.value;
  if (!ranges[1].is_all(dims[1])) {
    std::vector<int64_t> from;
    for (int64_t i = 0; i < ranges[1].count; ++i) from.push_back(ranges[1].start + i * ranges[1].step);
    value = pick_channels(node, value, from, suffix + "channels");
  }
  ops::Padding crop;
  Dims step{1, 1};
  for (size_t axis = 2; axis < dims.size(); ++axis) {
    const Range& range = ranges[axis];
    if (range.step < 0) refuse("a negative step along height or width is not imported");
    const bool x = axis + 1 == dims.size();
    (x ? step.x : step.y) = range.count == 1 ? 1 : window_size("steps", range.step, 1);
    const int64_t last = range.start + (range.count - 1) * range.step;
    (x ? crop.left : crop.top) = -window_size("starts", range.start, 0);
    (x ? crop.right : crop.bottom) = -window_size("ends", dims[axis] - 1 - last, 0);
  }
  if (step != Dims{1, 1}) {  // the pool leaves out what follows its last window
    crop.right = crop.bottom = 0;
    const Shape have = map_shape(dims), want = map_shape(out);
    const auto rest = [](int64_t size, int64_t start, int64_t count, int by) {
      return size - start - (count - 1) * by - 1;
    };
    if (rest(have.w(), -crop.left, want.w(), step.x) >= step.x)
      crop.right = -static_cast<int>(rest(have.w(), -crop.left, want.w(), step.x));
    if (rest(have.h(), -crop.top, want.h(), step.y) >= step.y)
      crop.bottom = -static_cast<int>(rest(have.h(), -crop.top, want.h(), step.y));
  }
  if (crop.pads() != Pads{}) value = node.add(std::make_unique<ops::Padding>(crop), {value}, suffix + "crop");
  if (step != Dims{1, 1}) {
    auto pool = std::make_unique<ops::Pool>();
    pool->kernel = {1, 1};
    pool->stride = step;
    value = node.add(std::move(pool), {value}, suffix + "step");
  }
  node.set_value(value, std::move(out), output);
}

void slice(Node& node) {
  const Operand& operand = node.input(0);
  const std::vector<Range> ranges = read_slice(node, operand.dims);
  if (operand.is_constant()) return node.set_constant(cut(*operand.array, ranges));
  cut_data(node, ranges, 0, "");
}

void split(Node& node) {
  const Operand& operand = node.input(0);
  const size_t axis = axis_of(node.integer("axis", 0), operand.dims.size()),
               parts = node.file().outputs.size();
  const int64_t extent = operand.dims[axis];
  auto sizes = node.integers_of("split", 1);
  if (!sizes) {
    if (extent % static_cast<int64_t>(parts) != 0)
      refuse(fmt::format("{} does not split into {}", extent, parts));
    sizes = std::vector<int64_t>(parts, extent / static_cast<int64_t>(parts));
  }
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
    else if (node.wants_output(i))
      cut_data(node, ranges, i, fmt::format("{}_", i));
  }
  if (start != extent) refuse(fmt::format("the parts do not add up to {}", extent));
}

void fold_gather(Node& node) {
  const Array& in = node.constant(0, "the data");
  const Array& indices = node.constant(1, "the indices");
  const size_t axis = axis_of(node.integer("axis", 0), in.dims.size());
  if (!indices.is_integer) refuse("the indices are real numbers");
  Extents dims(in.dims.begin(), in.dims.begin() + static_cast<int64_t>(axis));
  dims.insert(dims.end(), indices.dims.begin(), indices.dims.end());
  dims.insert(dims.end(), in.dims.begin() + static_cast<int64_t>(axis) + 1, in.dims.end());
  Array out = in.like(dims);
  int64_t inner = 1;
  for (size_t i = axis + 1; i < in.dims.size(); ++i) inner *= in.dims[i];
  const int64_t extent = in.dims[axis];
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t k = i % inner, which = i / inner % indices.size(), outer = i / inner / indices.size();
    int64_t index = indices.integers[static_cast<size_t>(which)];
    if (index < -extent || index >= extent) refuse(fmt::format("index {} of an axis of {}", index, extent));
    if (index < 0) index += extent;
    out.take(i, in, (outer * extent + index) * inner + k);
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
  registry.add("Gather", {nullptr, fold_gather});
  registry.add("Pad", {convert_pad, nullptr});
  registry.add("Slice", {slice, slice});
  registry.add("Split", {split, split});
}

}  // namespace n2d2::onnx
