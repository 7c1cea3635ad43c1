#include "n2d2/quantize/diagnose.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/progress.hpp"

#include "integers/on_grid.hpp"
#include "switched_graph.hpp"

namespace n2d2::quantize {

namespace {

using graph::ValueId;

constexpr int64_t kMostValueBytes = int64_t{256} << 20;
/// Runs beside those that switch a part: floats, all, weights alone, values alone.
constexpr int64_t kFixedRuns = 4;
constexpr size_t kMostWidened = 8;

/// Samples [first, first + count) of a batch, fewer at its end.
Tensor some_of(const Tensor& batch, int64_t first, int64_t count) {
  const int64_t taken = std::min(count, batch.shape().n() - first);
  Tensor out(batch.shape().with_batch(taken));
  const int64_t size = batch.shape().with_batch(1).elements();
  std::copy_n(batch.data<float>() + first * size, taken * size, out.data<float>());
  return out;
}

double decibel_above(double noise) {
  return noise > 0 ? -10 * std::log10(noise) : std::numeric_limits<double>::infinity();
}

class Diagnoser {
 public:
  Diagnoser(const graph::Graph& floats, const graph::Graph& integers, const Tensor& samples,
            compute::ExecutorOptions options)
      : floats_(floats),
        integers_(integers),
        samples_(samples),
        options_(options),
        task_("Examining layers", runs_of_diagnosis(floats, integers), "runs"),
        layers_(switched_layers(floats, integers)) {}

  Diagnosis run() {
    out_.samples = samples_.shape().n();
    runs_ = runs_of_diagnosis(floats_, integers_);
    for (const SwitchedLayer& layer : layers_) add_layer(layer);
    compare_values();
    wanted_ = outputs_of(floats_);
    const size_t n = layers_.size();
    const Switches all(n, true, true);
    all_ = noise_of(all);
    out_.all = decibel_above(sum(all_));
    out_.weights = decibel_above(sum(noise_of({n, true, false})));
    out_.values = decibel_above(sum(noise_of({n, false, true})));
    for (size_t i = 0; i < n; ++i) {
      if (layers_[i].has_weights) out_.layers[i].weights = part(i, true);
      if (layers_[i].has_values) out_.layers[i].values = part(i, false);
    }
    widen();
    out_.runs = done_;
    return std::move(out_);
  }

 private:
  void add_layer(const SwitchedLayer& layer) {
    LayerFigures& figures = out_.layers.emplace_back();
    figures.name = layer.name;
    figures.may_widen = layer.may_widen;
    figures.type = layer.node ? floats_.node(layer.node).op->type() : "Input";
  }

  int64_t samples_at_once() const {
    int64_t bytes = 1;
    for (const ValueId id : floats_.values())
      if (!floats_.value(id).is_constant())
        bytes += 3 * floats_.value(id).type.shape.elements() * static_cast<int64_t>(sizeof(float));
    return std::clamp(kMostValueBytes / bytes, int64_t{1}, samples_.shape().n());
  }

  /// Own and accumulated noise of the values, and what is clipped.
  void compare_values() {
    const graph::Graph simulated = switched_graph(floats_, integers_, layers_, {layers_.size(), true, true});
    graph::Graph with_copies = floats_;
    const std::vector<ValueId> copies = add_quantized_copies(with_copies, simulated, layers_);
    compute::ExecutorOptions options = options_;
    options.keep = compute::Keep::All;
    compute::Executor of_floats(with_copies, options), of_all(simulated, options);
    const int64_t step = samples_at_once();
    for (int64_t first = 0; first < samples_.shape().n(); first += step) {
      const Tensor some = some_of(samples_, first, step);
      of_floats.forward(some);
      of_all.forward(some);
      for (size_t i = 0; i < layers_.size(); ++i) {
        const Tensor wanted = of_floats.read(layers_[i].value);
        compare(wanted, copies[i] ? of_floats.read(copies[i]) : wanted, i, out_.layers[i].own);
        compare(wanted, of_all.read(layers_[i].value), i, out_.layers[i].accumulated);
        count_clipped(wanted, i);
      }
    }
    for (size_t i = 0; i < layers_.size(); ++i)
      out_.layers[i].clipped /= static_cast<double>(std::max<int64_t>(1, out_.layers[i].own.count));
  }

  void compare(const Tensor& wanted, const Tensor& found, size_t layer, Deviation& to) const {
    const bool rounds = layers_[layer].has_values;
    const QuantParams& quant = layers_[layer].quant;
    for (size_t i = 0; i < wanted.span<float>().size(); ++i) {
      const double y = found.span<float>()[i];
      to.add(static_cast<double>(wanted.span<float>()[i]), rounds ? on_grid(y, quant) : y);
    }
  }

  void count_clipped(const Tensor& wanted, size_t layer) {
    if (!layers_[layer].has_values) return;
    const QuantParams& quant = layers_[layer].quant;
    const auto lowest = static_cast<double>(quant.lowest()), highest = static_cast<double>(quant.highest());
    for (const float x : wanted.span<float>()) {
      const double q = nearest_integer(static_cast<double>(x), quant);
      out_.layers[layer].clipped += q < lowest || q > highest ? 1 : 0;
    }
  }

