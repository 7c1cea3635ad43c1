#include "conv_config.hpp"
#include "host.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/conv.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void conv2d(const void* config, const Arrays& arrays);
void conv2d(const void* config, const Arrays& arrays) {
  weighted<BorderedConfig>(config, arrays, [&](const auto& c, auto*... data) {
    N2D2_EXPORT_NAMESPACE::conv2d(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), data...);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "../../../../export/CPP/kernels/packed.hpp"
#include "../../../../export/CPP/kernels/plane.hpp"
#include "conv_layer.hpp"
#include "pack_weights.hpp"

namespace n2d2::targets::cpp {

namespace {

class Conv2d final : public ConvLayer<Conv2d, BorderedConfig> {
 public:
  std::string_view name() const override { return "conv2d"; }
  std::string_view header() const override { return "conv.hpp"; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    const std::string padding = refuses_padding(graph, node);
    return padding.empty() ? check_weighted_types(graph, node) : padding;
  }
  std::vector<program::Form> forms() const override { return conv_forms(); }
  std::string form_refuses(const graph::Graph& graph, const graph::Node& node,
                           std::string_view form) const override {
    const auto& conv = *graph::as<ops::Conv>(node);
    const TensorType& map = graph.value(node.inputs[0]).type;
    const Tensor& weights = *graph.value(node.inputs[1]).constant;
    if (map.dtype == DataType::F32 && conv.is_depthwise(map.shape.c()))
      return "floats of a depthwise convolution are added in another order";
    if (form == "dot") return {};
    if (conv.groups != 1) return fmt::format("weights of {} groups are not packed", conv.groups);
    const std::string unpacked = not_packed(weights, rows_of_windows(graph, node));
    if (unpacked.empty() && size_bytes(map.dtype) > 1) return "its inputs are no bytes";
    if (!unpacked.empty() || form == "packed") return unpacked;
    const int taps = conv.kernel.x * conv.kernel.y, channels = static_cast<int>(map.shape.c());
    if (const program::Storage storage = storage_of(graph, node); storage.is_narrow())
      return fmt::format("weights in {} bits are unpacked for vectors", storage.bits);
    return N2D2_Export::matrix_part(taps, channels) > 0
               ? ""
               : fmt::format("{} channels in windows of {} make no rows of a matrix", channels,
                             taps * channels);
  }
  /// Large weights are streamed once a row, but once in all when the order is free.
  Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    Contract out = ConvLayer::contract(graph, node);
    const Shape& map = graph.value(node.outputs[0]).type.shape;
    out.any_order =
        map.h() * map.w() > 1 && graph.value(node.inputs[1]).constant->bytes() > N2D2_Export::kPanelBytes;
    return out;
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    std::vector<Constant> out = constants(graph, node, channels_last(graph, node));
    const bool has_bytes = size_bytes(graph.value(node.inputs[0]).type.dtype) == 1;
    if (graph::as<ops::Conv>(node)->groups == 1 && has_bytes) {
      out.front().packed = packed_windows(*out.front().data, rows_of_windows(graph, node));
      out.front().storage = storage_of(graph, node);
    }
    return out;
  }
  program::Slicing slicing(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& conv = *graph::as<ops::Conv>(node);
    const bool has_borders = node.inputs.size() > 2 && graph.value(node.inputs[2]).type.shape.rank() > 1;
    if (conv.groups != 1 || has_borders) return {};
    const bool is_of_pixels =
        conv.kernel == Dims{1, 1} && conv.stride == Dims{1, 1} && conv.padding == Pads{};
    return {program::Slicing::Made::OfAll, is_of_pixels ? "conv2d_sums" : ""};
  }
  template <class Bound>
  BorderedConfig<Bound> config_of(const Site& site) const {
    return bordered_config<Bound>(site);
  }

 private:
  /// Odd weights have no zeros to fill up groups with.
  static program::Storage storage_of(const graph::Graph& graph, const graph::Node& node) {
    const Tensor& weights = *graph.value(node.inputs[1]).constant;
    const int64_t run = weights.elements() / weights.shape()[0] / rows_of_windows(graph, node);
    return fewest_bits(weights, run % N2D2_Export::kPackedInputs == 0);
  }
  static int rows_of_windows(const graph::Graph& graph, const graph::Node& node) {
    const auto& conv = *graph::as<ops::Conv>(node);
    return program::is_turned(graph, node) ? conv.kernel.x : conv.kernel.y;
  }
};

}  // namespace

void register_conv2d(program::KernelLibrary& library);
void register_conv2d(program::KernelLibrary& library) {
  library.add(std::make_unique<Conv2d>());
}

}  // namespace n2d2::targets::cpp

#endif
