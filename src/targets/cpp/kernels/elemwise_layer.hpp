// How are layers of any number of inputs bound and printed? Self has
///   static constexpr ops::ElemWiseOperation kOperation
///   static constexpr bool kMixed, whether inputs and output may have several widths
///   template <class Bound> LayerConfig<Bound> layer_of(const Site&) const
///   template <class Factor> OperandConfig<Factor> operand_of(const Site&, size_t input) const
#pragma once

#include <vector>

#include "n2d2/ops/elemwise.hpp"

#include "layer.hpp"
#include "operands.hpp"
#include "sum_layer.hpp"

namespace n2d2::targets::cpp {

/// Rows of an input that one of the output reads: those at its place, all where one row meets all of them.
inline Window operand_window(const Shape& in, const Shape& out) {
  if (in == out) return element_window();
  const bool one_row = in.h() == 1 && out.h() == 1;
  const bool along = one_row ? in.w() == out.w() : in.h() == out.h();
  return along ? Window{Window::Kind::Rows, 1, 0, 1} : whole_window();
}

template <class Self, template <class> class LayerConfig, template <class> class OperandConfig>
class ElemWiseKernel : public program::Kernel {
 public:
  std::vector<std::string_view> operators() const override { return {"ElemWise"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& op = *graph::as<ops::ElemWise>(node);
    if (op.operation != Self::kOperation)
      return fmt::format("only Operation={}, not {}",
                         ValueText<ops::ElemWiseOperation>::print(Self::kOperation), op.operation_name());
    if (std::string reason = self().refuses_operands(graph, node, op); !reason.empty()) return reason;
    return Self::kMixed ? check_summed_types(graph, node) : check_types(graph, node, node.inputs.size());
  }
  Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    Contract out;
    const Shape& made = graph.value(node.outputs[0]).type.shape;
    for (const graph::ValueId input : node.inputs)
      if (!graph.value(input).is_constant())
        out.windows.push_back(operand_window(graph.value(input).type.shape, made));
    return out;
  }
  /// Constants stand behind the data, pixel by pixel.
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    std::vector<Constant> out;
    for (const graph::ValueId input : node.inputs) {
      const graph::Value& value = graph.value(input);
      if (value.is_constant())
        out.push_back({fmt::format("operand{}", out.size()),
                       std::make_shared<const Tensor>(to_layout(*value.constant, Layout::Nhwc))});
    }
    return out;
  }
  Config config(const Program& program, const Call& call) const override {
    const Site site{program, call};
    if (site.is_float()) return print<float, float>(site);
    return print<int, int32_t>(site);
  }
  HostCall host(const Program& program, const Call& call) const override {
    const Site site{program, call};
    return bound_host(name(), site.is_float() ? kept<float, float>(site) : kept<int, int32_t>(site), site);
  }

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
  template <class Factor>
  OperandConfig<Factor> operand(const Site& site, size_t i) const {
    OperandConfig<Factor> out = self().template operand_of<Factor>(site, i);
    const size_t maps = site.call.in.size();
    const DataType type = i < maps ? site.in(i).type : site.constant(i - maps).data->dtype();
    out.set_in(i < maps ? program::plane_of(site.in(i)) : plane_of_constant(site, i - maps));
    out.is_signed = is_signed(type);
    out.bytes = static_cast<int>(size_bytes(type));
    return out;
  }
  static program::Plane plane_of_constant(const Site& site, size_t i) {
    const Shape& shape = site.constant(i).data->shape();
    program::Plane out;
    out.width = static_cast<int>(shape.w()), out.height = static_cast<int>(shape.h());
    if (site.call.turned) std::swap(out.width, out.height);
    out.channels = static_cast<int>(shape.c());
    out.pixel = shape.c(), out.row = shape.c() * out.width;
    return out;
  }
  static size_t operands_of(const Site& site) { return site.call.in.size() + site.call.constants.size(); }
  template <class Bound>
  LayerConfig<Bound> layer(const Site& site) const {
    LayerConfig<Bound> out = self().template layer_of<Bound>(site);
    set_planes(out, site);
    out.set_in(program::plane_of(site.out()));
    set_rescale<Bound>(out, site, nullptr);
    return out;
  }
  template <class Bound, class Factor>
  Config print(const Site& site) const {
    Config out{print_config(layer<Bound>(site)), {}};
    for (size_t i = 0; i < operands_of(site); ++i)
      out.of_inputs.push_back(print_config(operand<Factor>(site, i)));
    return out;
  }
  template <class Bound, class Factor>
  std::shared_ptr<const void> kept(const Site& site) const {
    struct Kept {
      std::vector<OperandConfig<Factor>> operands;
      OnOperands<LayerConfig<Bound>, OperandConfig<Factor>> call;
    };
    const auto out = std::make_shared<Kept>();
    for (size_t i = 0; i < operands_of(site); ++i) out->operands.push_back(operand<Factor>(site, i));
    out->call = {layer<Bound>(site), out->operands.data(), out->operands.size(), site.call.in.size()};
    return std::shared_ptr<const void>(out, &out->call);
  }
};

}  // namespace n2d2::targets::cpp
