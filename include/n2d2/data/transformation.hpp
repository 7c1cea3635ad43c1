// How is one picture changed before it becomes network input?
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/random.hpp"
#include "n2d2/data/database.hpp"
#include "n2d2/data/image.hpp"
#include "n2d2/data/map_step.hpp"

namespace n2d2::data {

enum class ApplyTo { All, LearnOnly, ValidationOnly, TestOnly, NoLearn, NoValidation, NoTest };

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::ApplyTo> {
  static constexpr std::array names{"All",     "LearnOnly",    "ValidationOnly", "TestOnly",
                                    "NoLearn", "NoValidation", "NoTest"};
};

namespace n2d2::data {

bool applies(ApplyTo apply_to, Partition partition);

/// What a step does to the labels of pixels.
///   Refused    cannot be said: no step for CompositeStimuli=1
///   Unchanged  every pixel stays where it is
///   Moved      move_labels() does it
enum class LabelMaps { Refused, Unchanged, Moved };

/// One step of the chain. Immutable once it is prepared; apply() may run on several threads.
class Transformation {
 public:
  virtual ~Transformation() = default;
  /// What it must know of the samples, before any is read: their database, and whether pixels have labels of
  /// their own.
  /// ConfigError when it cannot be done with them.
  virtual void prepare(const Database&, bool /*has_label_maps*/) {}
  /// Changes the picture. All randomness comes from rng. ConfigError (place and section of this step) when
  /// the picture does not fit.
  virtual void apply(Image& image, Rng& rng) const = 0;
  /// Turns what is known of the pictures it gets into what is known of its results.
  virtual void foresee(PictureForm&) const {}
  /// Whether the size of the result depends on the values of the picture.
  virtual bool sizes_by_content() const { return false; }
  /// Whether the result depends on rng.
  virtual bool is_random() const { return false; }
  /// Whether each value of the result depends on one value, at the same place, of one channel alone.
  virtual bool is_channelwise() const { return false; }
  virtual LabelMaps label_maps() const {
    return is_channelwise() ? LabelMaps::Unchanged : LabelMaps::Refused;
  }
  /// Moves labels (I32, one channel) as apply() moves the pixels of a picture of the same size, nearest
  /// neighbour; what comes from outside of the picture is -1 unless the border repeats pixels. rng is as
  /// apply() got it.
  virtual void move_labels(Image&, Rng&) const {}
  /// What apply() does to every map of floats of this form, for a layer inside a network; none: it changes
  /// nothing. The step fails where there is no such thing. Only of types that say so
  /// (TransformationType::has_map_steps).
  virtual std::vector<MapStep> map_steps(const PictureForm&) const { fail("has no form as a layer"); }
  /// What channels with these names are called afterwards: "B", "G", "R", "Y" for grey.
  virtual void rename(std::vector<std::string>&) const {}

  /// What the result depends on besides text(): contents of files, hashed.
  virtual std::string content() const { return {}; }

  const std::string& type() const { return type_; }
  /// "[sp.Transformation-1]"
  const std::string& subject() const { return subject_; }
  const SourceLocation& where() const { return where_; }
  ApplyTo apply_to() const { return apply_to_; }
  /// "RescaleTransformation Width=32 Height=32": the keys that differ from their defaults.
  const std::string& text() const { return text_; }

  /// Throws the ConfigError of this step: "[sp.Transformation-1] <message>" at its place.
  [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;

 private:
  friend struct TransformationSetup;
  std::string type_, subject_, text_;
  SourceLocation where_;
  ApplyTo apply_to_ = ApplyTo::All;
};

struct TransformationType {
  /// Reads and checks the keys. nullptr when there are errors.
  std::function<std::unique_ptr<Transformation>(const KeySource&, Diagnostics&)> make;
  std::string summary;
  std::function<std::vector<FieldHelp>()> fields;
  /// Whether it may be a layer (Transformation::map_steps).
  bool has_map_steps = false;
};
using TransformationRegistry = Registry<TransformationType>;
const TransformationRegistry& transformations();
/// Transformations of N2D2 that are not supported, sorted.
std::vector<std::string> other_transformations();
/// What is wrong with a type that is not in transformations().
std::string unknown_transformation(const std::string& type);
/// Returns the transformations that may be layers, sorted.
std::vector<std::string> transformations_of_maps();

/// A transformation of this `Type` ("RescaleTransformation") from its section, `ApplyTo` included. Errors go
/// to the diagnostics; then the result is nullptr.
std::unique_ptr<Transformation> make_transformation(const std::string& type, const KeySource& keys,
                                                    Diagnostics& diagnostics);

}  // namespace n2d2::data
