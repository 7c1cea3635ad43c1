#include "binding.hpp"

#include <algorithm>

#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::exporter::cpp {

std::string check_types(const graph::Graph& graph, const graph::Node& node, size_t data_inputs) {
  const DataType out = graph.value(node.outputs.at(0)).type.dtype;
  const auto allowed = [](DataType t) { return t != DataType::I32 && t != DataType::I64; };
  if (!allowed(out)) return fmt::format("output is {}", to_string(out));
  for (size_t i = 0; i < data_inputs; ++i) {
    const DataType in = graph.value(node.inputs.at(i)).type.dtype;
    const bool same_kind =
        (in == DataType::F32) == (out == DataType::F32) && size_bytes(in) == size_bytes(out);
    if (!allowed(in) || !same_kind)
      return fmt::format("input {} is {}, output is {}", i, to_string(in), to_string(out));
  }
  return {};
}

host::Types types_of(const NodeView& view, size_t slot) {
  const bool fixed = view.node.rescale && !view.node.rescale->multiplier.empty();
  return {view.input(slot).type.dtype, view.out().type.dtype, fixed};
}

namespace {

template <class T>
Tensor tensor_of(std::vector<T> values) {
  if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end())
    values.resize(1);
  Tensor out(Shape{static_cast<int64_t>(values.size())}, data_type_of<T>());
  std::copy(values.begin(), values.end(), out.data<T>());
  return out;
}

}  // namespace

ExportParameter factors_of(const NodeView& view, float float_factor, int64_t& count) {
  ExportParameter out{"factors", {}, true};
  if (is_float(view)) {
    out.data = tensor_of(std::vector<float>{float_factor});
  } else {
    N2D2_CHECK(view.node.rescale.has_value(), "'{}' has no rescaling", view.node.name);
    const Rescale& rescale = *view.node.rescale;
    N2D2_CHECK(!rescale.multiplier.empty() || !rescale.factor.empty(), "'{}' has no factors", view.node.name);
    out.data = rescale.multiplier.empty() ? tensor_of(rescale.factor) : tensor_of(rescale.multiplier);
  }
  count = out.data.elements();
  return out;
}

ExportParameter biases_of(const NodeView& view, size_t slot, int64_t outputs) {
  ExportParameter out{"biases", {}, true};
  if (slot < view.node.inputs.size()) {
    out.data = *view.input(slot).constant;
    return out;
  }
  const DataType in = view.input(0).type.dtype;
  const DataType sum = in == DataType::F32 ? in : sum_type(static_cast<int>(8 * size_bytes(in)));
  out.data = Tensor(Shape{outputs}, sum);
  return out;
}

memory::Window rows_window(const Shape& in, const Shape& out, Dims kernel, Dims stride, Dims dilation,
                           const Pads& padding) {
  using Kind = memory::Window::Kind;
  if ((in.h() == 1) != (out.h() == 1)) return whole_window();
  if (in.h() == 1) return {Kind::Rows, stride.x, padding.left, (kernel.x - 1) * dilation.x + 1};
  return {Kind::Rows, stride.y, padding.top, (kernel.y - 1) * dilation.y + 1};
}

SharedParameters share(ExportNode& node) {
  return std::make_shared<const std::vector<ExportParameter>>(node.parameters);
}

}  // namespace n2d2::exporter::cpp
