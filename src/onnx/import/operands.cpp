#include "operands.hpp"

#include <algorithm>

namespace n2d2::onnx {

namespace {

constexpr size_t kColumns = 3;  // this axis and those behind it are the W of a map

[[noreturn]] void refuse_pair(const Extents& a, const Extents& b, const std::string& reason) {
  refuse(fmt::format("operands of {} and {}: {}", text_of(a), text_of(b), reason),
         "give both operands the same rank, and extents that are equal or 1");
}

/// The columns of an operand are all there, or one element stands for all.
bool columns_agree(const Extents& operand, const Extents& out) {
  const auto from = [](const Extents& dims) {
    return dims.begin() + static_cast<std::ptrdiff_t>(std::min(kColumns, dims.size()));
  };
  return std::equal(from(operand), operand.end(), from(out)) ||
         std::all_of(from(operand), operand.end(), [](int64_t extent) { return extent == 1; });
}

}  // namespace

Tensor constant_map(const Array& constant, const Extents& data) {
  const std::string reason =
      fmt::format("a constant of {} next to data of {}", text_of(constant.dims), text_of(data));
  if (constant.is_integer) refuse(reason + " holds integers, expected real numbers");
  if (constant.dims.size() > data.size() || constant.size() == 0) refuse(reason + " does not fit");
  Extents dims(data.size() - constant.dims.size(), 1);
  dims.insert(dims.end(), constant.dims.begin(), constant.dims.end());
  if (dims[0] != 1) refuse(reason + " varies over the batch");
  for (size_t axis = 1; axis < dims.size(); ++axis)
    if (dims[axis] != 1 && dims[axis] != data[axis]) refuse(reason + " does not fit");
  if (columns_agree(dims, data)) return real_tensor(constant, map_shape(dims), "the operands");
  // Elements that repeat along some of the columns are written out.
  Extents whole = dims;
  std::copy(data.begin() + static_cast<std::ptrdiff_t>(kColumns), data.end(),
            whole.begin() + static_cast<std::ptrdiff_t>(kColumns));
  Array out = constant.like(whole);
  for_broadcast(whole, dims, whole, [&](int64_t i, int64_t from, int64_t) { out.take(i, constant, from); });
  return real_tensor(out, map_shape(whole), "the operands");
}

Extents joint_extents(const std::vector<Extents>& operands) {
  Extents out = operands.front();
  for (const Extents& dims : operands) {
    if (dims.size() != out.size()) refuse_pair(out, dims, "tensors that depend on the data need one rank");
    if (dims[0] != out[0]) refuse_pair(out, dims, "the batches differ");
    out = broadcast(out, dims);
  }
  for (const Extents& dims : operands)
    if (!columns_agree(dims, out))
      refuse_pair(dims, out, "only some of the axes behind the third are repeated");
  return out;
}

}  // namespace n2d2::onnx
