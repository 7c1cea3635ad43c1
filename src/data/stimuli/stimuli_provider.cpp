#include "n2d2/data/stimuli_provider.hpp"

#include <algorithm>
#include <array>

#include <opencv2/core.hpp>

#include "n2d2/base/log.hpp"
#include "n2d2/base/parallel.hpp"

#include "chain_check.hpp"
#include "channel_steps.hpp"
#include "database/picture_cache.hpp"
#include "disk_cache.hpp"
#include "files/to_planes.hpp"
#include "stimuli_measurement.hpp"
#include "transformation_type.hpp"

namespace n2d2::data {

namespace {

void check_quantization(const ProviderOptions& options, const KeySource& config, Diagnostics& diagnostics) {
  const int levels = options.quantization_levels;
  const auto found = config.find("QuantizationLevels");
  if (levels == 1)
    diagnostics.error(found->where, fmt::format("{} QuantizationLevels: expected 0 or at least 2, got '{}'",
                                                config.subject(), found->text));
  for (const char* key : {"QuantizationMin", "QuantizationMax"})
    if (const auto end = config.find(key); end && levels == 0)
      diagnostics.warn_key(
          end->where, fmt::format("{} {}: without effect with QuantizationLevels=0", config.subject(), key));
  if (levels > 1 && options.quantization_min >= options.quantization_max)
    diagnostics.error(found->where,
                      fmt::format("{} QuantizationMin: expected less than QuantizationMax ({}), got {}",
                                  config.subject(), options.quantization_max, options.quantization_min));
}

/// A section whose Size may have a third axis of one element.
class FlatSize final : public KeySource {
 public:
  explicit FlatSize(const KeySource& section) : section_(section) {}
  std::optional<KeyText> find(std::string_view key) const override {
    auto found = section_.find(key);
    if (key != "Size" || !found) return found;
    if (const std::vector<std::string> axes = words(found->text); axes.size() == 3 && axes[2] == "1")
      found->text = axes[0] + " " + axes[1];
    return found;
  }
  SourceLocation where() const override { return section_.where(); }
  std::string subject() const override { return section_.subject(); }

 private:
  const KeySource& section_;
};

}  // namespace

ProviderOptions read_provider_options(const KeySource& section, const KeySource& config,
                                      Diagnostics& diagnostics) {
  ProviderOptions out;
  read_fields(out, FlatSize(section), config, diagnostics);
  out.subject = section.subject();
  out.where = section.where();
  const auto refuse = [&](const KeySource& source, const char* key, bool set, const char* why) {
    const auto found = set ? source.find(key) : std::nullopt;
    if (found)
      diagnostics.error(found->where, fmt::format("{} {}: '{}' is not supported: {}", source.subject(), key,
                                                  found->text, why));
  };
  const auto depth = section.find("SizeD");
  refuse(section, "SizeD", depth && depth->text != "1", "pictures have two axes");
  for (const char* key : {"TargetSize", "TargetSizeX", "TargetSizeY", "TargetSizeD", "TargetNbChannels"})
    refuse(section, key, true, "only the input can be the target (DataAsTarget)");
  check_quantization(out, config, diagnostics);
  for (const auto& [key, set] :
       {std::pair{"StreamTensor", out.stream_tensor}, {"StreamLabel", out.stream_label}})
    if (set)
      diagnostics.warn_key(config.find(key)->where,
                           fmt::format("{} {}: ignored, samples are not streamed", config.subject(), key));
  return out;
}

std::optional<TransformationPlace> transformation_place(std::string_view suffix, const KeySource& keys,
                                                        Diagnostics& diagnostics) {
  using Group = TransformationGroup;
  static const std::array<std::pair<std::string_view, TransformationPlace>, 6> places{
      {{"Transformation", {Group::Cacheable, false}},
       {"OnTheFlyTransformation", {Group::OnTheFly, false}},
       {"ChannelTransformation", {Group::Channel, false}},
       {"ChannelOnTheFlyTransformation", {Group::ChannelOnTheFly, false}},
       {"ChannelsTransformation", {Group::Channel, true}},
       {"ChannelsOnTheFlyTransformation", {Group::ChannelOnTheFly, true}}}};
  std::vector<std::string> names;
  for (const auto& [name, place] : places) {
    if (suffix.starts_with(name)) return place;
    names.emplace_back(name);
  }
  diagnostics.error(
      keys.where(),
      fmt::format("{}: expected a section name that goes on after the dot with one of {}, got '{}'",
                  keys.subject(), join(names, " "), suffix));
  return std::nullopt;
}

namespace {

std::string dot_text(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out;
}

/// What files of a step hold, hashed: two chains that do the same are described alike, and only these.
std::string files_text(const Transformation& step) {
  const std::string content = step.content();
  return content.empty() ? "" : fmt::format("\\nfiles {:016x}", hash_bytes(content));
}

}  // namespace

struct StimuliProvider::State {
  ProviderOptions options;
  std::shared_ptr<const Database> database;
  uint64_t seed;
  std::array<std::vector<std::shared_ptr<const Transformation>>, 2> groups;
  /// Steps for single channels: the cacheable ones, then the ones that run on the fly.
  std::array<std::vector<ChannelStep>, 2> channel_groups;
  /// All steps for channels as one transformation, for each partition. Null where there are none.
  std::array<std::shared_ptr<const Transformation>, 3> channels;
  /// Pictures of each partition after the steps that are not random.
  std::array<std::unique_ptr<PictureCache>, 3> caches;
  /// With CachePath: what pictures are kept for other runs after their first steps.
  struct Kept {
    std::unique_ptr<DiskCache> disk;
    size_t steps = 0;
  };
  std::array<Kept, 3> kept;

