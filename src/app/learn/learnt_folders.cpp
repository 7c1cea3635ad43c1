#include "learnt_folders.hpp"

#include <algorithm>
#include <filesystem>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/loader/weights_file.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

namespace fs = std::filesystem;

bool has_content(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && !fs::is_empty(folder, error);
}

/// Whether two folders hold files of the same names and bytes.
bool are_equal(const fs::path& a, const fs::path& b) {
  constexpr int64_t kMost = int64_t{1} << 34;
  const auto names = [](const fs::path& folder) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
  };
  try {
    const auto files = names(a);
    return files == names(b) && std::all_of(files.begin(), files.end(), [&](const fs::path& file) {
             return read_regular_file(a / file, kMost) == read_regular_file(b / file, kMost);
           });
  } catch (const FileError&) {
    return false;
  } catch (const fs::filesystem_error&) {
    return false;
  }
}

void print_saved(const std::string& folder) {
  print(fmt::format("    '{}' saved!\n", folder));
}

}  // namespace

LearntFolders::LearntFolders(training::RunDescription run, data::Metric metric, bool is_resumed,
                             const fs::path& below)
    : run_(std::move(run)),
      metric_(metric),
      is_resumed_(is_resumed),
      latest_weights_((below / kLatestWeights).string()),
      best_weights_((below / kBestWeights).string()),
      latest_state_((below / kLatestState).string()),
      best_state_((below / kBestState).string()) {}

/// The state that an earlier process left; nothing when there is none that can be read.
std::optional<training::LearningState> LearntFolders::left_in(const std::string& state_folder) const {
  if (!has_content(state_folder)) return {};
  try {
    return training::load_state(state_folder);
  } catch (const ConfigError&) {
    return {};
  }
}

void LearntFolders::keep(const std::string& folder, std::optional<double> best) {
  if (!has_content(folder)) return;
  std::string as;
  for (int n = 1; as.empty() || fs::exists(fs::symlink_status(as)); ++n) as = fmt::format("{}.{}", folder, n);
  std::error_code error;
  fs::rename(folder, as, error);
  if (error)
    throw ConfigError(fmt::format("cannot be kept as '{}': {}", as, error.message()), {folder, 0},
                      "it is of an earlier run; move it away, or learn in another folder");
  kept_.push_back({folder, as, best});
  log::notice(
      "'{}' of an earlier run is kept as '{}'{}", folder, as,
      best ? fmt::format(" ({:.2f}% [{}])", 100 * *best, ValueText<data::Metric>::print(metric_)) : "");
}

void LearntFolders::make_room(const std::string& folder, const std::string& state_folder,
                              std::optional<double> best) {
  if (std::find(own_.begin(), own_.end(), folder) != own_.end()) return;
  own_.push_back(folder);
  const auto left = left_in(state_folder);
  const bool is_same_run = left && left->run == run_;
  if (is_same_run && is_resumed_) return;
  const bool is_better =
      is_same_run && best && left->trainer.best && !training::is_better(metric_, *left->trainer.best, *best);
  if (is_better) return;
  keep(folder, left ? left->trainer.best : std::nullopt);
  if (state_folder != folder) keep(state_folder, std::nullopt);
}

void LearntFolders::save_best(const graph::Graph& graph, const loader::QuantizerStates& quantizers,
                              const training::LearningState& state) {
  make_room(best_weights_, best_state_, state.trainer.best);
  loader::save_weights(graph, best_weights_, quantizers);
  print_saved(best_weights_);
  training::save_state(state, best_state_);
}

void LearntFolders::restore_best(const graph::Graph& graph, const loader::QuantizerStates& quantizers) {
  make_room(best_weights_, best_state_, {});
  loader::save_weights(graph, best_weights_, quantizers);
}

void LearntFolders::save_latest_weights(const graph::Graph& graph,
                                        const loader::QuantizerStates& quantizers) {
  make_room(latest_weights_, latest_state_, {});
  loader::save_weights(graph, latest_weights_, quantizers);
  print_saved(latest_weights_);
}

void LearntFolders::save_latest_state(const training::LearningState& state) {
  if (std::find(own_.begin(), own_.end(), latest_state_) == own_.end()) {
    own_.emplace_back(latest_state_);
    const auto left = left_in(latest_state_);
    const bool is_over = left && left->trainer.done >= left->total;
    if (!is_over && !(is_resumed_ && left && left->run == run_)) {
      keep(latest_state_, {});
      if (left) log::notice("it was not over: '-l {}' continues it", kept_.back().as);
    }
  }
  training::save_state(state, latest_state_);
}

void LearntFolders::finish(std::optional<double> best) {
  for (const Kept& kept : kept_) {
    if (are_equal(kept.as, kept.folder)) {
      std::error_code error;
      fs::remove_all(kept.as, error);
      log::notice("'{}' is the same as '{}' and is removed", kept.as, kept.folder);
    } else if (kept.best && best && training::is_better(metric_, *kept.best, *best)) {
      log::warn("the weights of an earlier run are better: {:.2f}% [{}] in '{}', {:.2f}% in '{}'",
                100 * *kept.best, ValueText<data::Metric>::print(metric_), kept.as, 100 * *best, kept.folder);
    }
  }
}

}  // namespace n2d2::app
