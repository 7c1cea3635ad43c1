#include "n2d2/data/stimuli_provider.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <opencv2/core.hpp>

#include "n2d2/base/parallel.hpp"

#include "picture_cache.hpp"
#include "to_planes.hpp"

namespace n2d2::data {

ProviderOptions read_provider_options(const KeySource& section, const KeySource& config,
                                      Diagnostics& diagnostics) {
  ProviderOptions out;
  read_fields(out, section, config, diagnostics);
  out.subject = section.subject();
  out.where = section.where();
  const auto refuse = [&](const KeySource& source, const char* key, bool set, const char* why) {
    const auto found = set ? source.find(key) : std::nullopt;
    if (found)
      diagnostics.error(found->where, fmt::format("{} {}: '{}' is not supported: {}", source.subject(), key,
                                                  found->text, why));
  };
  refuse(section, "SizeD", true, "pictures have two axes");
  for (const char* key : {"TargetSize", "TargetSizeX", "TargetSizeY", "TargetSizeD", "TargetNbChannels"})
    refuse(section, key, true, "only the input can be the target (DataAsTarget)");
  refuse(config, "QuantizationLevels", out.quantization_levels != 0,
         "inputs are quantized by the calibration");
  refuse(config, "QuantizationMin", out.quantization_min != 0, "inputs are quantized by the calibration");
  refuse(config, "QuantizationMax", out.quantization_max != 1, "inputs are quantized by the calibration");
  refuse(config, "StreamTensor", out.stream_tensor, "samples are not streamed");
  refuse(config, "StreamLabel", out.stream_label, "samples are not streamed");
  if (!out.cache_path.empty()) {
    const auto found = section.find("CachePath");
    diagnostics.warn_key(
        found ? found->where : section.where(),
        fmt::format("{} CachePath: nothing is cached on disk, samples are kept in memory instead",
                    section.subject()));
  }
  return out;
}

std::optional<TransformationGroup> transformation_group(std::string_view suffix, const KeySource& keys,
                                                        Diagnostics& diagnostics) {
  if (suffix.starts_with("Transformation")) return TransformationGroup::Cacheable;
  if (suffix.starts_with("OnTheFlyTransformation")) return TransformationGroup::OnTheFly;
  for (const char* channel : {"ChannelTransformation", "ChannelOnTheFlyTransformation",
                              "ChannelsTransformation", "ChannelsOnTheFlyTransformation"})
    if (suffix.starts_with(channel)) {
      diagnostics.error(
          keys.where(),
          fmt::format("{}: transformations of single channels are not supported", keys.subject()),
          "name the section Transformation... or OnTheFlyTransformation...");
      return std::nullopt;
    }
  diagnostics.error(keys.where(),
                    fmt::format("{}: expected a section name that starts with Transformation or "
                                "OnTheFlyTransformation after the dot, got '{}'",
                                keys.subject(), suffix));
  return std::nullopt;
}

namespace {

std::string dot_text(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out;
}

}  // namespace

struct StimuliProvider::State {
  ProviderOptions options;
  std::shared_ptr<const Database> database;
  uint64_t seed;
  std::array<std::vector<std::shared_ptr<const Transformation>>, 2> groups;
  /// Pictures of each partition after the steps that are not random.
  std::array<std::unique_ptr<PictureCache>, 3> caches;

