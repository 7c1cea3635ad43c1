// On which samples is the accuracy judged that an export has to reach, and does it reach it there?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "n2d2/data/agreement.hpp"
#include "n2d2/data/batch_loader.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/targets/target.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// What is asked for, of each output that decides on classes (-max-drop, -min-accuracy).
struct AccuracyGoal {
  std::optional<double> most_drop;  ///< points of the recognition rate below floats
  std::optional<double> least;      ///< recognition rate, in [0, 1]

  explicit AccuracyGoal(const Options& o);
  bool is_asked() const { return most_drop || least; }
  /// Decisions of `all` that have to be right where floats have so many.
  int64_t needed(int64_t of_floats, int64_t all) const;
  /// "at most 0.5 points below floats, and at least 90 %"
  std::string text() const;
};

/// "option -max-drop", "options -max-drop and -min-accuracy": those that are given, for messages.
std::string option_names(const Options& o);

/// Samples with what floats make of them.
class AccuracyJudge {
 public:
  /// Takes samples that did not calibrate: of the same part of the database, else of another one; those of
  /// Test with a warning. At most 1,000, and what fits in a time and in memory. Without labels, the classes
  /// that floats decide for are right. ConfigError where there are no samples, or no output has classes.
  AccuracyJudge(const loader::Network& net, const Options& o, const graph::Graph& floats);

  /// What the integers of an export are against floats, one for each output.
  std::vector<data::Agreement> agreements(const targets::Build& build) const;
  /// Decisions that are right, of how many.
  struct Right {
    int64_t integers = 0, floats = 0, all = 0;
  };
  Right right(const data::Agreement& agreement) const;

  const AccuracyGoal& goal() const { return goal_; }
  /// Decisions that are missing to the goal, of the output that lacks most.
  int64_t lacking(const std::vector<data::Agreement>& agreements) const;
  /// ConfigError where floats themselves are below the least accuracy.
  void check_floats(const std::vector<data::Agreement>& agreements) const;

  int64_t samples() const { return static_cast<int64_t>(batch_.indices.size()); }
  bool has_labels() const { return has_labels_; }
  /// N,C,H,W
  const Tensor& data() const { return batch_.data; }
  /// "498 Validation samples that did not calibrate"
  const std::string& text() const { return text_; }

 private:
  void take(data::Batch batch, const graph::Graph& floats);
  data::Batch read(data::Partition partition, int64_t most);
  /// Outputs whose steps are so large against those of floats.
  template <class Step>
  std::vector<data::Agreement> agreements(const std::vector<Tensor>& outputs, const Tensor& seen,
                                          Step step) const;

  const loader::Network& net_;
  const AccuracyGoal goal_;
  data::Batch batch_;
  std::vector<Tensor> floats_;  // of each output
  bool has_labels_ = false;
  std::string text_;
};

}  // namespace n2d2::app
