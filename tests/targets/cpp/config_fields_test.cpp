// Do the fields that a kernel's header describes equal those that the exporter writes into its config?
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "n2d2/program/plan.hpp"
#include "n2d2/targets/cpp/fuse_bottlenecks.hpp"
#include "n2d2/targets/cpp/fuse_fc_chains.hpp"
#include "n2d2/targets/cpp/split_pools.hpp"

#include "program/grown_networks.hpp"
#include "program/layers.hpp"

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

/// A depthwise convolution has the fields of a convolution but the borders and the order of weights.
Names of_kernel(const std::string& header) {
  if (header == "conv_depthwise.hpp") {
    Names out = described("conv.hpp");
    std::erase_if(out, [](const std::string& field) {
      return field.starts_with("border_") || field == "packed" || field == "matrix";
    });
    return out + described(header);
  }
  return described(header);
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

/// A lane that is reshaped to other channels cannot stay in place.
program::Planned copied_reshape() {
  const std::string pool = " : u8 1x1x2x2 nhwc @ = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\n";
  std::string text = "input sp : u8 1x1x2x2 nhwc @\na" + pool + "b" + pool +
                     "c : u8 1x2x2x2 nhwc @ = Concat(a, b)\n"
                     "r : u8 1x4x1x1 nhwc @ = Reshape(a) Dims=\"1 1 4\"\noutput c\noutput r\n";
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, "quant(8 unsigned -1 0.5)");
  graph::Graph graph = graph::from_text(text, ops::registry(), "net.txt");
  const auto output = graph.outputs().at(0);
  return program::planned(std::move(graph), {{output, 2}});
}

/// The one call of a convolution, a depthwise one and one of 1 x 1.
program::Planned fused_bottleneck() {
  program::Networks n({"sp", 2, 3, 4});
  const program::Map a = n.conv({"sp", 2, 3, 4}, 4, 1, 1, 0), b = n.conv(a, 4, 3, 1, 1, 4);
  program::Program program = n.program({n.conv(b, 3, 1, 1, 0)});
  rewrite(program, {{}, {cpp::fuse_bottlenecks(cpp::bottlenecks_of(program), 2)}});
  return program::with_plan(std::move(program));
}

/// The one call of two fully connected layers.
program::Planned fused_fc_chain() {
  program::Networks n({"sp", 2, 3, 4});
  program::Program program = n.program({n.fc(n.fc({"sp", 2, 3, 4}, 6), 3)});
  rewrite(program, {{}, {cpp::fuse_fc_chains(cpp::fc_chains_of(program), 2)}});
  return program::with_plan(std::move(program));
}

/// The two calls of an average over a map.
program::Planned split_pool() {
  graph::Graph graph = graph::from_text(
      "input sp : u8 1x2x3x2 nhwc quant(8 unsigned -1 0.5)\n"
      "a : u8 1x2x1x1 nhwc quant(8 unsigned -1 0.5) = Pool(sp) PoolDims=\"2 3\" Pooling=\"Average\" "
      "rescale=\"Floating-point 0 255 0 : 0.16 :\"\noutput a\n",
      ops::registry(), "net.txt");
  const auto output = graph.outputs().at(0);
  program::MemorySettings settings;
  settings.peephole.expanders.push_back(cpp::split_pools());
  return program::planned(std::move(graph), {{output, 2}}, settings);
}

/// What has a kernel of its own in a float network.
program::Planned float_functions() {
  graph::Graph graph = graph::from_text(
      "input sp : f32 1x2x2x2 nhwc\nconstant s : f32 1x2x1x1 = 0.5 0.25\n"
      "a : f32 1x2x2x2 nhwc = Nonlinearity(sp) Function=\"Tanh\"\n"
      "b : f32 1x2x2x2 nhwc = PRelu(a, s)\n"
      "c : f32 1x2x2x2 nhwc = Threshold(b) Operation=\"Truncate\" Threshold=\"0.25\"\noutput c\n",
      ops::registry(), "net.txt");
  const auto output = graph.outputs().at(0);
  return program::planned(std::move(graph), {{output, 2}});
}

TEST(ConfigFields, OfEachKernelAreThoseOfItsHeaders) {
  const Names rescaling = described("rescale.hpp", "Forms, chosen by");
  std::set<std::string> seen;
  std::vector<program::Planned> networks{copied_reshape(), split_pool(), fused_bottleneck(), fused_fc_chain(),
                                         float_functions()};
  for (const program::Layer& layer : program::layers()) networks.push_back(program::planned_of(layer));
  for (const program::Planned& planned : networks) {
    for (const program::Call& call : planned.program.calls) {
      const std::string header(call.kernel->header());
      const program::Config config = call.kernel->config(planned.program, call);
      const Names written = names_of(config.fields), own = of_kernel(header);
      seen.emplace(call.kernel->name());
      const Names rescaled = written.contains("lo") ? rescaling : Names{};
      const std::vector<const char*> headers =
          header == "fc_chain.hpp" ? std::vector{"fc.hpp", "fc.hpp"}
                                   : std::vector{"conv.hpp", "conv_depthwise.hpp", "conv.hpp"};
      for (size_t i = 0; i < config.of_layers.size(); ++i)
        EXPECT_EQ(names_of(config.of_layers[i]), planes() + rescaling + of_kernel(headers.at(i))) << i;
      if (config.of_inputs.empty()) {
        EXPECT_EQ(written, planes() + rescaled + own) << call.kernel->name();
        continue;
      }
      const Names operand = names_of(config.of_inputs.front());
      EXPECT_EQ(written + operand, planes() + rescaled + own) << call.kernel->name();
      Names shared = planes() + Names{"is_signed"};
      std::erase_if(shared, [](const std::string& name) { return !name.starts_with("i"); });
      EXPECT_EQ(operand + shared, operand) << call.kernel->name();
    }
  }
  for (const program::Kernel* kernel : cpp::kernels().kernels())
    EXPECT_TRUE(seen.contains(std::string(kernel->name())))
        << kernel->name() << " has no layer in layers.hpp";
}

}  // namespace
}  // namespace n2d2::targets
