// Which samples are there, in which partition, with which label?
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/base/error.hpp"
#include "n2d2/base/fields.hpp"
#include "n2d2/base/registry.hpp"
#include "n2d2/data/image.hpp"

namespace n2d2::data {

enum class Partition { Learn, Validation, Test };
inline constexpr std::array kPartitions{Partition::Learn, Partition::Validation, Partition::Test};

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::Partition> {
  static constexpr std::array names{"Learn", "Validation", "Test"};
};

namespace n2d2::data {

/// Whether pixels of a sample have labels of their own, and what those have that no annotation covers.
///   None      never
///   Auto      a sample without label: DefaultLabel
///   Default   all: DefaultLabel
///   Disjoint  all: the label of the sample, DefaultLabel when it has rectangles
///   Combine   all: the label of the sample
enum class CompositeLabel { None, Auto, Default, Disjoint, Combine };

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::CompositeLabel> {
  static constexpr std::array names{"None", "Auto", "Default", "Disjoint", "Combine"};
};

namespace n2d2::data {

struct LabelRules {
  CompositeLabel composite = CompositeLabel::Auto;
  int default_label = -1;
  int rois_margin = 0;  ///< pixels around rectangles that get label -1
};

/// An annotated rectangle of a picture as it is stored: columns x .. x + width - 1, rows y .. y + height - 1.
struct Roi {
  int x = 0, y = 0, width = 0, height = 0;
  int label = -1;
  friend bool operator==(const Roi&, const Roi&) = default;
};

inline std::string to_string(Partition partition) {
  return ValueText<Partition>::print(partition);
}

/// What a database needs to know besides its INI section.
struct DataContext {
  uint64_t seed = 0;      ///< `-seed`: decides random partitions
  std::string data_root;  ///< replaces the rule of data_root() when not empty
  /// Another section by its name (LoadMore); nullptr when there is none. May be empty: there is none then.
  std::function<std::unique_ptr<KeySource>(const std::string& name)> section = {};
  bool no_exif = false;  ///< `-no-exif`: ExifOrientation=0 in every section
};

/// Folder that default data paths are relative to: $N2D2_DATA, else /local/$USER/n2d2_data, else
/// /local/n2d2_data. Not checked for existence.
std::string data_root();

/// Replaces each ${NAME} by the environment variable of that name (unset: nothing).
std::string expand_environment(std::string_view text);

/// Samples have an id in [0, size()); a partition is a list of ids (one id may be in several).
/// All const functions may be called from several threads.
class Database {
 public:
  virtual ~Database() = default;

  virtual int64_t size() const = 0;
  /// File or record the sample comes from, for reports.
  virtual std::string name(int64_t id) const = 0;
  /// Index into labels(); -1: no label, ignored in loss and score.
  virtual int label(int64_t id) const = 0;
  /// The decoded picture as it is stored. ConfigError when it cannot be read.
  virtual Image image(int64_t id) const = 0;
  /// Annotated rectangles, in pixels of image().
  virtual std::vector<Roi> rois(int64_t) const { return {}; }
  /// Width and height of image(); by default it is decoded for that.
  virtual Dims picture_size(int64_t id) const;
  /// Parts of image() whose labels do not count, another sample has them.
  virtual std::vector<Roi> ignored_parts(int64_t) const { return {}; }

  /// Whether the pixels of a sample have labels of their own (LabelRules).
  bool is_composite(int64_t id) const;
  /// What transformations start from: image(), cut to its rectangle when the sample has one and is not
  /// composite.
  Image sample(int64_t id) const;
  /// The label id of each pixel of sample() (I32, one channel; -1: ignored): the base that LabelRules say,
  /// rectangles painted over it in their order.
  Image label_map(int64_t id) const;
  const LabelRules& label_rules() const { return rules_; }
  void set_label_rules(const LabelRules& rules) { rules_ = rules; }
  /// Id of a label, added at the end when there is none of this name.
  int label_id(const std::string& name);
  /// What all pictures have in common, as far as it is known without reading them.
  virtual PictureForm form() const { return {}; }
  /// A text that differs when a picture may: files with their times, keys. Empty: not known, so nothing that
  /// was made of the pictures can be kept for another run.
  virtual std::string stamp() const { return {}; }

  int64_t size(Partition partition) const { return static_cast<int64_t>(list(partition).size()); }
  /// Id of the sample at a position of a partition.
  int64_t id(Partition partition, int64_t index) const;
  const std::vector<int64_t>& list(Partition p) const { return partitions_[static_cast<size_t>(p)]; }
  /// Label names; the id of a label is its position.
  const std::vector<std::string>& labels() const { return labels_; }
  /// "Learn 60000, Validation 0, Test 10000, unused 0, 10 labels"
  std::string summary() const;

 protected:
  std::vector<std::string> labels_;
  std::array<std::vector<int64_t>, 3> partitions_;

 private:
  LabelRules rules_;
};

struct DatabaseType {
  /// Reads the keys, loads the lists of samples. Findings go to the diagnostics; nullptr when there are
  /// errors.
  std::function<std::unique_ptr<Database>(const KeySource&, const DataContext&, Diagnostics&)> make;
  std::string summary;                             ///< one line of help
  std::function<std::vector<FieldHelp>()> fields;  ///< keys of its own and those of every database
};
using DatabaseRegistry = Registry<DatabaseType>;
const DatabaseRegistry& databases();
/// Databases of N2D2 that are not supported, sorted.
std::vector<std::string> other_databases();

/// A database of this `Type` from its section. Errors (unknown type, bad or unsupported keys, files that are
/// missing, truncated or damaged) go to the diagnostics; then the result is nullptr.
std::unique_ptr<Database> make_database(const std::string& type, const KeySource& keys,
                                        const DataContext& context, Diagnostics& diagnostics);

/// Sections behind [database]; nullptr where there is none.
struct PostSections {
  std::unique_ptr<KeySource> sort_and_drop, filter_rois, slicing;
};

/// The database with fewer labels, then fewer rectangles, then in slices, as far as there are sections for
/// it. Slices that are no whole multiple of the picture end smaller unless they overlap. Errors go to the
/// diagnostics; a database that is nullptr stays so, the keys are read all the same.
std::unique_ptr<Database> post_process(std::unique_ptr<Database> database, const PostSections& sections,
                                       uint64_t seed, Diagnostics& diagnostics);

/// The samples of CalibrationPath, all in Partition::Test, without labels; nullptr when the section has no
/// such key or after errors. Files that nothing reads are left out, with a notice.
/// `no_exif`: as in DataContext.
std::unique_ptr<Database> make_calibration_database(const KeySource& keys, Diagnostics& diagnostics,
                                                    bool no_exif = false);

}  // namespace n2d2::data