  std::vector<const Transformation*> chain(Partition partition) const {
    std::vector<const Transformation*> out;
    for (const auto& group : groups)
      for (const auto& step : group)
        if (applies(step->apply_to(), partition)) out.push_back(step.get());
    if (const auto& all = channels[static_cast<size_t>(partition)]) out.push_back(all.get());
    return out;
  }

  void add(ChannelStep step, size_t group) {
    channel_groups[group].push_back(std::move(step));
    std::vector<ChannelStep> all = channel_groups[0];
    all.insert(all.end(), channel_groups[1].begin(), channel_groups[1].end());
    int count = 0;
    for (const ChannelStep& s : all) count = std::max(count, s.channel + 1);
    for (const Partition p : kPartitions) channels[static_cast<size_t>(p)] = channel_steps(all, count, p);
  }

  void reset_caches() {
    int64_t samples = 1;
    for (const Partition p : kPartitions) samples += database->size(p);
    for (const Partition p : kPartitions) {
      const double share = static_cast<double>(database->size(p)) / static_cast<double>(samples);
      caches[static_cast<size_t>(p)] = std::make_unique<PictureCache>(
          static_cast<size_t>(database->size(p)),
          static_cast<int64_t>(share * static_cast<double>(options.cache_bytes)));
    }
  }

  /// Results of the steps of the first group, up to the first random one, are kept (CachePath).
  void open_disk_caches() {
    if (options.cache_path.empty()) return;
    const std::string stamp = database->stamp();
    if (stamp.empty() && database->size() > 0)
      log::notice("{} CachePath: nothing is kept there, this database does not say when its pictures change",
                  options.subject);
    if (stamp.empty()) return;
    for (const Partition p : kPartitions) {
      Kept& of_partition = kept[static_cast<size_t>(p)];
      std::string made_from = fmt::format("OpenCV {}\n{}", CV_VERSION, stamp);
      of_partition.steps = 0;
      for (const auto& step : groups[0]) {
        if (!applies(step->apply_to(), p)) continue;
        if (step->is_random()) break;
        made_from += fmt::format("\n{} {}", step->text(), step->content());
        ++of_partition.steps;
      }
      of_partition.disk = std::make_unique<DiskCache>(expand_environment(options.cache_path), made_from);
    }
  }

  /// Step `i` of a chain on the picture of a sample.
  void apply(const std::vector<const Transformation*>& steps, size_t i, int64_t id, uint64_t epoch,
             Image& image) const {
    Rng rng(seed, fmt::format("transformation {}", i), epoch, static_cast<uint64_t>(id));
    apply_to_sample(
        *steps[i], [&] { return database->name(id); }, image, rng);
  }

