// Networks and samples small enough to learn within a test.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/base/random.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/dropout.hpp"
#include "n2d2/ops/fc.hpp"
#include "n2d2/ops/softmax.hpp"
#include "n2d2/training/filler.hpp"
#include "n2d2/training/trainer.hpp"

#include "training/keys.hpp"

namespace n2d2::training {

/// Samples kept in vectors, the same list for every partition but with its own length.
class VectorSource final : public SampleSource {
 public:
  VectorSource(std::vector<Tensor> samples, std::vector<int> labels, int64_t validation = 0)
      : samples_(std::move(samples)), labels_(std::move(labels)), validation_(validation) {}

  int64_t size(data::Partition partition) const override {
    return partition == data::Partition::Validation ? validation_ : static_cast<int64_t>(samples_.size());
  }
  std::unique_ptr<BatchStream> open(data::Partition partition, std::vector<int64_t> order, int64_t batch_size,
                                    uint64_t epoch) const override;

  struct Opened {
    data::Partition partition;
    std::vector<int64_t> order;
    uint64_t epoch;
  };
  /// Every call of open().
  mutable std::vector<Opened> opened;

 private:
  class Stream;
  std::vector<Tensor> samples_;
  std::vector<int> labels_;
  int64_t validation_;
};

class VectorSource::Stream final : public BatchStream {
 public:
  Stream(const VectorSource& source, std::vector<int64_t> order, int64_t batch_size)
      : source_(source), order_(std::move(order)), batch_size_(static_cast<size_t>(batch_size)) {}
  bool next(data::Batch& batch) override {
    if (at_ == order_.size()) return false;
    const size_t count = std::min(batch_size_, order_.size() - at_);
    const Tensor& first = source_.samples_.front();
    batch.data = Tensor(first.shape().with_batch(static_cast<int64_t>(count)));
    batch.labels.clear();
    batch.indices.assign(order_.begin() + static_cast<std::ptrdiff_t>(at_),
                         order_.begin() + static_cast<std::ptrdiff_t>(at_ + count));
    for (size_t i = 0; i < count; ++i) {
      const auto position = static_cast<size_t>(order_[at_ + i]);
      const auto values = source_.samples_[position].span();
      std::copy(values.begin(), values.end(),
                batch.data.span().begin() + static_cast<std::ptrdiff_t>(i * values.size()));
      batch.labels.push_back(source_.labels_[position]);
    }
    at_ += count;
    return true;
  }

 private:
  const VectorSource& source_;
  std::vector<int64_t> order_;
  size_t batch_size_, at_ = 0;
};

inline std::unique_ptr<BatchStream> VectorSource::open(data::Partition partition, std::vector<int64_t> order,
                                                       int64_t batch_size, uint64_t epoch) const {
  opened.push_back({partition, order, epoch});
  return std::make_unique<Stream>(*this, std::move(order), batch_size);
}

/// Points around (+-1, +-1); the class is whether the signs differ.
inline VectorSource xor_points(int count, int64_t validation = 0) {
  Rng rng(11, "xor");
  std::vector<Tensor> samples;
  std::vector<int> labels;
  for (int i = 0; i < count; ++i) {
    const int corner = i % 4;
    const double x = (corner & 1) != 0 ? 1 : -1, y = (corner & 2) != 0 ? 1 : -1;
    samples.push_back(Tensor::from(Shape{1, 2, 1, 1}, {static_cast<float>(x + 0.2 * rng.normal()),
                                                       static_cast<float>(y + 0.2 * rng.normal())}));
    labels.push_back(x * y < 0 ? 1 : 0);
  }
  return {std::move(samples), std::move(labels), validation};
}

/// 8x8 pictures of noise with a bright row (class 0), column (1) or nothing (2).
inline VectorSource stripes(int count, int64_t validation = 0) {
  Rng rng(12, "stripes");
  std::vector<Tensor> samples;
  std::vector<int> labels;
  for (int i = 0; i < count; ++i) {
    Tensor t(Shape{1, 1, 8, 8});
    for (float& v : t.span()) v = static_cast<float>(0.1 * rng.normal());
    const auto line = static_cast<size_t>(rng.below(8));
    for (size_t k = 0; k < 8; ++k) {
      if (i % 3 == 0) t.span()[line * 8 + k] += 1;
      if (i % 3 == 1) t.span()[k * 8 + line] += 1;
    }
    samples.push_back(std::move(t));
    labels.push_back(i % 3);
  }
  return {std::move(samples), std::move(labels), validation};
}

/// A chain of layers; every weight is filled, every learnt constant is listed.
struct SmallNet {
  graph::Graph graph;
  graph::ValueId last;
  std::vector<graph::ValueId> learnt;
  uint64_t seed = 5;

