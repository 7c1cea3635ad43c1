// Which class does a mapping file give to a label?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "n2d2/base/error.hpp"

namespace n2d2::data {

struct MappingLine {
  std::string name;
  int target = -1;  // -1: ignored
  SourceLocation where;
  bool quoted = false;  // a quoted name has no wildcards and is no special name
};

/// Lines `label target` of the file: the last blank-separated token is the target, what is before it the
/// label, with any blanks, perhaps quoted; '#' starts a comment outside quotes. Bad lines go to the
/// diagnostics.
std::vector<MappingLine> read_mapping(const std::string& path, Diagnostics& diagnostics);

/// Whether the name holds '*', '?' or '+' (pitfall 13) and is not quoted.
bool has_wildcard(const MappingLine& line);
/// Whether the label is meant by the line; special names are not.
bool means(const MappingLine& line, const std::string& label);

}  // namespace n2d2::data
