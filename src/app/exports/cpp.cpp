#include "n2d2/passes/adapt_layout.hpp"
#include "n2d2/passes/pipelines.hpp"

#include "../export_steps.hpp"
#include "../files.hpp"

namespace n2d2::app {

namespace {

void print_memory(const exporter::Project& project, int bits) {
  const auto kib = [](int64_t bytes) { return fmt::format("{:.2f} KiB", static_cast<double>(bytes) / 1024); };
  const exporter::MemorySummary& memory = project.memory();
  print(fmt::format("RAM: {} for intermediate results ({}; lower bound {}; planned in {:.1f} ms)\n",
                    kib(memory.peak), memory.strategy, kib(memory.lower_bound), memory.milliseconds));
  for (size_t m = 0; m < memory.memories.size() && memory.memories.size() > 1; ++m) {
    const exporter::MemoryUse& use = memory.memories[m];
    print(fmt::format("  {}: {}{} (lower bound {})\n", use.name, kib(use.peak),
                      use.size > 0 ? " of " + kib(use.size) : "", kib(use.lower_bound)));
  }
  print(fmt::format("Weights: {} as {}, biases and factors: {}\n", kib(project.weights_bytes()),
                    bits > 0 ? fmt::format("int{}", bits) : fmt::format("float{}", -bits),
                    kib(project.constants_bytes())));
}

void find_refused(const graph::Graph& graph, const graph::Node& node, Diagnostics& findings) {
  if (!passes::find_without_layout(graph, node, findings))
    exporter::find_without_kernel(graph, node, findings);
}

void export_cpp(const ExportJob& job) {
  loader::Network& net = job.net;
  exporter::ExtraFiles files = prepare_graph(job, Ending::Scores, find_refused);
  passes::run(net.graph, passes::export_pipeline(), job.dump.context());
  const exporter::Project project = exporter::prepare(net.graph, project_targets(net), job.settings);
  print_memory(project, job.settings.bits);
  if (job.options.test || job.options.learns()) score_project(net, project, job.options);
  const std::vector<exporter::Stimulus> stimuli = export_stimuli(net, job.options);
  files.emplace_back("statistics/transformations/transformations.dot", net.data->describe());
  const std::string folder = exporter::folder_name(job.settings.type, job.settings.bits);
  project.write(folder, stimuli, files);
  print(fmt::format("Exported to '{}' with {} stimuli\n", folder, stimuli.size()));
}

}  // namespace

void register_cpp(ExportModules& registry);
void register_cpp(ExportModules& registry) {
  registry.add("CPP", {"a standalone C++11 project", nullptr, export_cpp});
}

}  // namespace n2d2::app
