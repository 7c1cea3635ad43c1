// How is a float graph run, forward and backward, on a batch?
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/graph/graph.hpp"

namespace n2d2::compute {

/// Reference: the operators' own loops, the oracle. OneDnn: library primitives where they pay.
enum class Backend { Reference, OneDnn };

/// Which values read() gives after a forward. Outputs: those of the graph; the others lie in memory that is
/// used again for each block of the batch, so that it stays small and in the caches. Training keeps all.
enum class Keep { All, Outputs };

struct ExecutorOptions {
  Backend backend = Backend::OneDnn;
  /// Keeps what backward needs; forward then runs in training mode (dropout, batch statistics).
  bool training = false;
  uint64_t seed = 0;
  /// Counts seconds_in_primitives(), at the cost of two calls of the system a primitive.
  bool time_primitives = false;
  Keep keep = Keep::All;
  /// Counts node_times(), at the cost of two looks at the clock a node and block.
  bool time_nodes = false;
  /// Whose ranks compute a batch together; without training each of them computes batches of its own.
  const cluster::Cluster* cluster = &cluster::alone();
};

/// Samples [first, first + count) of an activation as they were just computed. The data is there while the
/// observer is called; the values of a sample lie in the layout of the backend.
struct Observation {
  graph::ValueId value;
  int64_t first, count;
  std::span<const float> data;
  Layout layout;
  int thread;  ///< in [0, max_threads())
};
using Observer = std::function<void(const Observation&)>;

/// What all forward passes took; `observing` is the part in the observer, of the thread that was in it
/// longest.
struct ForwardTime {
  int64_t samples = 0;
  double seconds = 0, observing = 0;
};

/// What a node took in all passes, summed over the threads that ran its blocks; observers are no part of it.
struct NodeTime {
  graph::NodeId node;
  double forward = 0, backward = 0;  ///< seconds
};
struct NodeTimes {
  int64_t forward_samples = 0, backward_samples = 0;
  std::vector<NodeTime> nodes;  ///< in the order in which they run
};

/// Gradient of the loss with respect to a value, N,C,H,W of the batch that ran.
struct GradientSeed {
  graph::ValueId value;
  Tensor gradient;
};

/// Runs one graph. Float activations fused into a node (Node::clamp) cost no pass over memory with OneDnn, so
/// fusing them before training pays. Results do not depend on the number of threads: a batch is cut into
/// blocks whose size follows from the shapes alone (at most 16 samples), threads take blocks, and weight
/// gradients and batch statistics are added in block order.
/// The graph must outlive the executor; its constants are read anew at every forward (training changes them),
/// its structure must not change. Values are float32.
class Executor {
 public:
  Executor(const graph::Graph& graph, ExecutorOptions options);
  ~Executor();
  Executor(Executor&&) noexcept;

  /// Runs the batch (N,C,H,W float32, any N >= 1; buffers are kept between calls). `step` keys random
  /// numbers.
  /// The observer is called from several threads, once for each sample of the input and of every output of a
  /// node.
  /// The ranks of a cluster learn from `whole` samples: each is given those of cluster::share_of_batch, which
  /// may be none, and gets the gradients and statistics that one process gets from all of them.
  void forward(const Tensor& input, uint64_t step = 0, const Observer& observer = {}, int64_t whole = 0);
  ForwardTime forward_time() const;
  /// Zeros without ExecutorOptions::time_nodes.
  NodeTimes node_times() const;
  /// A value of the last forward, N,C,H,W (Layout::Nchw), whatever layout the backend keeps inside.
  /// InternalError when it is not kept.
  Tensor read(graph::ValueId value) const;
  /// From the seeds back to every learnt constant. Only after a forward in training mode.
  /// ModelError naming the node if an operator on the way has no gradient.
  void backward(std::span<const GradientSeed> seeds);
  /// Gradient of a learnt constant, summed over the batch, in the constant's own shape.
  const Tensor& gradient(graph::ValueId constant) const;
  /// Lets every node absorb what the training forward saved into its state constants (running statistics).
  void absorb(graph::Graph& graph) const;

  /// Processor seconds of all threads inside library primitives since construction: divided by the processor
  /// seconds of the process it is the share of the work that the library does (train_speed prints it). 0
  /// without ExecutorOptions::time_primitives.
  double seconds_in_primitives() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace n2d2::compute
