#include "import/node.hpp"

namespace n2d2::onnx {

namespace {

/// Whether the tensor stays a view of bytes that lie somewhere, of which a reshape is one, too.
bool defer_reshape(Node& node, const Extents& dims) {
  const Operand& data = node.lying(0);
  if (data.is_constant() || dims.size() < 2) return false;
  const bool is_of_rows = data.split && !data.split->axes[0].empty();
  const bool has_batch = !is_of_rows && dims[0] == data.dims[0];  // else its first axis is one of rows
  if (has_batch && (dims.size() < 3 || (!data.split && !data.channels_last))) return false;
  if (elements_of(dims) != elements_of(data.dims)) return false;
  const std::optional<Split> split = node.split_of(0);
  const std::optional<Split> made = split ? split->reshaped(dims) : std::nullopt;
  return made && node.defer(data, *made);
}

/// The data under other extents, which must keep the batch.
void reshape_to(Node& node, Extents dims) {
  if (defer_reshape(node, dims)) return;
  const Operand& data = node.data();
  if (elements_of(dims) != elements_of(data.dims))
    refuse(fmt::format("{} becomes {}, which has another number of elements", text_of(data.dims),
                       text_of(dims)));
  if (dims.empty() || dims[0] != data.dims[0])
    refuse(fmt::format("{} becomes {}, which mixes the batch with other axes", text_of(data.dims),
                       text_of(dims)),
           "keep axis 0");
  node.pass_on(data, std::move(dims));
}

void convert_or_fold(Node& node, Extents dims) {
  const Operand& operand = node.lying(0);
  if (!operand.is_constant()) return reshape_to(node, std::move(dims));
  if (elements_of(dims) != operand.array->size())
    refuse(fmt::format("{} becomes {}, which has another number of elements", text_of(operand.dims),
                       text_of(dims)));
  node.set_constant(operand.array->with_dims(std::move(dims)));
}

void flatten(Node& node) {
  const Extents dims = node.lying(0).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  int64_t axis = node.integer("axis", 1);
  if (axis < -rank || axis > rank) refuse(fmt::format("axis {} of a tensor of rank {}", axis, rank));
  if (axis < 0) axis += rank;
  Extents out{1, 1};
  for (int64_t i = 0; i < rank; ++i) out[i < axis ? 0 : 1] *= dims[static_cast<size_t>(i)];
  convert_or_fold(node, std::move(out));
}

/// 0 keeps an extent unless allowzero, -1 (once) takes what is left.
void reshape(Node& node) {
  const Extents dims = node.lying(0).dims;
  const Array& shape = node.constant(1, "the extents");
  const bool zeros = node.integer("allowzero", 0) != 0;
  if (!shape.is_integer || shape.dims.size() > 1) refuse("the extents are no list of integers");
  Extents out = shape.integers;
  std::optional<size_t> inferred;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 && !zeros) {
      if (i >= dims.size())
        refuse(fmt::format("extent {} is kept (0), the data has rank {}", i, dims.size()));
      out[i] = dims[i];
    }
    if (out[i] != -1) continue;
    if (inferred) refuse("the extents have more than one -1");
    inferred = i;
    out[i] = 1;
  }
  const int64_t known = elements_of(out), all = elements_of(dims);
  if (inferred) {
    if (known == 0 || all % known != 0)
      refuse(fmt::format("{} does not fit the extents {}", text_of(dims), text_of(shape.integers)));
    out[*inferred] = all / known;
  }
  convert_or_fold(node, std::move(out));
}

void squeeze(Node& node) {
  const Extents dims = node.lying(0).dims;
  const auto axes = node.integers_of("axes", 1);
  std::vector<bool> gone(dims.size(), false);
  for (const int64_t axis : axes.value_or(std::vector<int64_t>{})) {
    const size_t i = axis_of(axis, dims.size());
    if (dims[i] != 1) refuse(fmt::format("axis {} of {} is not 1", axis, text_of(dims)));
    gone[i] = true;
  }
  Extents out;
  for (size_t i = 0; i < dims.size(); ++i)
    if (axes ? !gone[i] : dims[i] != 1) out.push_back(dims[i]);
  convert_or_fold(node, std::move(out));
}

void unsqueeze(Node& node) {
  const Extents dims = node.lying(0).dims;
  const auto axes = node.integers_of("axes", 1);
  if (!axes) refuse("axes are missing");
  if (axes->size() > 16) refuse(fmt::format("{} axes", axes->size()));
  const size_t rank = dims.size() + axes->size();
  std::vector<bool> fresh(rank, false);
  for (const int64_t axis : *axes) {
    const size_t i = axis_of(axis, rank);
    if (fresh[i]) refuse(fmt::format("axis {} is there twice", axis));
    fresh[i] = true;
  }
  Extents out;
  for (size_t i = 0, from = 0; i < rank; ++i) out.push_back(fresh[i] ? 1 : dims[from++]);
  convert_or_fold(node, std::move(out));
}

void pass_through(Node& node) {
  const Operand& operand = node.input(0);
  if (operand.is_constant()) return node.set_constant(*operand.array);
  node.pass_on(operand, operand.dims);
}

}  // namespace

void register_reshape(RuleRegistry& registry);
void register_reshape(RuleRegistry& registry) {
  registry.add("Flatten", {flatten, flatten, Integers::Moved});
  registry.add("Identity", {pass_through, pass_through, Integers::Moved});
  registry.add("Reshape", {reshape, reshape, Integers::Moved});
  registry.add("Squeeze", {squeeze, squeeze, Integers::Moved});
  registry.add("Unsqueeze", {unsqueeze, unsqueeze, Integers::Moved});
}

}  // namespace n2d2::onnx