  explicit SmallNet(const Shape& input)
      : last(graph.add_input("data", {input, DataType::F32, Layout::Nchw, {}})) {}

  graph::NodeId add(std::unique_ptr<graph::Operator> op, const std::string& name,
                    std::vector<graph::ValueId> parameters = {}) {
    parameters.insert(parameters.begin(), last);
    const graph::NodeId node = graph.add(std::move(op), name, std::move(parameters), {"net.ini", 1});
    last = graph.node(node).outputs[0];
    return node;
  }
  graph::ValueId constant(const std::string& name, const Shape& shape, float value, bool learns) {
    Tensor tensor(shape);
    tensor.fill(value);
    const graph::ValueId id = graph.add_constant(name, std::move(tensor));
    if (learns) learnt.push_back(id);
    return id;
  }
  void fill(graph::ValueId weights) {
    Diagnostics diagnostics;
    fill_constant(graph, weights, {}, *make_filler("HeFiller", NoKeys(), diagnostics), seed);
  }
  graph::NodeId fc(const std::string& name, int outputs) {
    auto op = std::make_unique<ops::Fc>();
    op->nb_outputs = outputs;
    const auto weights =
        constant(name + "_weights", Shape{outputs, graph.value(last).type.shape.elements()}, 0, true);
    fill(weights);
    return add(std::move(op), name, {weights, constant(name + "_biases", Shape{outputs}, 0, true)});
  }
  graph::NodeId conv(const std::string& name, int outputs, int size) {
    auto op = std::make_unique<ops::Conv>();
    op->nb_outputs = outputs;
    op->kernel = {size, size};
    const auto weights =
        constant(name + "_weights", Shape{outputs, graph.value(last).type.shape.c(), size, size}, 0, true);
    fill(weights);
    return add(std::move(op), name, {weights, constant(name + "_biases", Shape{outputs}, 0, true)});
  }
  graph::NodeId batchnorm(const std::string& name, double momentum = 0.1) {
    auto op = std::make_unique<ops::BatchNorm>();
    op->momentum = momentum;
    const Shape channels{graph.value(last).type.shape.c()};
    const std::vector<graph::ValueId> parameters{
        constant(name + "_scales", channels, 1, true), constant(name + "_biases", channels, 0, true),
        constant(name + "_means", channels, 0, false), constant(name + "_variances", channels, 1, false)};
    return add(std::move(op), name, parameters);
  }
  void relu(const std::string& name) { add(std::make_unique<ops::Relu>(), name); }
  void dropout(const std::string& name) { add(std::make_unique<ops::Dropout>(), name); }
  void softmax() {
    auto op = std::make_unique<ops::Softmax>();
    op->with_loss = true;
    add(std::move(op), "softmax");
  }

  std::vector<LearntConstant> solvers(const std::string& type,
                                      const std::map<std::string, std::string>& keys) const {
    std::vector<LearntConstant> out;
    for (const graph::ValueId id : learnt) {
      Diagnostics diagnostics;
      out.push_back({id, make_solver(type, MapKeys(keys), diagnostics)});
    }
    return out;
  }
  TrainingTarget target(data::TargetOptions options = {}) const { return target_on(last, options); }
  TrainingTarget target_on(graph::ValueId value, const data::TargetOptions& options = {}) const {
    const auto outputs = static_cast<int>(graph.value(value).type.shape.c());
    std::vector<std::string> labels;
    for (int i = 0; i < std::max(2, outputs); ++i) labels.push_back(std::to_string(i));
    Diagnostics diagnostics;
    return training_target(graph, value, *data::make_target(options, labels, outputs, NoKeys(), diagnostics));
  }
  std::vector<TrainingTarget> targets() const { return {target()}; }
  std::vector<Tensor> constants() const {
    std::vector<Tensor> out;
    for (const graph::ValueId id : graph.values())
      if (graph.value(id).is_constant()) out.push_back(*graph.value(id).constant);
    return out;
  }
};

/// 2 -> 8 -> 2, softmax.
inline SmallNet xor_net() {
  SmallNet net(Shape{1, 2, 1, 1});
  net.fc("hidden", 8);
  net.relu("relu");
  net.fc("out", 2);
  net.softmax();
  return net;
}

/// Conv, BatchNorm, Rectifier, Dropout, Fc on stripes.
inline SmallNet stripes_net() {
  SmallNet net(Shape{1, 1, 8, 8});
  net.conv("conv", 4, 3);
  net.batchnorm("norm");
  net.relu("relu");
  net.dropout("drop");
  net.fc("out", 3);
  net.softmax();
  return net;
}

inline TrainerOptions reference_options(int64_t batch_size) {
  TrainerOptions options;
  options.backend = compute::Backend::Reference;
  options.seed = 3;
  options.batch_size = batch_size;
  options.report_seconds = 0;
  return options;
}

}  // namespace n2d2::training
