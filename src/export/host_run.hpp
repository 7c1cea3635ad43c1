// What does the exported program compute? The shipped kernels, run in process in the planned memory.
#pragma once

#include <functional>
#include <vector>

#include "planned_network.hpp"

namespace n2d2::exporter {

/// The arenas and the network input; a thread owns one.
class HostArena {
 public:
  explicit HostArena(const PlannedNetwork& network);
  void* at(const Place& place);

 private:
  std::vector<Tensor> memories_;
  Tensor input_;
};

/// The network input in the element type of the program, N,C,H,W (Layout::Nchw): quantized, or the floats.
Tensor input_values(const PlannedNetwork& network, const Tensor& batch);

/// Runs one sample of `values` (from input_values). `after` is called after the input is in place ("env") and
/// after each cell; may be empty.
using AfterCell = std::function<void(const std::string& cell, graph::ValueId value)>;
void run_sample(const PlannedNetwork& network, const Tensor& values, int64_t sample, HostArena& arena,
                const AfterCell& after);

/// One sample (1,C,H,W f32): "env" and every cell's output after it ran.
std::vector<LayerOutput> run_layers(const PlannedNetwork& network, const Tensor& sample);

/// Copies a value out of the arena: 1,C,H,W, Layout::Nhwc, packed.
Tensor read_value(const PlannedNetwork& network, graph::ValueId value, HostArena& arena);

}  // namespace n2d2::exporter
