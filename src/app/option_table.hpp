// Which options are there? One line each: name, member, what the usage text says, what it needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "options.hpp"

namespace n2d2::app {

/// What a run has to do for an option to change anything.
enum class Need {
  Nothing,
  Learning,         ///< -learn or -learn-epoch
  LearningByCount,  ///< -learn
  LearningByEpoch,  ///< -learn-epoch
  Scoring,          ///< -test, -learn or -learn-epoch
  FloatScoring,     ///< the same without -export
  Export,           ///< -export
  IntegerExport     ///< -export with integers
};
/// "without -export"; empty when the run does it.
std::string missing(Need need, const Options& options);

using Member = std::variant<bool Options::*, int64_t Options::*, std::string Options::*,
                            data::Metric Options::*, std::vector<std::string> Options::*>;

struct Option {
  std::string_view name;
  Member member;
  /// What the value is called in the usage text; empty for a flag.
  std::string_view value;
  std::string_view help;
  int64_t min = 0;
  /// Words that are accepted; empty: any text.
  std::vector<std::string> words = {};
  /// What a document for a lone ONNX file says of it.
  bool is_of_samples = false;
  /// What a run has to do for the option to change anything.
  Need need = Need::Nothing;
};

/// All of them, in the order of the usage text.
const std::vector<Option>& options();

/// Options of the specification that are not there yet, and whether they take a value.
struct LaterOption {
  std::string_view name;
  bool has_value;
};
std::span<const LaterOption> later_options();

}  // namespace n2d2::app
