#include "host.hpp"

namespace n2d2::targets::cpp {

struct TransposeConfig : Planes {
  int channel_is = 0, row_is = 1, column_is = 2;
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
    v("channel_is", channel_is), v("row_is", row_is), v("column_is", column_is);
  }
};
/// Config for integers and floats alike: the kernel moves values unchanged.
template <class Bound>
using TransposeConfigOf = TransposeConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/transpose.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void transpose_map(const void* config, const Arrays& arrays);
void transpose_map(const void* config, const Arrays& arrays) {
  const auto& c = *static_cast<const TransposeConfig*>(config);
  moved(arrays, [&](auto* in, auto* out) {
    N2D2_EXPORT_NAMESPACE::transpose_map(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/transpose.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Which place of the output is channel, row and column of the input, as the views of a call count them.
std::array<int, 3> places_of(const ops::Transpose& transpose, bool turned) {
  const auto in_view = [&](size_t axis) { return turned && axis > 0 ? 3 - axis : axis; };
  const std::array<size_t, 3> order = transpose.order();
  std::array<int, 3> places{};
  for (size_t made = 0; made < order.size(); ++made)
    places[in_view(order[made] - 1)] = static_cast<int>(in_view(made));
  return places;
}

class TransposeMap final : public LayerKernel<TransposeMap, TransposeConfigOf> {
 public:
  std::string_view name() const override { return "transpose_map"; }
  std::string_view header() const override { return "transpose.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Transpose"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return refuses_to_move(graph, node);
  }
  /// Rows that stay rows are read one by one.
  Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    const bool keeps_rows =
        places_of(*graph::as<ops::Transpose>(node), program::is_turned(graph, node))[1] == 1;
    const Shape& in = graph.value(node.inputs[0]).type.shape;
    const Shape& out = graph.value(node.outputs[0]).type.shape;
    return contract_of(1, keeps_rows ? rows_window(in, out, {1, 1}, {1, 1}, {1, 1}, {}) : whole_window());
  }
  template <class Bound>
  TransposeConfig config_of(const Site& site) const {
    TransposeConfig c;
    set_planes(c, site);
    const std::array<int, 3> places = places_of(*graph::as<ops::Transpose>(site.node()), site.call.turned);
    c.channel_is = places[0], c.row_is = places[1], c.column_is = places[2];
    return c;
  }
};

}  // namespace

void register_transpose_map(program::KernelLibrary& library);
void register_transpose_map(program::KernelLibrary& library) {
  library.add(std::make_unique<TransposeMap>());
}

}  // namespace n2d2::targets::cpp

#endif
