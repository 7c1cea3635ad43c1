// Constants of positions: masks, running sums, unit matrices, windows of signals.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "fold.hpp"
#include "import/cast.hpp"

namespace n2d2::onnx {

namespace {

/// Diagonals beyond any matrix are all the same.
int64_t diagonal_of(int64_t k) {
  constexpr int64_t kFar = int64_t{1} << 32;
  return std::clamp(k, -kFar, kFar);
}

void fold_trilu(Node& node) {
  const Array& in = node.constant(0, "the matrix");
  const bool is_upper = node.integer("upper", 1) != 0;
  const Array* given = node.optional_constant(1, "the diagonal");
  const int64_t k = diagonal_of(given != nullptr ? one_integer(*given, "the diagonal") : 0);
  if (in.dims.size() < 2) refuse(fmt::format("a part of {}, expected a matrix", text_of(in.dims)));
  const int64_t columns = in.dims.back(), rows = in.dims[in.dims.size() - 2];
  Array out = in.like(in.dims);
  for (int64_t i = 0; i < in.size(); ++i) {
    const int64_t column = i % columns, row = i / columns % rows;
    if (is_upper ? column >= row + k : column <= row + k) out.take(i, in, i);
  }
  node.set_constant(std::move(out));
}

/// Ones on a diagonal. Only the extents of the input count.
void eye_like(Node& node) {
  const Operand& like = node.lying(0);
  if (like.dims.size() != 2) refuse(fmt::format("a unit matrix like {}", text_of(like.dims)));
  const int64_t type = node.integer("dtype", like.is_constant() ? type_of(*like.array) : kFloat);
  const int64_t k = diagonal_of(node.integer("k", 0));
  Array out = Array{}.like(like.dims);
  for (int64_t row = 0; row < like.dims[0]; ++row)
    if (row + k >= 0 && row + k < like.dims[1])
      out.reals[static_cast<size_t>(row * like.dims[1] + row + k)] = 1;
  node.set_constant(cast_constant(out, type));
}

void fold_cum_sum(Node& node) {
  const Array& in = node.constant(0, "the operand");
  const size_t axis = axis_of(one_integer(node.constant(1, "the axis"), "the axis"), in.dims.size());
  const bool leaves_own = node.integer("exclusive", 0) != 0, is_reverse = node.integer("reverse", 0) != 0;
  Array out = in.like(in.dims);
  out.steps.clear();
  const Lines lines = lines_of(in.dims, axis);
  for_lines(lines, [&](int64_t o, int64_t i) {
    uint64_t whole = 0;
    double real = 0;
    for (int64_t step = 0; step < lines.extent; ++step) {
      const auto at = static_cast<size_t>(lines.at(o, is_reverse ? lines.extent - 1 - step : step, i));
      const auto put = [&] {
        if (in.is_integer)
          out.integers[at] = static_cast<int64_t>(whole);
        else
          out.reals[at] = static_cast<float>(real);
      };
      if (leaves_own) put();
      if (in.is_integer)
        whole += static_cast<uint64_t>(in.integers[at]);
      else
        real += static_cast<double>(in.reals[at]);
      if (!leaves_own) put();
    }
  });
  node.set_constant(std::move(out));
}

/// An index outside of the axis has no hot element.
void fold_one_hot(Node& node) {
  const Array& indices = node.constant(0, "the indices");
  const Array& given = node.constant(1, "the depth");
  const Array& values = node.constant(2, "the values");
  if (given.size() != 1 || !(given.at(0) >= 1 && given.at(0) <= 0x1p25))
    refuse("the depth is no number of 1 to 2^25");
  if (values.size() != 2) refuse(fmt::format("values of {}, expected off and on", text_of(values.dims)));
  const auto depth = static_cast<int64_t>(given.at(0));
  const size_t axis = axis_of(node.integer("axis", -1), indices.dims.size() + 1);
  Extents dims = indices.dims;
  dims.insert(dims.begin() + static_cast<int64_t>(axis), depth);
  Array out = values.like(dims);
  const Lines lines = lines_of(dims, axis);
  for_lines(lines, [&](int64_t o, int64_t i) {
    const double index = indices.at(o * lines.inner + i);
    const double hot = index < 0 ? index + static_cast<double>(depth) : index;
    for (int64_t k = 0; k < depth; ++k)
      out.take(lines.at(o, k, i), values, static_cast<double>(k) == hot ? 1 : 0);
  });
  node.set_constant(std::move(out));
}

/// The first steps of each sequence are in the opposite order.
void fold_reverse_sequence(Node& node) {
  const Array& in = node.constant(0, "the sequences");
  const Array& sizes = node.constant(1, "their lengths");
  const size_t batch = axis_of(node.integer("batch_axis", 1), in.dims.size()),
               time = axis_of(node.integer("time_axis", 0), in.dims.size());
  if (batch == time || !sizes.is_integer || sizes.dims != Extents{in.dims[batch]})
    refuse(fmt::format("lengths of {} beside sequences of {}", text_of(sizes.dims), text_of(in.dims)));
  const Extents strides = strides_of(in.dims);
  Array out = in.like(in.dims);
  for (int64_t i = 0; i < in.size(); ++i) {
    const int64_t step = i / strides[time] % in.dims[time];
    const int64_t size = sizes.integers[static_cast<size_t>(i / strides[batch] % in.dims[batch])];
    if (size < 0 || size > in.dims[time])
      refuse(fmt::format("a length of {}, expected 0 to {}", size, in.dims[time]));
    out.take(i, in, step < size ? i + (size - 1 - 2 * step) * strides[time] : i);
  }
  node.set_constant(std::move(out));
}

/// mean - first cos(t) + second cos(2 t), t from 0 to a whole turn.
struct Window {
  const char* type;
  double mean, first, second;
};

void fold_window(Node& node, const Window& window) {
  constexpr int64_t kMost = int64_t{1} << 25;
  const int64_t size = one_integer(node.constant(0, "the size"), "the size");
  if (size < 0 || size > kMost) refuse(fmt::format("a window of {}, expected 0 to 2^25", size));
  const int64_t turn = node.integer("periodic", 1) != 0 ? size : std::max<int64_t>(1, size - 1);
  Array out = Array{}.like({size});
  for (int64_t n = 0; n < size; ++n) {
    const double t = 2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(turn);
    out.reals[static_cast<size_t>(n)] =
        static_cast<float>(window.mean - window.first * std::cos(t) + window.second * std::cos(2 * t));
  }
  node.set_constant(cast_constant(out, node.integer("output_datatype", kFloat)));
}

}  // namespace

void register_masks(RuleRegistry& registry);
void register_masks(RuleRegistry& registry) {
  static constexpr Window kWindows[] = {{"BlackmanWindow", 0.42, 0.5, 0.08},
                                        {"HammingWindow", 25.0 / 46, 21.0 / 46, 0},
                                        {"HannWindow", 0.5, 0.5, 0}};
  for (const Window& window : kWindows)
    registry.add(window.type, {nullptr, [&window](Node& node) { fold_window(node, window); }});
  registry.add("CumSum", {nullptr, fold_cum_sum});
  registry.add("EyeLike", {eye_like, eye_like});
  registry.add("OneHot", {nullptr, fold_one_hot});
  registry.add("ReverseSequence", {nullptr, fold_reverse_sequence});
  registry.add("Trilu", {nullptr, fold_trilu});
}

}  // namespace n2d2::onnx
