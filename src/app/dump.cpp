#include "dump.hpp"

#include <fmt/format.h>

#include "n2d2/export/program_text.hpp"
#include "n2d2/graph/text.hpp"

#include "files.hpp"

namespace n2d2::app {

void GraphDump::stage(std::string_view name, const graph::Graph& graph) {
  if (!graphs_) return;
  write_text(fmt::format("graph.{:02}.{}.txt", count_++, name), graph::to_text(graph));
}

passes::PassContext GraphDump::context() {
  passes::PassContext context;
  context.after_pass = [this](std::string_view pass, int, const graph::Graph& graph) { stage(pass, graph); };
  return context;
}

void GraphDump::program(const program::Program& program) const {
  if (!program_) return;
  write_text("program.txt", exporter::program_text(program));
  write_text("program.json", exporter::program_json(program));
}

}  // namespace n2d2::app
