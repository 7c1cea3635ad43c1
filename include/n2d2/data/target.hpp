// Which output should a sample have, and was the network's output right?
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/fields.hpp"
#include "n2d2/data/confusion_matrix.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::data {

enum class TargetType {
  TargetScore,
  Target,
  TargetROIs,
  TargetAggregate,
  TargetBBox,
  TargetCompare,
  TargetMatching,
  TargetRP
};
/// The others are known to N2D2, and refused.
constexpr bool is_supported(TargetType type) {
  return type == TargetType::TargetScore || type == TargetType::Target;
}

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::TargetType> {
  static constexpr std::array names{"TargetScore", "Target",        "TargetROIs",     "TargetAggregate",
                                    "TargetBBox",  "TargetCompare", "TargetMatching", "TargetRP"};
};

namespace n2d2::data {

/// Keys of [<layer>.Target*].
struct TargetOptions {
  TargetType type = TargetType::TargetScore;
  double target_value = 1, default_value = 0;
  int top_n = 1;
  std::string labels_mapping, labels_file;
  bool create_missing_labels = false;
  double binary_threshold = 0.5;
  bool data_as_target = false;
  int weak_target = -2;
  double confusion_range_min = 0, confusion_range_max = 1;
  int confusion_quant_steps = 10;
  /// Not a key: width and height of the labels of a sample; 1, 1: it has one.
  Dims label_map{1, 1};

  template <class V>
  static void fields(V&& v) {
    using T = TargetOptions;
    v("Type", &T::type,
      help("TargetScore: loss and score; Target: loss only; the others are known to N2D2, not supported"));
    v("TargetValue", &T::target_value, help("desired value of the right output"));
    v("DefaultValue", &T::default_value, help("desired value of the other outputs"));
    v("TopN", &T::top_n, at_least(1), help("also score whether the label is among the N largest outputs"));
    v("LabelsMapping", &T::labels_mapping, help("file of 'label output' lines"));
    v("LabelsFile", &T::labels_file,
      help("names of the classes, one a line in their order; labels go to the class of their name"));
    v("CreateMissingLabels", &T::create_missing_labels, help("labels of the file unknown to the database"));
    v("BinaryThreshold", &T::binary_threshold, help("decision of a single output"));
    v("DataAsTarget", &T::data_as_target, help("the outputs should be the input: auto-encoders"));
    v("WeakTarget", &T::weak_target, at_least(-2),
      help("class that any other class of the same output beats"));
    v("ConfusionRangeMin", &T::confusion_range_min, help("DataAsTarget: lower end of the steps of a value"));
    v("ConfusionRangeMax", &T::confusion_range_max, help("DataAsTarget: upper end"));
    v("ConfusionQuantSteps", &T::confusion_quant_steps, at_least(2), at_most(1000),
      help("DataAsTarget: steps whose confusion is counted"));
  }
};

/// Reads the section; known keys and types that are not supported are errors saying so.
TargetOptions read_target_options(const KeySource& keys, Diagnostics& diagnostics);

/// Label id -> class. With one output there are two classes, 0 and 1; else as many as outputs.
class Target {
 public:
  /// Class of a label id; -1: ignored in loss and score. label in [-1, labels().size()).
  int class_of(int label) const;
  int classes() const { return outputs_ == 1 ? 2 : outputs_; }
  /// Class of each output position, N,height,width, of `samples` samples whose labels these are: one each, or
  /// maps of options().label_map. A position has the class that most of its pixels have (the first of
  /// equals), -1 does not vote, and WeakTarget is what remains without others.
  std::vector<int> classes_of(std::span<const int> labels, int64_t samples, int64_t height,
                              int64_t width) const;
  int outputs() const { return outputs_; }
  const TargetOptions& options() const { return options_; }
  /// Names of the database's labels, then of those created by CreateMissingLabels.
  const std::vector<std::string>& labels() const { return labels_; }
  /// One name per class: that of LabelsFile, else its labels, joined by ','; its number when it has none.
  std::vector<std::string> class_names() const;
  /// The effective mapping, "label class" a line, '*' and 'default' included (labels_mapping.log.dat).
  std::string mapping_text() const;

