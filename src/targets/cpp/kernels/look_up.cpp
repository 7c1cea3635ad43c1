#include "host.hpp"

namespace n2d2::targets::cpp {

struct LookUpConfig : Planes {
  int entries = 256, table_step = 0;
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
    v("entries", entries), v("table_step", table_step);
  }
};
template <class>
using LookUpConfigOf = LookUpConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/table.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void look_up(const void* config, const Arrays& arrays);
void look_up(const void* config, const Arrays& arrays) {
  const auto& c = *static_cast<const LookUpConfig*>(config);
  with_integers(arrays.types, [&]<class In, class Out>() {
    N2D2_EXPORT_NAMESPACE::look_up(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays),
                                   static_cast<const In*>(arrays.in[0]), static_cast<Out*>(arrays.out[0]),
                                   static_cast<const Out*>(arrays.constants[0]));
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Kernel of every layer that was given a table of its outputs. Only integer networks have such tables.
class LookUp final : public LayerKernel<LookUp, LookUpConfigOf> {
 public:
  std::string_view name() const override { return "look_up"; }
  std::string_view header() const override { return "table.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Nonlinearity", "PRelu", "Threshold"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (graph.value(node.outputs[0]).type.dtype == DataType::F32) return "floats are not looked up";
    return check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, element_window());
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return {{"table", graph.value(node.inputs.at(1)).constant, false}};
  }
  template <class Bound>
  LookUpConfig config_of(const Site& site) const {
    LookUpConfig c;
    set_planes(c, site);
    const Shape& table = site.constant(0).data->shape();
    c.entries = static_cast<int>(table[1]);
    c.table_step = table[0] > 1 ? c.entries : 0;
    return c;
  }
};

}  // namespace

void register_look_up(program::KernelLibrary& library);
void register_look_up(program::KernelLibrary& library) {
  library.add(std::make_unique<LookUp>());
}

}  // namespace n2d2::targets::cpp

#endif
