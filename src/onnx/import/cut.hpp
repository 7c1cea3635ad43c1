// Which part of each axis stays? For Slice, Split and Gather.
#pragma once

#include "node.hpp"

namespace n2d2::onnx {

/// What stays of one axis: indices start, start + step, ... (count of them).
struct Range {
  int64_t start = 0, step = 1, count = 0;
  bool is_all(int64_t extent) const { return start == 0 && step == 1 && count == extent; }
};

/// What start, end and step of a Slice mean on an axis: both are clamped, negative ones count from the end.
Range range_of(int64_t start, int64_t end, int64_t step, int64_t extent);
/// All of every axis.
std::vector<Range> whole(const Extents& dims);
Extents extents_of(const std::vector<Range>& ranges);

Array cut(const Array& in, const std::vector<Range>& ranges);
/// The part of the node's data as a map, made by layers whose names end in the suffix. Refused when it cuts
/// the batch or nothing is left.
graph::ValueId cut(Node& node, const std::vector<Range>& ranges, const std::string& suffix);

/// Sets an output to a range of steps of 1 of one axis of the node's data, if they are a view or rows of
/// features: `is_gone`, without that axis. False where it is for others to cut.
bool cut_view(Node& node, size_t axis, const Range& range, bool is_gone, size_t output);

/// Elements `from` of one axis behind the batch, in this order; -1: zeros.
graph::ValueId pick(Node& node, graph::ValueId value, const Extents& dims, size_t axis,
                    const std::vector<int64_t>& from, const std::string& suffix);

}  // namespace n2d2::onnx