  /// The picture after all steps. `steps`: chain(partition).
  PictureCache::Picture picture(Partition partition, int64_t index, uint64_t epoch,
                                const std::vector<const Transformation*>& steps) const {
    const int64_t id = database->id(partition, index);
    size_t fixed = 0;
    while (fixed < steps.size() && !steps[fixed]->is_random()) ++fixed;
    const auto apply_steps = [&](Image& image, size_t from, size_t to) {
      for (size_t i = from; i < to; ++i) apply(steps, i, id, epoch, image);
    };
    auto picture = caches[static_cast<size_t>(partition)]->get(static_cast<size_t>(index), [&] {
      const Kept& on_disk = kept[static_cast<size_t>(partition)];
      if (!on_disk.disk) {
        Image image = database->sample(id);
        apply_steps(image, 0, fixed);
        return image;
      }
      std::optional<Image> found = on_disk.disk->find(id);
      if (!found) {
        found = database->sample(id);
        apply_steps(*found, 0, on_disk.steps);
        on_disk.disk->keep(id, *found);
      }
      apply_steps(*found, on_disk.steps, fixed);
      return *std::move(found);
    });
    if (fixed == steps.size()) return picture;
    auto image = std::make_unique<Image>(*picture);
    apply_steps(*image, fixed, steps.size());
    return PictureCache::Picture(std::move(image));
  }

  /// Label ids of the pixels after all steps, H,W of the input. `steps`: chain(partition).
  void read_labels(int64_t id, uint64_t epoch, const std::vector<const Transformation*>& steps,
                   int* labels) const {
    Image map = database->label_map(id);
    for (size_t i = 0; i < steps.size(); ++i) {
      Rng rng(seed, fmt::format("transformation {}", i), epoch, static_cast<uint64_t>(id));
      steps[i]->move_labels(map, rng);
      N2D2_CHECK(steps[i]->label_maps() != LabelMaps::Refused, "{} moves no labels", steps[i]->type());
    }
    check_size(map, id, steps, 1);
    std::copy_n(map.span<int32_t>().begin(), map.elements(), labels);
  }

  /// " after [sp.Transformation-1]": the last step that changes the size, or the channels, of a picture; ""
  /// when none does.
  std::string maker(const std::vector<const Transformation*>& steps, int64_t id, bool of_channels) const {
    Image image = database->sample(id);
    std::string out;
    for (const Transformation* step : steps) {
      const PictureForm before = form_of(image);
      Rng rng(seed, "size of the result");
      step->apply(image, rng);
      if (of_channels ? image.channels() != before.channels
                      : image.width() != before.width || image.height() != before.height)
        out = " after " + step->subject();
    }
    return out;
  }

