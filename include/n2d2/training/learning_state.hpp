// How does a learning run get onto the disk and continue from there, to the bytes it would have had?
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/training/trainer.hpp"

namespace n2d2::training {

/// What a run is, by name, each a line: everything that its numbers follow from. A state continues the
/// same run only.
using RunDescription = std::vector<std::pair<std::string, std::string>>;

struct LearningState {
  RunDescription run;
  /// Stimuli that the run was to learn when the state was written.
  int64_t total = 0;
  TrainerState trainer;
  friend bool operator==(const LearningState&, const LearningState&) = default;
};

/// `state.txt` (description, counters, names and sizes, a hash of its lines and one of the values) and
/// `values.bin` (float32, little-endian). The folder is replaced as a set. ConfigError when it cannot be
/// written.
void save_state(const LearningState& state, const std::filesystem::path& folder);

/// Reads what save_state() writes. ConfigError for a folder or file that is not there, is cut, changed, or of
/// another version.
LearningState load_state(const std::filesystem::path& folder);

/// A name of two descriptions whose text is not the same; empty text: one of them has no such name.
struct Difference {
  std::string name, before, now;
};
std::vector<Difference> differences(const RunDescription& before, const RunDescription& now);

}  // namespace n2d2::training
