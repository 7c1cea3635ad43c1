// Elements of constants by index: read, written, and found.
#include <algorithm>

#include "fold.hpp"
#include "import/fold_two.hpp"

namespace n2d2::onnx {

namespace {

const Array& indices_of(Node& node, size_t slot) {
  const Array& indices = node.constant(slot, "the indices");
  if (!indices.is_integer) refuse("the indices are real numbers");
  return indices;
}

/// Where each element of the indices leads: to the element of the data that lies there, but along the axis
/// at the index.
class AlongAxis {
 public:
  AlongAxis(const Array& indices, const Extents& data, size_t axis)
      : indices_(indices),
        data_(data),
        axis_(axis),
        strides_(strides_of(data)),
        own_(strides_of(indices.dims)) {
    if (indices.dims.size() != data.size())
      refuse(fmt::format("indices of {} into {}", text_of(indices.dims), text_of(data)));
    for (size_t i = 0; i < data.size(); ++i)
      if (i != axis && indices.dims[i] > data[i])
        refuse(fmt::format("indices of {} into {}", text_of(indices.dims), text_of(data)));
  }
  int64_t at(int64_t i) const {
    int64_t out = 0;
    for (size_t d = 0; d < data_.size(); ++d) {
      const int64_t k = d == axis_ ? index_in(indices_.integers[static_cast<size_t>(i)], data_[d])
                                   : i / own_[d] % indices_.dims[d];
      out += k * strides_[d];
    }
    return out;
  }

 private:
  const Array& indices_;
  const Extents& data_;
  size_t axis_;
  Extents strides_, own_;
};

void fold_gather_elements(Node& node) {
  const Array& in = node.constant(0, "the data");
  const Array& indices = indices_of(node, 1);
  const AlongAxis from(indices, in.dims, axis_of(node.integer("axis", 0), in.dims.size()));
  Array out = in.like(indices.dims);
  for (int64_t i = 0; i < out.size(); ++i) out.take(i, in, from.at(i));
  node.set_constant(std::move(out));
}

/// Tuples of indices, each of which leads to a block of the data behind `batches` axes that both have.
struct Tuples {
  const Array& indices;
  const Extents& data;
  int64_t batches = 0;
  int64_t size = 0, count = 1, block = 1;  // indices in a tuple, tuples, elements of a block
  int64_t shared = 1, inside = 1;          // batches, and elements of each

  Tuples(const Array& given, const Extents& of, int64_t batch_axes)
      : indices(given), data(of), batches(batch_axes), strides_(strides_of(of)) {
    const auto rank = static_cast<int64_t>(given.dims.size()), most = static_cast<int64_t>(of.size());
    const bool fits = rank >= 1 && batches >= 0 && batches < rank && batches <= most &&
                      std::equal(of.begin(), of.begin() + batches, given.dims.begin());
    if (!fits || given.dims.back() > most - batches)
      refuse(fmt::format("indices of {} into {}", text_of(given.dims), text_of(of)));
    size = given.dims.back();
    for (int64_t i = 0; i + 1 < rank; ++i) count *= given.dims[static_cast<size_t>(i)];
    for (int64_t i = 0; i < batches; ++i) shared *= of[static_cast<size_t>(i)];
    for (int64_t i = batches; i < most; ++i)
      (i < batches + size ? inside : block) *= of[static_cast<size_t>(i)];
    inside *= block;
  }
  /// The extents of all blocks together.
  Extents dims() const {
    Extents out(indices.dims.begin(), indices.dims.end() - 1);
    out.insert(out.end(), data.begin() + batches + size, data.end());
    return out;
  }
  /// The first element of the block of a tuple.
  int64_t at(int64_t tuple) const {
    int64_t out = shared == 0 ? 0 : tuple / std::max<int64_t>(1, count / shared) * inside;
    for (int64_t i = 0; i < size; ++i) {
      const auto axis = static_cast<size_t>(batches + i);
      out += index_in(indices.integers[static_cast<size_t>(tuple * size + i)], data[axis]) * strides_[axis];
    }
    return out;
  }

