// How does a test write down a small network, and what does it compute?
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "n2d2/base/random.hpp"
#include "n2d2/graph/graph.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/concat.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/dropout.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/scaling.hpp"
#include "n2d2/ops/softmax.hpp"
#include "n2d2/ops/transpose.hpp"
#include "n2d2/passes/pass.hpp"

namespace n2d2::testing {

using graph::Graph;
using graph::NodeId;
using graph::ValueId;

inline Tensor random_tensor(const Shape& shape, Rng& rng, double low = -1, double high = 1) {
  Tensor out(shape);
  for (float& x : out.span<float>()) x = static_cast<float>(rng.uniform(low, high));
  return out;
}

/// A graph with one input "data"; every function adds a layer and returns its output. Parameters are random.
struct Net {
  Graph graph;
  Rng rng;
  ValueId data;

  explicit Net(Shape input, uint64_t seed = 1) : rng(seed, "net") {
    data = graph.add_input("data", {std::move(input), DataType::F32, Layout::Nchw, {}});
  }

  template <class Op>
  ValueId layer(const std::string& name, Op op, std::vector<ValueId> inputs) {
    const NodeId id = graph.add(std::make_unique<Op>(std::move(op)), name, std::move(inputs), {"net.ini", 7});
    return graph.node(id).outputs.at(0);
  }
  int64_t channels(ValueId id) const { return graph.value(id).type.shape.c(); }
  ValueId constant(const std::string& name, Tensor tensor) {
    return graph.add_constant(name, std::move(tensor));
  }

  ValueId conv(const std::string& name, ValueId in, ops::Conv op, bool bias = true) {
    Tensor weights =
        random_tensor(Shape{op.nb_outputs, channels(in) / op.groups, op.kernel.y, op.kernel.x}, rng);
    if (!op.connections.empty())
      for (int64_t i = 0; i < weights.elements(); ++i) {
        const int64_t taps = int64_t{op.kernel.x} * op.kernel.y, c = i / taps % channels(in);
        if (!op.is_connected(c, i / taps / channels(in))) weights.span<float>()[static_cast<size_t>(i)] = 0;
      }
    std::vector<ValueId> inputs{in, constant(name + "_weights", std::move(weights))};
    if (bias) inputs.push_back(constant(name + "_biases", random_tensor(Shape{op.nb_outputs}, rng)));
    return layer(name, std::move(op), std::move(inputs));
  }
  ValueId conv(const std::string& name, ValueId in, int outputs, int kernel, bool bias = true) {
    ops::Conv op;
    op.kernel = {kernel, kernel};
    op.nb_outputs = outputs;
    return conv(name, in, op, bias);
  }
  ValueId depthwise(const std::string& name, ValueId in, int kernel, bool bias = true) {
    ops::Conv op;
    op.kernel = {kernel, kernel};
    op.nb_outputs = op.groups = static_cast<int>(channels(in));
    return conv(name, in, op, bias);
  }
  ValueId fc(const std::string& name, ValueId in, int outputs, bool bias = true) {
    ops::Fc op;
    op.nb_outputs = outputs;
    const Shape& s = graph.value(in).type.shape;
    std::vector<ValueId> inputs{
        in, constant(name + "_weights", random_tensor(Shape{outputs, s.c() * s.h() * s.w()}, rng))};
    if (bias) inputs.push_back(constant(name + "_biases", random_tensor(Shape{outputs}, rng)));
    return layer(name, op, std::move(inputs));
  }
  ValueId batchnorm(const std::string& name, ValueId in) {
    const Shape s{channels(in)};
    std::vector<ValueId> inputs{in};
    inputs.push_back(constant(name + "_scales", random_tensor(s, rng, 0.3, 2)));
    inputs.push_back(constant(name + "_biases", random_tensor(s, rng, -0.5, 0.5)));
    inputs.push_back(constant(name + "_means", random_tensor(s, rng, -0.5, 0.5)));
    inputs.push_back(constant(name + "_variances", random_tensor(s, rng, 0.05, 1.5)));
    return layer(name, ops::BatchNorm{}, std::move(inputs));
  }
  ValueId relu(const std::string& name, ValueId in, double leak = 0, double clipping = 0) {
    ops::Relu op;
    op.leak_slope = leak;
    op.clipping = clipping;
    return layer(name, op, {in});
  }
  ValueId saturation(const std::string& name, ValueId in, double threshold) {
    ops::Saturation op;
    op.threshold = threshold;
    return layer(name, op, {in});
  }
  ValueId pool(const std::string& name, ValueId in, ops::Pooling pooling, int kernel, Pads pads = {}) {
    ops::Pool op;
    op.kernel = {kernel, kernel};
    op.pooling = pooling;
    op.padding = pads;
    return layer(name, op, {in});
  }
  ValueId padding(const std::string& name, ValueId in, Pads pads) {
    ops::Padding op;
    op.left = pads.left;
    op.top = pads.top;
    op.right = pads.right;
    op.bottom = pads.bottom;
    return layer(name, op, {in});
  }
  ValueId scaling(const std::string& name, ValueId in, std::vector<double> factor) {
    ops::Scaling op;
    op.factor = std::move(factor);
    return layer(name, op, {in});
  }
  ValueId sum(const std::string& name, std::vector<ValueId> in, std::vector<double> weights = {}) {
    ops::ElemWise op;
    op.weights = std::move(weights);
    return layer(name, op, std::move(in));
  }
  ValueId concat(const std::string& name, std::vector<ValueId> in) {
    return layer(name, ops::Concat{}, std::move(in));
  }
  ValueId dropout(const std::string& name, ValueId in) { return layer(name, ops::Dropout{}, {in}); }
  ValueId softmax(const std::string& name, ValueId in) { return layer(name, ops::Softmax{}, {in}); }
  ValueId transpose(const std::string& name, ValueId in, std::vector<int> perm) {
    ops::Transpose op;
    op.perm = std::move(perm);
    return layer(name, op, {in});
  }
  ValueId reshape(const std::string& name, ValueId in, std::vector<int> dims) {
    ops::Reshape op;
    op.dims = std::move(dims);
    return layer(name, op, {in});
  }

