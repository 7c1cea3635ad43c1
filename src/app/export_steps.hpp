// Which steps do exports of all types share?
#pragma once

#include <functional>
#include <vector>

#include "export_module.hpp"

namespace n2d2::app {

/// The end of the network in the exported graph.
enum class Ending { Scores, Softmax };

/// Adds why a type of export cannot take a node that has an integer form.
using Refusal = std::function<void(const graph::Graph&, const graph::Node&, Diagnostics&)>;

/// The rewrites of the float network, and integers when the export has them. Ending::Softmax keeps a Softmax that ends
/// the network. Returns what is written about it below statistics/. ExportError with every node that is refused, before
/// anything is calibrated.
exporter::ExtraFiles prepare_graph(const ExportJob& job, Ending ending, const Refusal& refusal = {});

std::vector<exporter::ProjectTarget> project_targets(const loader::Network& net);

/// The Test samples that go with the export (-db-export).
std::vector<exporter::Stimulus> export_stimuli(const loader::Network& net, const Options& options);

/// What an export gives for a batch: one tensor of integers or floats a target, and the real value of a step of it.
struct ScoredRun {
  std::function<std::vector<Tensor>(const Tensor& batch)> outputs;
  std::function<double(size_t target)> scale;
};

/// Scores it on the Test samples and reports that as "export".
void score_export(const loader::Network& net, const ScoredRun& run, const Options& options);
/// The same of the host run.
void score_project(const loader::Network& net, const exporter::Project& project, const Options& options);

}  // namespace n2d2::app
