// What does a layer become when height and width are exchanged in every map?
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/graph/operator.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::graph {

/// How the elements of a sample lie: element i of the new value is element index[i] of the old one.
struct Order {
  std::vector<int64_t> index;
  /// The node that made an order of it that is no map with height and width exchanged.
  std::string cause;
};
/// Null: the value is the transpose of the old one, height and width exchanged; its shape too. Else its shape
/// is the old one.
using OrderPtr = std::shared_ptr<const Order>;

/// N,C,H,W -> N,C,W,H.
Shape turned(const Shape& shape);
inline Dims turned(const Dims& dims) {
  return {dims.y, dims.x};
}
inline Pads turned(const Pads& pads) {
  return {pads.top, pads.left, pads.bottom, pads.right};
}
/// The last two axes of a tensor of rank 4 exchanged.
Tensor turned(const Tensor& tensor);
/// The order of the elements of a map C,H,W that was turned.
std::vector<int64_t> turned_index(const Shape& shape);

/// An order that moves whole channels, and positions alike in each of them.
struct Split {
  std::vector<int64_t> channels, positions;
};
std::optional<Split> split_of(const Order& order, const Shape& shape);
/// Indices of elements whose channels and positions these are.
std::vector<int64_t> joined(const Split& split);

/// 0, 1, 2, ...
bool in_order(std::span<const int64_t> index);
/// One pixel: such a value is the same turned.
bool is_pixel(const Shape& shape);
/// Columns of a matrix in another order, each `width` elements wide.
Tensor with_columns(const Tensor& matrix, int64_t width, std::span<const int64_t> index);
/// List entries in another order; a list of one holds for all.
template <class List>
List picked(const List& list, std::span<const int64_t> index) {
  if (list.size() <= 1) return list;
  List out;
  for (const int64_t i : index) out.push_back(list.at(static_cast<size_t>(i)));
  return out;
}

/// One node on its way into the graph of turned maps, for Operator::turned().
struct TurnedNode {
  std::string name;
  /// Old shapes of its inputs and of its output; orders of its inputs (null for constants).
  std::vector<Shape> in;
  Shape out;
  std::vector<OrderPtr> orders;
  /// Null where an input is data.
  std::vector<std::shared_ptr<const Tensor>> constants;

  /// What the operator makes of it: another operator (null: it stays), constants that change, the order of
  /// the output.
  std::unique_ptr<Operator> op = nullptr;
  std::map<size_t, Tensor> changed = {};
  OrderPtr order = nullptr;

  const Tensor& constant(size_t slot) const;
  /// Refuses an input that is not a turned map.
  void expect_map(size_t slot = 0) const;
  /// The channels and positions of input 0, which is not a turned map; refused when they are mixed.
  Split expect_split() const;
  /// Refuses an output of more elements than orders are kept of.
  void expect_room() const;
  /// Order of the elements of input 0.
  std::vector<int64_t> index_of_input() const;
  /// The output's order, null where that says the same.
  void set_order(std::vector<int64_t> index, const std::string& cause);
  /// Each value becomes another one, wherever it lies.
  void keep_order() { order = orders.at(0); }
  /// Keeps the order, as keep_order() does, for a node with parameters per channel. Returns the channel that
  /// each channel of the turned map has in the original map: the order that the parameters must take. None
  /// when the parameters stay.
  std::optional<std::vector<int64_t>> keep_channels();
  /// A constant that meets the values of `of_map`, the order of a map of shape `map` or null, element by
  /// element or broadcast; `ordered` is the input that has the order.
  Tensor constant_beside(size_t slot, const Shape& map, const OrderPtr& of_map, size_t ordered) const;

  /// Throws ModelError: "with height and width exchanged, ...". Without a hint there is none but not to
  /// exchange.
  [[noreturn]] static void refuse(std::string reason, std::string hint = {});
  /// Refuses the node because of the order of an input.
  [[noreturn]] void refuse_order(size_t slot) const;
};

}  // namespace n2d2::graph