  const graph::Node& node(std::string_view name) const {
    const auto id = graph.find_node(name);
    if (!id) throw std::runtime_error("no node " + std::string(name));
    return graph.node(*id);
  }
  bool has(std::string_view name) const { return graph.find_node(name).has_value(); }
  template <class Op>
  const Op& as(std::string_view name) const {
    return *graph::as<Op>(node(name));
  }
  /// The constant at input `slot` of a node, to be changed in place.
  std::span<float> parameter(std::string_view name, size_t slot) {
    return graph.mutable_constant(node(name).inputs.at(slot)).span<float>();
  }
};

/// Every value that is not a constant, from the operators' own loops.
inline std::map<ValueId, Tensor> evaluate_all(const Graph& graph, const Tensor& input) {
  std::map<ValueId, Tensor> values;
  values[graph.inputs().at(0)] = input;
  for (const NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    std::vector<const Tensor*> in;
    for (const ValueId value : node.inputs)
      in.push_back(graph.value(value).is_constant() ? graph.value(value).constant.get() : &values.at(value));
    std::vector<Tensor> results;
    std::vector<Tensor*> out;
    for (const ValueId value : node.outputs)
      results.emplace_back(graph.value(value).type.shape.with_batch(input.shape().n()));
    for (Tensor& tensor : results) out.push_back(&tensor);
    node.op->forward({in, out, false, {}, nullptr});
    if (node.clamp)
      for (float& x : results[0].span<float>()) x = std::min(std::max(x, node.clamp->lo), node.clamp->hi);
    for (size_t i = 0; i < results.size(); ++i) values[node.outputs[i]] = std::move(results[i]);
  }
  return values;
}

/// The values that leave the graph.
inline std::vector<Tensor> evaluate(const Graph& graph, const Tensor& input) {
  const std::map<ValueId, Tensor> values = evaluate_all(graph, input);
  std::vector<Tensor> outputs;
  for (const ValueId id : graph.outputs()) outputs.push_back(values.at(id));
  return outputs;
}

/// Largest difference of any output, relative to the largest magnitude of that output (at least 1e-3).
inline double distance(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].elements() != b[i].elements()) return INFINITY;
    double largest = 1e-3, difference = 0;
    for (size_t j = 0; j < a[i].span<float>().size(); ++j) {
      const double x = a[i].span<float>()[j], y = b[i].span<float>()[j];
      largest = std::max(largest, std::abs(x));
      difference = std::isfinite(y) ? std::max(difference, std::abs(x - y)) : INFINITY;
    }
    worst = std::max(worst, difference / largest);
  }
  return worst;
}

/// Runs one pass (verified) and returns its number of rewrites.
inline int run_pass(Graph& graph, std::string_view name, const passes::PassContext& context = {}) {
  const std::vector<std::string_view> names{name};
  return passes::run(graph, names, context);
}

/// Runs a pass and tells how far the outputs moved for two random samples.
inline double change(Net& net, std::string_view pass) {
  const Shape shape = net.graph.value(net.data).type.shape.with_batch(2);
  const Tensor input = random_tensor(shape, net.rng, -2, 2);
  const std::vector<Tensor> before = evaluate(net.graph, input);
  run_pass(net.graph, pass);
  return distance(before, evaluate(net.graph, input));
}

}  // namespace n2d2::testing
