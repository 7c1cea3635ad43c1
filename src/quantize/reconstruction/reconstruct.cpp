#include "n2d2/quantize/reconstruct.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "n2d2/base/csv.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/base/progress.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

#include "blocks.hpp"
#include "learn_block.hpp"
#include "rounding/held_out.hpp"
#include "rounding/simulated_graph.hpp"

namespace n2d2::quantize {

namespace {

using graph::NodeId;
using graph::ValueId;

constexpr size_t kLayersOfBlock = 3;
/// Tried in this order until a block is better: inputs that go together want slow steps.
constexpr std::array kRates{0.01, 0.002};
/// What is kept at once of the ends of a block: input and output in floats and integers, whole and in halves.
constexpr int64_t kCopies = 8;
constexpr int64_t kMostSamples = 256, kFewestSamples = 16, kMostBytes = int64_t{768} << 20;

/// Samples that learn, or that judge.
Tensor half_of(const Tensor& all, bool judges) {
  std::vector<int64_t> rows;
  for (int64_t n = judges ? 1 : 0; n < all.shape().n(); n += 2) rows.push_back(n);
  return rows_of(all, rows);
}

/// Values of a sample at the ends of the blocks, at most.
int64_t largest_end(const graph::Graph& graph, const std::vector<Block>& blocks) {
  int64_t most = 1;
  for (const Block& block : blocks) {
    most = std::max(most, graph.value(block.in).type.shape.elements());
    for (const ValueId id : block.outs) most = std::max(most, graph.value(id).type.shape.elements());
  }
  return most;
}

/// Whether sums cannot become much larger than those whose bound was checked when the rows were rounded.
bool stays_in_bounds(const RoundedLayer& before, const RoundedLayer& after) {
  const size_t row = before.integers.size() / before.biases.size();
  for (size_t first = 0; first < before.integers.size(); first += row) {
    int64_t old_sum = 0, new_sum = 0;
    for (size_t i = first; i < first + row; ++i)
      old_sum += std::abs(int{before.integers[i]}), new_sum += std::abs(int{after.integers[i]});
    if (new_sum > 2 * old_sum) return false;
  }
  return true;
}

class Rebuilder {
 public:
  Rebuilder(const graph::Graph& floats, const Ranges& ranges, const Options& options,
            const Rounding& rounding, const compute::ExecutorOptions& executor, int64_t steps)
      : floats_(floats), executor_(executor), steps_(steps), out_{rounding, {}} {
    executor_.keep = compute::Keep::Outputs;
    graph::Graph rounded = floats;
    apply_rounding(rounded, rounding);
    graph::Graph integers = rounded;
    {
      const log::Capture said_again_when_it_counts;
      quantize_graph(integers, ranges, options);
    }
    simulated_ = simulated_graph(rounded, integers);
  }

  Reconstruction run(const BatchSource& source, int64_t samples) {
    const std::vector<Block> blocks = blocks_of(floats_, kLayersOfBlock);
    progress::Task task("Learning weights by blocks", static_cast<int64_t>(blocks.size()), "blocks");
    const int64_t bytes = kCopies * largest_end(floats_, blocks) * static_cast<int64_t>(sizeof(float));
    const int64_t most = std::clamp(kMostBytes / bytes, kFewestSamples, kMostSamples);
    exact_ = read_samples(
        SampleChoice(samples), source, [](int64_t) { return true; }, most,
        std::numeric_limits<int64_t>::max());
    made_ = exact_;
    for (size_t i = 0; i < blocks.size(); ++i) {
      rebuild(blocks[i], i + 1 < blocks.size());
      task.at(static_cast<int64_t>(i) + 1);
    }
    return std::move(out_);
  }

 private:
  /// Layers of the block whose integers may change, by their place in the rounding.
  std::vector<size_t> layers_of(const Block& block) const {
    std::vector<size_t> out;
    for (size_t i = 0; i < out_.rounding.layers.size(); ++i) {
      const NodeId id = floats_.find_node(out_.rounding.layers[i].name).value();
      if (std::find(block.nodes.begin(), block.nodes.end(), id) != block.nodes.end()) out.push_back(i);
    }
    return out;
  }

