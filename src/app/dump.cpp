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

void write_graph(int number, std::string_view name, const graph::Graph& graph) {
  write_text(fmt::format("graph.{:02}.{}.txt", number, name), graph::to_text(graph));
  write_text(fmt::format("graph.{:02}.{}.json", number, name), graph::to_json(graph));
}

void write_network(int number, std::string_view name, const loader::Network& net,
                   const config::IniDocument& ini) {
  write_graph(number, name, net.graph);
  write_text(fmt::format("graph.{:02}.{}.graph", number, name), loader::graph_file_text(net, ini));
}

}  // namespace

void GraphDump::stage(std::string_view name, const graph::Graph& graph) {
  if (graphs_) write_graph(count_++, name, graph);
}

void GraphDump::network(std::string_view name, const loader::Network& net) {
  if (graphs_) write_network(count_++, name, net, ini_);
}

void GraphDump::loaded(const loader::Network& net) const {
  if (graphs_) write_network(0, kFirst, net, ini_);
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
  write_text("program.txt", exporter::program_text(program));
  write_text("program.json", exporter::program_json(program));
}

}  // namespace n2d2::app