  /// N,C,H,W of each output of the network, all samples.
  std::vector<Tensor> outputs_of(const graph::Graph& graph) {
    compute::ExecutorOptions options = options_;
    options.keep = compute::Keep::Outputs;
    compute::Executor executor(graph, options);
    executor.forward(samples_);
    std::vector<Tensor> out;
    for (const ValueId id : floats_.outputs()) out.push_back(executor.read(id));
    ++done_;
    if (done_ <= task_.total()) task_.at(done_);
    return out;
  }

  /// Relative noise at the outputs, the part of each sample.
  std::vector<double> noise_of(const Switches& on) {
    const std::vector<Tensor> found = outputs_of(switched_graph(floats_, integers_, layers_, on));
    std::vector<double> out(static_cast<size_t>(samples_.shape().n()));
    for (size_t o = 0; o < found.size(); ++o) add_noise(o, found[o], on, out);
    return out;
  }

  void add_noise(size_t output, const Tensor& found, const Switches& on, std::vector<double>& to) const {
    const std::span<const float> wanted = wanted_[output].span<float>(), got = found.span<float>();
    const auto layer = std::find_if(layers_.begin(), layers_.end(), [&](const SwitchedLayer& l) {
      return l.value == floats_.outputs()[output];
    });
    const auto place = static_cast<size_t>(layer - layers_.begin());
    const bool rounds = layer != layers_.end() && layer->has_values && on.values[place];
    double signal = 0;
    for (const float x : wanted) signal += static_cast<double>(x) * static_cast<double>(x);
    const size_t size = wanted.size() / to.size();
    for (size_t i = 0; i < wanted.size() && signal > 0; ++i) {
      const double y =
          rounds ? on_grid(static_cast<double>(got[i]), layer->quant) : static_cast<double>(got[i]);
      const double off = static_cast<double>(wanted[i]) - y;
      to[i / size] += off * off / signal;
    }
  }

  static double sum(const std::vector<double>& of_samples) {
    double out = 0;
    for (const double x : of_samples) out += x;
    return out;
  }

  PartFigures part(size_t layer, bool is_weights) {
    const size_t n = layers_.size();
    Switches without(n, true, true), alone(n, false, false);
    (is_weights ? without.weights : without.values)[layer] = false;
    (is_weights ? alone.weights : alone.values)[layer] = true;
    PartFigures out;
    std::vector<double> gone = noise_of(without);
    for (size_t s = 0; s < gone.size(); ++s) gone[s] = all_[s] - gone[s];
    out.without = share_of(gone);
    out.alone = share_of(noise_of(alone));
    return out;
  }

  /// 16 bits round 256 times finer than 8: such a value is as good as a float.
  void widen() {
    std::vector<size_t> order;
    for (size_t i = 0; i < layers_.size(); ++i) {
      const std::optional<PartFigures>& values = out_.layers[i].values;
      if (layers_[i].may_widen && values->without.share > values->without.error) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return out_.layers[a].values->without.share > out_.layers[b].values->without.share;
    });
    Switches on(layers_.size(), true, true);
    for (size_t i = 0; i < std::min(kMostWidened, order.size()); ++i) {
      on.values[order[i]] = false;
      out_.widened.push_back({layers_[order[i]].name,
                              floats_.value(layers_[order[i]].value).type.shape.elements(),
                              decibel_above(sum(noise_of(on)))});
    }
  }

  /// A ratio of sums over samples, with its standard error to first order.
  NoiseShare share_of(const std::vector<double>& part) const {
    const double total = sum(all_);
    if (total <= 0) return {};
    NoiseShare out{sum(part) / total, 0};
    double squares = 0;
    for (size_t s = 0; s < part.size(); ++s) {
      const double off = part[s] - out.share * all_[s];
      squares += off * off;
    }
    out.error = std::sqrt(squares) / total;
    return out;
  }

  const graph::Graph& floats_;
  const graph::Graph& integers_;
  const Tensor& samples_;
  const compute::ExecutorOptions options_;
  progress::Task task_;
  const std::vector<SwitchedLayer> layers_;
  std::vector<Tensor> wanted_;
  std::vector<double> all_;  // noise of each sample with all parts switched on
  Diagnosis out_;
  int64_t done_ = 0, runs_ = 0;
};

}  // namespace

std::vector<RankedPart> ranked(const Diagnosis& diagnosis) {
  std::vector<RankedPart> out;
  for (const LayerFigures& layer : diagnosis.layers)
    for (const auto* part : {&layer.weights, &layer.values})
      if (*part) out.push_back({&layer, &**part});
  std::stable_sort(out.begin(), out.end(), [](const RankedPart& a, const RankedPart& b) {
    return a.part->without.share > b.part->without.share;
  });
  return out;
}

int64_t runs_of_diagnosis(const graph::Graph& floats, const graph::Graph& integers) {
  int64_t parts = 0;
  for (const SwitchedLayer& layer : switched_layers(floats, integers))
    parts += (layer.has_weights ? 1 : 0) + (layer.has_values ? 1 : 0);
  return 2 * parts + kFixedRuns;
}

Diagnosis diagnose(const graph::Graph& floats, const graph::Graph& integers, const Tensor& samples,
                   const compute::ExecutorOptions& executor) {
  return Diagnoser(floats, integers, samples, executor).run();
}

}  // namespace n2d2::quantize
