#include "accuracy_judge.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/log.hpp"
#include "n2d2/base/random.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/quantize/sample_check.hpp"

#include "calibration.hpp"
#include "doctor/doctor.hpp"
#include "score.hpp"

namespace n2d2::app {

namespace {

constexpr int64_t kMostJudged = 1000, kFewJudged = 100;
/// Fewer others than that of the part that calibrates, and another part is taken.
constexpr int64_t kFewestJudged = 50;
/// Multiplications by weights of one measurement: some seconds.
constexpr double kMostJudgedProducts = 3e11;
constexpr int64_t kMostJudgedBytes = int64_t{512} << 20;
/// What is less than a decision is none, whatever floats make of 0.1.
constexpr double kPartOfDecision = 1e-6;

int64_t samples_to_judge(const loader::Network& net, const graph::Graph& floats) {
  int64_t elements = net.data->sample_shape().elements();
  for (const graph::ValueId id : floats.outputs())
    elements += floats.value(id).type.shape.with_batch(1).elements();
  const double products = std::max(1.0, quantize::products_of_sample(floats));
  const int64_t in_time =
      std::clamp(static_cast<int64_t>(kMostJudgedProducts / products), kFewJudged, kMostJudged);
  return std::clamp(kMostJudgedBytes / (elements * static_cast<int64_t>(sizeof(float))), int64_t{1}, in_time);
}

}  // namespace

std::string option_names(const Options& o) {
  if (o.max_drop >= 0 && o.min_accuracy >= 0) return "options -max-drop and -min-accuracy";
  return o.max_drop >= 0 ? "option -max-drop" : "option -min-accuracy";
}

AccuracyGoal::AccuracyGoal(const Options& o) {
  if (o.max_drop >= 0) most_drop = o.max_drop;
  if (o.min_accuracy >= 0) least = o.min_accuracy;
}

int64_t AccuracyGoal::needed(int64_t of_floats, int64_t all) const {
  const auto count = static_cast<double>(all);
  double out = 0;
  if (most_drop) out = static_cast<double>(of_floats) - *most_drop / 100 * count;
  if (least) out = std::max(out, *least * count);
  return static_cast<int64_t>(std::ceil(out - kPartOfDecision));
}

std::string AccuracyGoal::text() const {
  std::vector<std::string> parts;
  if (most_drop) parts.push_back(fmt::format("at most {} points below floats", *most_drop));
  if (least) parts.push_back(fmt::format("at least {} %", 100 * *least));
  return join(parts, ", and ");
}

AccuracyJudge::AccuracyJudge(const loader::Network& net, const Options& o, const graph::Graph& floats)
    : net_(net), goal_(o) {
  const bool counts =
      std::any_of(net.targets.begin(), net.targets.end(),
                  [](const loader::TargetPlace& place) { return !place.target.options().data_as_target; });
  if (!counts)
    throw ConfigError(option_names(o) + ": no output of the network decides on classes", {},
                      "'-doctor' says how far outputs are off");
  const int64_t most = samples_to_judge(net, floats);
  const CalibrationSamples calibrates(net, o.calib, CalibrationSamples::Say::Nothing);
  data::Batch batch = calibrates.others(most);
  text_ = fmt::format("{} {} samples that did not calibrate", batch.indices.size(), calibrates.part());
  if (static_cast<int64_t>(batch.indices.size()) < std::min(most, kFewestJudged)) batch = {};
  using data::Partition;
  for (const Partition partition : {Partition::Validation, Partition::Learn, Partition::Test}) {
    if (!batch.indices.empty() || partition == calibrates.partition()) continue;
    if (net.data->size(partition) == 0) continue;
    batch = read(partition, most);
    text_ = fmt::format("{} {} samples", batch.indices.size(), data::to_string(partition));
    if (partition == Partition::Learn)
      log::notice("{}: judged by Learn samples, which a network may know; '-calib n' leaves others of {}",
                  option_names(o), calibrates.part());
    if (partition == Partition::Test)
      log::warn("{}: judged by Test samples, there are no others: the score of the export is optimistic",
                option_names(o));
  }
  if (batch.indices.empty())
    throw ConfigError(fmt::format("{}: all {} samples calibrate, there are no others to judge by",
                                  option_names(o), calibrates.size()),
                      {}, "'-calib n' leaves some of them");
  take(std::move(batch), floats);
  if (!has_labels_ && goal_.least)
    throw ConfigError("option -min-accuracy: the samples have no labels", {},
                      "'-max-drop' counts the classes that integers and floats agree on");
}

data::Batch AccuracyJudge::read(data::Partition partition, int64_t most) {
  Rng rng(net_.seed, "accuracy judge");
  data::Batch out;
  out.indices = shuffled(net_.data->size(partition), rng);
  out.indices.resize(std::min(out.indices.size(), static_cast<size_t>(most)));
  net_.data->read(partition, out.indices, 0, out.data, out.labels);
  return out;
}

void AccuracyJudge::take(data::Batch batch, const graph::Graph& floats) {
  compute::Executor executor(floats, inference_options(net_));
  executor.forward(batch.data);
  for (const graph::ValueId id : floats.outputs()) floats_.push_back(executor.read(id));
  batch_ = std::move(batch);
  for (const data::Agreement& a : agreements(floats_, batch_.data, [](size_t) { return 1.0; }))
    has_labels_ = has_labels_ || a.paired().both + a.paired().neither > 0;
}

template <class Step>
std::vector<data::Agreement> AccuracyJudge::agreements(const std::vector<Tensor>& outputs, const Tensor& seen,
                                                       Step step) const {
  std::vector<data::Agreement> out;
  for (size_t t = 0; t < net_.targets.size(); ++t) {
    const data::Target& target = net_.targets[t].target;
    data::Score of_floats(target), of_integers(target);
    of_floats.add(floats_[t], batch_.labels, batch_.data);
    of_integers.add(outputs.at(t), batch_.labels, seen, step(t));
    out.emplace_back(target).add(of_floats, of_integers, batch_.labels, floats_[t], outputs[t], step(t));
  }
  return out;
}

std::vector<data::Agreement> AccuracyJudge::agreements(const targets::Build& build) const {
  return agreements(build.run(batch_.data), build.seen(batch_.data), [&](size_t t) { return build.step(t); });
}

AccuracyJudge::Right AccuracyJudge::right(const data::Agreement& agreement) const {
  if (!has_labels_) return {agreement.equal(), agreement.decisions(), agreement.decisions()};
  const data::PairedCounts& paired = agreement.paired();
  return {paired.both + paired.only_integers, paired.both + paired.only_floats,
          paired.both + paired.only_integers + paired.only_floats + paired.neither};
}

int64_t AccuracyJudge::lacking(const std::vector<data::Agreement>& agreements) const {
  std::optional<int64_t> most;
  for (const data::Agreement& agreement : agreements) {
    if (!agreement.has_classes()) continue;
    const Right found = right(agreement);
    const int64_t lacking = goal_.needed(found.floats, found.all) - found.integers;
    most = std::max(most.value_or(lacking), lacking);
  }
  return most.value_or(0);
}

void AccuracyJudge::check_floats(const std::vector<data::Agreement>& agreements) const {
  for (size_t t = 0; t < agreements.size() && goal_.least; ++t) {
    if (!agreements[t].has_classes()) continue;
    const Right found = right(agreements[t]);
    const double rate =
        static_cast<double>(found.floats) / static_cast<double>(std::max<int64_t>(1, found.all));
    if (rate < *goal_.least)
      throw ConfigError(
          fmt::format("option -min-accuracy: [{}]: expected a share that floats reach, {:.4f} on {}, "
                      "got '{}'",
                      presentable(net_.targets[t].section), rate, text_, *goal_.least));
  }
}

}  // namespace n2d2::app
