#include "refusals.hpp"

#include <algorithm>

#include "n2d2/base/text.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/pixel_reshape.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

namespace n2d2::pipeline {

Wiring::Wiring(const graph::Graph& graph) {
  for (const graph::ValueId id : graph.inputs()) given_.insert(graph.value(id).name);
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    Layer layer{node.name, {}, {}};
    for (const graph::ValueId input : node.inputs)
      if (!graph.value(input).is_constant()) layer.inputs.push_back(graph.value(input).name);
    for (const graph::ValueId output : node.outputs) layer.outputs.push_back(graph.value(output).name);
    layers_.push_back(std::move(layer));
  }
  for (const graph::ValueId id : graph.outputs()) outputs_.push_back(graph.value(id).name);
}

std::vector<std::string> Wiring::ends_without(const std::set<std::string, std::less<>>& layers) const {
  std::set<std::string, std::less<>> lost;
  std::vector<std::string> ends;
  const auto add = [&](const std::string& name) {
    if (std::find(ends.begin(), ends.end(), name) == ends.end()) ends.push_back(name);
  };
  for (const Layer& layer : layers_) {
    const bool depends = std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                     [&](const std::string& name) { return lost.contains(name); });
    if (!depends && !layers.contains(layer.name)) continue;
    lost.insert(layer.outputs.begin(), layer.outputs.end());
    for (const std::string& input : layer.inputs)
      if (!lost.contains(input) && !given_.contains(input)) add(input);
  }
  if (ends.empty()) return ends;
  for (const std::string& output : outputs_)
    if (!lost.contains(output)) add(output);
  return ends;
}

namespace {

/// Hints that say no more than that the network should end before name the tensors.
Diagnostics with_ends(const Diagnostics& findings, const std::vector<std::string>& ends,
                      const Request& request) {
  Diagnostics out;
  const std::string names = join(ends, request.is_lone_onnx ? "," : " ");
  const std::string hint =
      request.is_lone_onnx ? fmt::format("'-outputs {}' ends the network in front of what is refused", names)
                           : fmt::format(
                                 "target sections of {} end the network in front of what is refused; an ONNX "
                                 "section needs Outputs={}, "
                                 "too",
                                 join(ends, ", "), names);
  constexpr std::string_view kEndsBefore = "a program needs the network to end before";
  for (const Diagnostic& finding : findings.errors()) {
    std::string own = finding.hint;
    const size_t at = own.find(kEndsBefore);
    if (at != std::string::npos && !ends.empty()) own.replace(at, kEndsBefore.size(), hint);
    out.error(finding.where, finding.message, own);
  }
  return out;
}

/// Kernels of programs have nothing to do where all layers that are left only say how their input lies.
void check_computes(const graph::Graph& graph, const Request& request, Diagnostics& findings) {
  const auto* target = targets::registry().find(request.type);
  if (target == nullptr || (*target)->kernels() == nullptr) return;
  const std::vector<graph::NodeId> nodes = graph.schedule();
  const bool computes = std::any_of(nodes.begin(), nodes.end(), [&](graph::NodeId id) {
    const graph::Node& node = graph.node(id);
    return !graph::as<ops::Reshape>(node) && !graph::as<ops::PixelReshape>(node);
  });
  if (!computes)
    findings.error(
        {request.file, 0},
        fmt::format("-export {}: the network computes nothing, what leaves it is its input '{}'",
                    request.type, graph.value(graph.inputs().at(0)).name),
        "a network has a layer that computes, such as a Conv or an Fc; Dropout, and a Softmax that ends it, "
        "are left out of exports");
}

/// Roundings of the model that a program of floats does not have: one finding for all of them.
class Roundings {
 public:
  Roundings(const graph::Graph& graph, const targets::Export& target) : graph_(graph), target_(target) {}

  /// Whether the node is such a rounding, which is counted.
  bool take(const graph::Node& node) {
    Diagnostics unused;
    if (target_.request().is_integer() || !graph::as<ops::FakeQuantize>(node) ||
        !target_.refuses(graph_, node, unused))
      return false;
    if (++count_ == 1) first_ = node.id;
    return true;
  }
  void finish(Diagnostics& findings) const {
    if (count_ == 0) return;
    const graph::Node& node = graph_.node(first_);
    findings.error(node.origin,
                   fmt::format("{}: the model rounds values to integers, {} in all, and a program of floats "
                               "has no rounding",
                               subject(node), count_),
                   fmt::format("'-nbbits {}' exports these integers; the model before it was quantized "
                               "exports as floats",
                               graph::as<ops::FakeQuantize>(node)->bits));
  }

 private:
  const graph::Graph& graph_;
  const targets::Export& target_;
  graph::NodeId first_;
  int count_ = 0;
};

}  // namespace

void check_layers(const graph::Graph& graph, const Wiring& before, const Request& request,
                  const targets::Export& target) {
  Diagnostics findings;
  std::set<std::string, std::less<>> refused;
  Roundings roundings(graph, target);
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    if (roundings.take(node)) {
      refused.insert(node.name);
      continue;
    }
    const size_t known = findings.errors().size();
    if (!target.request().is_integer() || !quantize::find_without_integers(graph, node, findings))
      target.refuses(graph, node, findings);
    if (findings.errors().size() > known) refused.insert(node.name);
  }
  roundings.finish(findings);
  if (refused.empty()) check_computes(graph, request, findings);
  with_ends(findings, before.ends_without(refused), request).finish<ExportError>();
}

}  // namespace n2d2::pipeline
