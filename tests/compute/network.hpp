// Which small networks are executors tried on? A builder that draws the parameters.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "n2d2/base/random.hpp"
#include "n2d2/compute/executor.hpp"
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

namespace n2d2::compute::testing {

inline Tensor random_tensor(const Shape& shape, uint64_t seed, double deviation = 1, double mean = 0) {
  Tensor out(shape);
  Rng rng(seed, "random_tensor");
  for (float& v : out.span()) v = static_cast<float>(mean + deviation * rng.normal());
  return out;
}

inline TensorType float_type(const Shape& shape) {
  return {shape, DataType::F32, Layout::Nchw, {}};
}

/// Adds layers after `last`; parameters are drawn from the layer's number. Public members are read by tests.
struct Network {
  graph::Graph graph;
  graph::ValueId last;
  std::vector<graph::ValueId> parameters;

  explicit Network(const Shape& sample) : last(graph.add_input("data", float_type(sample))) {}

  graph::ValueId parameter(const std::string& name, const Shape& shape, double deviation, double mean = 0) {
    parameters.push_back(graph.add_constant(name, random_tensor(shape, parameters.size(), deviation, mean)));
    return parameters.back();
  }
  template <class Op>
  graph::NodeId add(const Op& op, std::vector<graph::ValueId> inputs, const std::string& name = "") {
    const std::string unique = graph.unique_name(name.empty() ? Op::kType : name);
    const graph::NodeId id = graph.add(std::make_unique<Op>(op), unique, std::move(inputs));
    last = graph.node(id).outputs[0];
    return id;
  }
  template <class Op>
  graph::NodeId add(const Op& op) {
    return add(op, {last});
  }
  const Shape& shape() const { return graph.value(last).type.shape; }

  graph::NodeId conv(ops::Conv op, bool bias = true) {
    const std::string name = graph.unique_name("conv");
    const Shape weights{op.nb_outputs, shape().c() / op.groups, op.kernel.y, op.kernel.x};
    const double fan_in = static_cast<double>(weights[1] * weights[2] * weights[3]);
    std::vector<graph::ValueId> inputs{last, parameter(name + "_w", weights, 1 / std::sqrt(fan_in))};
    if (bias) inputs.push_back(parameter(name + "_b", {op.nb_outputs}, 0.3));
    return add(op, inputs, name);
  }
  graph::NodeId conv(int outputs, int kernel, int stride, int pad, int groups = 1, bool bias = true) {
    ops::Conv op;
    op.kernel = {kernel, kernel};
    op.stride = {stride, stride};
    op.padding = {pad, pad, pad, pad};
    op.nb_outputs = outputs;
    op.groups = groups;
    return conv(op, bias);
  }
  graph::NodeId fc(int outputs, bool bias = true) {
    const std::string name = graph.unique_name("fc");
    const int64_t size = shape().c() * shape().h() * shape().w();
    ops::Fc op;
    op.nb_outputs = outputs;
    std::vector<graph::ValueId> inputs{
        last, parameter(name + "_w", {outputs, size}, 1 / std::sqrt(static_cast<double>(size)))};
    if (bias) inputs.push_back(parameter(name + "_b", {outputs}, 0.3));
    return add(op, inputs, name);
  }
  graph::NodeId batchnorm(double momentum = 0.1) {
    const std::string name = graph.unique_name("bn");
    const Shape channels{shape().c()};
    ops::BatchNorm op;
    op.momentum = momentum;
    const graph::ValueId data = last, scale = parameter(name + "_s", channels, 0.2, 1),
                         bias = parameter(name + "_b", channels, 0.2),
                         mean = graph.add_constant(name + "_m", random_tensor(channels, 7, 0.1));
    Tensor variance = random_tensor(channels, 8, 0.1);
    for (float& v : variance.span()) v = 1 + v * v;
    return add(op, {data, scale, bias, mean, graph.add_constant(name + "_v", variance)}, name);
  }
  graph::NodeId pool(ops::Pooling pooling, int kernel, int stride, int pad = 0) {
    ops::Pool op;
    op.pooling = pooling;
    op.kernel = {kernel, kernel};
    op.stride = {stride, stride};
    op.padding = {pad, pad, pad, pad};
    return add(op);
  }
};

/// Large maps, then small ones, between nodes that mix samples: a batch is cut into blocks of different
/// sizes.
inline Network shrinking() {
  Network net({1, 2, 48, 48});
  net.conv(32, 3, 1, 1, 1, false);
  net.batchnorm();
  net.add(ops::Relu());
  net.pool(ops::Pooling::Max, 8, 8);
  net.conv(12, 3, 1, 1, 1, false);
  net.batchnorm();
  net.fc(4);
  return net;
}

/// A shrinking network around a node that mixes samples but gets no gradient.
inline Network shrinking_beside_a_dead_end() {
  Network net({1, 2, 48, 48});
  const graph::ValueId data = net.last;
  net.conv(32, 3, 1, 1, 1, false);
  net.pool(ops::Pooling::Max, 8, 8);
  const graph::ValueId small = net.last;
  net.last = data;
  net.batchnorm();
  net.parameters.resize(1);
  net.last = small;
  net.conv(12, 3, 1, 1);
  net.fc(4);
  return net;
}

/// What one pass forward and backward gives.
struct Pass {
  Tensor output;
  std::vector<Tensor> gradients;
};

/// Seeds the last value with a drawn gradient. Gradients are those of network.parameters.
inline Pass run(const Network& network, ExecutorOptions options, const Tensor& input, uint64_t step = 0) {
  Executor executor(network.graph, options);
  executor.forward(input, step);
  Pass out{executor.read(network.last), {}};
  if (!options.training) return out;
  const GradientSeed seed{network.last, random_tensor(out.output.shape(), 5)};
  executor.backward({&seed, 1});
  for (const graph::ValueId parameter : network.parameters)
    out.gradients.push_back(executor.gradient(parameter));
  return out;
}

}  // namespace n2d2::compute::testing
