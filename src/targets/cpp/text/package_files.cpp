#include "package_files.hpp"

#include <algorithm>
#include <set>

#include "n2d2/base/text.hpp"
#include "n2d2/targets/footprint.hpp"

#include "memory_text.hpp"
#include "readme.hpp"

namespace n2d2::targets::cpp {

namespace fs = std::filesystem;

namespace {

/// Sources of the static form beside those that instances have, too, and what programs include.
constexpr const char* kOfStaticForm[] = {"dnn/src/forward.cpp", "src/Network.cpp", "src/network_c.cpp",
                                         "src/softmax.cpp"};
constexpr const char* kInterfaces[] = {"include/Network.hpp", "include/network.h"};

/// The files that are needed to compile these: themselves, what they include, and so on.
std::set<fs::path> needed_by(std::vector<fs::path> files, const std::map<fs::path, std::string>& code) {
  std::set<fs::path> out;
  while (!files.empty()) {
    const fs::path file = files.back();
    files.pop_back();
    const auto found = code.find(file);
    N2D2_CHECK(found != code.end(), "the project has no file '{}'", file.generic_string());
    if (!out.insert(file).second) continue;
    for (const std::string& included : included_by(found->second))
      files.push_back((file.parent_path() / included).lexically_normal());
  }
  return out;
}

void add_figures(const PlannedNetwork& network, exporter::Package& out) {
  const program::Program& program = network.program();
  for (const program::Memory& memory : program.memories) out.arena += memory.peak;
  out.stack = network.options.platform.stack_bytes;
  out.parameters = parameter_bytes(network, true) + parameter_bytes(network, false);
  if (const auto& of_platform = network.options.platform.footprint) out.code = of_platform(program).code;
  const Shape& scores = network.graph().value(program.outputs.at(0).value).type.shape;
  out.pixels = scores.h() * scores.w();
  out.scores = scores.c() * out.pixels;
}

std::vector<std::pair<std::string, std::string>> facts_of(const PlannedNetwork& network,
                                                          const exporter::Package& package,
                                                          const exporter::Samples& samples) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [what, value] : samples.about) out.emplace_back(what, markdown_code(value));
  out.emplace_back("RAM",
                   fmt::format("{} bytes, and {} of the stack in a call", with_thousands(package.arena),
                               stack_text(network.options.platform).bound));
  out.emplace_back("parameters", with_thousands(package.parameters) + " bytes of flash");
  if (package.code > 0)
    out.emplace_back("code", fmt::format("about {} bytes of flash (g++ -O2)", with_thousands(package.code)));
  return out;
}

}  // namespace

std::vector<std::string> included_by(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string& line : split(text, '\n'))
    if (constexpr std::string_view kBegin = "#include \""; line.starts_with(kBegin))
      out.push_back(line.substr(kBegin.size(), line.find('"', kBegin.size()) - kBegin.size()));
  return out;
}

void write_packages(const ProjectText& text, const std::vector<std::string>& sources_of_both,
                    const std::map<fs::path, std::string>& code, const exporter::Samples& samples,
                    exporter::FileTree& tree) {
  const PlannedNetwork& network = text.network();
  exporter::Package package;
  package.name_space = network.options.parameters.namespace_name;
  package.sources = {std::begin(kOfStaticForm), std::end(kOfStaticForm)};
  package.sources.insert(package.sources.end(), sources_of_both.begin(), sources_of_both.end());
  std::vector<fs::path> files = package.sources;
  files.insert(files.end(), std::begin(kInterfaces), std::end(kInterfaces));
  for (const fs::path& file : needed_by(std::move(files), code))
    package.files.emplace_back(file, code.at(file));
  package.bits = network.options.bits;
  add_figures(network, package);
  package.facts = facts_of(network, package, samples);
  package.provenance = samples.provenance;
  exporter::write_packages(package, network.options.packages, tree);
}

}  // namespace n2d2::targets::cpp
