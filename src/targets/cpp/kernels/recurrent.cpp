#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct RecurrentConfig : Planes, RescaleFields<Bound> {
  int cell = 0, hidden = 1, directions = 1, reverse = 0, linear = 0, last_step = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("cell", cell), v("hidden", hidden), v("directions", directions), v("reverse", reverse);
    v("linear", linear), v("last_step", last_step);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/recurrent.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void recurrent(const void* config, const Arrays& arrays);
void recurrent(const void* config, const Arrays& a) {
  const auto rows = rows_of<N2D2_EXPORT_NAMESPACE::Rows>(a);
  rescaled<RecurrentConfig>(
      config, a, [&]<class C, class In, class Out>(const C& c, const In* in, Out* out, const auto* factors) {
        if constexpr (sizeof(In) == sizeof(float) && sizeof(Out) == sizeof(float))
          N2D2_EXPORT_NAMESPACE::recurrent(c, rows, in, out, factors,
                                           static_cast<const float*>(a.constants[1]),
                                           static_cast<const float*>(a.constants[2]),
                                           static_cast<const float*>(a.constants[3]), a.scratch);
        else if constexpr (sizeof(In) == sizeof(Out))
          N2D2_EXPORT_NAMESPACE::recurrent(c, rows, in, out, factors,
                                           static_cast<const int8_t*>(a.constants[1]),
                                           static_cast<const int8_t*>(a.constants[2]),
                                           static_cast<const int32_t*>(a.constants[3]), a.scratch);
        else
          no_kernel(a.types);
      });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/recurrent.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class RecurrentKernel final : public LayerKernel<RecurrentKernel, RecurrentConfig> {
 public:
  std::string_view name() const override { return "recurrent"; }
  std::string_view header() const override { return "recurrent.hpp"; }
  std::vector<std::string_view> operators() const override { return {ops::Recurrent::kType}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& op = *graph::as<ops::Recurrent>(node);
    const bool resets = op.cell == ops::Cell::Gru && !op.linear_before_reset;
    const auto element = static_cast<Bytes>(size_bytes(graph.value(node.outputs.at(0)).type.dtype));
    const Shape& states = graph.value(node.outputs[0]).type.shape;
    Contract out = contract_of(1, whole_window());
    out.rows_per_step = static_cast<int>(states.h() * states.w());  // each call begins at the first step
    out.scratch = op.hidden * (kBytesOfState + element * (resets ? 3 : 2)) + kBytesOfState - 1;
    return out;
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    const auto constant = [&](const char* role, size_t slot) {
      return Constant{role, graph.value(node.inputs.at(slot)).constant, slot == 3};
    };
    return {factors_of(graph, node, 1.0F), constant("weights", 1), constant("recurrent", 2),
            constant("gates", 3)};
  }
  template <class Bound>
  RecurrentConfig<Bound> config_of(const Site& site) const {
    const auto& op = *graph::as<ops::Recurrent>(site.node());
    RecurrentConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, nullptr);
    c.cell = static_cast<int>(op.cell), c.hidden = op.hidden;
    c.directions = static_cast<int>(op.directions());
    c.reverse = op.direction == ops::Direction::Reverse ? 1 : 0;
    c.linear = op.linear_before_reset ? 1 : 0, c.last_step = op.last_step ? 1 : 0;
    return c;
  }

 private:
  using Bytes = memory::Bytes;
  static constexpr Bytes kBytesOfState = 4;
};

}  // namespace

void register_recurrent(program::KernelLibrary& library);
void register_recurrent(program::KernelLibrary& library) {
  library.add(std::make_unique<RecurrentKernel>());
}

}  // namespace n2d2::targets::cpp

#endif
