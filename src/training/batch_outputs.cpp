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
  return to.bytes();
}

BatchOutputs unpacked(const cluster::Bytes& bytes) {
  cluster::Reader from(bytes);
  BatchOutputs out;
  out.samples = from.get<int64_t>();
  out.labels = from.get_all<int>();
  for (auto left = from.get<uint64_t>(); left > 0; --left) out.outputs.push_back(get_tensor(from));
  out.seen = get_tensor(from);
  return out;
}

}  // namespace

std::vector<BatchOutputs> of_all_ranks(BatchOutputs own, const cluster::Cluster& cluster) {
  std::vector<BatchOutputs> out;
  if (cluster.is_alone()) {
    out.push_back(std::move(own));
    return out;
  }
  for (const cluster::Bytes& bytes : cluster.gather(packed(own))) out.push_back(unpacked(bytes));
  return out;
}

}  // namespace n2d2::training
