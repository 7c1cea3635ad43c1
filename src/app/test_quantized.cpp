#include "test_quantized.hpp"

#include <atomic>
#include <cmath>
#include <map>

#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/loader/weights_file.hpp"

#include "files.hpp"
#include "learn/frozen_network.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

struct Differences {
  int64_t values = 0, different = 0, by_more = 0;

  Differences& operator+=(const Differences& other) {
    values += other.values, different += other.different, by_more += other.by_more;
    return *this;
  }
};

template <class I>
Differences compared(std::span<const float> simulated, double step, const Tensor& integers) {
  Differences out;
  const std::span<const I> q = integers.span<I>();
  out.values = static_cast<int64_t>(q.size());
  for (size_t i = 0; i < q.size(); ++i) {
    const auto steps = std::llround(static_cast<double>(simulated[i]) / step);
    const int64_t apart = std::abs(steps - static_cast<int64_t>(q[i]));
    out.different += apart > 0 ? 1 : 0;
    out.by_more += apart > 1 ? 1 : 0;
  }
  return out;
}

Differences compared(std::span<const float> simulated, double step, const Tensor& integers) {
  switch (integers.dtype()) {
    case DataType::U8:
      return compared<uint8_t>(simulated, step, integers);
    case DataType::I8:
      return compared<int8_t>(simulated, step, integers);
    case DataType::U16:
      return compared<uint16_t>(simulated, step, integers);
    default:
      return compared<int16_t>(simulated, step, integers);
  }
}

/// One batch, in floats and in integers.
class ValueComparison {
 public:
  ValueComparison(const loader::Network& net, const FrozenNetwork& frozen)
      : frozen_(frozen),
        executor_(net.graph,
                  {.backend = compute::Backend::OneDnn, .seed = net.seed, .keep = compute::Keep::All}) {}

  Differences run(const Tensor& batch) {
    executor_.forward(batch);
    std::vector<Tensor> simulated;
    for (const FrozenNetwork::Value& value : frozen_.values())
      simulated.push_back(executor_.read(value.simulated));
    const int64_t samples = batch.shape().n();
    std::vector<Differences> of_sample(static_cast<size_t>(samples));
    parallel_for(samples, [&](int64_t n, int) {
      std::map<std::string, Tensor> found;
      for (targets::LayerOutput& layer : frozen_.build().layers(sample(batch, n)))
        found[layer.value] = to_layout(std::move(layer.tensor), Layout::Nchw);
      for (size_t v = 0; v < simulated.size(); ++v) {
        const FrozenNetwork::Value& value = frozen_.values()[v];
        const auto layer = found.find(value.integers);
        N2D2_CHECK(layer != found.end(), "'{}' is no layer of the export", value.integers);
        const auto size = static_cast<size_t>(simulated[v].elements() / samples);
        of_sample[static_cast<size_t>(n)] +=
            compared(simulated[v].span<float>().subspan(static_cast<size_t>(n) * size, size), value.step,
                     layer->second);
      }
    });
    Differences all;
    for (const Differences& each : of_sample) all += each;
    return all;
  }
  std::vector<Tensor> outputs(const std::vector<graph::ValueId>& targets) const {
    std::vector<Tensor> out;
    for (const graph::ValueId target : targets) out.push_back(executor_.read(target));
    return out;
  }

 private:
  static Tensor sample(const Tensor& batch, int64_t n) {
    Tensor out(batch.shape().with_batch(1));
    const auto size = static_cast<size_t>(out.elements());
    const auto from = batch.span<float>().subspan(static_cast<size_t>(n) * size, size);
    std::copy(from.begin(), from.end(), out.span<float>().begin());
    return out;
  }

  const FrozenNetwork& frozen_;
  compute::Executor executor_;
};

}  // namespace

void test_quantized(const loader::Network& net, const graph::Graph& masters, const Options& o) {
  if (!loader::has_learnt_quantizers(net))
    throw ConfigError(
        fmt::format("option {}: no layer has a QWeight or a QAct", o.test_qat ? "-testQAT" : "-qat-sat"),
        {o.model, 0});
  const std::vector<int64_t> positions = test_positions(net, o);
  if (positions.empty()) return;
  const FrozenNetwork frozen(net, masters, o);
  if (o.qat_sat) loader::save_weights(frozen.folded(), o.in_output("weights_quantized"));
  ValueComparison comparison(net, frozen);
  const training::ProviderSource source(*net.data);
  const auto stream = source.open(data::Partition::Test, positions, inference_batch(net), 0);
  std::vector<data::Score> floats, integers;
  for (const loader::TargetPlace& place : net.targets)
    floats.emplace_back(place.target), integers.emplace_back(place.target);
  progress::Task task("Comparing floats with integers", static_cast<int64_t>(positions.size()), "samples");
  Differences all;
  int64_t decisions = 0, other_decisions = 0;
  for (data::Batch batch; stream->next(batch);) {
    all += comparison.run(batch.data);
    task.at(task.done() + batch.data.shape().n());
    const std::vector<Tensor> simulated = comparison.outputs(net.graph.outputs());
    const std::vector<Tensor> shipped = frozen.build().run(batch.data);
    for (size_t t = 0; t < net.targets.size(); ++t) {
      floats[t].add(simulated.at(t), batch.labels, batch.data, 1);
      integers[t].add(shipped.at(t), batch.labels, frozen.build().seen(batch.data), frozen.build().step(t));
      const auto &a = floats[t].decisions(), &b = integers[t].decisions();
      decisions += static_cast<int64_t>(a.size());
      for (size_t i = 0; i < a.size(); ++i) other_decisions += a[i] != b.at(i) ? 1 : 0;
    }
  }
  for (size_t t = 0; t < net.targets.size(); ++t)
    print(fmt::format("Quantized [{}]: {:.2f}% in floats as learnt, {:.2f}% in integers as exported\n",
                      presentable(net.targets[t].section), 100 * floats[t].recognition_rate(),
                      100 * integers[t].recognition_rate()));
  print(fmt::format(
      "    {} of {} values differ ({:.4f} %), {} by more than one step; {} of {} classes differ\n",
      with_thousands(all.different), with_thousands(all.values),
      all.values > 0 ? 100.0 * static_cast<double>(all.different) / static_cast<double>(all.values) : 0.0,
      with_thousands(all.by_more), with_thousands(other_decisions), with_thousands(decisions)));
}

}  // namespace n2d2::app
