#include "choose_forms.hpp"

#include <algorithm>
#include <set>

#include "n2d2/base/csv.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

namespace n2d2::targets::cpp {

namespace {

using program::Choice;

std::vector<std::string> names_of(const std::vector<Choice>& choices, bool only_fitting) {
  std::vector<std::string> out{std::string(kOwnForm)};
  for (const Choice& choice : choices)
    if (!only_fitting || choice.why_not.empty()) out.emplace_back(choice.form.name);
  return out;
}

const Choice* find(const std::vector<Choice>& choices, std::string_view name) {
  const auto found =
      std::find_if(choices.begin(), choices.end(), [&](const Choice& c) { return c.form.name == name; });
  return found == choices.end() ? nullptr : &*found;
}

std::string a_type(const graph::Node& node) {
  return fmt::format("{} [{}]", node.op->type(), node.name);
}

/// Chooses node by node; remembers which wishes were granted.
class Chooser {
 public:
  Chooser(const graph::Graph& graph, const program::KernelLibrary& library, const Options& options,
          Diagnostics& findings)
      : graph_(graph), library_(library), options_(options), findings_(findings) {}

  ChosenForms all() {
    for (const graph::NodeId id : graph_.schedule()) out_.why[id] = choose(graph_.node(id));
    for (const LayerSection& section : options_.parameters.layers)
      if (wished_.contains(&section) && !granted_.contains(&section))
        findings_.error(section.kernel_at,
                        fmt::format("{} Kernel: '{}' computes none of its layers: {}", section.subject(),
                                    *section.values.kernel.name, wished_.at(&section)));
    return std::move(out_);
  }

 private:
  std::string choose(const graph::Node& node) {
    const std::vector<Choice> choices = choices_for(library_, graph_, node, options_.parameters.machine);
    if (const LayerSection* section = options_.parameters.form_section(node.name))
      return by_section(node, choices, *section);
    return by_itself(node, choices, "the first that fits");
  }

  std::string by_section(const graph::Node& node, const std::vector<Choice>& choices,
                         const LayerSection& section) {
    const std::string& name = *section.values.kernel.name;
    const Choice* choice = find(choices, name);
    const std::string why_not =
        choice == nullptr ? fmt::format("a {} has no such form", node.op->type()) : choice->why_not;
    if (why_not.empty()) {
      granted_.insert(&section);
      out_.asked.emplace(node.id, *choice);
      return fmt::format("asked for by {}", section.subject());
    }
    if (section.is_exact()) {
      findings_.error(section.kernel_at,
                      fmt::format("{} Kernel: '{}' does not compute this {}: {}", section.subject(), name,
                                  node.op->type(), why_not),
                      fmt::format("these do: {}", join(names_of(choices, true), ", ")));
      return {};
    }
    wished_.try_emplace(&section, fmt::format("{}: {}", a_type(node), why_not));
    return by_itself(
        node, choices,
        fmt::format("the first that fits; '{}' of {} does not: {}", name, section.subject(), why_not));
  }

  /// The first form that fits of the kernel that the library chooses; Lowering refuses nodes that have none.
  std::string by_itself(const graph::Node& node, const std::vector<Choice>& choices, std::string why) {
    std::string reasons;
    const program::Kernel* kernel = library_.choose(graph_, node, reasons);
    note_portable(node, choices, kernel);
    for (const Choice& choice : choices)
      if (choice.kernel == kernel && choice.why_not.empty()) {
        out_.asked.emplace(node.id, choice);
        break;
      }
    return why;
  }

  static bool is_of_cpp(const program::Kernel& kernel) { return kernels().find(kernel.name()) == &kernel; }
  /// Remembers why kernels of the platform's own leave a layer to one of CPP.
  void note_portable(const graph::Node& node, const std::vector<Choice>& choices,
                     const program::Kernel* kernel) {
    if (kernel == nullptr || !is_of_cpp(*kernel)) return;
    std::vector<std::string> reasons;
    for (const Choice& choice : choices)
      if (!is_of_cpp(*choice.kernel) && !choice.why_not.empty())
        reasons.push_back(fmt::format("{}: {}", choice.kernel->name(), choice.why_not));
    if (!reasons.empty()) out_.portable.push_back({node.name, join(reasons, "; ")});
  }

  const graph::Graph& graph_;
  const program::KernelLibrary& library_;
  const Options& options_;
  Diagnostics& findings_;
  ChosenForms out_;
  std::map<const LayerSection*, std::string> wished_;  ///< why the first layer does not take it
  std::set<const LayerSection*> granted_;
};

}  // namespace

std::vector<std::string> form_names(const program::KernelLibrary& library) {
  std::set<std::string> out;
  for (const program::Kernel* kernel : library.kernels()) {
    if (kernel->operators().empty()) continue;
    const std::vector<program::Form> forms = kernel->forms();
    for (const program::Form& form : forms) out.emplace(form.name);
    if (forms.empty()) out.emplace(kernel->name());
  }
  return {out.begin(), out.end()};
}

std::vector<Choice> choices_for(const program::KernelLibrary& library, const graph::Graph& graph,
                                const graph::Node& node, Machine machine) {
  std::vector<Choice> out = library.choices(graph, node);
  const std::string target = ValueText<Machine>::print(machine);
  for (Choice& choice : out) {
    if (!reads_packed_weights(machine) && choice.kernel->forms().empty()) choice.form.reads_packed = false;
    // Without vectors there is one form, which reads any storage.
    if (!reads_packed_weights(machine)) choice.form.reads_narrow = true;
    if (!choice.why_not.empty() || choice.kernel->forms().empty()) continue;
    if (choice.form.reads_packed && !reads_packed_weights(machine))
      choice.why_not = fmt::format("Target={} has no kernels on packed weights", target);
    else if (choice.form.name == "matrix" && !multiplies_matrices(machine))
      choice.why_not = fmt::format("Target={} has no instructions for matrices", target);
  }
  return out;
}

bool find_wrong_form(const graph::Graph& graph, const graph::Node& node, const Options& options,
                     Diagnostics& findings) {
  const LayerSection* section = options.parameters.form_section(node.name);
  if (section == nullptr || !section->is_exact()) return false;
  const std::vector<Choice> choices = options.platform.library().choices(graph, node);
  const std::string& name = *section->values.kernel.name;
  if (choices.empty() || find(choices, name) != nullptr) return false;
  const std::vector<std::string> names = names_of(choices, false);
  findings.error(section->kernel_at,
                 fmt::format("{} Kernel: a {} has no form '{}'{}", section->subject(), node.op->type(), name,
                             did_you_mean(name, names)),
                 fmt::format("it has {}", join(names, ", ")));
  return true;
}

ChosenForms choose_forms(const graph::Graph& graph, const program::KernelLibrary& library,
                         const Options& options, Diagnostics& findings) {
  return Chooser(graph, library, options, findings).all();
}

std::vector<FormOfCall> forms_of_calls(const program::Program& program,
                                       const std::map<graph::NodeId, std::string>& why) {
  std::vector<FormOfCall> out;
  for (const program::Call& call : program.calls)
    if (!call.is_source() && !call.contract.opaque)
      out.push_back(
          {program.node(call).name, std::string(call.kernel->name()), call.form, why.at(call.node)});
  return out;
}

std::string forms_csv(const std::vector<FormOfCall>& calls) {
  std::string out = "layer,kernel,form,why\n";
  for (const FormOfCall& call : calls) out += csv_line({call.layer, call.kernel, call.form, call.why});
  return out;
}

}  // namespace n2d2::targets::cpp
