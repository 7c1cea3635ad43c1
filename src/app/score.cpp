#include "score.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/base/progress.hpp"

#include "files.hpp"
#include "learn/bench.hpp"
#include "pictures.hpp"
#include "ranks.hpp"

namespace n2d2::app {

namespace {

bool is_scored(const loader::TargetPlace& place) {
  return place.target.options().type == data::TargetType::TargetScore;
}

/// Whether a target expects something of some sample.
bool has_labels(const loader::Network& net) {
  return !net.database->labels().empty() ||
         std::any_of(net.targets.begin(), net.targets.end(), [](const loader::TargetPlace& place) {
           return place.target.options().data_as_target || place.target.class_of(-1) >= 0;
         });
}

}  // namespace

std::string right_text(const data::Score& score) {
  return fmt::format("{:.2f} % right", 100 * score.recognition_rate());
}

Misclassified::Misclassified(const loader::Network& net)
    : net_(net), texts_(net.targets.size(), "# sample name expected found\n") {
  for (const loader::TargetPlace& place : net.targets) classes_.push_back(place.target.class_names());
}

void Misclassified::add(std::span<const int64_t> positions, std::span<const data::Score> scores) {
  for (size_t t = 0; t < scores.size(); ++t) {
    const std::vector<int>& found = scores[t].decisions();
    if (found.size() != positions.size()) continue;  // a decision for each pixel
    for (size_t i = 0; i < positions.size(); ++i) {
      const int64_t id = net_.database->id(data::Partition::Test, positions[i]);
      const int expected = net_.targets[t].target.class_of(net_.database->label(id));
      if (expected < 0 || expected == found[i]) continue;
      const auto name = [&](int cls) { return presentable(classes_[t].at(static_cast<size_t>(cls))); };
      texts_[t] += fmt::format("{} \"{}\" \"{}\" \"{}\"\n", positions[i],
                               presentable(net_.database->name(id)), name(expected), name(found[i]));
    }
  }
}

void Misclassified::write(std::string_view set) const {
  for (size_t t = 0; t < texts_.size(); ++t)
    if (is_scored(net_.targets[t]))
      write_text(std::filesystem::path(net_.targets[t].folder) / fmt::format("Misclassified_{}.dat", set),
                 texts_[t]);
}

void report_scores(const loader::Network& net, const std::vector<data::Score>& scores, std::string_view set,
                   const Options& o) {
  for (size_t i = 0; i < net.targets.size(); ++i) {
    const loader::TargetPlace& place = net.targets[i];
    if (!is_scored(place)) continue;
    if (net.targets.size() > 1) print(fmt::format("[{}]\n", place.section));
    if (const int64_t lost = scores[i].not_finite(); lost > 0)
      log::warn(
          "[{}]: outputs of {} of {} samples are infinite or no numbers; the rate says nothing about them",
          presentable(place.section), lost, scores[i].samples());
    print(data::final_score_text(scores[i].recognition_rate(), scores[i].confusion()));
    if (place.target.options().data_as_target)
      print(fmt::format("    Mean squared error: {:.6g}\n", scores[i].mean_squared_error()));
    if (place.target.options().top_n > 1)
      print(fmt::format("    Top-{}: {:.2f}%\n", place.target.options().top_n, 100 * scores[i].top_n_rate()));
    scores[i].write(place.folder, set);
    scores[i].write_classes(std::filesystem::path(place.folder) / set);
    write_text(std::filesystem::path(place.folder) / "labels_mapping.log.dat", place.target.mapping_text());
    if (!o.log_files) continue;
    write_picture(confusion_picture(scores[i].confusion(), place.target.class_names(),
                                    fmt::format("{}, {}", presentable(place.section), set)),
                  std::filesystem::path(place.folder) / fmt::format("ConfusionMatrix_{}", set));
    draw_successes(scores[i], place.folder, set);
  }
}

std::vector<training::TrainingTarget> training_targets(const loader::Network& net) {
  std::vector<training::TrainingTarget> targets;
  for (size_t i = 0; i < net.targets.size(); ++i)
    targets.push_back(training::training_target(net.graph, net.graph.outputs().at(i), net.targets[i].target));
  return targets;
}

std::vector<int64_t> test_positions(const loader::Network& net, const Options& o) {
  const int64_t size = net.data->size(data::Partition::Test);
  const auto& ids = net.database->list(data::Partition::Test);
  if (o.test_id >= 0) {
    const auto found = std::find(ids.begin(), ids.end(), o.test_id);
    if (found == ids.end())
      throw ConfigError(fmt::format("option -test-id: no Test sample has the id {}", o.test_id));
    return {found - ids.begin()};
  }
  if (o.test_index >= 0) {
    if (o.test_index >= size)
      throw ConfigError(
          fmt::format("option -test-index: expected 0 to {}, got '{}'", size - 1, o.test_index));
    return {o.test_index};
  }
  if (size == 0) log::notice("no Test samples: nothing is scored");
  if (size > 0 && !has_labels(net)) {
    log::notice("the Test samples have no labels: nothing is scored");
    return {};
  }
  if (o.nb_test > size) log::warn("option -nb-test: there are only {} Test samples, all are used", size);
  std::vector<int64_t> positions(static_cast<size_t>(o.nb_test < 0 ? size : std::min(o.nb_test, size)));
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

int64_t inference_batch(const loader::Network& net) {
  constexpr int64_t kInputBytes = int64_t{16} << 20, kFewest = 32, kMost = 256;
  const int64_t sample = net.data->sample_shape().elements() * static_cast<int64_t>(sizeof(float));
  const auto fits = static_cast<uint64_t>(std::max<int64_t>(1, kInputBytes / sample));
  return std::clamp(static_cast<int64_t>(std::bit_floor(fits)), kFewest, kMost);
}

compute::ExecutorOptions inference_options(const loader::Network& net) {
  return {.backend = compute::Backend::OneDnn, .seed = net.seed, .keep = compute::Keep::Outputs};
}

std::string speed_text(const compute::ForwardTime& time, int64_t batch) {
  const auto rate = [&](double seconds) {
    return seconds > 0 ? static_cast<double>(time.samples) / seconds : 0;
  };
  std::string text = fmt::format("forward: {:.1f} images/s, batch {}, {} threads",
                                 rate(time.seconds - time.observing), batch, max_threads());
  if (time.observing > 0) text += fmt::format("; {:.1f} images/s with statistics", rate(time.seconds));
  return text;
}

void score_network(const loader::Network& net, const Options& o, const cluster::Cluster& cluster) {
  const std::vector<int64_t> positions = test_positions(net, o);
  if (positions.empty()) return;
  net.data->stop_keeping();
  compute::ExecutorOptions options = inference_options(net);
  options.time_nodes = o.bench;
  compute::Executor executor(net.graph, options);
  progress::Task task("Testing", static_cast<int64_t>(positions.size()), "samples");
  Misclassified misclassified(net);
  warn_of_idle_ranks(cluster, static_cast<int64_t>(positions.size()), inference_batch(net));
  int64_t before = 0;
  const auto scores = training::evaluate(
      executor, training::ProviderSource(*net.data), data::Partition::Test, positions, training_targets(net),
      inference_batch(net),
      [&](int64_t done, int64_t, std::span<const data::Score> now) {
        task.at(done, [&] { return right_text(now.front()); });
        if (o.log_files)
          misclassified.add(
              std::span(positions).subspan(static_cast<size_t>(before), static_cast<size_t>(done - before)),
              now);
        before = done;
      },
      {}, cluster);
  if (!cluster.is_first()) return;
  log::info("{}{}", speed_text(executor.forward_time(), inference_batch(net)), of_ranks(cluster));
  if (o.bench) report_times(net.graph, executor.node_times(), "test", o);
  report_scores(net, scores, "test", o);
  if (o.log_files) misclassified.write("test");
}

}  // namespace n2d2::app
