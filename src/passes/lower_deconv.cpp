#include <algorithm>

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/deconv.hpp"
#include "n2d2/ops/depth_to_space.hpp"

#include "rewrite.hpp"

namespace n2d2::passes {

namespace {

/// One axis of a Deconv as a Conv of its input. Output y is phase (y + cut) % stride at position
/// q = (y + cut) / stride, which gets tap k of input q - at where stride at + phase = dilation k.
struct PhasedAxis {
  int stride, taps, dilation;   // of the Deconv
  int kernel, step;             // taps of the Conv and their distance: without phases that of the Deconv
  int before, after;            // padding of the Conv
  int crop_before, crop_after;  // outputs of its first and last positions that are none of the Deconv

  PhasedAxis(int64_t in, int64_t out, int step_of_outputs, int kernel_size, int distance, int cut)
      : stride(step_of_outputs), taps(kernel_size), dilation(distance) {
    step = stride == 1 ? dilation : 1;
    kernel = static_cast<int>(int64_t{dilation} * (taps - 1) / (int64_t{stride} * step)) + 1;
    const int64_t reach = int64_t{kernel - 1} * step;
    // A Conv has no padding below 0: positions that it has beyond those asked for are cropped.
    const int64_t first = std::min<int64_t>(cut / stride, reach),
                  last = std::max<int64_t>((out - 1 + cut) / stride, in - 1);
    before = static_cast<int>(reach - first);
    after = static_cast<int>(last - (in - 1));
    crop_before = static_cast<int>(cut - stride * first);
    crop_after = static_cast<int>(stride * (last - first + 1) - out - crop_before);
  }

  /// The tap of the Deconv that a tap of the Conv is for a phase, -1 where it is none.
  int tap(int phase, int at) const {
    const int distance = stride * step * (kernel - 1 - at) + phase;
    return distance % dilation == 0 && distance / dilation < taps ? distance / dilation : -1;
  }
};

/// Weights of the phases: row (o, phase y, phase x).
Tensor phased(const Tensor& weights, const PhasedAxis& y, const PhasedAxis& x) {
  const Shape& from = weights.shape();
  const int64_t phases = int64_t{y.stride} * x.stride, outputs = from[0] * phases, channels = from[1];
  Tensor out(Shape{outputs, channels, y.kernel, x.kernel});
  float* to = out.data<float>();
  for (int64_t row = 0; row < outputs; ++row) {
    const int64_t o = row / phases;
    const int phase_y = static_cast<int>(row % phases / x.stride), phase_x = static_cast<int>(row % x.stride);
    for (int64_t c = 0; c < channels; ++c)
      for (int at_y = 0; at_y < y.kernel; ++at_y)
        for (int at_x = 0; at_x < x.kernel; ++at_x) {
          const int ky = y.tap(phase_y, at_y), kx = x.tap(phase_x, at_x);
          if (ky >= 0 && kx >= 0)
            *to = weights.data<float>()[((o * channels + c) * from[2] + ky) * from[3] + kx];
          ++to;
        }
  }
  return out;
}

/// Each entry `times` times.
template <class T>
std::vector<T> repeated(std::span<const T> list, int64_t times) {
  std::vector<T> out;
  for (const T& entry : list) out.insert(out.end(), static_cast<size_t>(times), entry);
  return out;
}

/// The scales that came with the weights, those of an output for each of its phases.
std::optional<QuantParams> phased(std::optional<QuantParams> quant, int64_t phases) {
  if (quant && quant->scale.size() > 1) quant->scale = repeated<float>(quant->scale, phases);
  if (quant && quant->threshold.size() > 1) quant->threshold = repeated<double>(quant->threshold, phases);
  return quant;
}

class Lowering {
 public:
  Lowering(graph::Graph& graph, const graph::Node& node)
      : graph_(graph),
        node_(node),
        op_(*graph::as<ops::Deconv>(node)),
        y_(axis(&Shape::h, op_.stride.y, op_.kernel.y, op_.dilation.y, op_.padding.top)),
        x_(axis(&Shape::w, op_.stride.x, op_.kernel.x, op_.dilation.x, op_.padding.left)) {}

  /// Returns how many the Conv has; with a stride beyond all windows, any number.
  double weights() const {
    const Shape& own = graph_.value(node_.inputs.at(1)).type.shape;
    return static_cast<double>(own[0] * own[1]) * y_.stride * x_.stride * y_.kernel * x_.kernel;
  }

