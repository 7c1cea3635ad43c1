#include "host_run.hpp"

#include <algorithm>
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
    memories_.emplace_back(Shape{peak + 2 * kGuardBytes}, DataType::I8);
  if (!network.input_in_arena()) input_ = Tensor(network.input_type().shape, network.input_type().dtype);
}

void* HostArena::at(const Place& place) {
  if (place.outside) return input_.raw();
  Tensor& memory = memories_.at(static_cast<size_t>(place.memory));
  return static_cast<std::byte*>(memory.raw()) + kGuardBytes + place.offset;
}

void HostArena::fill(std::byte value) {
  for (Tensor& memory : memories_)
    std::memset(memory.raw(), std::to_integer<int>(value), static_cast<size_t>(memory.bytes()));
}

void HostArena::fill(const FreeBytes& bytes, std::byte value) {
  for (int64_t i = 0; i < bytes.count; ++i)
    std::memset(at({false, bytes.memory, bytes.offset + i * bytes.stride}), std::to_integer<int>(value),
                static_cast<size_t>(bytes.size));
}

bool HostArena::guards_hold(std::byte value) const {
  return std::all_of(memories_.begin(), memories_.end(), [&](const Tensor& memory) {
    const auto* first = static_cast<const std::byte*>(memory.raw());
    const auto* last = first + memory.bytes() - kGuardBytes;
    const auto holds = [&](std::byte b) { return b == value; };
    return std::all_of(first, first + kGuardBytes, holds) && std::all_of(last, last + kGuardBytes, holds);
  });
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
                const RunHooks& hooks) {
  const MemoryMap& map = network.memory;
  const graph::ValueId input = network.input();
  if (hooks.start) hooks.start(arena);
  store_sample(values, sample, map.plane(network.graph, input),
               static_cast<std::byte*>(arena.at(map.place(input))));
  if (hooks.after_cell) hooks.after_cell("env", arena);
  std::vector<const void*> inputs;
  for (const Cell& cell : network.cells) {
    inputs.clear();
    for (const graph::ValueId id : cell.inputs) inputs.push_back(arena.at(map.place(id)));
    for (size_t i = 0; i < cell.steps.size(); ++i) {
      if (hooks.before_step) hooks.before_step(cell.steps[i], arena);
      cell.code.calls[i].host({inputs, arena.at(map.place(cell.output))});
    }
    if (hooks.after_cell) hooks.after_cell(cell.identifier, arena);
  }
  if (hooks.before_step) hooks.before_step(static_cast<memory::StepId>(map.problem.steps.size()), arena);
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

std::vector<LayerOutput> run_layers(const PlannedNetwork& network, const Tensor& sample,
                                    const RunHooks& hooks) {
  N2D2_CHECK(sample.shape().n() == 1, "one sample at a time, not {}", sample.shape().n());
  std::vector<LayerOutput> out;
  HostArena arena(network);
  RunHooks all = hooks;
  all.after_cell = [&](const std::string& cell, HostArena& of_run) {
    if (hooks.after_cell) hooks.after_cell(cell, of_run);
    const size_t i = out.size();  // "env", then the cells
    const graph::ValueId value = i == 0 ? network.input() : network.cells.at(i - 1).output;
    out.push_back({cell, read_value(network, value, of_run), network.graph.value(value).name});
  };
  run_sample(network, input_values(network, sample), 0, arena, all);
  return out;
}

}  // namespace n2d2::exporter
