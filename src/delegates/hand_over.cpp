#include "n2d2/delegates/hand_over.hpp"

#include <algorithm>
#include <map>

#include "n2d2/delegates/partition.hpp"
#include "n2d2/ops/part.hpp"

#include "part_kernel.hpp"

namespace n2d2::delegates {

namespace {

/// The nodes of a region in the order of the schedule.
std::vector<graph::NodeId> in_order(const graph::Graph& graph, const NodeSet& region) {
  std::vector<graph::NodeId> out;
  for (const graph::NodeId id : graph.schedule())
    if (region.contains(id)) out.push_back(id);
  return out;
}

/// Nodes of one graph copied into another.
class Copy {
 public:
  explicit Copy(const graph::Graph& from) : from_(from) {}

  bool holds(graph::ValueId id) const { return copy_of_.contains(id); }
  graph::ValueId copy_of(graph::ValueId id) const { return copy_of_.at(id); }
  graph::Graph& graph() { return to_; }

  void add_input(graph::ValueId id, const std::string& name) {
    copy_of_[id] = to_.add_input(name, from_.value(id).type);
  }
  void add_node(const graph::Node& node) {
    const graph::NodeId copy = to_.add(node.op->clone(), node.name, inputs_of(node.inputs), node.origin);
    to_.set_clamp(copy, node.clamp);
    to_.set_rescale(copy, node.rescale);
    set_outputs_of(copy, node.outputs);
  }
  void add_part(graph::Graph part, const std::string& name, const std::vector<graph::ValueId>& inputs,
                const std::vector<graph::ValueId>& outputs, const SourceLocation& origin) {
    set_outputs_of(to_.add(std::make_unique<ops::Part>(std::move(part)), name, inputs_of(inputs), origin),
                   outputs);
  }
  void set_outputs(const std::vector<graph::ValueId>& outputs) { to_.set_outputs(inputs_of(outputs)); }

 private:
  std::vector<graph::ValueId> inputs_of(const std::vector<graph::ValueId>& values) {
    std::vector<graph::ValueId> out;
    for (const graph::ValueId id : values) {
      const graph::Value& value = from_.value(id);
      if (value.is_constant() && !holds(id))
        copy_of_[id] = to_.add_constant(to_.unique_name(value.name), *value.constant, value.type.quant);
      out.push_back(copy_of_.at(id));
    }
    return out;
  }
  void set_outputs_of(graph::NodeId copy, const std::vector<graph::ValueId>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const graph::ValueId output = to_.node(copy).outputs.at(i);
      to_.set_type(output, from_.value(values[i]).type);
      copy_of_[values[i]] = output;
    }
  }

  const graph::Graph& from_;
  graph::Graph to_;
  std::map<graph::ValueId, graph::ValueId> copy_of_;
};

/// One region, or one node that nobody claims.
struct Unit {
  const NodeSet* region = nullptr;
  const Delegate* delegate = nullptr;
  graph::NodeId node;
};

class HandOver {
 public:
  HandOver(const graph::Graph& from, const Delegates& delegates, const std::vector<Partition>& partitions,
           const program::KernelLibrary& behind)
      : from_(from), copy_(from), behind_(behind) {
    for (size_t d = 0; d < delegates.size(); ++d)
      for (const NodeSet& region : partitions[d].regions) {
        regions_.push_back({&region, delegates[d].get(), {}});
        for (const graph::NodeId id : region) unit_of_[id] = regions_.size() - 1;
      }
  }

  HandedOver run(const std::vector<program::Output>& outputs, const Delegates& delegates) {
    for (const graph::ValueId input : from_.inputs()) copy_.add_input(input, from_.value(input).name);
    std::vector<graph::NodeId> waiting = from_.schedule();
    while (!waiting.empty()) {
      const size_t before = waiting.size();
      std::erase_if(waiting, [&](graph::NodeId id) { return add(id); });
      N2D2_CHECK(waiting.size() < before, "regions wait for each other");
    }
    copy_.set_outputs(from_.outputs());
    HandedOver out{
        std::move(copy_.graph()), {}, std::make_unique<program::KernelLibrary>(), std::move(parts_)};
    for (const program::Output& output : outputs)
      out.outputs.push_back({copy_.copy_of(output.value), output.classes, output.is_data});
    for (const auto& delegate : delegates)
      out.kernels->add(std::make_unique<PartKernel>(delegate, std::move(blobs_[delegate.get()])));
    out.kernels->fall_back_on(&behind_);
    return out;
  }