  void check_size(const Image& image, int64_t id, const std::vector<const Transformation*>& steps,
                  int expected_channels) const {
    const Dims& size = options.size;
    if (image.width() == size.x && image.height() == size.y && image.channels() == expected_channels) return;
    const bool wrong_channels = image.width() == size.x && image.height() == size.y;
    throw ConfigError(fmt::format("{} {}: expected pictures of {}x{}x{} (width, height, channels) after all "
                                  "transformations, '{}' is {}x{}x{}{}",
                                  options.subject, wrong_channels ? "NbChannels" : "Size", size.x, size.y,
                                  options.nb_channels, database->name(id), image.width(), image.height(),
                                  image.channels(), maker(steps, id, wrong_channels)),
                      options.where,
                      wrong_channels
                          ? "NbChannels or a ColorSpaceTransformation brings them together"
                          : "a RescaleTransformation or PadCropTransformation brings them together");
  }
};

InputMapping input_mapping(const ProviderOptions& options) {
  return {options.data_signed_mapping, options.quantization_levels, options.quantization_min,
          options.quantization_max};
}

StimuliProvider::StimuliProvider(ProviderOptions options, std::shared_ptr<const Database> database,
                                 uint64_t seed)
    : state_(
          std::make_unique<State>(State{std::move(options), std::move(database), seed, {}, {}, {}, {}, {}})) {
  N2D2_CHECK(state_->database != nullptr, "a provider without database");
  cv::setNumThreads(1);  // samples run in parallel, not the inside of one
  state_->reset_caches();
}

StimuliProvider::~StimuliProvider() = default;
StimuliProvider::StimuliProvider(StimuliProvider&&) noexcept = default;

void StimuliProvider::add(std::unique_ptr<Transformation> transformation, TransformationGroup group,
                          int channel) {
  N2D2_CHECK(transformation != nullptr, "no transformation");
  if (state_->options.composite_stimuli && transformation->label_maps() == LabelMaps::Refused)
    transformation->fail(fmt::format("{} does not move the labels of pixels yet", transformation->type()),
                         fmt::format("{} CompositeStimuli=1 needs steps that do", state_->options.subject));
  transformation->prepare(*state_->database, state_->options.composite_stimuli);
  const auto at = static_cast<size_t>(group);
  if (group == TransformationGroup::Cacheable || group == TransformationGroup::OnTheFly)
    state_->groups[at].push_back(std::move(transformation));
  else
    state_->add({std::move(transformation), channel}, at - state_->groups.size());
  state_->reset_caches();
}

StimuliProvider StimuliProvider::over(std::shared_ptr<const Database> database) const {
  StimuliProvider out(state_->options, std::move(database), state_->seed);
  out.state_->groups = state_->groups;
  out.state_->channel_groups = state_->channel_groups;
  out.state_->channels = state_->channels;
  out.open_cache_path();
  return out;
}

void StimuliProvider::open_cache_path() {
  state_->open_disk_caches();
}

void StimuliProvider::stop_keeping() {
  state_->options.cache_bytes = 0;
  state_->reset_caches();
}

namespace {

/// A finding of the chains of some partitions.
struct ChainFinding {
  Diagnostic finding;
  std::vector<std::string> partitions;
};

void add_findings(const Diagnostics& of_chain, Partition partition, std::vector<ChainFinding>& findings) {
  for (const Diagnostic& finding : of_chain.errors()) {
    auto known = std::ranges::find_if(findings, [&](const ChainFinding& f) { return f.finding == finding; });
    if (known == findings.end()) known = findings.insert(known, {finding, {}});
    known->partitions.push_back(to_string(partition));
  }
}

}  // namespace

void StimuliProvider::check(Diagnostics& diagnostics) const {
  std::vector<Partition> read;
  for (const Partition p : kPartitions)
    if (size(p) > 0) read.push_back(p);
  // Without any sample nobody knows whether there will be some to validate on.
  if (read.empty()) read = {Partition::Learn, Partition::Test};
  std::vector<ChainFinding> findings;
  for (const Partition p : read) {
    Diagnostics of_chain;
    check_chain(state_->chain(p), database().form(), options(), of_chain);
    add_findings(of_chain, p, findings);
  }
  for (auto& [finding, partitions] : findings) {
    const bool is_of_all = partitions.size() == read.size();
    const std::string whose = is_of_all ? "" : fmt::format(" (samples of {})", join(partitions, ", "));
    diagnostics.error(finding.where, finding.message + whose, finding.hint);
  }
}

const ProviderOptions& StimuliProvider::options() const {
  return state_->options;
}
const Database& StimuliProvider::database() const {
  return *state_->database;
}

Shape StimuliProvider::sample_shape() const {
  return {1, state_->options.nb_channels, state_->options.size.y, state_->options.size.x};
}

int64_t StimuliProvider::labels_of_sample() const {
  const ProviderOptions& o = state_->options;
  return o.composite_stimuli ? int64_t{o.size.x} * o.size.y : 1;
}

int StimuliProvider::label(Partition partition, int64_t index) const {
  return database().label(database().id(partition, index));
}

bool StimuliProvider::is_random(Partition partition) const {
  const auto steps = state_->chain(partition);
  return std::any_of(steps.begin(), steps.end(),
                     [](const Transformation* step) { return step->is_random(); });
}

void StimuliProvider::read(Partition partition, std::span<const int64_t> indices, uint64_t epoch,
                           Tensor& batch, std::vector<int>& labels) const {
  const Shape shape = sample_shape().with_batch(static_cast<int64_t>(indices.size()));
  if (batch.shape() != shape || batch.dtype() != DataType::F32 || batch.layout() != Layout::Nchw)
    batch = Tensor(shape);
  const int64_t each = labels_of_sample();
  labels.resize(indices.size() * static_cast<size_t>(each));
  const auto steps = state_->chain(partition);
  float* const floats = indices.empty() ? nullptr : batch.data<float>();
  const int64_t per_sample = sample_shape().elements();
  const InputMapping mapping = input_mapping(state_->options);
  parallel_for(static_cast<int64_t>(indices.size()), [&](int64_t i, int) {
    const int64_t index = indices[static_cast<size_t>(i)];
    const int64_t id = database().id(partition, index);
    const auto picture = state_->picture(partition, index, epoch, steps);
    state_->check_size(*picture, id, steps, state_->options.nb_channels);
    to_planes(*picture, mapping, floats + i * per_sample);
    if (state_->options.composite_stimuli)
      state_->read_labels(id, epoch, steps, labels.data() + i * each);
    else
      labels[static_cast<size_t>(i)] = database().label(id);
  });
}

void StimuliProvider::follow(Partition partition, int64_t index, uint64_t epoch,
                             const StepObserver& show) const {
  const auto steps = state_->chain(partition);
  const int64_t id = database().id(partition, index);
  Image image = database().sample(id);
  show(nullptr, image);
  for (size_t i = 0; i < steps.size(); ++i) {
    state_->apply(steps, i, id, epoch, image);
    show(steps[i], image);
  }
}

StimuliMeasurement StimuliProvider::measure(ApplyTo apply_to, bool images) const {
  std::vector<std::pair<Partition, int64_t>> positions;
  std::array<std::vector<const Transformation*>, 3> chains;
  for (const Partition p : kPartitions) {
    if (!applies(apply_to, p)) continue;
    chains[static_cast<size_t>(p)] = state_->chain(p);
    for (int64_t i = 0; i < size(p); ++i) positions.emplace_back(p, i);
  }
  const auto position = [&](int64_t i) { return positions[static_cast<size_t>(i)]; };
  return measure_pictures(
      static_cast<int64_t>(positions.size()),
      [&](int64_t i) {
        const auto [p, index] = position(i);
        return state_->picture(p, index, 0, chains[static_cast<size_t>(p)]);
      },
      [&](int64_t i) {
        const auto [p, index] = position(i);
        return database().name(database().id(p, index));
      },
      images);
}

std::string StimuliProvider::measured_from(ApplyTo apply_to) const {
  const std::string stamp = database().stamp();
  if (stamp.empty()) return {};
  std::string out = fmt::format("OpenCV {}\n{}", CV_VERSION, stamp);
  for (const Partition p : kPartitions) {
    if (!applies(apply_to, p)) continue;
    out += fmt::format("{}\n", to_string(p));
    for (const int64_t id : database().list(p)) out += fmt::format("{} ", id);
    for (const Transformation* step : state_->chain(p))
      out += fmt::format("\n{} {}", step->text(), step->content());
    if (is_random(p)) out += fmt::format("\nseed {}", state_->seed);
    out += '\n';
  }
  return out;
}

PixelTable StimuliProvider::pixel_table(Partition partition) const {
  if (size(partition) == 0) return {};
  const auto steps = state_->chain(partition);
  const Image picture = database().sample(database().id(partition, 0));
  PixelTable table = data::pixel_table(steps, picture, options());
  if (table.reason.empty() && table.values.shape().c() != options().nb_channels)
    table.reason = fmt::format("the chain gives {} channels, expected {}", table.values.shape().c(),
                               options().nb_channels);
  return table;
}

std::string StimuliProvider::describe() const {
  std::string out = "digraph transformations {\n  rankdir=LR;\n  node [shape=box];\n";
  for (const Partition p : kPartitions) {
    if (size(p) == 0) continue;
    const std::string name = to_string(p);
    std::string previous = name + "_0";
    out += fmt::format("  {} [label=\"{}\\n{} samples\", shape=folder];\n", previous, name, size(p));
    int count = 0;
    const auto box = [&](const std::string& label) {
      const std::string next = fmt::format("{}_{}", name, ++count);
      out += fmt::format("  {} [label=\"{}\"];\n  {} -> {};\n", next, label, previous, next);
      previous = next;
    };
    for (const Transformation* step : state_->chain(p))
      box(fmt::format("{}\\n{}{}{}", dot_text(step->subject()), dot_text(step->text()), files_text(*step),
                      step->is_random() ? "\\nrandom" : ""));
    box(fmt::format("integers to {}\\nfloats unchanged", options().data_signed_mapping ? "[-1,1)" : "[0,1]"));
    if (options().quantization_levels > 0)
      box(fmt::format("{} values from {} to {}", options().quantization_levels, options().quantization_min,
                      options().quantization_max));
    box(fmt::format("{}\\n{}x{}x{}", dot_text(options().subject), options().size.x, options().size.y,
                    options().nb_channels));
  }
  return out + "}\n";
}

}  // namespace n2d2::data