  BlockLayer layer_of(const graph::Graph& block, const RoundedLayer& rounded) const {
    const graph::Node& node = floats_.node(floats_.find_node(rounded.name).value());
    const graph::Node& own = block.node(block.find_node(rounded.name).value());
    BlockLayer out{own.inputs.at(1), {}, *floats_.value(node.inputs.at(1)).constant, {}, rounded};
    out.biases = own.inputs.at(2);
    out.exact_biases = Tensor(Shape{static_cast<int64_t>(rounded.biases.size())});
    if (node.inputs.size() > 2) out.exact_biases = *floats_.value(node.inputs[2]).constant;
    return out;
  }

  Tensor rounded(const Tensor& values, ValueId id) const {
    const graph::Operator* op = rounding_of(simulated_, floats_, id);
    if (op == nullptr) return values;
    Tensor out(values.shape());
    const std::vector<const Tensor*> in{&values};
    const std::vector<Tensor*> to{&out};
    op->forward({in, to, false, {}, nullptr});
    return out;
  }

  void rebuild(const Block& block, bool goes_on) {
    graph::Graph own = block_graph(simulated_, floats_, block);
    const graph::Graph exact = block_graph(floats_, floats_, block);
    const std::vector<size_t> places = layers_of(block);
    RebuiltBlock report{
        floats_.node(block.nodes.front()).name, floats_.node(block.nodes.back()).name, 0, 0, {}};
    const BlockSamples all{exact_, rounded(made_, block.in), outputs_for(exact, exact_, executor_)};
    if (places.empty())
      report.why_not = "no weights are rounded by samples";
    else
      learn(own, places, all, report);
    if (goes_on) {
      exact_ = all.wanted[0];
      made_ = std::move(outputs_for(own, all.rounded, executor_)[0]);
    }
    out_.blocks.push_back(std::move(report));
  }

  void learn(graph::Graph& own, const std::vector<size_t>& places, const BlockSamples& all,
             RebuiltBlock& report) {
    std::vector<BlockLayer> layers;
    for (const size_t place : places) layers.push_back(layer_of(own, out_.rounding.layers[place]));
    const auto halves = [&](bool judges) {
      BlockSamples out{half_of(all.exact, judges), half_of(all.rounded, judges), {}};
      for (const Tensor& wanted : all.wanted) out.wanted.push_back(half_of(wanted, judges));
      return out;
    };
    const BlockSamples learns = halves(false), judges = halves(true);
    report.before = report.after = block_error(own, judges, executor_);
    const double error = block_error(own, learns, executor_);
    if (error <= 0) {
      report.why_not = "nothing is left to learn";
      return;
    }
    std::vector<BlockLayer> learnt;
    graph::Graph tried = own;
    for (const double rate : kRates) {
      try {
        learnt = learn_block(own, layers, learns, error, {report.first, steps_, rate}, executor_);
      } catch (const ModelError& no_gradient) {
        report.why_not = no_gradient.findings().front().message;
        return;
      }
      for (size_t i = 0; i < places.size(); ++i) {
        if (!stays_in_bounds(layers[i].rounded, learnt[i].rounded)) learnt[i] = layers[i];
        set_layer(tried, learnt[i]);
      }
      report.after = block_error(tried, judges, executor_);
      if (report.is_kept()) break;
    }
    if (!report.is_kept()) return;
    own = std::move(tried);
    for (size_t i = 0; i < places.size(); ++i) out_.rounding.layers[places[i]] = std::move(learnt[i].rounded);
  }

  const graph::Graph& floats_;
  compute::ExecutorOptions executor_;
  const int64_t steps_;
  Reconstruction out_;
  graph::Graph simulated_;
  Tensor exact_, made_;  ///< what the next block reads: in floats, and as the blocks before it make it
};

}  // namespace

Reconstruction reconstruct(const graph::Graph& graph, const Ranges& ranges, const Options& options,
                           const Rounding& rounding, const BatchSource& samples,
                           const compute::ExecutorOptions& executor, int64_t steps) {
  return Rebuilder(graph, ranges, options, rounding, executor, steps).run(samples, ranges.samples);
}

std::string to_csv(const std::vector<RebuiltBlock>& blocks) {
  std::string out = "first,last,error_before,error_after,kept\n";
  for (const RebuiltBlock& block : blocks)
    out += csv_line({block.first, block.last, fmt::format("{:.6g}", block.before),
                     fmt::format("{:.6g}", block.after), block.is_kept() ? "1" : "0"});
  return out;
}

}  // namespace n2d2::quantize
