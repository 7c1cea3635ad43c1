#include "n2d2/ops/border.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/graph/integers.hpp"
#include "n2d2/graph/turn.hpp"
#include "n2d2/tensor/interval.hpp"

#include "checks.hpp"
#include "table.hpp"

namespace n2d2::ops {

namespace {

/// The place along an axis of `size` that position `at` shows, which may lie outside; -1 for none of them.
int64_t shown(BorderMode mode, int64_t at, int64_t size) {
  if (at >= 0 && at < size) return at;
  switch (mode) {
    case BorderMode::Constant:
      return -1;
    case BorderMode::Reflect:
      return at < 0 ? -at : 2 * (size - 1) - at;
    case BorderMode::Edge:
      return at < 0 ? 0 : size - 1;
  }
  return -1;
}

/// What each position of an axis of `size` with pixels around shows.
std::vector<int64_t> all_shown(BorderMode mode, int64_t before, int64_t size, int64_t after) {
  std::vector<int64_t> out;
  for (int64_t at = -before; at < size + after; ++at) out.push_back(shown(mode, at, size));
  return out;
}

/// Calls pixel(from, to) for each pixel of the output; `from` is the one of the input that it shows, or -1.
template <class Pixel>
void for_pixels(const Border& op, const Shape& in, const Pixel& pixel) {
  const std::vector<int64_t> rows = op.rows(in), columns = op.columns(in);
  int64_t to = 0;
  for (int64_t plane = 0; plane < in.n() * in.c(); ++plane)
    for (const int64_t row : rows)
      for (const int64_t column : columns) {
        const bool outside = row < 0 || column < 0;
        pixel(outside ? -1 : (plane * in.h() + row) * in.w() + column, to++);
      }
}

}  // namespace

std::vector<int64_t> Border::rows(const Shape& in) const {
  return all_shown(mode, top, in.h(), bottom);
}

std::vector<int64_t> Border::columns(const Shape& in) const {
  return all_shown(mode, left, in.w(), right);
}

std::vector<Shape> Border::infer(std::span<const Shape> in) const {
  const Shape& s = expect_one_map(has_table(in) ? in.first(1) : in);
  if (mode == BorderMode::Reflect && (std::max(top, bottom) >= s.h() || std::max(left, right) >= s.w()))
    throw ModelError(fmt::format("a map of {}x{} (height x width) has no mirror image of {} rows, {} columns",
                                 s.h(), s.w(), std::max(top, bottom), std::max(left, right)));
  return {{s.n(), s.c(), s.h() + top + bottom, s.w() + left + right}};
}

void Border::forward(const graph::ForwardArgs& args) const {
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  for_pixels(*this, args.in[0]->shape(),
             [&](int64_t from, int64_t to) { y[to] = from < 0 ? static_cast<float>(value) : x[from]; });
}

bool Border::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  args.d_in[0]->fill(0);
  for_pixels(*this, args.in[0]->shape(), [&](int64_t to, int64_t from) {
    if (to >= 0) d_x[to] += d_y[from];
  });
  return true;
}

graph::IntegerForm Border::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form = graph::moved_integers();
  form.by_channel = mode != BorderMode::Constant;
  if (mode != BorderMode::Constant) return form;
  if (std::isnan(value)) return graph::no_integers("Value nan has no integer form", "a number has one");
  form.table = [real = value](const graph::TableArgs& args) { return table_of_one(args.in, real); };
  return form;
}

void Border::integers(const graph::IntegerArgs& args) const {
  const int64_t* x = args.in[0]->values.data();
  int64_t* y = args.out[0]->values.data();
  const int64_t around = mode == BorderMode::Constant ? (*args.in[kTableSlot])[0] : 0;
  for_pixels(*this, args.in[0]->shape,
             [&](int64_t from, int64_t to) { y[to] = from < 0 ? around : x[from]; });
}

/// Mirrored and repeated pixels are those of the map.
std::vector<Clamp> Border::range(std::span<const Clamp> in, std::span<const Shape>) const {
  const auto around = static_cast<float>(value);
  return {mode == BorderMode::Constant ? unite(in[0], {around, around}) : in[0]};
}

void Border::turned(graph::TurnedNode& node) const {
  node.expect_map();
  auto op = std::make_unique<Border>(*this);
  std::swap(op->left, op->top);
  std::swap(op->right, op->bottom);
  node.op = std::move(op);
}

int64_t fill_of(const Tensor& table) {
  switch (table.dtype()) {
    case DataType::U8:
      return *table.data<uint8_t>();
    case DataType::I8:
      return *table.data<int8_t>();
    case DataType::U16:
      return *table.data<uint16_t>();
    default:
      return *table.data<int16_t>();
  }
}

void register_border(graph::OperatorRegistry& registry);
void register_border(graph::OperatorRegistry& registry) {
  graph::register_operator<Border>(registry);
}

}  // namespace n2d2::ops