  void run() {
    const graph::NodeId id = node_.id;
    const Pads crop{x_.crop_before, y_.crop_before, x_.crop_after, y_.crop_after};
    std::unique_ptr<ops::Conv> phases = conv();
    if (phases_ == 1 && crop == Pads{}) return graph_.replace(id, std::move(phases), conv_inputs());
    auto pixels = std::make_unique<ops::DepthToSpace>();
    pixels->block_size = x_.stride;
    pixels->block_rows = y_.stride == x_.stride ? 0 : y_.stride;
    pixels->order = ops::BlockOrder::Crd;
    pixels->crop = crop;
    const std::string name = graph_.unique_name(node_.name + "_phases");
    const graph::NodeId made = graph_.add(std::move(phases), name, conv_inputs(), node_.origin);
    graph_.set_clamp(made, node_.clamp);
    graph_.set_clamp(id, std::nullopt);
    graph_.replace(id, std::move(pixels), {graph_.node(made).outputs.at(0)});
  }

 private:
  PhasedAxis axis(int64_t (Shape::*size)() const, int stride, int taps, int dilation, int before) const {
    const Shape& in = graph_.value(node_.inputs.at(0)).type.shape;
    const Shape& out = graph_.value(node_.outputs.at(0)).type.shape;
    return {(in.*size)(), (out.*size)(), stride, taps, dilation, before};
  }

  std::unique_ptr<ops::Conv> conv() const {
    auto out = std::make_unique<ops::Conv>();
    out->kernel = {x_.kernel, y_.kernel};
    out->dilation = {x_.step, y_.step};
    out->padding = {x_.before, y_.before, x_.after, y_.after};
    out->groups = op_.groups;
    out->nb_outputs = static_cast<int>(op_.nb_outputs * phases_);
    return out;
  }
  std::vector<graph::ValueId> conv_inputs() {
    std::vector<graph::ValueId> inputs{node_.inputs.at(0)};
    const graph::Value& weights = graph_.value(node_.inputs.at(1));
    const std::string name = graph_.unique_name(node_.name + "_phase_weights");
    inputs.push_back(
        graph_.add_constant(name, phased(*weights.constant, y_, x_), phased(weights.type.quant, phases_)));
    if (node_.inputs.size() < 3) return inputs;
    const std::vector<float> biases =
        repeated<float>(graph_.value(node_.inputs[2]).constant->span<float>(), phases_);
    Tensor tensor(Shape{static_cast<int64_t>(biases.size())});
    std::copy(biases.begin(), biases.end(), tensor.data<float>());
    inputs.push_back(
        graph_.add_constant(graph_.unique_name(node_.name + "_phase_biases"), std::move(tensor)));
    return inputs;
  }

  graph::Graph& graph_;
  const graph::Node& node_;
  const ops::Deconv& op_;
  PhasedAxis y_, x_;
  int64_t phases_ = int64_t{y_.stride} * x_.stride;
};

/// A Deconv of stride s is a Conv with s x s outputs, its phases, for each of its own, whose windows see what
/// reaches the pixels of one phase, and a DepthToSpace: no zero between inputs is multiplied. Taps that a
/// phase lacks beside another are weights of 0. One with a table of connections stays, and one whose Conv
/// would have more than 2^29 weights. Source: Shi et al. 2016, "Is the deconvolution layer the same as a
/// convolutional layer?".
class LowerDeconv final : public Pass {
 public:
  std::string_view name() const override { return "lower_deconv"; }
  std::string_view summary() const override {
    return "makes a Conv of the phases of a Deconv and a DepthToSpace of it";
  }
  int run(graph::Graph& graph, const PassContext&) const override {
    int rewrites = 0;
    for (const graph::NodeId id : graph.schedule()) {
      const graph::Node& node = graph.node(id);
      const auto* deconv = graph::as<ops::Deconv>(node);
      if (!deconv || !deconv->connections.empty()) continue;
      Lowering lowering(graph, node);
      if (lowering.weights() > static_cast<double>(kMostWeights)) continue;
      lowering.run();
      ++rewrites;
    }
    return rewrites;
  }
};

}  // namespace

void register_lower_deconv(PassRegistry& registry);
void register_lower_deconv(PassRegistry& registry) {
  register_pass<LowerDeconv>(registry);
}

}  // namespace n2d2::passes
