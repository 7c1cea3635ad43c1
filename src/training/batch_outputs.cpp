#include "batch_outputs.hpp"

#include <algorithm>

#include "n2d2/cluster/message.hpp"

namespace n2d2::training {

namespace {

void put(cluster::Writer& to, const Tensor& tensor) {
  to.put(tensor.dtype());
  to.put(tensor.layout());
  to.put_all(std::span<const int64_t>(tensor.shape().dims()));
  to.put_all(std::span(static_cast<const std::byte*>(tensor.raw()), static_cast<size_t>(tensor.bytes())));
}

Tensor get_tensor(cluster::Reader& from) {
  const auto dtype = from.get<DataType>();
  const auto layout = from.get<Layout>();
  std::vector<int64_t> dims = from.get_all<int64_t>();
  Tensor out = dims.empty() ? Tensor() : Tensor(Shape(std::move(dims)), dtype, layout);
  const std::vector<std::byte> bytes = from.get_all<std::byte>();
  N2D2_CHECK(static_cast<int64_t>(bytes.size()) == out.bytes(), "{} bytes for a tensor of {}", bytes.size(),
             out.bytes());
  std::copy(bytes.begin(), bytes.end(), static_cast<std::byte*>(out.raw()));
  return out;
}

cluster::Bytes packed(const BatchOutputs& batch) {
  cluster::Writer to;
  to.put(batch.samples);
  to.put_all(std::span<const int>(batch.labels));
  to.put<uint64_t>(batch.outputs.size());
  for (const Tensor& output : batch.outputs) put(to, output);
  put(to, batch.seen);
  to.put(batch.stops);
  return to.bytes();
}

BatchOutputs unpacked(const cluster::Bytes& bytes) {
  cluster::Reader from(bytes);
  BatchOutputs out;
  out.samples = from.get<int64_t>();
  out.labels = from.get_all<int>();
  for (auto left = from.get<uint64_t>(); left > 0; --left) out.outputs.push_back(get_tensor(from));
  out.seen = get_tensor(from);
  out.stops = from.get<bool>();
  return out;
}

}  // namespace

BatchOutputs outputs_of(const compute::Executor& executor, std::span<const TrainingTarget> targets,
                        const Tensor& batch, std::span<const int> labels, bool stops) {
  BatchOutputs out{batch.shape().n(), {labels.begin(), labels.end()}, {}, {}, stops};
  for (const TrainingTarget& target : targets) out.outputs.push_back(executor.read(target.value));
  if (std::any_of(targets.begin(), targets.end(),
                  [](const TrainingTarget& target) { return target.target.options().data_as_target; }))
    out.seen = batch;
  return out;
}

std::vector<BatchOutputs> of_all_ranks(BatchOutputs own, const cluster::Cluster& cluster) {
  std::vector<BatchOutputs> out;
  if (cluster.is_alone()) {
    out.push_back(std::move(own));
    return out;
  }
  for (const cluster::Bytes& bytes : cluster.gather(packed(own))) out.push_back(unpacked(bytes));
  return out;
}

namespace {

/// N,C,H,W float32 of several ranks, one below the other.
Tensor joined(const std::vector<const Tensor*>& parts) {
  int64_t samples = 0;
  for (const Tensor* part : parts) samples += part->shape().n();
  Tensor out(parts.front()->shape().with_batch(samples));
  auto to = out.span().begin();
  for (const Tensor* part : parts) to = std::copy_n(part->span().begin(), part->elements(), to);
  return out;
}

}  // namespace

BatchOutputs whole_batch(BatchOutputs own, const cluster::Cluster& cluster) {
  if (cluster.is_alone()) return own;
  BatchOutputs out;
  const std::vector<BatchOutputs> parts = of_all_ranks(std::move(own), cluster);
  std::vector<const Tensor*> seen;
  std::vector<std::vector<const Tensor*>> outputs(parts.front().outputs.size());
  for (const BatchOutputs& part : parts) {
    out.stops = out.stops || part.stops;
    if (part.samples == 0) continue;
    out.samples += part.samples;
    out.labels.insert(out.labels.end(), part.labels.begin(), part.labels.end());
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i].push_back(&part.outputs[i]);
    if (!part.seen.empty()) seen.push_back(&part.seen);
  }
  for (const std::vector<const Tensor*>& of_target : outputs) out.outputs.push_back(joined(of_target));
  if (!seen.empty()) out.seen = joined(seen);
  return out;
}

Tensor whole_input(const Tensor& batch, const cluster::Cluster& cluster) {
  return whole_batch({batch.shape().n(), {}, {}, batch}, cluster).seen;
}

Tensor samples_of(const Tensor& batch, int64_t first, int64_t count) {
  const int64_t each = batch.shape().with_batch(1).elements();
  Tensor out(batch.shape().with_batch(count));
  std::copy_n(batch.span().begin() + first * each, count * each, out.span().begin());
  return out;
}

}  // namespace n2d2::training
