#include "n2d2/graph/turn.hpp"

#include <algorithm>

namespace n2d2::graph {

Shape turned(const Shape& shape) {
  return {shape.n(), shape.c(), shape.w(), shape.h()};
}

std::vector<int64_t> turned_index(const Shape& shape) {
  std::vector<int64_t> index;
  index.reserve(static_cast<size_t>(shape.with_batch(1).elements()));
  for (int64_t c = 0; c < shape.c(); ++c)
    for (int64_t x = 0; x < shape.w(); ++x)
      for (int64_t y = 0; y < shape.h(); ++y) index.push_back((c * shape.h() + y) * shape.w() + x);
  return index;
}

Tensor turned(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  Tensor out(turned(shape));
  const std::vector<int64_t> index = turned_index({1, shape.n() * shape.c(), shape.h(), shape.w()});
  for (size_t i = 0; i < index.size(); ++i) out.data<float>()[i] = tensor.data<float>()[index[i]];
  return out;
}

std::optional<Split> split_of(const Order& order, const Shape& shape) {
  const int64_t pixels = shape.h() * shape.w();
  Split out;
  for (int64_t c = 0; c < shape.c(); ++c)
    out.channels.push_back(order.index[static_cast<size_t>(c * pixels)] / pixels);
  for (int64_t p = 0; p < pixels; ++p) out.positions.push_back(order.index[static_cast<size_t>(p)] % pixels);
  for (size_t i = 0; i < order.index.size(); ++i) {
    const size_t c = i / static_cast<size_t>(pixels), p = i % static_cast<size_t>(pixels);
    if (order.index[i] != out.channels[c] * pixels + out.positions[p]) return std::nullopt;
  }
  return out;
}

std::vector<int64_t> joined(const Split& split) {
  std::vector<int64_t> out;
  for (const int64_t c : split.channels)
    for (const int64_t p : split.positions)
      out.push_back(c * static_cast<int64_t>(split.positions.size()) + p);
  return out;
}

bool in_order(std::span<const int64_t> index) {
  for (size_t i = 0; i < index.size(); ++i)
    if (index[i] != static_cast<int64_t>(i)) return false;
  return true;
}

bool is_pixel(const Shape& shape) {
  return shape.h() == 1 && shape.w() == 1;
}

Tensor with_columns(const Tensor& matrix, int64_t width, std::span<const int64_t> index) {
  Tensor out(matrix.shape());
  const auto columns = static_cast<int64_t>(index.size());
  const int64_t rows = matrix.elements() / (columns * width);
  float* to = out.data<float>();
  for (int64_t row = 0; row < rows; ++row)
    for (const int64_t column : index)
      to = std::copy_n(matrix.data<float>() + (row * columns + column) * width, width, to);
  return out;
}

const Tensor& TurnedNode::constant(size_t slot) const {
  N2D2_CHECK(constants.at(slot) != nullptr, "input {} of '{}' is no constant", slot, name);
  return *constants[slot];
}

void TurnedNode::refuse(std::string reason, std::string hint) {
  throw ModelError(std::move(reason), {}, std::move(hint));
}

void TurnedNode::refuse_order(size_t slot) const {
  refuse(fmt::format(
      "with height and width exchanged, '{}' regroups the elements of maps into an order that this "
      "operator (input {}) does not take",
      orders.at(slot)->cause, slot));
}

void TurnedNode::expect_map(size_t slot) const {
  if (orders.at(slot)) refuse_order(slot);
}

Split TurnedNode::expect_split() const {
  auto split = split_of(*orders.at(0), in.at(0));
  if (!split) refuse_order(0);
  return *std::move(split);
}

void TurnedNode::expect_room() const {
  constexpr int64_t kMost = int64_t{1} << 26;
  if (out.elements() > kMost)
    refuse(fmt::format("with height and width exchanged, it regroups {} elements of maps, at most {} are",
                       out.elements(), kMost),
           "regroup smaller maps");
}

std::vector<int64_t> TurnedNode::index_of_input() const {
  return orders.at(0) ? orders[0]->index : turned_index(in.at(0));
}

void TurnedNode::set_order(std::vector<int64_t> index, const std::string& cause) {
  const bool same_shape = turned(out) == out;
  order = same_shape && index == turned_index(out)
              ? nullptr
              : std::make_shared<const Order>(Order{std::move(index), cause});
}

std::optional<std::vector<int64_t>> TurnedNode::keep_channels() {
  keep_order();
  if (!orders.at(0)) return std::nullopt;
  return expect_split().channels;
}

Tensor TurnedNode::constant_beside(size_t slot, const Shape& map, const OrderPtr& of_map,
                                   size_t ordered) const {
  const Tensor& values = constant(slot);
  if (!of_map) return turned(values);
  if (values.elements() == 1) return values;
  if (values.shape() == map.with_batch(1)) return with_columns(values, 1, of_map->index);
  const auto split = split_of(*of_map, map);
  if (!split || !is_pixel(values.shape())) refuse_order(ordered);
  return with_columns(values, 1, split->channels);
}

}  // namespace n2d2::graph
