#include <algorithm>
#include <filesystem>
#include <map>

#include "n2d2/base/log.hpp"
#include "n2d2/data/stimuli_statistics.hpp"

#include "builder.hpp"

namespace n2d2::loader {

namespace {

/// The section that describes the network's input; "" when there is none (a finding).
std::string find_provider(Builder& builder) {
  for (const char* name : {"cenv", "env", "sp"})
    if (builder.ini.has_section(name)) return name;
  builder.diagnostics.error({builder.ini.path(), 0}, "missing section [sp]: the network has no input",
                            "'[sp]' with SizeX, SizeY and NbChannels describes it");
  return {};
}

/// The channel that each section for one channel is for, in file order: Channel=, else the next new one.
struct ChannelNumbers {
  std::map<std::string, int> of_section;
  int count = 0;
};

ChannelNumbers number_channels(Builder& builder) {
  ChannelNumbers out;
  const std::string prefix = builder.provider + ".";
  for (const std::string& section : builder.ini.section_names()) {
    if (!section.starts_with(prefix)) continue;
    const std::string suffix = section.substr(prefix.size());
    if (!suffix.starts_with("ChannelTransformation") && !suffix.starts_with("ChannelOnTheFlyTransformation"))
      continue;
    attempt(builder, [&] {
      const auto given = builder.ini.source(section)->find("Channel");
      int channel = out.count;
      if (given && (!ValueText<int>::parse(given->text, channel) || channel < 0 || channel > out.count))
        return builder.diagnostics.error(
            given->where, fmt::format("[{}] Channel: expected 0 to {} (the next new channel), got '{}'",
                                      section, out.count, given->text));
      out.of_section[section] = channel;
      out.count = std::max(out.count, channel + 1);
    });
  }
  return out;
}

void build_transformation(Builder& builder, const std::string& section, std::string_view suffix,
                          const ChannelNumbers& channels) {
  builder.ini.mark_used(section);
  const auto keys = builder.ini.source(section);
  const auto place = data::transformation_place(suffix, *keys, builder.diagnostics);
  if (!place) return;
  const auto type = keys->find("Type");
  if (!type) {
    builder.diagnostics.error(keys->where(),
                              fmt::format("[{}] Type: missing, expected a transformation", section));
    return;
  }
  auto transformation = data::make_transformation(type->text, *keys, builder.diagnostics);
  const auto channel = channels.of_section.find(section);
  if (!transformation || (place->one_channel() && channel == channels.of_section.end())) return;
  builder.net.data->add(std::move(transformation), place->group, place->one_channel() ? channel->second : -1);
}

/// Keys of [sp.StimuliData*].
struct StatisticsKeys {
  data::ApplyTo apply_to = data::ApplyTo::All;
  bool log_size_range = false, log_value_range = false, mean_data = false, std_dev_data = false;

