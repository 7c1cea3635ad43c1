#include "dump.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "n2d2/export/program_text.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/loader/graph_file.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

constexpr const char* kFirst = "build";

/// "graph.03.fuse_padding", in the folder.
std::string stem_of(const std::filesystem::path& folder, int number, std::string_view name) {
  return (folder / fmt::format("graph.{:02}.{}", number, name)).string();
}

void write_graph(const std::string& stem, const graph::Graph& graph) {
  write_text(stem + ".txt", graph::to_text(graph));
  write_text(stem + ".json", graph::to_json(graph));
}

void write_network(const std::string& stem, const loader::Network& net, const config::IniDocument& ini) {
  write_graph(stem, net.graph);
  write_text(stem + ".graph", loader::graph_file_text(net, ini));
}

}  // namespace

void GraphDump::stage(std::string_view name, const graph::Graph& graph) {
  if (graphs_) write_graph(stem_of(folder_, count_++, name), graph);
}

void GraphDump::network(std::string_view name, const loader::Network& net) {
  if (graphs_) write_network(stem_of(folder_, count_++, name), net, ini_);
}

void GraphDump::loaded(const loader::Network& net) const {
  if (graphs_) write_network(stem_of(folder_, 0, kFirst), net, ini_);
}

passes::PassContext GraphDump::context(const loader::Network& net) {
  passes::PassContext context;
  context.data_is_target =
      std::any_of(net.targets.begin(), net.targets.end(),
                  [](const loader::TargetPlace& place) { return place.target.options().data_as_target; });
  context.after_pass = [this](std::string_view pass, int, const graph::Graph& graph) { stage(pass, graph); };
  return context;
}

void GraphDump::program(const program::Program& program) const {
  if (!program_) return;
  write_text(folder_ / "program.txt", exporter::program_text(program));
  write_text(folder_ / "program.json", exporter::program_json(program));
}

}  // namespace n2d2::app
