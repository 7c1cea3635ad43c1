// Do files as people have them load, and does what -print-ini makes of any INI file load as the same network?
#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "n2d2/graph/text.hpp"
#include "n2d2/graph/verify.hpp"

#include "../working_folder.hpp"
#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kRoot = N2D2_SOURCE_DIR;

/// A network whose samples are not looked for.
struct Loaded {
  config::IniDocument ini;
  Network net;
};

Loaded load(config::IniDocument ini) {
  const log::Capture quiet;
  Network net = network(ini, {1, false, {}, true});
  return {std::move(ini), std::move(net)};
}

Loaded load_style(const std::string& name) {
  return load(config::read_ini((kRoot / "tests/loader/style" / name).string()));
}

/// Its text without the lines that layers stand on.
std::string text_of(const Network& net) {
  std::string out;
  for (std::string& line : split(graph::to_text(net.graph), '\n'))
    out += line.substr(0, line.find(" @ ")) + "\n";
  return out;
}

Shape shape_of(const Network& net, const std::string& node) {
  return net.graph.value(net.graph.node(net.graph.find_node(node).value()).outputs.at(0)).type.shape;
}

TEST(Style, TemplatesOfBlocksWithVariablesOfTheFile) {
  const Loaded file = load_style("residual.ini");
  graph::verify(file.net.graph);
  EXPECT_EQ(shape_of(file.net, "blk1.sum"), (Shape{1, 8, 32, 32}));
  EXPECT_EQ(shape_of(file.net, "blk2.sum"), (Shape{1, 16, 16, 16}));
  EXPECT_EQ(shape_of(file.net, "pool"), (Shape{1, 16, 1, 1}));
  ASSERT_EQ(file.net.targets.size(), 1U);
  EXPECT_EQ(file.net.targets[0].section, "softmax.Target-Top5");
}

TEST(Style, ConnectionTablesOverLinesWithAnyLineEnd) {
  const Loaded unix = load_style("steps.ini"), dos = load_style("crlf.ini");
  EXPECT_EQ(text_of(unix.net), text_of(dos.net));
  EXPECT_THAT(text_of(dos.net), HasSubstr("Connections=\"1 0 0 1 1 1 1 1 0 0 1 1"));
}

TEST(Style, BranchesWithOffsetsOfTheirOwn) {
  const Loaded file = load_style("branches.ini");
  EXPECT_EQ(shape_of(file.net, "pool2").c(), 64);
  EXPECT_EQ(shape_of(file.net, "pool3"), (Shape{1, 1000, 1, 1}));
}

TEST(Style, SectionsThatNothingReadsMayHoldAnything) {
  const Loaded file = load_style("dead_sections.ini");
  EXPECT_EQ(file.ini.find("common.config", "Solvers.LearningRate", "slow")->text, "0.001");
  EXPECT_EQ(file.ini.find("common.config", "Solvers.LearningRate", "fast")->text, "0.01");
}

TEST(Style, DivisionsOfBothPythons) {
  const Loaded file = load_style("division.ini");
  EXPECT_EQ(shape_of(file.net, "conv"), (Shape{1, 16, 30, 30}));
  EXPECT_EQ(file.net.batch_size, 4);
}

/// Every value as all who may read it see it, computed properties included.
std::vector<std::string> values_of(const config::IniDocument& ini) {
  std::vector<std::string> out;
  std::map<std::string, std::set<std::string>> readers;
  for (const std::string& section : ini.section_names())
    for (const std::string& key : ini.keys(section))
      if (key.starts_with("ConfigSection")) try {
          const auto names = ini.list(section, key);
          for (const std::string& name : *names) readers[name].insert(section);
        } catch (const ConfigError&) {
          continue;
        }
  for (const std::string& section : ini.section_names()) {
    std::set<std::string> contexts = readers[section];
    if (contexts.empty()) contexts.insert(section);
    for (const std::string& key : ini.keys(section))
      for (const std::string& context : contexts) try {
          out.push_back(fmt::format("[{}] {} for [{}]: {}", section, key, context,
                                    ini.find(section, key, context)->text));
        } catch (const ConfigError&) {
          out.push_back(fmt::format("[{}] {} for [{}]: cannot be read", section, key, context));
        }
  }
  return out;
}

/// Without the headers of templates, which are gone.
std::vector<std::string> common(std::vector<std::string> values, const config::IniDocument& printed) {
  std::erase_if(values, [&](const std::string& value) {
    return value.front() == '[' && !printed.has_section(value.substr(1, value.find("] ") - 1));
  });
  return values;
}

std::vector<fs::path> all_ini_files() {
  std::vector<fs::path> out;
  // Networks of tests/bench are like these, and large.
  for (const char* folder : {"models", "tests/e2e", "tests/errors", "tests/loader"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.path().extension() == ".ini") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

TEST(PrintedIni, IsReadAsTheSameNetwork) {
  const WorkingFolder folder;  // models keep statistics of their samples where they run
  int networks = 0;
  for (const fs::path& path : all_ini_files()) {
    SCOPED_TRACE(path.string());
    const log::Capture quiet;
    std::optional<Loaded> written;
    std::string text;
    try {
      config::IniDocument ini = config::read_ini(path.string());
      text = config::print(ini);
      written.emplace(load(std::move(ini)));
    } catch (const Error&) {
      continue;  // wrong on purpose, or without its ONNX file
    }
    const Loaded printed = load(config::parse_ini(text, path.string()));
    EXPECT_EQ(text_of(written->net), text_of(printed.net));
    EXPECT_EQ(common(values_of(written->ini), printed.ini), values_of(printed.ini));
    ++networks;
  }
  EXPECT_GE(networks, 40);
}

}  // namespace
}  // namespace n2d2::loader