  std::vector<const Transformation*> chain(Partition partition) const {
    std::vector<const Transformation*> out;
    for (const auto& group : groups)
      for (const auto& step : group)
        if (applies(step->apply_to(), partition)) out.push_back(step.get());
    return out;
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

  /// The picture after all steps. `steps`: chain(partition).
  PictureCache::Picture picture(Partition partition, int64_t index, uint64_t epoch,
                                const std::vector<const Transformation*>& steps) const {
    const int64_t id = database->id(partition, index);
    size_t fixed = 0;
    while (fixed < steps.size() && !steps[fixed]->is_random()) ++fixed;
    const auto apply = [&](Image& image, size_t from, size_t to) {
      for (size_t i = from; i < to; ++i) {
        Rng rng(seed, fmt::format("transformation {}", i), epoch, static_cast<uint64_t>(id));
        steps[i]->apply(image, rng);
      }
    };
    auto kept = caches[static_cast<size_t>(partition)]->get(static_cast<size_t>(index), [&] {
      Image image = database->sample(id);
      apply(image, 0, fixed);
      return image;
    });
    if (fixed == steps.size()) return kept;
    auto image = std::make_unique<Image>(*kept);
    apply(*image, fixed, steps.size());
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
    check_size(map, id, 1);
    std::copy_n(map.span<int32_t>().begin(), map.elements(), labels);
  }

  void check_size(const Image& image, int64_t id, int expected_channels) const {
    const Dims& size = options.size;
    if (image.width() == size.x && image.height() == size.y && image.channels() == expected_channels) return;
    const bool channels = image.width() == size.x && image.height() == size.y;
    throw ConfigError(
        fmt::format("{} {}: expected pictures of {}x{}x{} (width, height, channels) after all "
                    "transformations, '{}' is {}x{}x{}",
                    options.subject, channels ? "NbChannels" : "Size", size.x, size.y, options.nb_channels,
                    database->name(id), image.width(), image.height(), image.channels()),
        options.where,
        channels ? "NbChannels or a ColorSpaceTransformation brings them together"
                 : "a RescaleTransformation or PadCropTransformation brings them together");
  }
};

StimuliProvider::StimuliProvider(ProviderOptions options, std::shared_ptr<const Database> database,
                                 uint64_t seed)
    : state_(std::make_unique<State>(State{std::move(options), std::move(database), seed, {}, {}})) {
  N2D2_CHECK(state_->database != nullptr, "a provider without database");
  cv::setNumThreads(1);  // samples run in parallel, not the inside of one
  state_->reset_caches();
}

StimuliProvider::~StimuliProvider() = default;
StimuliProvider::StimuliProvider(StimuliProvider&&) noexcept = default;

void StimuliProvider::add(std::unique_ptr<Transformation> transformation, TransformationGroup group) {
  N2D2_CHECK(transformation != nullptr, "no transformation");
  if (state_->options.composite_stimuli && transformation->label_maps() == LabelMaps::Refused)
    transformation->fail(fmt::format("{} does not move the labels of pixels yet", transformation->type()),
                         fmt::format("{} CompositeStimuli=1 needs steps that do", state_->options.subject));
  state_->groups[static_cast<size_t>(group)].push_back(std::move(transformation));
  state_->reset_caches();
}

StimuliProvider StimuliProvider::over(std::shared_ptr<const Database> database) const {
  StimuliProvider out(state_->options, std::move(database), state_->seed);
  out.state_->groups = state_->groups;
  return out;
}

void StimuliProvider::stop_keeping() {
  state_->options.cache_bytes = 0;
  state_->reset_caches();
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
  parallel_for(static_cast<int64_t>(indices.size()), [&](int64_t i, int) {
    const int64_t index = indices[static_cast<size_t>(i)];
    const int64_t id = database().id(partition, index);
    const auto picture = state_->picture(partition, index, epoch, steps);
    state_->check_size(*picture, id, state_->options.nb_channels);
    to_planes(*picture, state_->options.data_signed_mapping, floats + i * per_sample);
    if (state_->options.composite_stimuli)
      state_->read_labels(id, epoch, steps, labels.data() + i * each);
    else
      labels[static_cast<size_t>(i)] = database().label(id);
  });
}

namespace {

struct Sums {
  double min = std::numeric_limits<double>::infinity(), max = -min, sum = 0, squares = 0;
  int64_t count = 0;

  template <class T>
  void add(std::span<const T> values) {
    for (const T value : values) {
      const auto x = static_cast<double>(value);
      min = std::min(min, x);
      max = std::max(max, x);
      sum += x;
      squares += x * x;
    }
    count += static_cast<int64_t>(values.size());
  }
  void add(const Image& image) {
    switch (image.depth()) {
      case DataType::U8:
        return add(image.span<uint8_t>());
      case DataType::I8:
        return add(image.span<int8_t>());
      case DataType::U16:
        return add(image.span<uint16_t>());
      case DataType::I16:
        return add(image.span<int16_t>());
      case DataType::I32:
        return add(image.span<int32_t>());
      default:
        return add(image.span<float>());
    }
  }
  void add(const Sums& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    sum += other.sum;
    squares += other.squares;
    count += other.count;
  }
};

}  // namespace

ValueStatistics StimuliProvider::statistics(ApplyTo apply_to) const {
  Sums all;
  for (const Partition p : kPartitions) {
    if (!applies(apply_to, p)) continue;
    const auto steps = state_->chain(p);
    std::vector<Sums> of_sample(static_cast<size_t>(size(p)));
    parallel_for(size(p), [&](int64_t i, int) {
      of_sample[static_cast<size_t>(i)].add(*state_->picture(p, i, 0, steps));
    });
    for (const Sums& sums : of_sample) all.add(sums);  // in order: independent of the threads
  }
  if (all.count == 0) return {};
  const double mean = all.sum / static_cast<double>(all.count);
  const double variance = std::max(0.0, all.squares / static_cast<double>(all.count) - mean * mean);
  return {all.min, all.max, mean, std::sqrt(variance)};
}

PixelTable StimuliProvider::pixel_table(Partition partition) const {
  if (size(partition) == 0) return {};
  const auto steps = state_->chain(partition);
  const Image picture = database().sample(database().id(partition, 0));
  PixelTable table = data::pixel_table(steps, picture, options().data_signed_mapping);
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
      box(fmt::format("{}\\n{}{}", dot_text(step->subject()), dot_text(step->text()),
                      step->is_random() ? "\\nrandom" : ""));
    box(fmt::format("integers to {}\\nfloats unchanged", options().data_signed_mapping ? "[-1,1)" : "[0,1]"));
    box(fmt::format("{}\\n{}x{}x{}", dot_text(options().subject), options().size.x, options().size.y,
                    options().nb_channels));
  }
  return out + "}\n";
}

}  // namespace n2d2::data
