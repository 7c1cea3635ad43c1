// How do constants learn that the network sees quantized? Their masters are in the graph but while it runs.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "n2d2/training/trainer.hpp"

namespace n2d2::training {

/// Constants with a quantizer, and the steps of activation quantizers, which have bounds. The graph has the
/// masters, but within a Scope.
class QuantizedConstants {
 public:
  /// The arguments outlive it.
  QuantizedConstants(graph::Graph& graph, std::vector<LearntConstant>& learnt, int64_t batch_size);

  /// While it lives, the constants of the graph are the quantized ones, for executors to read. Diverged where
  /// a master is no finite number.
  class Scope {
   public:
    explicit Scope(QuantizedConstants& constants) : constants_(constants) { constants_.enter(); }
    ~Scope() { constants_.swap(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    QuantizedConstants& constants_;
  };

  bool contains(size_t i) const { return all_.contains(i); }
  /// Learns learnt[i], one of these, from the gradient of the constant that the network saw.
  void learn(size_t i, const Tensor& gradient, SolverState& state);
  /// After a batch: what changes with the stimuli learnt so far.
  void advance(int64_t stimuli);
  void set_log_interval(int64_t stimuli);

  std::vector<TrainerState::Quantizer> states() const;
  void restore(std::vector<TrainerState::Quantizer> states);
  void keep_best();
  /// Back to the states of keep_best(), if there were any.
  void take_best();

 private:
  struct One {
    LearntConstant* learnt = nullptr;
    WeightQuantizer* quantizer = nullptr;  ///< null: a step of an activation quantizer
    SolverState step_solver;
    QuantizerState bounds, best;  ///< bounds: of a step, its start alone
    Tensor other;                 ///< the quantized constant, or within a Scope the master
    Tensor d_master;
    std::vector<float> d_steps;
  };
  void enter();
  void swap();
  const QuantizerState& state_of(const One& one) const {
    return one.quantizer != nullptr ? one.quantizer->state() : one.bounds;
  }
  void bound(One& one);

  graph::Graph& graph_;
  int64_t batch_size_;
  std::map<size_t, One> all_;  ///< by index among the learnt constants
  bool has_best_ = false;
};

}  // namespace n2d2::training
