// Which calls of a network share a function, where little code counts (Optimize=size)?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// One argument behind the rows of a kernel's call, as a cell says it.
struct CallArgument {
  std::string type, value;
  /// The config that an input has for itself, in namespace cells; "": none.
  std::string operand;
};
/// Inputs, outputs, constants; inputs that have a config of their own follow the outputs. A
/// constant of which a step of a loop nest reads a slice begins at that of the variable `slice`.
std::vector<CallArgument> call_arguments(const ProjectText& text, const program::Cell& cell,
                                         const program::Call& call);

/// Calls of one kernel on elements of the same types are a kind. Those whose configs are equal share a
/// function; where a kind has many configs, all of them do: what the configs have in common stays constants
/// of one struct, in which all else is members, read at run time. A kernel computes the same of both.
class SharedCalls {
 public:
  /// Nothing is shared with Optimize=speed.
  explicit SharedCalls(const ProjectText& text);

  struct Use {
    std::string function;
    /// What stands before the rows: "shared::conv1_config_values, ", or nothing.
    std::string config;
  };
  /// Null: the call has the kernel to itself.
  const Use* find(program::CallId call) const;
  /// Definitions of functions and sizes, for namespace shared.
  const std::string& definitions() const { return definitions_; }

 private:
  struct Member;
  using Members = std::vector<Member>;
  void share_kind(const std::vector<Members>& configs);
  void share_sizes(const std::vector<Members>& configs, const std::string& name);
  void share_config(const Members& calls, const std::string& name);

  std::map<program::CallId, Use> uses_;
  std::string definitions_;
};

}  // namespace n2d2::targets::cpp
