#include "channel_mapping.hpp"

#include <algorithm>
#include <optional>

#include "n2d2/loader/help.hpp"

namespace n2d2::loader {

namespace {

/// A key of a block of connections that is moved over the table.
struct BlockKey {
  std::string_view key, default_text, help;
  /// Behind the dot.
  std::string_view name() const { return key.substr(key.find('.') + 1); }
};
constexpr BlockKey kBlockKeys[] = {
    {"Mapping.Size", "", "SizeX and SizeY"},
    {"Mapping.SizeX", "1", "outputs of a block of connections, 0: all"},
    {"Mapping.SizeY", "1", "input channels of it, 0: all"},
    {"Mapping.Stride", "", "StrideX and StrideY"},
    {"Mapping.StrideX", "1", "outputs that the block moves by"},
    {"Mapping.StrideY", "1", "input channels that it moves by"},
    {"Mapping.Offset", "", "OffsetX and OffsetY"},
    {"Mapping.OffsetX", "0", "first output of the first block"},
    {"Mapping.OffsetY", "0", "first input channel of it"},
    {"Mapping.NbIterations", "0", "blocks, 0: until all outputs and all input channels are reached"}};

/// Part of the table that belongs to one input.
struct Rows {
  ChannelTable& table;
  int first = 0, count = 0;
  void connect(int channel, int output) const {
    table.cells[static_cast<size_t>(first + channel) * table.outputs + output] = 1;
  }
};

class Reader {
 public:
  Reader(const KeySource& section, Diagnostics& diagnostics) : section_(section), diagnostics_(diagnostics) {}

  std::optional<int> number(const std::string& key, int at_least) {
    const auto found = section_.find(key);
    if (!found) return std::nullopt;
    const auto value = parse_integer(found->text);
    if (value && *value >= at_least && *value <= 1000000) return static_cast<int>(*value);
    diagnostics_.error(found->where, fmt::format("{} {}: expected an integer >= {}, got '{}'",
                                                 section_.subject(), key, at_least, found->text));
    failed_ = true;
    return std::nullopt;
  }
  std::optional<KeyText> text(const std::string& key) { return section_.find(key); }
  void error(const SourceLocation& where, const std::string& message, const std::string& hint = {}) {
    diagnostics_.error(where, section_.subject() + " " + message, hint);
    failed_ = true;
  }
  bool failed() const { return failed_; }

