// What the exchange of height and width means for each operator.
#include <algorithm>
#include <numeric>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/border.hpp"
#include "n2d2/ops/concat.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/depth_to_space.hpp"
#include "n2d2/ops/dropout.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/lrn.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/prelu.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/resize.hpp"
#include "n2d2/ops/scaling.hpp"
#include "n2d2/ops/softmax.hpp"
#include "n2d2/ops/transpose.hpp"

#include "node.hpp"
#include "swap_maps.hpp"

namespace n2d2::onnx {

namespace {

bool is_pixel(const Shape& shape) {
  return shape.h() == 1 && shape.w() == 1;
}

bool in_order(const std::vector<int64_t>& index) {
  for (size_t i = 0; i < index.size(); ++i)
    if (index[i] != static_cast<int64_t>(i)) return false;
  return true;
}

std::vector<int64_t> counting(int64_t size) {
  std::vector<int64_t> out(static_cast<size_t>(size));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

/// Indices of elements whose channels and positions are these.
std::vector<int64_t> joined(const Split& split) {
  std::vector<int64_t> out;
  for (const int64_t c : split.channels)
    for (const int64_t p : split.positions)
      out.push_back(c * static_cast<int64_t>(split.positions.size()) + p);
  return out;
}

template <class List>
List picked(const List& list, const std::vector<int64_t>& index) {
  if (list.size() <= 1) return list;  // one for all
  List out;
  for (const int64_t i : index) out.push_back(list.at(static_cast<size_t>(i)));
  return out;
}

/// Columns of a matrix of `rows` rows, each of `width` elements, in another order.
Tensor with_columns(const Tensor& matrix, int64_t width, const std::vector<int64_t>& index) {
  Tensor out(matrix.shape());
  const auto columns = static_cast<int64_t>(index.size());
  const int64_t rows = matrix.elements() / (columns * width);
  float* to = out.data<float>();
  for (int64_t row = 0; row < rows; ++row)
    for (const int64_t column : index)
      to = std::copy_n(matrix.data<float>() + (row * columns + column) * width, width, to);
  return out;
}

// ---- values by themselves, channels by themselves ----------------------------------------------------------

/// Each value becomes another one, wherever it lies.
void keep_order(SwappedNode& node) {
  node.order = node.orders.at(0);
}

/// The same on the channels of the map as it lies.
std::optional<std::vector<int64_t>> channels_of(SwappedNode& node) {
  keep_order(node);
  if (!node.orders.at(0)) return std::nullopt;
  return node.expect_split().channels;
}

void swap_batchnorm(SwappedNode& node) {
  if (const auto channels = channels_of(node))
    for (size_t slot = 1; slot < node.constants.size(); ++slot)
      node.changed[slot] = with_columns(node.constant(slot), 1, *channels);
}

void swap_scaling(SwappedNode& node) {
  auto& op = node.as<ops::Scaling>();
  if (op.factor.size() == 1) return keep_order(node);
  if (const auto channels = channels_of(node)) op.factor = picked(op.factor, *channels);
}

void swap_fake_quantize(SwappedNode& node) {
  auto& op = node.as<ops::FakeQuantize>();
  if (op.scale.size() == 1 && op.zero_point.size() == 1) return keep_order(node);
  if (const auto channels = channels_of(node)) {
    op.scale = picked(op.scale, *channels);
    op.zero_point = picked(op.zero_point, *channels);
  }
}

/// A constant that meets the values of `order`, a map of `map` or null, element by element or broadcast.
Tensor beside(const SwappedNode& node, size_t slot, const Shape& map, const OrderPtr& order, size_t ordered) {
  const Tensor& constant = node.constant(slot);
  if (!order) return turned(constant);
  if (constant.elements() == 1) return constant;
  if (constant.shape() == map.with_batch(1)) return with_columns(constant, 1, order->index);
  const auto split = split_of(*order, map);
  if (!split || !is_pixel(constant.shape())) node.refuse_order(ordered);
  return with_columns(constant, 1, split->channels);
}

void swap_prelu(SwappedNode& node) {
  keep_order(node);
  node.changed[1] = beside(node, 1, node.in[0], node.order, 0);
}

/// Whether data input `slot` meets the elements of `order` at their places.
bool lies_beside(const SwappedNode& node, size_t slot, const Order& order) {
  const Shape& shape = node.in[slot];
  if (node.orders[slot]) return shape == node.out && node.orders[slot]->index == order.index;
  if (shape.elements() == 1) return true;
  const auto split = split_of(order, node.out);
  return is_pixel(shape) && split && in_order(split->channels);
}

void swap_elemwise(SwappedNode& node) {
  const auto& op = node.as<ops::ElemWise>();
  size_t ordered = 0;
  while (ordered < node.orders.size() && !node.orders[ordered]) ++ordered;
  if (ordered < node.orders.size()) {
    node.order = node.orders[ordered];
    if (op.coeff_mode == ops::CoeffMode::PerChannel) node.refuse_order(ordered);
  }
  for (size_t slot = 0; slot < node.in.size(); ++slot) {
    if (node.constants[slot])
      node.changed[slot] = beside(node, slot, node.out, node.order, ordered);
    else if (node.order && !lies_beside(node, slot, *node.order))
      node.refuse_order(ordered);
  }
}

/// Functions of all channels of a position do not care for their order, nor for that of positions.
void swap_over_channels(SwappedNode& node) {
  if (node.orders.at(0)) node.expect_split();
  keep_order(node);
}

void swap_softmax(SwappedNode& node) {
  if (node.as<ops::Softmax>().group_size > 0) node.expect_map();
  swap_over_channels(node);
}

void swap_lrn(SwappedNode& node) {
  if (node.orders.at(0) && !in_order(node.expect_split().channels)) node.refuse_order(0);
  keep_order(node);
}

/// Channels one after the other are elements one after the other.
void swap_concat(SwappedNode& node) {
  const auto ordered = std::find_if(node.orders.begin(), node.orders.end(),
                                    [](const OrderPtr& order) { return order != nullptr; });
  if (ordered == node.orders.end()) return;
  const auto first = static_cast<size_t>(ordered - node.orders.begin());
  node.expect_room();
  std::vector<int64_t> index;
  for (size_t slot = 0; slot < node.in.size(); ++slot) {
    if (!node.orders[slot] && !is_pixel(node.in[slot])) node.refuse_order(first);
    const auto offset = static_cast<int64_t>(index.size());
    const std::vector<int64_t> own =
        node.orders[slot] ? node.orders[slot]->index : turned_index(node.in[slot]);
    for (const int64_t i : own) index.push_back(offset + i);
  }
  node.set_order(std::move(index), node.orders[first]->cause);
}

// ---- windows ---------------------------------------------------------------------------------------------

/// A 1x1 Conv of every position takes channels and positions in any order.
bool swap_pointwise_conv(SwappedNode& node) {
  const auto& op = node.as<ops::Conv>();
  const Dims one{1, 1};
  if (!node.orders.at(0) || op.kernel != one || op.stride != one || op.padding != Pads{}) return false;
  Split split = node.expect_split();
  if (!in_order(split.channels)) {
    if (op.groups != 1 || !op.connections.empty()) node.refuse_order(0);
    node.changed[1] = with_columns(node.constant(1), 1, split.channels);
  }
  node.expect_room();
  split.channels = counting(node.out.c());
  node.set_order(joined(split), node.orders[0]->cause);
  return true;
}

template <class Op>
Op& swap_window(SwappedNode& node) {
  node.expect_map();
  auto& op = node.as<Op>();
  op.kernel = turned(op.kernel);
  op.stride = turned(op.stride);
  op.padding = turned(op.padding);
  return op;
}

void swap_conv(SwappedNode& node) {
  if (swap_pointwise_conv(node)) return;
  auto& op = swap_window<ops::Conv>(node);
  op.dilation = turned(op.dilation);
  node.changed[1] = turned(node.constant(1));
}

void swap_deconv(SwappedNode& node) {
  auto& op = swap_window<ops::Deconv>(node);
  op.dilation = turned(op.dilation);
  op.output_padding = turned(op.output_padding);
  node.changed[1] = turned(node.constant(1));
}

void swap_pool(SwappedNode& node) {
  swap_window<ops::Pool>(node);
}

template <class Op>
void swap_padding(SwappedNode& node) {
  node.expect_map();
  auto& op = node.as<Op>();
  std::swap(op.left, op.top);
  std::swap(op.right, op.bottom);
}

void swap_resize(SwappedNode& node) {
  node.expect_map();
  auto& op = node.as<ops::Resize>();
  std::swap(op.output_width, op.output_height);
  std::swap(op.scale_x, op.scale_y);
}

// ---- elements in their order -----------------------------------------------------------------------------

std::vector<int64_t> index_of(const SwappedNode& node) {
  return node.orders.at(0) ? node.orders[0]->index : turned_index(node.in.at(0));
}

void swap_fc(SwappedNode& node) {
  if (!node.orders.at(0) && (node.in[0].h() == 1 || node.in[0].w() == 1)) return;
  node.changed[1] = with_columns(node.constant(1), 1, index_of(node));
}

std::unique_ptr<ops::Reshape> reshape_to(const Shape& shape) {
  auto out = std::make_unique<ops::Reshape>();
  out->dims = {static_cast<int>(shape.w()), static_cast<int>(shape.h()), static_cast<int>(shape.c())};
  return out;
}

/// No element moves. The result is a turned map, or elements in an order that what follows may take.
void swap_reshape(SwappedNode& node) {
  const Shape& in = node.in.at(0);
  const auto is_line = [](const Shape& shape) { return shape.h() == 1 || shape.w() == 1; };
  if (!node.orders.at(0) && (in == node.out || (is_line(in) && is_line(node.out)))) {
    node.op = reshape_to(turned(node.out));
    return;
  }
  node.expect_room();
  std::vector<int64_t> index = index_of(node);
  if (index == turned_index(node.out)) {
    node.op = reshape_to(turned(node.out));
    return;
  }
  node.op = reshape_to(node.out);
  const OrderPtr& before = node.orders[0];
  node.order = std::make_shared<const Order>(Order{std::move(index), before ? before->cause : node.old.name});
}

/// out = in[q] with q(j) the place in the input of element j of the output.
std::vector<int64_t> places(const std::array<size_t, 3>& order, const Shape& in) {
  const std::array<int64_t, 4> strides{0, in.h() * in.w(), in.w(), 1};
  std::vector<int64_t> out;
  for (int64_t a = 0; a < in[order[0]]; ++a)
    for (int64_t b = 0; b < in[order[1]]; ++b)
      for (int64_t c = 0; c < in[order[2]]; ++c)
        out.push_back(a * strides[order[0]] + b * strides[order[1]] + c * strides[order[2]]);
  return out;
}

void swap_transpose(SwappedNode& node) {
  const std::array<size_t, 3> order = node.as<ops::Transpose>().order();
  if (!node.orders.at(0)) {
    constexpr std::array<size_t, 4> kSide{0, 1, 3, 2};
    const auto other = ops::transpose_of({kSide[order[0]], kSide[order[2]], kSide[order[1]]});
    if (other.moves(turned(node.in[0])))
      node.op = other.clone();
    else
      node.op = reshape_to(turned(node.out));
    return;
  }
  // The same move of elements p in another order: q^-1 p q.
  const std::vector<int64_t> q = places(order, node.in[0]), &p = node.orders[0]->index;
  std::vector<int64_t> back(q.size()), index(q.size());
  for (size_t j = 0; j < q.size(); ++j) back[static_cast<size_t>(q[j])] = static_cast<int64_t>(j);
  for (size_t j = 0; j < q.size(); ++j) index[j] = back[static_cast<size_t>(p[static_cast<size_t>(q[j])])];
  node.set_order(std::move(index), node.orders[0]->cause);
}

/// Channels count through the rows of a block before its columns; exchanged, through its columns first.
void swap_depth_to_space(SwappedNode& node) {
  node.expect_map();
  const auto& op = node.as<ops::DepthToSpace>();
  if (op.block_size > 1)
    refuse(
        fmt::format(
            "its channels count through the rows of a block of {0}x{0} pixels before its columns, which "
            "no {1} does with height and width exchanged",
            op.block_size, op.to_depth ? "SpaceToDepth" : "DepthToSpace"),
        "without Transpose=1 the graph imports as it is: exchange the axes in the samples or in the model");
}

}  // namespace

const Registry<SwapRule>& swap_rules() {
  static const Registry<SwapRule> all = [] {
    Registry<SwapRule> rules;
    for (const char* type :
         {ops::Dropout::kType, ops::Nonlinearity::kType, ops::Relu::kType, ops::Saturation::kType})
      rules.add(type, keep_order);
    rules.add(ops::BatchNorm::kType, swap_batchnorm);
    rules.add(ops::Border::kType, swap_padding<ops::Border>);
    rules.add(ops::Concat::kType, swap_concat);
    rules.add(ops::Conv::kType, swap_conv);
    rules.add(ops::Deconv::kType, swap_deconv);
    rules.add(ops::DepthToSpace::kType, swap_depth_to_space);
    rules.add(ops::ElemWise::kType, swap_elemwise);
    rules.add(ops::FakeQuantize::kType, swap_fake_quantize);
    rules.add(ops::Fc::kType, swap_fc);
    rules.add(ops::LogSoftmax::kType, swap_over_channels);
    rules.add(ops::Lrn::kType, swap_lrn);
    rules.add(ops::Padding::kType, swap_padding<ops::Padding>);
    rules.add(ops::Pool::kType, swap_pool);
    rules.add(ops::PRelu::kType, swap_prelu);
    rules.add(ops::Reshape::kType, swap_reshape);
    rules.add(ops::Resize::kType, swap_resize);
    rules.add(ops::Scaling::kType, swap_scaling);
    rules.add(ops::Softmax::kType, swap_softmax);
    rules.add(ops::Transpose::kType, swap_transpose);
    return rules;
  }();
  return all;
}

}  // namespace n2d2::onnx