  template <class V>
  static void fields(V&& v) {
    using K = StatisticsKeys;
    v("ApplyTo", &K::apply_to, help("partitions that are counted"));
    v("LogSizeRange", &K::log_size_range, help("1: prints the sizes of the pictures"));
    v("LogValueRange", &K::log_value_range, help("1: prints range, mean and deviation of the values"));
    v("MeanData", &K::mean_data, help("1: the mean of each place as a file, [...]_MeanData"));
    v("StdDevData", &K::std_dev_data, help("1: the deviation of each place as a file, [...]_StdDevData"));
  }
};

void print_ranges(const std::string& section, const StatisticsKeys& keys, const data::StimuliMeasurement& m) {
  if (keys.log_size_range)
    log::write(log::Level::Info,
               fmt::format("[{}] {} pictures, {} to {} wide, {} to {} high", section, m.pictures, m.min_width,
                           m.max_width, m.min_height, m.max_height));
  if (keys.log_value_range)
    log::write(log::Level::Info, fmt::format("[{}] values {} to {}, mean {}, deviation {}", section,
                                             print_real(m.values.min), print_real(m.values.max),
                                             print_real(m.values.mean), print_real(m.values.std_dev)));
}

/// Defines what references to the section may ask for; mean 0 and deviation 1 when there are no samples to
/// measure, or errors that make measuring them vain.
void build_statistics(Builder& builder, const std::string& section) {
  builder.ini.mark_used(section);
  const auto keys = builder.ini.source(section);
  StatisticsKeys statistics;
  read_fields(statistics, *keys, builder.diagnostics);
  const bool images = statistics.mean_data || statistics.std_dev_data;
  const std::filesystem::path folder = std::filesystem::path(builder.options.output) / file_name(section);
  data::StimuliMeasurement m;
  if (!builder.diagnostics.has_errors()) {
    try {
      m = data::kept_measurement(*builder.net.data, statistics.apply_to, images, folder);
    } catch (const ConfigError& error) {
      const Diagnostic& finding = error.findings().front();
      if (!finding.where.file.empty()) throw;
      throw ConfigError(fmt::format("[{}] {}", section, finding.message), keys->where(), finding.hint);
    }
  }
  const bool is_measured = m.pictures > 0;
  if (!is_measured) m.values = {0, 1, 0, 1};
  if (!is_measured && !builder.diagnostics.has_errors())
    log::write(
        log::Level::Notice,
        Diagnostic{keys->where(),
                   fmt::format("[{}] there are no samples to measure: mean 0 and deviation 1 stand for them",
                               section),
                   ""}
            .text());
  if (is_measured) print_ranges(section, statistics, m);
  builder.ini.define(section, "_GlobalValue.minVal", print_real(m.values.min));
  builder.ini.define(section, "_GlobalValue.maxVal", print_real(m.values.max));
  builder.ini.define(section, "_GlobalValue.mean", print_real(m.values.mean));
  builder.ini.define(section, "_GlobalValue.stdDev", print_real(m.values.std_dev));
  const auto define_file = [&](bool asked, const std::string& key, const char* file) {
    if (asked)
      builder.ini.define(section, "_" + key, is_measured ? (folder / file).string() : data::kNotMeasured);
    else
      builder.ini.withhold(section, "_" + key, fmt::format("'{}=1' in [{}] makes that file", key, section));
  };
  define_file(statistics.mean_data, "MeanData", data::kMeanFile);
  define_file(statistics.std_dev_data, "StdDevData", data::kStdDevFile);
}

/// Sections "[sp.X]" in file order; other names are free.
void build_chain(Builder& builder, const ChannelNumbers& channels) {
  const std::string prefix = builder.provider + ".";
  for (const std::string& section : builder.ini.section_names()) {
    if (!section.starts_with(prefix)) continue;
    const std::string suffix = section.substr(prefix.size());
    attempt(builder, [&] {
      if (suffix == "Adversarial") {
        builder.ini.mark_used(section);
        builder.diagnostics.error(builder.ini.section_where(section),
                                  fmt::format("[{}]: adversarial attacks are not supported yet", section));
      } else if (suffix.starts_with("StimuliData")) {
        build_statistics(builder, section);
      } else if (suffix.find("Transformation") != std::string::npos) {
        build_transformation(builder, section, suffix, channels);
      }
    });
  }
}

/// Rectangles that are neither what their sample is cut to nor labels of pixels are said.
void warn_of_idle_rois(Builder& builder) {
  const data::Database& database = *builder.net.database;
  int64_t idle = 0;
  for (int64_t id = 0; id < database.size(); ++id) {
    const size_t rois = database.rois(id).size();
    idle += rois > 1 || (rois == 1 && database.is_composite(id)) ? 1 : 0;
  }
  if (idle > 0)
    builder.diagnostics.warn(
        builder.ini.section_where(builder.provider),
        fmt::format("[{}] {} samples have annotated rectangles that nothing reads", builder.provider, idle),
        "CompositeStimuli=1 makes them labels of pixels");
}

/// Whether a batch of the input can be there at all; said at the key that makes it large.
bool fits(Builder& builder, const data::ProviderOptions& options) {
  constexpr double kMost = 0x7fffffff;
  const double map = static_cast<double>(options.nb_channels) * options.size.y * options.size.x;
  if (map * options.batch_size <= kMost) return true;
  SourceLocation where = builder.ini.section_where(builder.provider);
  const bool is_batch = map <= kMost;
  for (const char* key : {"BatchSize", "Size", "SizeX", "SizeY"})
    if (builder.ini.has_key(builder.provider, key) && (std::string_view(key) == "BatchSize") == is_batch)
      where = builder.ini.find(builder.provider, key)->where;
  builder.diagnostics.error(
      where,
      fmt::format(
          "[{}] {}: expected at most 2,147,483,647 values in a batch of the input, got {} maps of {}x{}x{}",
          builder.provider, is_batch ? "BatchSize" : "Size", options.batch_size, options.nb_channels,
          options.size.y, options.size.x));
  return false;
}

void build_provider(Builder& builder) {
  data::ProviderOptions options;
  const bool read = attempt(builder, [&] {
    const auto section = builder.ini.source(builder.provider);
    const auto config =
        builder.ini.config_source(builder.provider, builder.config_sections(builder.provider));
    const size_t errors = builder.diagnostics.errors().size();
    options = data::read_provider_options(*section, *config, builder.diagnostics);
    if (builder.diagnostics.errors().size() > errors) options = {};
  });
  if (!read || options.size.x < 1 || options.size.y < 1 || options.nb_channels < 1) return;
  const ChannelNumbers channels = number_channels(builder);
  if (channels.count > 0) {
    const auto given = builder.ini.source(builder.provider)->find("NbChannels");
    if (given && options.nb_channels != channels.count)
      builder.diagnostics.warn_key(
          given->where, fmt::format("[{}] NbChannels: {} is ignored, the sections for channels make {}",
                                    builder.provider, options.nb_channels, channels.count));
    options.nb_channels = channels.count;
  }
  if (!fits(builder, options)) return;
  builder.net.batch_size = options.batch_size;
  builder.net.data =
      std::make_unique<data::StimuliProvider>(options, builder.net.database, builder.options.seed);
  builder.ini.define(builder.provider, "_EpochSize",
                     std::to_string(builder.net.data->size(data::Partition::Learn)));
  builder.input = builder.net.graph.add_input(
      builder.provider, {builder.net.data->sample_shape(), DataType::F32, Layout::Nchw, {}});
  const size_t errors = builder.diagnostics.errors().size();
  build_chain(builder, channels);
  if (builder.diagnostics.errors().size() == errors) builder.net.data->check(builder.diagnostics);
  if (!builder.diagnostics.has_errors()) attempt(builder, [&] { builder.net.data->open_cache_path(); });
  if (!options.composite_stimuli) warn_of_idle_rois(builder);
  if (builder.calibration)
    builder.net.calibration =
        std::make_unique<data::StimuliProvider>(builder.net.data->over(builder.calibration));
}

}  // namespace

void build_stimuli(Builder& builder) {
  builder.provider = find_provider(builder);
  if (builder.provider.empty())
    for (const char* name : {"cenv", "env", "sp"}) builder.ini.poison(name);
  else
    build_provider(builder);
  if (!builder.input) builder.ini.poison(builder.provider);
}

}  // namespace n2d2::loader
