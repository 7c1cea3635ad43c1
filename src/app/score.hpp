// How right is the network on the Test samples, and where is that written?
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/cluster/cluster.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/training/evaluate.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

/// The targets of the network with the losses of their values.
std::vector<training::TrainingTarget> training_targets(const loader::Network& net);

/// Positions in the Test partition that `-nb-test`, `-test-index` or `-test-id` leave; none, with a notice,
/// when there are no samples. ConfigError when there is no such sample.
std::vector<int64_t> test_positions(const loader::Network& net, const Options& options);

/// Samples a batch where nothing learns: enough for the threads, and 16 MiB of input at most where that is
/// possible.
int64_t inference_batch(const loader::Network& net);

/// How the float network runs where nothing learns.
compute::ExecutorOptions inference_options(const loader::Network& net);

/// "forward: 123.4 images/s, batch 64, 2 threads", and what the observer took if there was one. Reading
/// samples is not part of it.
std::string speed_text(const compute::ForwardTime& time, int64_t batch);

/// "93.40 % right", beside the progress of a score.
std::string right_text(const data::Score& score);

/// Scores the float network: progress and the lines of scores, files in the folders of the targets. The ranks
/// of a cluster share the samples, the first one writes.
void score_network(const loader::Network& net, const Options& options,
                   const cluster::Cluster& cluster = cluster::alone());

/// Prints and writes the scores of all targets that are scored; set: "test" or "export". With -log-files a
/// picture of the confusion matrix, too.
void report_scores(const loader::Network& net, const std::vector<data::Score>& scores, std::string_view set,
                   const Options& options);

/// `Misclassified_<set>.dat`: a line for each sample that is taken for another class, by position, name, and
/// names of both classes. Targets of one decision a sample.
class Misclassified {
 public:
  explicit Misclassified(const loader::Network& net);
  /// The samples at these positions of the Test partition, which were added to the scores last.
  void add(std::span<const int64_t> positions, std::span<const data::Score> scores);
  void write(std::string_view set) const;

 private:
  const loader::Network& net_;
  std::vector<std::vector<std::string>> classes_;
  std::vector<std::string> texts_;
};

}  // namespace n2d2::app