 private:
  const KeySource& section_;
  Diagnostics& diagnostics_;
  bool failed_ = false;
};

/// Rule 1: outputs are spread over the groups as evenly as possible, the first groups get the rest.
void connect_groups(const Rows& rows, int groups) {
  const int outputs = rows.table.outputs, channels = rows.count / groups;
  int output = 0;
  for (int g = 0; g < groups; ++g) {
    const int share = outputs / groups + (g < outputs % groups ? 1 : 0);
    for (int i = 0; i < share; ++i, ++output)
      for (int c = 0; c < channels; ++c) rows.connect(g * channels + c, output);
  }
}

/// Rule 2.
void connect_matrix(Reader& reader, const Rows& rows, const std::string& key, const KeyText& text) {
  std::vector<int> cells;
  const size_t wanted = static_cast<size_t>(rows.count) * static_cast<size_t>(rows.table.outputs);
  const bool readable = ValueText<std::vector<int>>::parse(text.text, cells);
  if (!readable || std::any_of(cells.begin(), cells.end(), [](int v) { return v != 0 && v != 1; }))
    return reader.error(text.where, key + ": expected a blank-separated list of 0 and 1");
  if (cells.size() != wanted)
    return reader.error(text.where, fmt::format("{}: expected {} values ({} channels x {} outputs), got {}",
                                                key, wanted, rows.count, rows.table.outputs, cells.size()));
  std::copy(cells.begin(), cells.end(),
            rows.table.cells.begin() + static_cast<int64_t>(rows.first) * rows.table.outputs);
}

/// One axis of the sliding block: `size` long, moved by `stride` from `offset`, wrapping at `extent`.
struct Axis {
  int extent, size, stride, offset;
  /// Stamps until the far end is covered.
  int stamps() const {
    const int rest = extent - offset - size;
    return rest <= 0 || stride == 0 ? 1 : 1 + (rest + stride - 1) / stride;
  }
  int position(int stamp, int i) const {
    return static_cast<int>((int64_t{offset} + int64_t{stamp} * stride + i) % extent);
  }
};

/// Rule 3: `own` are the keys of this parent, `common` those of all.
void connect_blocks(const Rows& rows, const std::vector<std::optional<int>>& own,
                    const std::vector<std::optional<int>>& common) {
  const auto pick = [&](size_t both, size_t axis, int otherwise) {
    for (const auto* level : {&own, &common})
      for (const size_t i : {both, axis})
        if ((*level)[i]) return *(*level)[i];
    return otherwise;
  };
  const auto axis = [&](int extent, size_t index) {
    const int size = pick(0, 1 + index, 1);
    return Axis{extent, size == 0 ? extent : std::min(size, extent), pick(3, 4 + index, 1),
                pick(6, 7 + index, 0)};
  };
  const Axis x = axis(rows.table.outputs, 0), y = axis(rows.count, 1);
  const int given = own[9] ? *own[9] : common[9].value_or(0);
  const int64_t stamps = given > 0 ? given : std::max(x.stamps(), y.stamps());
  // Behind all pairs of places everything is stamped again.
  const auto different = static_cast<int>(std::min(stamps, int64_t{x.extent} * y.extent));
  for (int s = 0; s < different; ++s)
    for (int j = 0; j < y.size; ++j)
      for (int i = 0; i < x.size; ++i) rows.connect(y.position(s, j), x.position(s, i));
}

struct CommonKeys {
  std::optional<int> groups, channels_per_group;
  SourceLocation where;
  std::vector<std::optional<int>> block;
  bool any_block = false;
};

CommonKeys read_common(Reader& reader) {
  CommonKeys keys;
  for (const char* key : {"Mapping.NbGroups", "Mapping.ChannelsPerGroup"})
    if (const auto found = reader.text(key)) keys.where = found->where;
  keys.groups = reader.number("Mapping.NbGroups", 1);
  keys.channels_per_group = reader.number("Mapping.ChannelsPerGroup", 1);
  if (keys.groups && keys.channels_per_group)
    reader.error(keys.where, "Mapping.NbGroups: cannot stand beside Mapping.ChannelsPerGroup");
  for (const BlockKey& key : kBlockKeys) {
    keys.block.push_back(reader.number(std::string(key.key), 0));
    keys.any_block = keys.any_block || keys.block.back().has_value();
  }
  return keys;
}

/// Returns whether the section says anything about this input.
bool map_input(Reader& reader, const CommonKeys& common, const MappedInput& input, const Rows& rows) {
  if (common.groups || common.channels_per_group) {
    const int divisor = common.groups ? *common.groups : *common.channels_per_group;
    if (rows.count % divisor != 0)
      reader.error(common.where,
                   fmt::format("Mapping.{}: {} channels are not divisible by {}",
                               common.groups ? "NbGroups" : "ChannelsPerGroup", rows.count, divisor));
    else
      connect_groups(rows, common.groups ? divisor : rows.count / divisor);
    return true;
  }
  // Until 2018 N2D2 called the table Map.
  for (const char* table : {"Mapping", "Map"})
    for (const std::string& name : input.names) {
      const std::string key = fmt::format("{}({})", table, name);
      if (const auto text = reader.text(key)) {
        connect_matrix(reader, rows, key, *text);
        return true;
      }
    }
  std::vector<std::optional<int>> own(std::size(kBlockKeys));
  bool any = common.any_block;
  for (const std::string& name : input.names)
    for (size_t i = 0; i < own.size(); ++i)
      if (const auto value = reader.number(fmt::format("Mapping({}).{}", name, kBlockKeys[i].name()), 0)) {
        own[i] = value;
        any = true;
      }
  if (any) {
    connect_blocks(rows, own, common.block);
    return true;
  }
  for (int c = 0; c < rows.count; ++c)
    for (int o = 0; o < rows.table.outputs; ++o) rows.connect(c, o);
  return false;
}

}  // namespace

std::vector<FieldHelp> mapping_fields() {
  std::vector<FieldHelp> fields;
  const auto add = [&](std::string_view name, std::string kind, std::string_view default_text,
                       std::string_view help) {
    FieldHelp field{field_info(name), std::move(kind), std::string(default_text)};
    field.info.help = help;
    fields.push_back(std::move(field));
  };
  const std::string count = "an integer >= 0", positive = "an integer >= 1";
  add("Mapping.NbGroups", positive, "", "so many equal blocks on the diagonal");
  add("Mapping.ChannelsPerGroup", positive, "",
      "equal blocks on the diagonal, each of so many input channels");
  add("Mapping(<parent>)", "0 and 1", "",
      "a row for each input channel, a column for each output; Map(<parent>) in files before 2018");
  for (const BlockKey& key : kBlockKeys) add(key.key, count, key.default_text, key.help);
  add("Mapping(<parent>).<key>", count, "Mapping.<key>", "the same for the channels of one input");
  return fields;
}

ChannelMapping read_mapping(const KeySource& section, const std::vector<MappedInput>& inputs, int outputs,
                            Diagnostics& diagnostics) {
  ChannelMapping mapping;
  for (const MappedInput& input : inputs) mapping.table.channels += input.channels;
  mapping.table.outputs = outputs;
  mapping.table.cells.assign(static_cast<size_t>(mapping.table.channels) * static_cast<size_t>(outputs), 0);
  Reader reader(section, diagnostics);
  const CommonKeys common = read_common(reader);
  int first = 0;
  for (const MappedInput& input : inputs) {
    mapping.given = map_input(reader, common, input, {mapping.table, first, input.channels}) || mapping.given;
    first += input.channels;
  }
  mapping.valid = !reader.failed();
  return mapping;
}

int block_groups(const ChannelTable& table) {
  int per_output = 0;
  for (int c = 0; c < table.channels; ++c) per_output += table.at(c, 0) ? 1 : 0;
  if (per_output == 0 || table.channels % per_output != 0) return 0;
  const int groups = table.channels / per_output;
  if (table.outputs % groups != 0) return 0;
  const int outputs = table.outputs / groups;
  for (int c = 0; c < table.channels; ++c)
    for (int o = 0; o < table.outputs; ++o)
      if (table.at(c, o) != (c / per_output == o / outputs)) return 0;
  return groups;
}

bool is_one_to_one(const ChannelTable& table) {
  if (table.channels != table.outputs) return false;
  for (int c = 0; c < table.channels; ++c)
    for (int o = 0; o < table.outputs; ++o)
      if (table.at(c, o) != (c == o)) return false;
  return true;
}

}  // namespace n2d2::loader
