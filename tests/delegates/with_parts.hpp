// Delegates with options, and programs with parts.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "n2d2/delegates/hand_over.hpp"
#include "n2d2/ops/part.hpp"
#include "n2d2/program/plan.hpp"
#include "n2d2/program/run.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

namespace n2d2::delegates {

class Options final : public KeySource {
 public:
  explicit Options(std::map<std::string, std::string, std::less<>> keys) : keys_(std::move(keys)) {}
  std::optional<KeyText> find(std::string_view key) const override {
    const auto it = keys_.find(key);
    if (it == keys_.end()) return std::nullopt;
    return KeyText{it->second, {}};
  }
  SourceLocation where() const override { return {}; }
  std::string subject() const override { return "options"; }

 private:
  std::map<std::string, std::string, std::less<>> keys_;
};

inline std::shared_ptr<const Delegate> delegate(std::string_view id,
                                                std::map<std::string, std::string, std::less<>> options) {
  std::shared_ptr<Delegate> out = registry().find(id)->make();
  Diagnostics findings;
  out->read(Options(std::move(options)), findings);
  findings.finish<ConfigError>();
  return out;
}
inline std::shared_ptr<const Delegate> loopback(const std::string& layers, const char* copy_blob = "0") {
  return delegate("loopback", {{"Layers", layers}, {"CopyBlob", copy_blob}});
}
inline std::shared_ptr<const Delegate> xnnpack(const std::string& layers) {
  return delegate("xnnpack", {{"Layers", layers}});
}

/// A program of parts, with what it needs to live.
struct WithParts {
  HandedOver handed;
  std::unique_ptr<program::Lowering> lowering;
  program::Planned planned;
};

inline std::vector<program::Output> outputs_of(const graph::Graph& graph) {
  std::vector<program::Output> out;
  for (const graph::ValueId id : graph.outputs()) out.push_back({id, 0});
  return out;
}

inline std::unique_ptr<program::Lowering> lowered(const graph::Graph& graph,
                                                  const std::vector<program::Output>& outputs,
                                                  const program::KernelLibrary& kernels) {
  return std::make_unique<program::Lowering>(graph, outputs, kernels,
                                             [](const graph::Node& node, const std::string& reasons) {
                                               ADD_FAILURE() << node.name << ": " << reasons;
                                             });
}

inline program::Planned without_parts(const graph::Graph& graph,
                                      const program::MemorySettings& settings = {}) {
  return program::plan(*lowered(graph, outputs_of(graph), targets::cpp::kernels()), settings, "test");
}

inline WithParts with_parts(const graph::Graph& graph, const Delegates& delegates,
                            const program::MemorySettings& settings = {}) {
  WithParts out{hand_over(graph, outputs_of(graph), delegates, targets::cpp::kernels(), "test"), {}, {}};
  out.lowering = lowered(out.handed.graph, out.handed.outputs, *out.handed.kernels);
  out.planned = program::plan(*out.lowering, settings, "test");
  return out;
}

/// Maps every value that the program makes, by its name in the whole graph, to its bytes.
inline std::map<std::string, Tensor> values_of(const program::Program& program, const Tensor& sample,
                                               const program::RunHooks& hooks = {}) {
  std::map<std::string, Tensor> out;
  for (program::LayerValues& layer : program::run_layers(program, sample, hooks)) {
    if (layer.cell == nullptr) continue;
    const graph::Node& node = program.graph.node(layer.cell->node);
    std::string name = program.graph.value(node.outputs.at(layer.output)).name;
    if (const auto* part = graph::as<ops::Part>(node))
      name = part->graph.value(part->graph.outputs().at(layer.output)).name;
    out.emplace(std::move(name), std::move(layer.tensor));
  }
  return out;
}

/// Every value that both make is the same; how many those are.
inline size_t expect_same(const std::map<std::string, Tensor>& found,
                          const std::map<std::string, Tensor>& expected) {
  for (const auto& [name, tensor] : found) {
    const auto other = expected.find(name);
    EXPECT_NE(other, expected.end()) << name;
    if (other == expected.end()) continue;
    EXPECT_TRUE(tensor == other->second) << name;
  }
  return found.size();
}

}  // namespace n2d2::delegates
