// Which form of a kernel computes each layer, and why?
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "n2d2/program/lower.hpp"
#include "n2d2/targets/cpp/project.hpp"

#include "planned_network.hpp"

namespace n2d2::targets::cpp {

/// The names that Kernel= may have, of all kernels of a library, sorted.
std::vector<std::string> form_names(const program::KernelLibrary& library);

/// What KernelLibrary::choices() says of a node, and what the export's Target says about it.
std::vector<program::Choice> choices_for(const program::KernelLibrary& library, const graph::Graph& graph,
                                         const graph::Node& node, Machine machine);

/// Adds that a section for this layer alone asks for a form that no kernel of its type has; false when none
/// does. Of graphs without integers, too.
bool find_wrong_form(const graph::Graph& graph, const graph::Node& node, const Options& options,
                     Diagnostics& findings);

struct ChosenForms {
  program::Lowering::Asked asked;
  std::map<graph::NodeId, std::string> why;  ///< of every node
  std::vector<PortableLayer> portable;       ///< in the order of the graph
};

/// The form of each node of a graph with its integers. A section for one layer is an order: what does not fit
/// is an error that says why. A mask, [default] and the global section are wishes: layers that they do not
/// fit keep their own form, and say so in `why`; one that no layer takes is an error.
ChosenForms choose_forms(const graph::Graph& graph, const program::KernelLibrary& library,
                         const Options& options, Diagnostics& findings);

/// What is said of a call.
struct FormOfCall {
  std::string layer, kernel, form, why;
};
/// Returns an entry for each call that computes a layer, except calls of delegates, in order of execution.
/// `why`: ChosenForms::why.
std::vector<FormOfCall> forms_of_calls(const program::Program& program,
                                       const std::map<graph::NodeId, std::string>& why);
/// Returns the entries as the text of statistics/kernels.csv.
std::string forms_csv(const std::vector<FormOfCall>& calls);

}  // namespace n2d2::targets::cpp
