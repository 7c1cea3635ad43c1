#include "n2d2/training/loss.hpp"

#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/softmax.hpp"

#include "loss_positions.hpp"

namespace n2d2::training {

Loss loss_of(const graph::Graph& graph, graph::ValueId target) {
  const graph::NodeId producer = graph.value(target).producer;
  if (!producer) return Loss::SquaredError;
  const auto* softmax = graph::as<ops::Softmax>(graph.node(producer));
  if (softmax != nullptr && softmax->with_loss) return Loss::CrossEntropy;
  const auto* function = graph::as<ops::Nonlinearity>(graph.node(producer));
  return function != nullptr && function->with_loss ? Loss::BinaryCrossEntropy : Loss::SquaredError;
}

graph::ValueId seeded_value(const graph::Graph& graph, graph::ValueId target, Loss loss) {
  if (loss == Loss::SquaredError) return target;
  const graph::NodeId producer = graph.value(target).producer;
  N2D2_CHECK(producer && loss_of(graph, target) == loss, "'{}' does not end with its loss",
             graph.value(target).name);
  return graph.node(producer).inputs.front();
}

LossResult compute_loss(Loss loss, const Tensor& output, std::span<const int> classes,
                        const TargetValues& values) {
  switch (loss) {
    case Loss::CrossEntropy:
      return cross_entropy(output, classes, values);
    case Loss::BinaryCrossEntropy:
      return binary_cross_entropy(output, classes, values);
    case Loss::SquaredError:
      break;
  }
  return squared_error(output, classes, values);
}

LossResult sum_over_positions(const Tensor& output, std::span<const int> classes, const TargetValues& values,
                              const std::function<double(double output, double want)>& loss) {
  const Shape& shape = output.shape();
  const int64_t channels = shape.c(), area = shape.h() * shape.w();
  const int64_t each = static_cast<int64_t>(classes.size()) == shape.n() ? 1 : area;
  N2D2_CHECK(static_cast<int64_t>(classes.size()) == shape.n() * each, "{} labels for {} samples",
             classes.size(), shape.n());
  const int64_t most = std::max<int64_t>(channels, 2);
  LossResult result{0, Tensor(shape)};
  const float* out = output.data<float>();
  float* gradient = result.gradient.data<float>();
  for (int64_t n = 0; n < shape.n(); ++n) {
    const std::span<const int> of_sample =
        classes.subspan(static_cast<size_t>(n * each), static_cast<size_t>(each));
    std::vector<int64_t> count(static_cast<size_t>(most));
    for (const int wanted : of_sample) {
      N2D2_CHECK(wanted < most, "class {} of {} outputs", wanted, channels);
      if (wanted >= 0) count[static_cast<size_t>(wanted)] += area / each;
    }
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = 0; p < area; ++p) {
        const int wanted = of_sample[static_cast<size_t>(each == 1 ? 0 : p)];
        if (wanted < 0) continue;
        const int64_t right = channels == 1 ? wanted - 1 : wanted;
        const double want = c == right ? values.right : values.other;
        const double weight = 1.0 / static_cast<double>(count[static_cast<size_t>(wanted)]);
        const int64_t i = (n * channels + c) * area + p;
        const double value = out[i];
        result.loss += weight * loss(value, want);
        gradient[i] = static_cast<float>(weight * (value - want));
      }
    }
  }
  return result;
}

}  // namespace n2d2::training
