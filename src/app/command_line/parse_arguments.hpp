// Which options of the table do these arguments name, with which values?
#pragma once

#include <string>
#include <vector>

#include "n2d2/base/error.hpp"

#include "option_table.hpp"

namespace n2d2::app {

/// An option of the command line whose value was accepted.
struct ParsedOption {
  const Option* option = nullptr;
  /// Whether the value was written, not implied.
  bool has_value = false;
  /// The option as Options hold it after this argument.
  std::string value;
  /// As they were written.
  std::vector<std::string> arguments;
};

struct ParsedArguments {
  Options options;
  std::vector<ParsedOption> given;
  /// Deleted options, in the order of the arguments.
  std::vector<const DeletedOption*> deleted;
};

/// Reads the command line of N2D2, and `--x`, `-x=value`: values are taken verbatim, also where they begin
/// with a dash; one argument without a dash is the network file. Unknown options, missing, superfluous and
/// wrong values become findings, in the order of the arguments.
ParsedArguments parse_arguments(const std::vector<std::string>& arguments, Diagnostics& findings);

}  // namespace n2d2::app
