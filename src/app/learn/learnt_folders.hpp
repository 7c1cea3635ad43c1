// Where does a learning run leave weights and state, and what becomes of those of an earlier run?
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "n2d2/loader/network.hpp"
#include "n2d2/training/learning_state.hpp"

namespace n2d2::app {

inline constexpr const char* kLatestWeights = "weights";
inline constexpr const char* kBestWeights = "weights_validation";
inline constexpr const char* kLatestState = "net_state";
inline constexpr const char* kBestState = "net_state_validation";

/// The folders that one run writes. What an earlier run left there and this one
/// does not go on from is moved to the first free `<folder>.<n>` before it would be replaced, and a notice
/// says so;
/// weights_validation that were worse in the same run, and the state of a run that was over, are replaced.
/// A process killed at any moment leaves a state and the weights from which `-l` goes on to the same bytes:
/// weights are written before the state that stands for them.
class LearntFolders {
 public:
  /// `is_resumed`: what is there and was written by the same run belongs to this one. `below`: where the
  /// folders are; empty:
  /// the working directory.
  LearntFolders(training::RunDescription run, data::Metric metric, bool is_resumed,
                const std::filesystem::path& below = {});

  /// The network at the best validation, which has this metric.
  void save_best(const graph::Graph& graph, const loader::QuantizerStates& quantizers,
                 const training::LearningState& state);
  /// Writes the best weights of a run that goes on, but no state. A state of the best validation is there
  /// only if the run had already left it beside its best weights.
  void restore_best(const graph::Graph& graph, const loader::QuantizerStates& quantizers);
  void save_latest_weights(const graph::Graph& graph, const loader::QuantizerStates& quantizers);
  void save_latest_state(const training::LearningState& state);
  /// Says what of earlier runs has been kept that is better than the best of this one, and removes what is
  /// the same.
  void finish(std::optional<double> best);

 private:
  struct Kept {
    std::string folder, as;
    std::optional<double> best;
  };
  void make_room(const std::string& folder, const std::string& state_folder, std::optional<double> best);
  void keep(const std::string& folder, std::optional<double> best);
  std::optional<training::LearningState> left_in(const std::string& state_folder) const;

  training::RunDescription run_;
  data::Metric metric_;
  bool is_resumed_;
  std::string latest_weights_, best_weights_, latest_state_, best_state_;
  std::vector<std::string> own_;
  std::vector<Kept> kept_;
};

}  // namespace n2d2::app
