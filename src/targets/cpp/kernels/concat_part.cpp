#include "host.hpp"

namespace n2d2::targets::cpp {

struct ConcatConfig : Planes {
  int out_offset = 0;
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
    v("out_offset", out_offset);
  }
};
/// Config for integers and floats alike: the kernel moves values unchanged.
template <class Bound>
using ConcatConfigOf = ConcatConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/concat.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void concat_part(const void* config, const Arrays& arrays);
void concat_part(const void* config, const Arrays& arrays) {
  const auto& c = *static_cast<const ConcatConfig*>(config);
  moved(arrays, [&](auto* in, auto* out) {
    N2D2_EXPORT_NAMESPACE::concat_part(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/concat.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class ConcatPart final : public LayerKernel<ConcatPart, ConcatConfigOf> {
 public:
  std::string_view name() const override { return "concat_part"; }
  std::string_view header() const override { return "concat.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Concat"}; }
  program::Placement placement() const override { return program::Placement::Parts; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    const TensorType& out = graph.value(node.outputs[0]).type;
    for (const graph::ValueId input : node.inputs) {
      const TensorType& in = graph.value(input).type;
      if (in.dtype != out.dtype)
        return fmt::format("'{}' is {}, the output {}", graph.value(input).name, to_string(in.dtype),
                           to_string(out.dtype));
      if (in.quant && out.quant && in.quant->scale != out.quant->scale)
        return fmt::format("'{}' has another scale than the output", graph.value(input).name);
    }
    return check_types(graph, node, node.inputs.size());
  }
  Contract contract(const graph::Graph&, const graph::Node& node) const override {
    return contract_of(node.inputs.size(), element_window());
  }
  /// The part is a view of its own: nothing lies in front of it.
  template <class Bound>
  ConcatConfig config_of(const Site& site) const {
    ConcatConfig c;
    set_planes(c, site);
    return c;
  }
};

}  // namespace

void register_concat_part(program::KernelLibrary& library);
void register_concat_part(program::KernelLibrary& library) {
  library.add(std::make_unique<ConcatPart>());
}

}  // namespace n2d2::targets::cpp

#endif