 private:
  friend struct TargetBuilder;
  TargetOptions options_;
  int outputs_ = 0;
  std::vector<std::string> labels_, names_;
  std::vector<int> class_of_;
  int class_of_none_ = -1;
};

/// The target of a layer with `outputs` channels. Reads the mapping file. Errors (file, uncovered label,
/// class not below the number of outputs ...) go to the diagnostics; then nothing is returned. TopN is
/// clamped with a warning.
std::optional<Target> make_target(const TargetOptions& options, std::span<const std::string> labels,
                                  int outputs, const KeySource& keys, Diagnostics& diagnostics);

/// Running score of a partition. Copies of the target are kept, outputs are not.
class Score {
 public:
  explicit Score(const Target& target);

  /// Scores N samples. outputs: N,C,H,W contiguous, C = target outputs; labels: N label ids, or as many maps.
  /// The decision is the largest output (the first of equals); with one output, scale * value >
  /// BinaryThreshold. With H*W > 1 each position is a decision and a sample's success is the fraction of
  /// right ones. Label class -1: not scored.
  void add(std::span<const float> outputs, const Shape& shape, std::span<const int> labels, double scale = 1);
  void add(std::span<const int8_t> outputs, const Shape& shape, std::span<const int> labels,
           double scale = 1);
  void add(std::span<const uint8_t> outputs, const Shape& shape, std::span<const int> labels,
           double scale = 1);
  void add(std::span<const int16_t> outputs, const Shape& shape, std::span<const int> labels,
           double scale = 1);
  void add(std::span<const uint16_t> outputs, const Shape& shape, std::span<const int> labels,
           double scale = 1);
  void add(std::span<const int32_t> outputs, const Shape& shape, std::span<const int> labels,
           double scale = 1);
  void add(std::span<const int64_t> outputs, const Shape& shape, std::span<const int> labels,
           double scale = 1);
  /// Any element type; layout NCHW.
  void add(const Tensor& outputs, std::span<const int> labels, double scale = 1);
  /// Scores a batch whose input is `data` (N,C,H,W f32), which DataAsTarget needs. An output value is right
  /// when it is in the step of its input value. Values below the range belong to the first step, values above
  /// the range to the last step.
  void add(const Tensor& outputs, std::span<const int> labels, const Tensor& data, double scale = 1);

  /// DataAsTarget: mean of the squared distances of outputs and inputs; 0 without any.
  double mean_squared_error() const;
  /// Scored samples.
  int64_t samples() const { return static_cast<int64_t>(successes_.size()); }
  /// Mean success of the scored samples, in [0,1]; 0 without any.
  double recognition_rate() const;
  double top_n_rate() const;
  /// Success of each scored sample in the order of add().
  const std::vector<float>& successes() const { return successes_; }
  /// Returns the success of each scored sample for the TopN largest outputs, where TopN > 1.
  const std::vector<float>& top_n_successes() const { return top_n_successes_; }
  bool counts_top_n() const { return target_.options().top_n > 1; }
  const ConfusionMatrix& confusion() const { return confusion_; }
  /// Samples of which some float output is no finite number: what is decided of them means nothing.
  int64_t not_finite() const { return not_finite_; }
  /// Class decided for each sample and position of the last add() call, N*H*W.
  const std::vector<int>& decisions() const { return decisions_; }

  /// Writes ConfusionMatrix_<set>.dat, Success_<set>.dat and, when TopN > 1, SuccessTopN_<set>.dat into the
  /// folder (created). set: "learning", "validation", "test", "export". ConfigError when a file cannot be
  /// written.
  void write(const std::filesystem::path& folder, std::string_view set) const;
  /// Writes classif.log into the folder (created): "sample expected found" a line in the order of add(),
  /// samples that are not scored (expected -1) included. Nothing when samples have several positions.
  /// ConfigError when it cannot be written.
  void write_classes(const std::filesystem::path& folder) const;

 private:
  void add_values(const Tensor& outputs, const Tensor& data, double scale);
  void count_not_finite(std::span<const float> outputs, int64_t samples);
  struct Classified {
    int expected, found;
  };
  template <class T>
  void add_typed(std::span<const T> outputs, const Shape& shape, std::span<const int> labels, double scale);
  Target target_;
  ConfusionMatrix confusion_;
  std::vector<float> successes_, top_n_successes_;
  std::vector<int> decisions_;
  double squares_ = 0;
  int64_t values_ = 0, not_finite_ = 0;
  std::vector<Classified> classified_;  // samples with one position
};

}  // namespace n2d2::data
