#include "equal_ranks.hpp"

#include "n2d2/base/random.hpp"
#include "n2d2/ops/target_bias.hpp"

namespace n2d2::training {

namespace {

/// A hash of lists of numbers, one after the other.
class Digest {
 public:
  template <class T>
  void add(std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    hash_ = hash_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, hash_);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(std::span<const T>(values));
  }
  void add(int64_t value) { add(std::span<const int64_t>(&value, 1)); }
  void add(const SolverState& state) {
    add(state.updates);
    add(state.batches);
    for (const auto* values : {&state.accumulated, &state.first, &state.second}) add(*values);
  }
  void add(const QuantizerState& state) {
    for (const auto* values : {&state.steps, &state.starts, &state.mask}) add(*values);
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = hash_bytes({});
};

}  // namespace

void expect_equal_ranks(const cluster::Cluster& cluster, const graph::Graph& graph,
                        std::span<const SolverState> solvers,
                        const std::vector<TrainerState::Quantizer>& quantizers, int64_t stimuli) {
  if (cluster.is_alone()) return;
  Digest digest;
  for (const graph::ValueId id : graph.values())
    if (const graph::Value& value = graph.value(id); value.is_constant() && value.type.dtype == DataType::F32)
      digest.add(value.constant->span<float>());
  for (const SolverState& state : solvers) digest.add(state);
  for (const TrainerState::Quantizer& quantizer : quantizers) {
    digest.add(quantizer.now);
    digest.add(quantizer.step_solver);
  }
  const std::vector<cluster::Fact> facts{
      {fmt::format("weights after {} stimuli", stimuli), fmt::format("{:016x}", digest.value()),
       "the machines compute differently, or a memory is broken: the run ends before it goes wrong"}};
  cluster.check(facts);
}

void refuse_on_ranks(const graph::Graph& graph) {
  for (const graph::NodeId id : graph.nodes()) {
    const graph::Node& node = graph.node(id);
    if (graph::as<ops::TargetBias>(node) == nullptr) continue;
    throw ConfigError(fmt::format("{}: a rank knows the classes of its samples alone", graph::subject(node)),
                      node.origin, "one process learns it: '-cluster alone'");
  }
}

}  // namespace n2d2::training
