// What does the exported program compute? The shipped kernels, run in process in the planned memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "free_bytes.hpp"
#include "planned_network.hpp"

namespace n2d2::exporter {

/// The arenas, each between guard bytes, and the network input; a thread owns one.
class HostArena {
 public:
  explicit HostArena(const PlannedNetwork& network);
  void* at(const Place& place);
  /// Every byte of the arenas, and the guard bytes.
  void fill(std::byte value);
  void fill(const FreeBytes& bytes, std::byte value);
  /// Whether all guard bytes have the value they were filled with.
  bool guards_hold(std::byte value) const;

 private:
  static constexpr int64_t kGuardBytes = 64;

  std::vector<Tensor> memories_;
  Tensor input_;
};

/// The network input in the element type of the program, N,C,H,W (Layout::Nchw): quantized, or the floats.
Tensor input_values(const PlannedNetwork& network, const Tensor& batch);

/// What else happens during a run; each may be empty.
struct RunHooks {
  std::function<void(HostArena&)> start;                        ///< before the input is stored
  std::function<void(memory::StepId, HostArena&)> before_step;  ///< the number of steps: after the last one
  std::function<void(const std::string& cell, HostArena&)> after_cell;  ///< also after the input, "env"
};

/// Runs one sample of `values` (from input_values).
void run_sample(const PlannedNetwork& network, const Tensor& values, int64_t sample, HostArena& arena,
                const RunHooks& hooks = {});

/// One sample (1,C,H,W f32): "env" and every cell's output after it ran.
std::vector<LayerOutput> run_layers(const PlannedNetwork& network, const Tensor& sample,
                                    const RunHooks& hooks = {});

/// Copies a value out of the arena: 1,C,H,W, Layout::Nhwc, packed.
Tensor read_value(const PlannedNetwork& network, graph::ValueId value, HostArena& arena);

}  // namespace n2d2::exporter
