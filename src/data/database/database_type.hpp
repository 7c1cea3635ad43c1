// What do all databases share when they are made from a section? Common keys, data paths, placed errors.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/data/database.hpp"

#include "files/array_file.hpp"

namespace n2d2::data {

/// Keys of every database.
struct CommonKeys {
  bool random_partitioning = true;
  std::string default_label;
  int rois_margin = 0;
  bool data_file_label = true;
  CompositeLabel composite_label = CompositeLabel::Auto;
  std::string target_data_path, multi_channel_match;
  std::vector<std::string> multi_channel_replace;
  std::string calibration_path;
  ElementType sample_type = ElementType::None;
  std::vector<int> sample_shape;
  bool channels_last = false;
  bool exif_orientation = true;

  ArrayFormat array_format() const { return {sample_type, sample_shape, channels_last}; }

  template <class V>
  static void fields(V&& v) {
    using K = CommonKeys;
    v("RandomPartitioning", &K::random_partitioning, help("0: partitions in file order"));
    v("DefaultLabel", &K::default_label, help("label of pixels outside of rectangles; empty: ignored"));
    v("ROIsMargin", &K::rois_margin, at_least(0), help("pixels around rectangles that are ignored"));
    v("DataFileLabel", &K::data_file_label, help("pixel annotations; there are none to use"));
    v("CompositeLabel", &K::composite_label,
      help("whether pixels have labels of their own: None, Auto (samples without label), Default, "
           "Disjoint, Combine"));
    v("TargetDataPath", &K::target_data_path, help("data used as target; not supported"));
    v("MultiChannelMatch", &K::multi_channel_match,
      help("DIR_Database: regular expression that selects one file of a sample by its path"));
    v("MultiChannelReplace", &K::multi_channel_replace,
      help("DIR_Database: what its match is in the paths of the sample's other files"));
    v("CalibrationPath", &K::calibration_path,
      help("folder, or one file, of the samples that calibrate; folders in it are no labels"));
    v("SampleType", &K::sample_type, help("elements of .bin files, little-endian"));
    v("SampleShape", &K::sample_shape, at_least(1),
      help("channels, height and width of a sample in .npy, .csv and .bin files"));
    v("ChannelsLast", &K::channels_last,
      help("1: samples of a SampleShape are height, width, channels in these files; a .npy where both fit"));
    v("ExifOrientation", &K::exif_orientation,
      help("0: pictures stay as their rows are stored, whatever their EXIF data say of the camera"));
  }
};

/// What a database's loader works with.
struct LoadArgs {
  const KeySource& keys;
  const DataContext& context;
  CommonKeys common;
  Diagnostics& diagnostics;
  /// Whether the driver reads MultiChannelMatch and MultiChannelReplace.
  bool takes_channel_files = false;

  /// ConfigError at the line of the key (or at the section header): "[database] <message>".
  [[noreturn]] void fail(std::string_view key, const std::string& message,
                         const std::string& hint = {}) const;
  /// Reports that a key has a value that is not supported.
  void unsupported(std::string_view key, const std::string& why) const;
  /// The data folder: the given path after ${ENV} expansion, or `below` under the data root when it is empty.
  std::string data_path(const std::string& given, const std::string& below) const;
  /// Hint for a file that is not there: where the data root comes from, and what fetches data of this `Type`.
  std::string root_hint(std::string_view type = {}) const;
};

/// DefaultLabel is added to the labels when none is called so.
LabelRules label_rules(const CommonKeys& keys, Database& database);

/// Reports common keys that are set to something not supported, or that say nothing together.
void check_common_keys(const LoadArgs& args);

template <class Keys>
using LoadFunction = std::unique_ptr<Database> (*)(const Keys&, const LoadArgs&);

template <class Keys>
DatabaseType database_type(std::string summary, LoadFunction<Keys> load) {
  DatabaseType type;
  type.summary = std::move(summary);
  type.make = [load](const KeySource& source, const DataContext& context, Diagnostics& diagnostics) {
    Keys keys;
    LoadArgs args{source, context, {}, diagnostics, requires {Keys::kTakesChannelFiles;
  }
};
const size_t before = diagnostics.errors().size();
read_fields(keys, source, diagnostics);
read_fields(args.common, source, diagnostics);
args.common.exif_orientation = args.common.exif_orientation && !context.no_exif;
check_common_keys(args);
std::unique_ptr<Database> out;
if (diagnostics.errors().size() != before) return out;
try {
  out = load(keys, args);
  if (out) out->set_label_rules(label_rules(args.common, *out));
} catch (const ConfigError& error) {
  diagnostics.add(error);
}
if (diagnostics.errors().size() != before) out.reset();
return out;
};
type.fields = [] {
  std::vector<FieldHelp> out = describe_fields<Keys>();
  for (FieldHelp& help : describe_fields<CommonKeys>()) out.push_back(std::move(help));
  return out;
};
return type;
}

}  // namespace n2d2::data
