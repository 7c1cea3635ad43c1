// How does an exported project call each kernel of program/kernel_cases.hpp? Prints a C++11 function for each
// call; stack_test.py compiles them, nothing runs them.
#include <cstdio>
#include <set>

#include "program/kernel_cases.hpp"
#include "text/shared_calls.hpp"

namespace n2d2::targets::cpp {
namespace {

/// The functions of one case, in a namespace of its own: every call in each element type that its maps have.
class CaseText {
 public:
  CaseText(std::string name, program::Planned planned) : name_(std::move(name)) {
    network_.planned = std::move(planned);
    int index = 0;
    for (program::Cell& cell : network_.planned.program.cells) {
      cell.identifier = fmt::format("cell{}", index++);
      cell.output_identifiers.clear();
      for (size_t i = 0; i < cell.outputs.size(); ++i)
        cell.output_identifiers.push_back(fmt::format("{}_{}", cell.identifier, i));
    }
  }

  void add_headers(std::set<std::string>& headers) const {
    for (const program::Call& call : network_.program().calls)
      for_kernels(call, [&](const program::Call& each) { headers.emplace(each.kernel->header()); });
  }

  std::string print() const {
    const ProjectText text(network_);
    std::string constants, configs, functions;
    for (const program::Cell& cell : network_.program().cells) {
      for (const program::Constant& constant : text.constants_of(cell))
        constants += fmt::format("extern const {} {}[{}];\n", element_type(constant.data->dtype()),
                                 array_name(cell, constant), constant.data->elements());
      for (const program::CallId id : cell.calls) {
        for_kernels(network_.program().call(id), [&](const program::Call& call) {
          configs += configs_of(text, cell, call);
          functions += function_of(text, cell, call);
        });
      }
    }
    return fmt::format("namespace case_{} {{\nnamespace cells {{\n{}{}}}\n{}}}\n\n", name_, constants,
                       configs, functions);
  }

 private:
  /// Calls visit(call) for each call of a kernel: a loop nest is its steps.
  template <class Visit>
  static void for_kernels(const program::Call& call, Visit visit) {
    if (!call.is_loop_nest()) return visit(call);
    for (const program::Call& step : call.steps) visit(step);
  }

  static std::string configs_of(const ProjectText& text, const program::Cell& cell,
                                const program::Call& call) {
    const program::Config config = call.kernel->config(text.program(), call);
    std::string out = text.config(config_name(cell, call.suffix), config.fields);
    for (size_t i = 0; i < config.of_inputs.size(); ++i)
      out += text.config(operand_name(cell, call, i), config.of_inputs[i]);
    return out;
  }

  static std::string function_of(const ProjectText& text, const program::Cell& cell,
                                 const program::Call& call) {
    std::string parameters, arguments;
    int index = 0;
    for (const CallArgument& argument : call_arguments(text, cell, call)) {
      const std::string name = fmt::format("a{}", index++);
      parameters += fmt::format(", {} {}", argument.type, name);
      arguments +=
          ", " +
          (argument.operand.empty() ? name : fmt::format("operand(cells::{}(), {})", argument.operand, name));
    }
    const std::string config = config_name(cell, call.suffix);
    return fmt::format(
        "__attribute__((noinline)) void call_{0}(Rows rows{1}) {{\n  {2}(cells::{0}(), rows{3});\n}}\n",
        config, parameters, call.kernel->name(), arguments);
  }

  std::string name_;
  PlannedNetwork network_;
};

void print_all() {
  std::set<std::string> headers;
  std::string functions;
  for (const program::KernelCase& each : program::kernel_cases()) {
    const CaseText text(each.name, each.planned());
    text.add_headers(headers);
    functions += text.print();
  }
  for (const std::string& header : headers) std::printf("#include \"%s\"\n", header.c_str());
  std::printf("\nnamespace N2D2_EXPORT_NAMESPACE {\n%s}\n", functions.c_str());
}

}  // namespace
}  // namespace n2d2::targets::cpp

int main() {
  n2d2::targets::cpp::print_all();
  return testing::Test::HasFailure() ? 1 : 0;
}
