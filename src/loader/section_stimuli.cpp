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

void build_transformation(Builder& builder, const std::string& section, std::string_view suffix) {
  builder.ini.mark_used(section);
  const auto keys = builder.ini.source(section);
  const auto group = data::transformation_group(suffix, *keys, builder.diagnostics);
  if (!group) return;
  const auto type = keys->find("Type");
  if (!type) {
    builder.diagnostics.error(keys->where(),
                              fmt::format("[{}] Type: missing, expected a transformation", section));
    return;
  }
  auto transformation = data::make_transformation(type->text, *keys, builder.diagnostics);
  if (transformation) builder.net.data->add(std::move(transformation), *group);
}

/// Keys of [sp.StimuliData*] (spec data 6).
struct StatisticsKeys {
  data::ApplyTo apply_to = data::ApplyTo::All;
  bool log_size_range = false, log_value_range = false, mean_data = false, std_dev_data = false;

  template <class V>
  static void fields(V&& v) {
    using K = StatisticsKeys;
    v("ApplyTo", &K::apply_to, help("partitions that are counted"));
    v("LogSizeRange", &K::log_size_range, help("accepted; sizes are not logged"));
    v("LogValueRange", &K::log_value_range, help("accepted; the values are always known"));
    v("MeanData", &K::mean_data, help("only 0 is supported"));
    v("StdDevData", &K::std_dev_data, help("only 0 is supported"));
  }
};

/// Defines what references to the section may ask for; mean 0 and deviation 1 when there are no samples to measure.
void build_statistics(Builder& builder, const std::string& section) {
  builder.ini.mark_used(section);
  const auto keys = builder.ini.source(section);
  StatisticsKeys statistics;
  read_fields(statistics, *keys, builder.diagnostics);
  for (const auto& [set, key] :
       {std::pair{statistics.mean_data, "MeanData"}, {statistics.std_dev_data, "StdDevData"}})
    if (set)
      builder.diagnostics.error(keys->find(key)->where,
                                fmt::format("[{}] {}: not supported yet", section, key));
  data::ValueStatistics values{0, 1, 0, 1};
  if (!builder.diagnostics.has_errors() && builder.net.database->size() > 0)
    values = builder.net.data->statistics(statistics.apply_to);
  builder.ini.define(section, "_GlobalValue.minVal", print_real(values.min));
  builder.ini.define(section, "_GlobalValue.maxVal", print_real(values.max));
  builder.ini.define(section, "_GlobalValue.mean", print_real(values.mean));
  builder.ini.define(section, "_GlobalValue.stdDev", print_real(values.std_dev));
}

/// Sections "[sp.X]" in file order; other names are free (spec ini-format 2).
void build_chain(Builder& builder) {
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
        build_transformation(builder, section, suffix);
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
  if (!fits(builder, options)) return;
  builder.net.batch_size = options.batch_size;
  builder.net.data =
      std::make_unique<data::StimuliProvider>(options, builder.net.database, builder.options.seed);
  builder.ini.define(builder.provider, "_EpochSize",
                     std::to_string(builder.net.data->size(data::Partition::Learn)));
  builder.input = builder.net.graph.add_input(
      builder.provider, {builder.net.data->sample_shape(), DataType::F32, Layout::Nchw, {}});
  build_chain(builder);
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
