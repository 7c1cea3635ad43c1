#include "host_run.hpp"

#include <cstring>

#include "n2d2/base/parallel.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

namespace n2d2::exporter {

namespace {

/// Bytes from the start of a plane to a pixel.
int64_t pixel_offset(const Plane& p, int64_t y, int64_t x, int64_t element) {
  const bool one_row = p.height == 1;
  const int64_t jump = (one_row ? x >= p.split : y >= p.split) ? p.jump : 0;
  return (y * p.row + x * p.pixel + jump) * element;
}

/// Sample `n` of an N,C,H,W tensor into the plane at `to`.
void store_sample(const Tensor& values, int64_t n, const Plane& plane, std::byte* to) {
  const Shape& s = values.shape();
  const int64_t element = size_bytes(values.dtype()), pixels = s.h() * s.w();
  const auto* from = static_cast<const std::byte*>(values.raw()) + n * s.c() * pixels * element;
  for (int64_t y = 0; y < s.h(); ++y)
    for (int64_t x = 0; x < s.w(); ++x) {
      std::byte* pixel = to + pixel_offset(plane, y, x, element);
      for (int64_t c = 0; c < s.c(); ++c)
        std::memcpy(pixel + c * element, from + (c * pixels + y * s.w() + x) * element,
                    static_cast<size_t>(element));
    }
}

}  // namespace

HostArena::HostArena(const PlannedNetwork& network) {
  for (const memory::Bytes peak : network.memory.plan.peaks)
    memories_.emplace_back(Shape{std::max<int64_t>(peak, 1)}, DataType::I8);
  if (!network.input_in_arena()) input_ = Tensor(network.input_type().shape, network.input_type().dtype);
}

void* HostArena::at(const Place& place) {
  Tensor& home = place.outside ? input_ : memories_.at(static_cast<size_t>(place.memory));
  return static_cast<std::byte*>(home.raw()) + place.offset;
}

Tensor input_values(const PlannedNetwork& network, const Tensor& batch) {
  const TensorType& type = network.input_type();
  N2D2_CHECK(batch.shape().with_batch(1) == type.shape, "samples are {}, the network takes {}",
             batch.shape().text(), type.shape.text());
  if (type.dtype == DataType::F32) return batch;
  N2D2_CHECK(type.quant.has_value(), "the network input has no scale");
  return quantize::quantize_input(batch, *type.quant);
}

void run_sample(const PlannedNetwork& network, const Tensor& values, int64_t sample, HostArena& arena,
                const AfterCell& after) {
  const graph::ValueId input = network.input();
  store_sample(values, sample, network.memory.plane(network.graph, input),
               static_cast<std::byte*>(arena.at(network.memory.place(input))));
  if (after) after("env", input);
  std::vector<const void*> inputs;
  for (const Cell& cell : network.cells) {
    inputs.clear();
    for (const graph::ValueId id : cell.inputs) inputs.push_back(arena.at(network.memory.place(id)));
    for (const KernelCall& call : cell.code.calls)
      call.host({inputs, arena.at(network.memory.place(cell.output))});
    if (after) after(cell.identifier, cell.output);
  }
}

Tensor read_value(const PlannedNetwork& network, graph::ValueId value, HostArena& arena) {
  const TensorType& type = network.graph.value(value).type;
  Tensor out(type.shape, type.dtype, Layout::Nhwc);
  const Plane plane = network.memory.plane(network.graph, value);
  const int64_t element = size_bytes(type.dtype), bytes = plane.channels * element;
  const auto* from = static_cast<const std::byte*>(arena.at(network.memory.place(value)));
  auto* to = static_cast<std::byte*>(out.raw());
  for (int64_t y = 0; y < plane.height; ++y)
    for (int64_t x = 0; x < plane.width; ++x, to += bytes)
      std::memcpy(to, from + pixel_offset(plane, y, x, element), static_cast<size_t>(bytes));
  return out;
}

std::vector<LayerOutput> run_layers(const PlannedNetwork& network, const Tensor& sample) {
  N2D2_CHECK(sample.shape().n() == 1, "one sample at a time, not {}", sample.shape().n());
  std::vector<LayerOutput> out;
  HostArena arena(network);
  run_sample(network, input_values(network, sample), 0, arena,
             [&](const std::string& cell, graph::ValueId value) {
               out.push_back({cell, read_value(network, value, arena)});
             });
  return out;
}

}  // namespace n2d2::exporter
