// Do the fields that a kernel's header describes equal those that the exporter writes into its config?
#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "program/kernel_cases.hpp"

namespace n2d2::targets {
namespace {

using Names = std::set<std::string>;

/// Names of the lines `//   a, b   meaning` of a header's opening comment, up to a line with `end`.
Names described(const std::string& header, const std::string& end = "#pragma once") {
  std::ifstream file(std::string(N2D2_SOURCE_DIR) + "/export/CPP/kernels/" + header);
  EXPECT_TRUE(file) << header;
  const std::regex entry("//   ([a-z_]+(, [a-z_]+)*)  +\\S.*");
  const std::regex name("[a-z_]+");
  Names out;
  std::string line;
  while (std::getline(file, line) && line.find(end) == std::string::npos) {
    std::smatch match;
    if (!std::regex_match(line, match, entry)) continue;
    const std::string names = match[1];
    for (std::sregex_iterator i(names.begin(), names.end(), name), none; i != none; ++i) out.insert(i->str());
  }
  return out;
}

Names operator+(Names a, const Names& b) {
  a.insert(b.begin(), b.end());
  return a;
}

/// A depthwise convolution has the fields of a convolution but the borders and the order of weights; sums of
/// products have those of the layer, sums of rows none; depth_to_space alone cuts off.
Names of_kernel(const program::Kernel& kernel) {
  const std::string header(kernel.header());
  if (kernel.name() == "conv2d_sums") return described("conv.hpp");
  if (kernel.name() == "fc_sums" || kernel.name() == "average_pool_sums") return {};
  if (header == "conv_depthwise.hpp") {
    Names out = described("conv.hpp");
    std::erase_if(out, [](const std::string& field) {
      return field.starts_with("border_") || field == "packed" || field == "matrix";
    });
    return out + described(header);
  }
  Names out = described(header);
  if (kernel.name() == "space_to_depth") out.erase("left"), out.erase("top");
  return out;
}

/// Fields of both planes, from the input side that plane.hpp describes.
Names planes() {
  Names out;
  for (const std::string& name : described("plane.hpp")) {
    out.insert(name);
    if (name.starts_with("in_")) out.insert("out_" + name.substr(3));
  }
  return out;
}

Names names_of(const program::ConfigFields& fields) {
  Names out;
  for (const program::ConfigField& field : fields) out.insert(field.name);
  return out;
}

bool reads_zero_points(const graph::Graph& graph, const graph::Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](graph::ValueId id) {
    const std::optional<QuantParams>& quant = graph.value(id).type.quant;
    return quant && quant->zero_point != 0;
  });
}

/// Calls visit(call) for each call of a kernel: a loop nest is its steps.
template <class Visit>
void for_kernels(const program::Program& program, Visit visit) {
  for (const program::Call& call : program.calls) {
    if (!call.is_loop_nest()) visit(call);
    for (const program::Call& step : call.steps) visit(step);
  }
}

TEST(ConfigFields, OfEachKernelAreThoseOfItsHeaders) {
  const Names rescaling = described("rescale.hpp", "Forms, chosen by");
  std::set<std::string> seen;
  for (const program::KernelCase& each : program::kernel_cases()) {
    const program::Planned planned = each.planned();
    for_kernels(planned.program, [&](const program::Call& call) {
      const program::Config config = call.kernel->config(planned.program, call);
      const Names written = names_of(config.fields);
      Names own = of_kernel(*call.kernel);
      const auto& rescale = planned.program.node(call).rescale;
      if (!rescale || rescale->start == 0) own.erase("start");
      if (!reads_zero_points(planned.program.graph, planned.program.node(call)))
        own.erase("zero"), own.erase("pad_value");
      if (planned.program.node(call).op->type() != "Border") own.erase("fill");
      seen.emplace(call.kernel->name());
      const Names rescaled = written.contains("lo") ? rescaling : Names{};
      if (config.of_inputs.empty()) {
        EXPECT_EQ(written, planes() + rescaled + own) << call.kernel->name();
        return;
      }
      const Names operand = names_of(config.of_inputs.front());
      EXPECT_EQ(written + operand, planes() + rescaled + own) << call.kernel->name();
      Names shared = planes() + Names{"is_signed"};
      std::erase_if(shared, [](const std::string& name) { return !name.starts_with("i"); });
      EXPECT_EQ(operand + shared, operand) << call.kernel->name();
    });
  }
  for (const program::Kernel* kernel : cpp::kernels().kernels())
    EXPECT_TRUE(seen.contains(std::string(kernel->name())))
        << kernel->name() << " has no case in tests/program/kernel_cases.hpp";
}

}  // namespace
}  // namespace n2d2::targets
