#include "layer.hpp"

#include <array>

#include "n2d2/graph/integer_form.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::targets::cpp {

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

std::string refuses_to_move(const graph::Graph& graph, const graph::Node& node) {
  if (node.clamp) return "it only moves values and cannot clamp them";
  return check_types(graph, node, 1);
}

std::string check_rescaled_types(const graph::Graph& graph, const graph::Node& node, size_t data_inputs) {
  const auto type_of = [&](graph::ValueId id) { return graph.value(id).type.dtype; };
  const DataType out = type_of(node.outputs.at(0)), first = type_of(node.inputs.at(0));
  bool is_wide = out == DataType::I16 ? size_bytes(first) == 1 : out == DataType::I32;
  for (size_t i = 0; i < data_inputs; ++i) {
    const DataType in = type_of(node.inputs.at(i));
    is_wide = is_wide && size_bytes(in) == size_bytes(first) && size_bytes(in) <= 2;
  }
  return is_wide ? "" : check_types(graph, node, data_inputs);
}

std::string check_summed_types(const graph::Graph& graph, const graph::Node& node) {
  const auto type_of = [&](graph::ValueId id) { return graph.value(id).type.dtype; };
  const DataType out = type_of(node.outputs.at(0));
  if (out == DataType::F32) return check_types(graph, node, node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (const DataType in = type_of(node.inputs[i]);
        in == DataType::F32 || size_bytes(in) > 2 || out == DataType::I64)
      return fmt::format("input {} is {}, output is {}", i, to_string(in), to_string(out));
  return {};
}

std::string check_weighted_types(const graph::Graph& graph, const graph::Node& node) {
  const auto type_of = [&](graph::ValueId id) { return graph.value(id).type.dtype; };
  const DataType in = type_of(node.inputs.at(0)), out = type_of(node.outputs.at(0)),
                 weights = type_of(node.inputs.at(1));
  if (in == DataType::F32 || out == DataType::F32) return check_types(graph, node, 1);
  if (in == DataType::I32 || in == DataType::I64 || out == DataType::I64)
    return fmt::format("input 0 is {}, output is {}", to_string(in), to_string(out));
  const bool has_words = weights == DataType::I16;
  if (has_words && (size_bytes(in) == 1 || size_bytes(out) == 1))
    return fmt::format("input 0 is {}, output is {}, the weights are {}", to_string(in), to_string(out),
                       to_string(weights));
  return {};
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

Constant factors_of(const graph::Graph& graph, const graph::Node& node, float float_factor) {
  const auto constant = [](Tensor data) {
    return Constant{"factors", std::make_shared<const Tensor>(std::move(data)), true};
  };
  if (graph.value(node.outputs.at(0)).type.dtype == DataType::F32)
    return constant(tensor_of(std::vector<float>{float_factor}));
  N2D2_CHECK(node.rescale.has_value(), "'{}' has no rescaling", node.name);
  const Rescale& rescale = *node.rescale;
  N2D2_CHECK(!rescale.multiplier.empty() || !rescale.factor.empty(), "'{}' has no factors", node.name);
  return constant(rescale.multiplier.empty() ? tensor_of(rescale.factor) : tensor_of(rescale.multiplier));
}

Constant biases_of(const graph::Graph& graph, const graph::Node& node, size_t slot, int64_t outputs) {
  if (slot < node.inputs.size()) return {"biases", graph.value(node.inputs[slot]).constant, true};
  const DataType in = graph.value(node.inputs.at(0)).type.dtype;
  const DataType weights = graph.value(node.inputs.at(1)).type.dtype;
  const int bits = static_cast<int>(8 * size_bytes(in));
  const DataType sum = in == DataType::F32 ? in : weighted_sum_type(weights, bits, 0);
  return {"biases", std::make_shared<const Tensor>(Shape{outputs}, sum), true};
}

int pad_value(const graph::Graph& graph, const graph::Node& node) {
  const std::optional<QuantParams>& quant = graph.value(node.inputs.at(0)).type.quant;
  const bool has_rows = node.inputs.size() > 2 && graph.value(node.inputs[2]).type.shape.rank() > 1;
  if (!quant || has_rows || !graph::integer_form(graph, node).reads_zeros) return 0;
  return static_cast<int>(quant->zero_point);
}

bool has_small_factors(const Constant& factors) {
  if (factors.data->dtype() != DataType::F32) return false;
  const auto values = factors.data->span<float>();
  return std::all_of(values.begin(), values.end(), [](float f) { return std::abs(f) <= 0.5F; });
}

Constant weights_of(Tensor weights) {
  return {"weights", std::make_shared<const Tensor>(std::move(weights)), false};
}

Window rows_window(const Shape& in, const Shape& out, Dims kernel, Dims stride, Dims dilation,
                   const Pads& padding) {
  using Kind = Window::Kind;
  if ((in.h() == 1) != (out.h() == 1)) return whole_window();
  if (program::is_turned(std::array{in, out}))
    return {Kind::Rows, stride.x, padding.left, (kernel.x - 1) * dilation.x + 1};
  return {Kind::Rows, stride.y, padding.top, (kernel.y - 1) * dilation.y + 1};
}

namespace {

/// Where the constants of a call begin, and how far behind each other the slices of each lie.
struct BoundConstants {
  std::vector<std::shared_ptr<const Tensor>> kept;
  std::vector<const void*> first;
  std::vector<int64_t> bytes_of_slice;

  std::vector<const void*> of_slice(int slice) const {
    std::vector<const void*> out = first;
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<const std::byte*>(out[i]) + slice * bytes_of_slice[i];
    return out;
  }
};

}  // namespace

HostCall bound_host(std::string_view kernel, std::shared_ptr<const void> config, const Site& site) {
  Types types{site.in().type, site.out().type};
  BoundConstants constants;
  for (const program::ConstantId id : site.call.constants) {
    const Constant& constant = site.program.constant(id);
    if (constant.role == "weights") types.weights = constant.data->dtype();
    if (constant.role == "biases") types.sum = constant.data->dtype();
    if (constant.role.starts_with("factors")) types.fixed_point = constant.data->dtype() == DataType::I32;
    const auto& read = constant.packed != nullptr && host_reads_packed() ? constant.packed : constant.data;
    constants.kept.push_back(read);
    constants.first.push_back(read->raw());
    constants.bytes_of_slice.push_back(constant.slices == 1 ? 0 : read->bytes() / constant.slices);
  }
  return [types, config = std::move(config), constants = std::move(constants),
          run = host_kernel(kernel)](const HostArgs& args) {
    const std::vector<const void*> of_slice = constants.of_slice(args.slice);
    run(config.get(), {types, args.rows.first, args.rows.count, args.in.data(), args.out.data(),
                       of_slice.data(), args.scratch});
  };
}

}  // namespace n2d2::targets::cpp
