// What numbers does the network see for a list of samples? Decoding, transformations, normalization, batches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/data/database.hpp"
#include "n2d2/data/pixel_table.hpp"
#include "n2d2/data/stimuli_statistics.hpp"
#include "n2d2/data/transformation.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::data {

/// Keys of [sp] / [env].
struct ProviderOptions {
  Dims size;  ///< x = width, y = height of the network input
  int nb_channels = 1;
  int batch_size = 1;
  bool composite_stimuli = false;
  std::string cache_path;
  bool data_signed_mapping = false;
  int quantization_levels = 0;
  double quantization_min = 0, quantization_max = 1;
  bool stream_tensor = false, stream_label = false;
  /// Not a key: transformed pictures kept in memory, at most this many bytes.
  int64_t cache_bytes = int64_t{512} << 20;
  /// Not keys: what messages about the section start with.
  std::string subject = "[sp]";
  SourceLocation where;

  template <class V>
  static void fields(V&& v) {
    using P = ProviderOptions;
    v("Size", &P::size, required, geometry("Size"), at_least(1), help("width and height (or SizeX, SizeY)"));
    v("NbChannels", &P::nb_channels, at_least(1), help("channels after all transformations"));
    v("BatchSize", &P::batch_size, at_least(1), help("samples a batch"));
    v("CompositeStimuli", &P::composite_stimuli, help("every pixel of the input has a label of its own"));
    v("CachePath", &P::cache_path, help("folder in which transformed pictures are kept for other runs"));
    v("DataSignedMapping", &P::data_signed_mapping, in_config, help("integer pictures map to [-1,1)"));
    v("QuantizationLevels", &P::quantization_levels, in_config, at_least(0),
      help("the input has this many values, equally far from each other; 0: all"));
    v("QuantizationMin", &P::quantization_min, in_config, help("least value with QuantizationLevels"));
    v("QuantizationMax", &P::quantization_max, in_config, help("largest value with QuantizationLevels"));
    v("StreamTensor", &P::stream_tensor, in_config, help("ignored: samples are not streamed"));
    v("StreamLabel", &P::stream_label, in_config, help("ignored: samples are not streamed"));
  }
};

/// Reads the section and its ConfigSection; known keys that are not supported are errors saying so.
ProviderOptions read_provider_options(const KeySource& section, const KeySource& config,
                                      Diagnostics& diagnostics);

/// Groups of sections in the order in which they run.
enum class TransformationGroup { Cacheable, OnTheFly, Channel, ChannelOnTheFly };

/// What the name of a section says: "[sp.ChannelsOnTheFlyTransformation-1]".
struct TransformationPlace {
  TransformationGroup group = TransformationGroup::Cacheable;
  /// Whether it is for every channel ("Channels..."), or for one ("Channel..."), which it may create.
  bool every_channel = false;

  bool one_channel() const { return group >= TransformationGroup::Channel && !every_channel; }
};

/// Returns the place that the section "[sp.<suffix>]" stands for; `suffix` is "Transformation-1",
/// "OnTheFlyTransformation" ... Any other spelling adds an error to the diagnostics and returns nothing.
std::optional<TransformationPlace> transformation_place(std::string_view suffix, const KeySource& keys,
                                                        Diagnostics& diagnostics);

class StimuliProvider {
 public:
  StimuliProvider(ProviderOptions options, std::shared_ptr<const Database> database, uint64_t seed);
  ~StimuliProvider();
  StimuliProvider(StimuliProvider&&) noexcept;

  /// Appends to the group; groups run one after the other, each in the order given. Not while others read.
  /// `channel`: of the two groups for channels, the one to make from the whole picture, -1 for every channel.
  void add(std::unique_ptr<Transformation> transformation, TransformationGroup group, int channel = -1);

  /// Follows what is known of the pictures through the chain of each partition, without reading any: what a
  /// step refuses, and sizes and channels that are not those of the input, are errors at the step that makes
  /// them.
  void check(Diagnostics& diagnostics) const;

  /// Returns a provider with the same input and the same steps for the samples of another database.
  StimuliProvider over(std::shared_ptr<const Database> database) const;

  /// From here on pictures are kept in ProviderOptions::cache_path for other runs, after the first steps up
  /// to one that is random: other files, keys or steps have other folders
  /// there. Without effect when the path is empty;
  /// a notice when the database cannot say whether its pictures change. Not while others read. ConfigError:
  /// no such folder can be made.
  void open_cache_path();

  /// Gives back the pictures that are kept in memory, and keeps none from here on: for whoever reads every
  /// sample once or twice. Not while others read.
  void stop_keeping();

  const ProviderOptions& options() const;
  const Database& database() const;
  int64_t size(Partition partition) const { return database().size(partition); }
  /// 1,C,H,W of one sample.
  Shape sample_shape() const;
  /// Labels of a sample that read() gives: 1, or with CompositeStimuli as many as the input has pixels.
  int64_t labels_of_sample() const;
  /// Label id of a position of a partition, -1 for none.
  int label(Partition partition, int64_t index) const;
  /// Whether any step that applies to the partition is random: else a sample's floats do not depend on the
  /// epoch.
  bool is_random(Partition partition) const;

  /// Fills batch (made N,C,H,W f32, N = indices.size()) and labels (N, or N,H,W label ids) with the samples
  /// at these positions of the partition. A function of (seed, epoch, sample id) alone: neither the order,
  /// the number of threads nor what was read before matters. Integer pictures are normalized last. May be
  /// called from several threads. ConfigError: unreadable picture, picture not of the declared size or
  /// channels.
  void read(Partition partition, std::span<const int64_t> indices, uint64_t epoch, Tensor& batch,
            std::vector<int>& labels) const;

  /// Shows the picture of a sample as the database has it, with no step, then after each step that read()
  /// takes with it.
  using StepObserver = std::function<void(const Transformation* step, const Image& image)>;
  void follow(Partition partition, int64_t index, uint64_t epoch, const StepObserver& show) const;

  /// Over all samples of the partitions that `apply_to` names, after the transformations added so far and
  /// without implicit normalization. `images`: the mean and deviation of each
  /// place as well; ConfigError when the pictures are not of one size.
  StimuliMeasurement measure(ApplyTo apply_to, bool images) const;
  ValueStatistics statistics(ApplyTo apply_to) const { return measure(apply_to, false).values; }
  /// Everything that measure() depends on, as a text; empty when the database does not know.
  std::string measured_from(ApplyTo apply_to) const;

  /// What the last steps make of the bytes of a picture of the declared size. ConfigError: unreadable
  /// picture.
  PixelTable pixel_table(Partition partition) const;

  /// The chain as a dot graph (transformations.dot), a row of boxes per partition.
  std::string describe() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace n2d2::data