 private:
  bool is_ready(const std::vector<graph::ValueId>& inputs) const {
    return std::all_of(inputs.begin(), inputs.end(),
                       [&](graph::ValueId id) { return from_.value(id).is_constant() || copy_.holds(id); });
  }

  /// True when the node stands in the copy, by itself or in its part.
  bool add(graph::NodeId id) {
    const graph::Node& node = from_.node(id);
    if (copy_.holds(node.outputs.at(0)) || done_.contains(id)) return true;
    const auto unit = unit_of_.find(id);
    if (unit != unit_of_.end()) return add_part(regions_[unit->second]);
    if (!is_ready(node.inputs)) return false;
    copy_.add_node(node);
    return true;
  }

  bool add_part(const Unit& unit) {
    std::vector<graph::ValueId> inputs, outputs;
    graph::Graph part = part_of(from_, *unit.region, inputs, outputs);
    if (!is_ready(inputs)) return false;
    const std::string name = free_name(unit.delegate->id());
    auto blob = std::make_shared<const Blob>(unit.delegate->preprocess(part, behind_));
    blobs_[unit.delegate].emplace(name, blob);
    parts_.push_back({name, std::string(unit.delegate->id()), std::move(blob),
                      unit.delegate->functions().destroy != nullptr, unit.delegate->run_time()});
    copy_.add_part(std::move(part), name, inputs, outputs, from_.node(*unit.region->begin()).origin);
    done_.insert(unit.region->begin(), unit.region->end());
    return true;
  }

  /// "loopback", "loopback_2", ...: the first that nothing has in either graph.
  std::string free_name(std::string_view id) {
    std::string name(id);
    const auto is_known = [&](const graph::Graph& graph) {
      return graph.find_node(name) || graph.find_value(name);
    };
    for (int i = 2; is_known(from_) || is_known(copy_.graph()); ++i) name = fmt::format("{}_{}", id, i);
    return name;
  }

  const graph::Graph& from_;
  Copy copy_;
  const program::KernelLibrary& behind_;
  std::vector<Unit> regions_;
  std::map<graph::NodeId, size_t> unit_of_;
  NodeSet done_;
  std::map<const Delegate*, std::map<std::string, std::shared_ptr<const Blob>>> blobs_;
  std::vector<HandedPart> parts_;
};

}  // namespace

graph::Graph part_of(const graph::Graph& graph, const NodeSet& region, std::vector<graph::ValueId>& inputs,
                     std::vector<graph::ValueId>& outputs) {
  Copy copy(graph);
  const auto nodes = in_order(graph, region);
  for (const graph::NodeId id : nodes)
    for (const graph::ValueId input : graph.node(id).inputs) {
      const graph::Value& value = graph.value(input);
      if (value.is_constant() || copy.holds(input) || region.contains(value.producer)) continue;
      copy.add_input(input, value.name);
      inputs.push_back(input);
    }
  for (const graph::NodeId id : nodes) copy.add_node(graph.node(id));
  std::vector<graph::ValueId> left;
  for (const graph::NodeId id : nodes)
    for (const graph::ValueId output : graph.node(id).outputs) {
      const auto& uses = graph.value(output).uses;
      const bool leaves =
          graph.is_output(output) ||
          std::any_of(uses.begin(), uses.end(), [&](const auto& use) { return !region.contains(use.node); });
      if (leaves) left.push_back(output);
    }
  outputs.insert(outputs.end(), left.begin(), left.end());
  copy.set_outputs(left);
  return std::move(copy.graph());
}

HandedOver hand_over(const graph::Graph& graph, const std::vector<program::Output>& outputs,
                     const Delegates& delegates, const program::KernelLibrary& behind,
                     const std::string& subject) {
  std::vector<Partition> partitions;
  std::vector<NodeSet> taken;
  for (const auto& delegate : delegates) {
    partitions.push_back({std::string(delegate->id()), delegate->partition(graph, behind, taken)});
    const auto& regions = partitions.back().regions;
    taken.insert(taken.end(), regions.begin(), regions.end());
  }
  Diagnostics findings;
  check_partitions(graph, partitions, subject, findings);
  findings.finish<ExportError>();
  return HandOver(graph, delegates, partitions, behind).run(outputs, delegates);
}

}  // namespace n2d2::delegates