 private:
  Extents strides_;
};

void fold_gather_nd(Node& node) {
  const Array& in = node.constant(0, "the data");
  const Tuples tuples(indices_of(node, 1), in.dims, node.integer("batch_dims", 0));
  Array out = in.like(tuples.dims());
  for (int64_t tuple = 0; tuple < tuples.count && out.size() > 0; ++tuple) {
    const int64_t first = tuples.at(tuple);
    for (int64_t i = 0; i < tuples.block; ++i) out.take(tuple * tuples.block + i, in, first + i);
  }
  node.set_constant(std::move(out));
}

/// What an update does to the element that is there: nothing says that it takes its place.
std::optional<Sign> reduction_of(Node& node) {
  const std::string text = node.text("reduction", "none");
  if (text == "none") return std::nullopt;
  if (text == "add") return Sign::Add;
  if (text == "mul") return Sign::Mul;
  if (text == "max") return Sign::Max;
  if (text == "min") return Sign::Min;
  refuse(fmt::format("reduction '{}' is not imported, only none, add, mul, max and min", text));
}

void write_element(Array& out, int64_t to, const Array& updates, int64_t from, std::optional<Sign> sign) {
  const auto i = static_cast<size_t>(to), k = static_cast<size_t>(from);
  if (!sign)
    out.take(to, updates, from);
  else if (out.is_integer)
    out.integers[i] = apply(*sign, out.integers[i], updates.integers[k]);
  else
    out.reals[i] = static_cast<float>(
        apply(*sign, static_cast<double>(out.reals[i]), static_cast<double>(updates.reals[k])));
}

const Array& updates_of(Node& node, const Array& data, const Extents& dims) {
  const Array& updates = node.constant(2, "the updates");
  if (updates.is_integer != data.is_integer) refuse("data and updates are of two types");
  if (updates.dims != dims)
    refuse(fmt::format("updates of {}, expected {}", text_of(updates.dims), text_of(dims)));
  return updates;
}

void fold_scatter_elements(Node& node) {
  Array out = node.constant(0, "the data");
  const Array& indices = indices_of(node, 1);
  const Extents dims = out.dims;
  const AlongAxis to(indices, dims, axis_of(node.integer("axis", 0), dims.size()));
  const Array& updates = updates_of(node, out, indices.dims);
  const std::optional<Sign> sign = reduction_of(node);
  if (sign) out.steps.clear();
  for (int64_t i = 0; i < updates.size(); ++i) write_element(out, to.at(i), updates, i, sign);
  node.set_constant(std::move(out));
}

void fold_scatter_nd(Node& node) {
  Array out = node.constant(0, "the data");
  const Extents dims = out.dims;
  const Tuples tuples(indices_of(node, 1), dims, 0);
  const Array& updates = updates_of(node, out, tuples.dims());
  const std::optional<Sign> sign = reduction_of(node);
  if (sign) out.steps.clear();
  for (int64_t tuple = 0; tuple < tuples.count && updates.size() > 0; ++tuple) {
    const int64_t first = tuples.at(tuple);
    for (int64_t i = 0; i < tuples.block; ++i)
      write_element(out, first + i, updates, tuple * tuples.block + i, sign);
  }
  node.set_constant(std::move(out));
}

/// The slices, without an axis the elements, whose condition is true.
void fold_compress(Node& node) {
  const Array& in = node.constant(0, "the data");
  const Array& condition = node.constant(1, "the condition");
  const bool is_flat = !node.has("axis");
  const Extents from = is_flat ? Extents{in.size()} : in.dims;
  const size_t axis = is_flat ? 0 : axis_of(node.integer("axis", 0), from.size());
  if (condition.dims.size() != 1 || condition.size() > from[axis])
    refuse(fmt::format("a condition of {} for an axis of {}", text_of(condition.dims), from[axis]));
  std::vector<int64_t> kept;
  for (int64_t k = 0; k < condition.size(); ++k)
    if (condition.at(k) != 0) kept.push_back(k);
  Extents dims = from;
  dims[axis] = static_cast<int64_t>(kept.size());
  Array out = in.like(dims);
  const Lines lines = lines_of(from, axis), made = lines_of(dims, axis);
  for_lines(lines, [&](int64_t o, int64_t i) {
    for (int64_t k = 0; k < made.extent; ++k)
      out.take(made.at(o, k, i), in, lines.at(o, kept[static_cast<size_t>(k)], i));
  });
  node.set_constant(std::move(out));
}

/// Coordinates, an axis a row.
void fold_non_zero(Node& node) {
  const Array& in = node.constant(0, "the operand");
  std::vector<int64_t> found;
  for (int64_t i = 0; i < in.size(); ++i)
    if (in.at(i) != 0) found.push_back(i);
  const auto count = static_cast<int64_t>(found.size()), rank = static_cast<int64_t>(in.dims.size());
  const Extents strides = strides_of(in.dims);
  Array out = integers_like({rank, count});
  for (int64_t axis = 0; axis < rank; ++axis)
    for (int64_t k = 0; k < count; ++k)
      out.integers[static_cast<size_t>(axis * count + k)] = found[static_cast<size_t>(k)] /
                                                            strides[static_cast<size_t>(axis)] %
                                                            in.dims[static_cast<size_t>(axis)];
  node.set_constant(std::move(out));
}

}  // namespace

void register_picks(RuleRegistry& registry);
void register_picks(RuleRegistry& registry) {
  registry.add("Compress", {nullptr, fold_compress});
  registry.add("GatherElements", {nullptr, fold_gather_elements});
  registry.add("GatherND", {nullptr, fold_gather_nd});
  registry.add("NonZero", {nullptr, fold_non_zero});
  registry.add("Scatter", {nullptr, fold_scatter_elements});
  registry.add("ScatterElements", {nullptr, fold_scatter_elements});
  registry.add("ScatterND", {nullptr, fold_scatter_nd});
}

}  // namespace n2d2::onnx
