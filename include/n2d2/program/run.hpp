// What does a program compute? Its kernels, run in process in its planned memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "n2d2/program/free_bytes.hpp"
#include "n2d2/program/kernel.hpp"
#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// The memories, each between guard bytes, and the network input; a thread owns one.
class Arena {
 public:
  explicit Arena(const Program& program);
  /// Row 0, pixel 0, channel 0 of a view.
  void* at(const View& view);
  void* at(const Place& place);
  /// Every byte of the memories, and the guard bytes.
  void fill(std::byte value);
  void fill(const FreeBytes& bytes, std::byte value);
  /// Whether all guard bytes have the value they were filled with.
  bool guards_hold(std::byte value) const;

 private:
  static constexpr int64_t kGuardBytes = 64;

  std::vector<Tensor> memories_;
  Tensor input_;
};

/// What else happens during a run; each may be empty.
struct RunHooks {
  std::function<void(Arena&)> start;  ///< before the input is stored
  /// The number of calls: after the last one. Of a region, before its first call alone.
  std::function<void(CallId, Arena&)> before_call;
  std::function<void(CallId, Arena&)> after_call;  ///< of those in a region, after its last turn
  std::function<void(const Region&, CallId, int, Arena&)>
      after_rows;                                       ///< a call of a region had its run in a turn
  std::function<void(const Cell*, Arena&)> after_cell;  ///< null: after the input
};

/// The calls of a program bound to their constants. The program must outlive it.
class Runner {
 public:
  explicit Runner(const Program& program);
  /// Runs one sample of `values`: N,C,H,W (Layout::Nchw) in the element type of the network input.
  void run(const Tensor& values, int64_t sample, Arena& arena, const RunHooks& hooks = {}) const;
  /// One call, over these rows of its outputs.
  void run(CallId call, Rows rows, Arena& arena) const;
  const Program& program() const { return program_; }

 private:
  const Program& program_;
  std::vector<HostCall> calls_;
  std::vector<HostStart> starts_;
  std::vector<HostEnd> ends_;
};

/// Copies a map out of the arena: 1,C,H,W, Layout::Nhwc, packed.
Tensor read_value(const Program& program, graph::ValueId value, Arena& arena);

/// A layer's output of a run: packed, logical N,C,H,W, Layout::Nhwc.
struct LayerValues {
  const Cell* cell = nullptr;  ///< null: the network input
  size_t output = 0;           ///< of the cell
  Tensor tensor;
};

/// The network input and every cell's outputs after it ran, of one sample of `values`.
std::vector<LayerValues> run_layers(const Program& program, const Tensor& values, const RunHooks& hooks = {});

}  // namespace n2d2::program
