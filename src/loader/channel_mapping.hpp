// Which input channel feeds which output? The Mapping keys of a layer.
#pragma once

#include <string>
#include <vector>

#include "n2d2/base/fields.hpp"

namespace n2d2::loader {

/// 0/1, one row an input channel, one column an output, row-major.
struct ChannelTable {
  int channels = 0, outputs = 0;
  std::vector<int> cells;
  bool at(int channel, int output) const {
    return cells[static_cast<size_t>(channel) * outputs + output] != 0;
  }
};

struct MappedInput {
  /// Names under which the section may call the parent: "conv1", or "env" and "sp" for the provider.
  std::vector<std::string> names;
  int channels = 0;
};

struct ChannelMapping {
  /// Whether the section has any mapping key.
  bool given = false;
  /// False after an error; the table is then incomplete.
  bool valid = true;
  /// Rows of all inputs, one after the other.
  ChannelTable table;
};

/// Reads the keys; errors (shapes, exclusive keys, channels that do not divide) go to the diagnostics.
ChannelMapping read_mapping(const KeySource& section, const std::vector<MappedInput>& inputs, int outputs,
                            Diagnostics& diagnostics);

/// 1 when everything is connected, g > 1 when the table is g equal blocks on the diagonal, else 0.
int block_groups(const ChannelTable& table);
/// Whether output o has channel o as its only source, for all of them.
bool is_one_to_one(const ChannelTable& table);

}  // namespace n2d2::loader
