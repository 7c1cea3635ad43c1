#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct LogSoftmaxConfig : Planes, RescaleFields<Bound> {
  int entries = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("entries", entries);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/log_softmax.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void log_softmax(const void* config, const Arrays& arrays);
void log_softmax(const void* config, const Arrays& arrays) {
  rescaled<LogSoftmaxConfig>(config, arrays, [&](const auto& c, auto* in, auto* out, auto* factors) {
    N2D2_EXPORT_NAMESPACE::log_softmax(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out, factors,
                                       static_cast<const int32_t*>(arrays.constants[1]),
                                       static_cast<const int32_t*>(arrays.constants[2]));
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/log_softmax.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// One row of the table, or one entry that a float network does not read.
Constant row_of_table(const graph::Graph& graph, const graph::Node& node, const char* role, int64_t row) {
  if (node.inputs.size() < 2) return {role, std::make_shared<const Tensor>(Shape{1}, DataType::I32)};
  const Tensor& table = *graph.value(node.inputs[1]).constant;
  const int64_t length = table.shape()[1];
  Tensor out(Shape{length}, DataType::I32);
  std::copy_n(table.data<int32_t>() + row * length, length, out.data<int32_t>());
  return {role, std::make_shared<const Tensor>(std::move(out))};
}

class LogSoftmaxKernel final : public LayerKernel<LogSoftmaxKernel, LogSoftmaxConfig> {
 public:
  std::string_view name() const override { return "log_softmax"; }
  std::string_view header() const override { return "log_softmax.hpp"; }
  std::vector<std::string_view> operators() const override { return {"LogSoftmax"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, element_window());
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return {factors_of(graph, node, 1.0F), row_of_table(graph, node, "powers", 0),
            row_of_table(graph, node, "curve", 1)};
  }
  template <class Bound>
  LogSoftmaxConfig<Bound> config_of(const Site& site) const {
    LogSoftmaxConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, nullptr);
    c.entries = static_cast<int>(site.constant(1).data->elements());
    return c;
  }
};

}  // namespace

void register_log_softmax(program::KernelLibrary& library);
void register_log_softmax(program::KernelLibrary& library) {
  library.add(std::make_unique<LogSoftmaxKernel>());
}

}  // namespace n2d2::targets::cpp

#endif
