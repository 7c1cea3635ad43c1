#include <cstddef>
#include <utility>

#include "host.hpp"

namespace n2d2::targets::cpp {

/// One input of a sum. Factor is int32_t or float.
template <class Factor>
struct OperandConfig : InPlane {
  Factor multiplier{};
  int is_signed = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_in(v);
    v("multiplier", multiplier), v("is_signed", is_signed);
  }
};

template <class Bound>
struct SumConfig : Planes, RescaleFields<Bound> {
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
  }
};

/// Inputs that the process can add up at once; a printed sum has as many as it needs.
inline constexpr size_t kMaxOperands = 8;

/// What the host form takes: the layer and its operands.
template <class Bound, class Factor>
struct SumOfOperands {
  SumConfig<Bound> layer;
  OperandConfig<Factor> operands[kMaxOperands];
  size_t count = 0;
};
using IntegerSum = SumOfOperands<int, int32_t>;
using FloatSum = SumOfOperands<float, float>;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/elemwise.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

namespace {

/// Unfolds the run-time list of operands into the variadic call of elemwise.hpp.
template <class In, class Out, class Config, size_t... I>
void sum_of(const Config& c, const Arrays& a, std::index_sequence<I...>) {
  N2D2_EXPORT_NAMESPACE::sum(
      c.layer, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(a), static_cast<Out*>(a.out[0]),
      N2D2_EXPORT_NAMESPACE::operand(c.operands[I], static_cast<const In*>(a.in[I]))...);
}

template <class In, class Out, size_t N = 1, class Config>
void sum_by_count(const Config& c, const Arrays& a) {
  if (c.count == N) return sum_of<In, Out>(c, a, std::make_index_sequence<N>());
  if constexpr (N < kMaxOperands) return sum_by_count<In, Out, N + 1>(c, a);
  no_kernel(a.types);
}

}  // namespace

void sum(const void* config, const Arrays& arrays);
void sum(const void* config, const Arrays& arrays) {
  if (arrays.types.out == DataType::F32)
    return sum_by_count<float, float>(*static_cast<const FloatSum*>(config), arrays);
  const auto& c = *static_cast<const IntegerSum*>(config);
  switch (arrays.types.out) {
    case DataType::I32:
      if (size_bytes(arrays.types.in) == 1) return sum_by_count<uint8_t, int32_t>(c, arrays);
      return sum_by_count<uint16_t, int32_t>(c, arrays);
    case DataType::U8:
      return sum_by_count<uint8_t, uint8_t>(c, arrays);
    case DataType::I8:
      return sum_by_count<uint8_t, int8_t>(c, arrays);
    case DataType::U16:
      return sum_by_count<uint16_t, uint16_t>(c, arrays);
    case DataType::I16:
      if (size_bytes(arrays.types.in) == 1) return sum_by_count<uint8_t, int16_t>(c, arrays);
      return sum_by_count<uint16_t, int16_t>(c, arrays);
    default:
      no_kernel(arrays.types);
  }
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "sum_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

template <class Bound, class Factor>
SumOfOperands<Bound, Factor> configs_of(const Site& site) {
  SumOfOperands<Bound, Factor> out;
  set_planes(out.layer, site);
  out.layer.set_in(program::plane_of(site.out()));
  set_rescale<Bound>(out.layer, site, nullptr);
  out.count = site.call.in.size();
  for (size_t i = 0; i < out.count; ++i) {
    OperandConfig<Factor>& operand = out.operands[i];
    operand.set_in(program::plane_of(site.in(i)));
    operand.is_signed = is_signed(site.in(i).type);
    operand.multiplier = sum_multiplier<Factor>(site.node(), i);
  }
  return out;
}

template <class Configs>
Config print_sum(const Configs& configs) {
  Config out{print_config(configs.layer), {}};
  for (size_t i = 0; i < configs.count; ++i) out.of_inputs.push_back(print_config(configs.operands[i]));
  return out;
}

class Sum final : public program::Kernel {
 public:
  std::string_view name() const override { return "sum"; }
  std::string_view header() const override { return "elemwise.hpp"; }
  std::vector<std::string_view> operators() const override { return {"ElemWise"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& op = *graph::as<ops::ElemWise>(node);
    if (op.operation != ops::ElemWiseOperation::Sum)
      return "only Operation=Sum has a kernel, not " + ValueText<ops::ElemWiseOperation>::print(op.operation);
    if (op.constants_from > 0) return "a constant operand";
    const Shape& out = graph.value(node.outputs[0]).type.shape;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (const Shape& in = graph.value(node.inputs[i]).type.shape; !(in == out))
        return fmt::format(
            "input {} has shape {}, the output {}: repeated elements have no kernel, give all operands one "
            "size",
            i, in.text(), out.text());
    if (node.inputs.size() > kMaxOperands)
      return fmt::format("{} inputs, the kernel is run in process with at most {}", node.inputs.size(),
                         kMaxOperands);
    const int64_t channels = graph.value(node.outputs[0]).type.shape.c();
    for (size_t i = 0; i < node.inputs.size(); ++i)
      for (int64_t c = 0; c < channels; ++c) {
        if (op.shift(i, c) != 0) return "Shifts other than 0";
        if (op.weight(i, c) != op.weight(i, 0)) return "Weights that differ between channels";
      }
    return check_rescaled_types(graph, node, node.inputs.size());
  }
  Contract contract(const graph::Graph&, const graph::Node& node) const override {
    return contract_of(node.inputs.size(), element_window());
  }
  Config config(const Program& program, const Call& call) const override {
    const Site site{program, call};
    if (site.is_float()) return print_sum(configs_of<float, float>(site));
    return print_sum(configs_of<int, int32_t>(site));
  }
  HostCall host(const Program& program, const Call& call) const override {
    const Site site{program, call};
    if (site.is_float())
      return bound_host(name(), std::make_shared<const FloatSum>(configs_of<float, float>(site)), site);
    return bound_host(name(), std::make_shared<const IntegerSum>(configs_of<int, int32_t>(site)), site);
  }
};

}  // namespace

void register_sum(program::KernelLibrary& library);
void register_sum(program::KernelLibrary& library) {
  library.add(std::make_unique<Sum>());
}

}  // namespace n2d2::targets::cpp

#endif
