// Which options are there? One line each: name, member, what the usage text says, what it needs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "options.hpp"

namespace n2d2::app {

/// Where the usage text lists an option.
enum class Group { General, Learning, Weights, Export, Samples, Looking, Help };
/// "Learning and testing"; the groups in order have the values 0, 1, 2 ...
std::string_view title(Group group);
inline constexpr int kGroups = 7;

/// What a run has to do for an option to change anything.
enum class Need {
  Nothing,
  Learning,         ///< -learn or -learn-epoch
  NoEpochs,         ///< no -learn-epoch
  LearningByCount,  ///< -learn, and no -learn-epoch
  LearningByEpoch,  ///< -learn-epoch
  Scoring,          ///< -test, -learn or -learn-epoch
  ScoringOrExport,  ///< the same, -export or -calibOnly
  LearntScoring,    ///< the same without -export and -calibOnly, of a network as it learnt
  FloatScoring,     ///< the same without -export and -calibOnly
  Bench,            ///< -learn, -learn-epoch, or the same as FloatScoring
  Weights,          ///< anything that reads the weights
  MissingWeights,   ///< weights of a folder, all of which have to be there
  Export,           ///< -export or -calibOnly
  Project,          ///< -export
  Plan,             ///< -export CPP, which plans the memory
  Sources,          ///< -export CPP, which writes C++
  IntegerExport,    ///< -export with integers, or -calibOnly
  Quantile,         ///< the same with -act-clipping-mode Quantile
  Comparing,        ///< -pareto
  Cuda,             ///< a CUDA device: nothing does
  Compatibility     ///< nothing does: the option is accepted for command lines of N2D2
};
/// "without -export"; empty when the run does it.
std::string missing(Need need, const Options& options);
/// Whether exports of this type plan a memory.
bool plans_memory(std::string_view type);

using Member = std::variant<bool Options::*, int64_t Options::*, double Options::*, std::string Options::*,
                            data::Metric Options::*, std::vector<std::string> Options::*>;

/// What -init names until the network file is known.
inline constexpr std::string_view kDefaultInit = ".ini";

/// A value that may be left out.
struct LeftOut {
  /// The value that stands for none.
  std::string_view implied;
  /// Whether the next argument is the value.
  bool (*is_value)(std::string_view next);
};

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
  /// Set where the value may be left out.
  std::optional<LeftOut> left_out = std::nullopt;
  /// What a run makes is the same with and without it.
  bool is_of_run = false;
  /// Another name.
  std::string_view alias = {};
  /// What may be written for the value where `words` does not say it, for completion.
  std::vector<std::string> (*choices)() = nullptr;
  Group group = Group::General;
};

/// All of them, in the order of the usage text.
const std::vector<Option>& options();
/// By name or alias, without dashes; null: there is none.
const Option* find_option(std::string_view name);
/// The value that an option has, as text.
std::string value_text(const Option& option, const Options& options);

/// An option of N2D2 that is not there: whether it takes a value, and why.
struct OtherOption {
  std::string_view name;
  bool has_value;
  std::string_view reason;
};
std::span<const OtherOption> other_options();

/// An option of earlier releases that changes nothing; command lines that have it still run.
struct DeletedOption {
  std::string_view name;
  /// Whether the next argument is the option's value.
  bool (*is_value)(std::string_view next);
  /// What to use instead.
  std::string_view instead;
};
std::span<const DeletedOption> deleted_options();

}  // namespace n2d2::app
