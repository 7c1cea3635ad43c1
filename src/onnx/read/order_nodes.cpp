#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "file.hpp"

namespace n2d2::onnx {

namespace {

/// Everything that the outputs depend on, by index.
std::vector<bool> needed_nodes(const File& file, const std::map<std::string, size_t>& producers) {
  std::vector<bool> needed(file.nodes.size(), false);
  std::vector<std::string> open = file.outputs;
  while (!open.empty()) {
    const auto producer = producers.find(open.back());
    open.pop_back();
    if (producer == producers.end() || needed[producer->second]) continue;
    needed[producer->second] = true;
    const std::vector<std::string> read = file.nodes[producer->second].read();
    open.insert(open.end(), read.begin(), read.end());
  }
  return needed;
}

}  // namespace

std::vector<std::string> FileNode::read() const {
  std::vector<std::string> out = inputs;
  out.insert(out.end(), captured.begin(), captured.end());
  out.erase(std::remove(out.begin(), out.end(), ""), out.end());
  return out;
}

void order_nodes(File& file, Diagnostics& findings) {
  const SourceLocation where{file.path, 0};
  std::set<std::string> given;
  for (const GraphInput& input : file.inputs) given.insert(input.name);
  for (const auto& [name, array] : file.initializers) given.insert(name);
  std::map<std::string, size_t> producers;
  for (size_t i = 0; i < file.nodes.size(); ++i)
    for (const std::string& output : file.nodes[i].outputs)
      if (!output.empty() && (given.contains(output) || !producers.emplace(output, i).second))
        findings.error(where,
                       fmt::format("{}: tensor '{}' has two producers", file.nodes[i].subject(), output));
  const std::vector<bool> needed = needed_nodes(file, producers);
  for (const std::string& output : file.outputs)
    if (!producers.contains(output) && !given.contains(output))
      findings.error(where, fmt::format("output '{}': no node makes it", output));

  std::vector<size_t> waiting(file.nodes.size(), 0), ready;
  std::map<std::string, std::vector<size_t>> users;
  for (size_t i = 0; i < file.nodes.size(); ++i) {
    if (!needed[i]) continue;
    for (const std::string& input : file.nodes[i].read()) {
      if (given.contains(input)) continue;
      if (!producers.contains(input))
        findings.error(where,
                       fmt::format("{}: input '{}': no node makes it", file.nodes[i].subject(), input));
      users[input].push_back(i);
      ++waiting[i];
    }
    if (waiting[i] == 0) ready.push_back(i);
  }
  if (findings.has_errors()) return;

  // A heap keeps the order of the file among the nodes that are ready.
  std::make_heap(ready.begin(), ready.end(), std::greater<>());
  std::vector<size_t> order;
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), std::greater<>());
    const size_t node = ready.back();
    ready.pop_back();
    order.push_back(node);
    for (const std::string& output : file.nodes[node].outputs) {
      if (output.empty()) continue;
      for (const size_t user : users[output]) {
        if (--waiting[user] > 0) continue;
        ready.push_back(user);
        std::push_heap(ready.begin(), ready.end(), std::greater<>());
      }
    }
  }
  if (order.size() != static_cast<size_t>(std::count(needed.begin(), needed.end(), true))) {
    std::vector<std::string> stuck;
    for (size_t i = 0; i < file.nodes.size(); ++i)
      if (needed[i] && waiting[i] > 0) stuck.push_back("'" + file.nodes[i].label() + "'");
    findings.error(where, "the graph has a cycle; nodes in it or behind it: " + join(stuck, ", "));
    return;
  }
  std::vector<FileNode> sorted;
  sorted.reserve(order.size());
  for (const size_t i : order) sorted.push_back(std::move(file.nodes[i]));
  file.nodes = std::move(sorted);
}

namespace {

using Readers = std::map<std::string_view, std::vector<const FileNode*>>;

bool is_recurrent(const FileNode& node) {
  return node.domain.empty() && (node.type == "LSTM" || node.type == "GRU" || node.type == "RNN");
}
bool has_batch_first(const FileNode& node) {
  const auto layout = node.attributes.find("layout");
  return layout != node.attributes.end() && layout->second.integer == 1;
}

/// Whether recurrent layers read the tensor as their sequence, whose steps are its first axis; also behind
/// operators of single elements and products with a matrix.
bool is_sequence(const Readers& readers, const std::string& name, int depth = 0) {
  static const std::set<std::string_view> kPassing{"Add", "Cast", "Div",     "Dropout", "Identity", "MatMul",
                                                   "Mul", "Relu", "Sigmoid", "Slice",   "Sub",      "Tanh"};
  constexpr int kMostOperators = 8;
  const auto found = readers.find(name);
  if (found == readers.end() || depth > kMostOperators) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const FileNode* node) {
    if (is_recurrent(*node)) return !has_batch_first(*node) && node->inputs.at(0) == name;
    return node->domain.empty() && kPassing.contains(node->type) &&
           is_sequence(readers, node->outputs.at(0), depth + 1);
  });
}

/// Whether recurrent layers read the tensor as their state before the first step, whose directions are its
/// first axis; also behind what takes the part of a layer out of it.
bool is_state(const Readers& readers, const std::string& name, int depth = 0) {
  static const std::set<std::string_view> kPassing{"Cast",  "Gather",  "Identity", "Slice",
                                                   "Split", "Squeeze", "Unsqueeze"};
  constexpr int kMostOperators = 4;
  const auto found = readers.find(name);
  if (found == readers.end() || depth > kMostOperators) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const FileNode* node) {
    if (is_recurrent(*node)) {
      const auto slot = std::find(node->inputs.begin(), node->inputs.end(), name) - node->inputs.begin();
      return !has_batch_first(*node) && slot >= 5;  // initial_h, initial_c
    }
    return node->domain.empty() && kPassing.contains(node->type) &&
           std::any_of(node->outputs.begin(), node->outputs.end(),
                       [&](const std::string& output) { return is_state(readers, output, depth + 1); });
  });
}

/// Integers of initializers and of Constant nodes, by name.
using Lists = std::map<std::string_view, std::vector<int64_t>>;

void take_list(Lists& lists, const std::string& name, const ArrayPtr& array) {
  if (array && array->is_integer) lists[name] = array->integers;
}
void add_lists(const std::map<std::string, ArrayPtr, std::less<>>& initializers,
               const std::vector<FileNode>& nodes, Lists& lists) {
  for (const auto& [name, array] : initializers) take_list(lists, name, array);
  for (const FileNode& node : nodes) {
    for (const auto& branch : node.branches) add_lists(branch->initializers, branch->nodes, lists);
    const auto value = node.attributes.find("value");
    if (node.type == "Constant" && value != node.attributes.end())
      take_list(lists, node.outputs.at(0), value->second.tensor);
  }
}

/// Nodes that read a tensor, those of branches included.
void add_readers(const std::vector<FileNode>& nodes, Readers& readers) {
  for (const FileNode& node : nodes) {
    for (const auto& name : node.inputs) readers[name].push_back(&node);
    for (const auto& branch : node.branches) add_readers(branch->nodes, readers);
  }
}

/// Whether the node takes some elements of axis 0.
bool cuts_front(const FileNode& node, const Lists& lists) {
  if (!node.domain.empty()) return false;
  if (node.type == "Gather" || node.type == "Split") {
    const auto axis = node.attributes.find("axis");
    return axis == node.attributes.end() || axis->second.integer == 0;
  }
  if (node.type != "Slice") return false;
  std::vector<int64_t> axes{0};
  if (const auto given = node.attributes.find("axes"); given != node.attributes.end())
    axes = given->second.integers;
  else if (node.inputs.size() > 3 && !node.inputs[3].empty())
    axes = lists.contains(node.inputs[3]) ? lists.at(node.inputs[3]) : std::vector<int64_t>{};
  return std::find(axes.begin(), axes.end(), 0) != axes.end();
}

/// Whether the input has several elements at axis 0, some of which are taken, or which a recurrent layer has
/// as directions of its state, and one sample at axis 1.
bool has_batch_second(const GraphInput& input, const Readers& readers, const Lists& lists) {
  if (input.dims.size() < 3 || input.dims[0] < 2 || (input.dims[1] != 1 && input.dims[1] != -1)) return false;
  const auto found = readers.find(input.name);
  if (found == readers.end()) return false;
  return is_state(readers, input.name) ||
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const FileNode* node) { return cuts_front(*node, lists); });
}

/// Whether the node puts the channels of `name`, its input, first, or takes them last: a recurrent layer
/// takes one step after the other.
bool leaves_channels_first(const FileNode& node, const Readers& readers, const GraphInput& input,
                           std::string_view name) {
  const size_t rank = input.dims.size();
  if (is_recurrent(node)) return has_batch_first(node) == (input.batch == 0) && node.inputs.at(0) == name;
  const auto perm = node.attributes.find("perm");
  if (node.type != "Transpose" || perm == node.attributes.end()) return false;
  const std::vector<int64_t>& order = perm->second.integers;
  if (order == std::vector<int64_t>{1, 0, 2}) return is_sequence(readers, node.outputs.at(0));
  return order == (rank == 4 ? std::vector<int64_t>{0, 3, 1, 2} : std::vector<int64_t>{0, 2, 1});
}

/// Whether all that reads the tensor puts channels first, behind nothing but operators of single elements.
bool is_put_channels_first(const File& file, const Readers& readers, const GraphInput& input) {
  static const std::set<std::string_view> kOfElements{
      "Add",      "Cast", "Clip",  "DequantizeLinear", "Div", "Identity",
      "IntQuant", "Mul",  "Quant", "QuantizeLinear",   "Sub"};
  std::vector<std::string_view> open{input.name};
  std::set<std::string_view> seen;
  bool any = false;
  while (!open.empty()) {
    const std::string_view name = open.back();
    open.pop_back();
    if (!seen.insert(name).second) continue;
    if (std::find(file.outputs.begin(), file.outputs.end(), name) != file.outputs.end()) return false;
    const auto found = readers.find(name);
    if (found == readers.end()) return false;
    for (const FileNode* node : found->second) {
      if (leaves_channels_first(*node, readers, input, name))
        any = true;
      else if (kOfElements.contains(node->type) && (node->domain.empty() || is_domain_of_qonnx(node->domain)))
        open.emplace_back(node->outputs.at(0));
      else
        return false;
    }
  }
  return any;
}

}  // namespace

void find_layouts(File& file) {
  Readers readers;
  add_readers(file.nodes, readers);
  for (const FileNode& node : file.nodes)
    for (const auto& name : node.captured) readers[name].push_back(&node);
  Lists lists;
  add_lists(file.initializers, file.nodes, lists);
  for (GraphInput& input : file.inputs) {
    if (input.batch != 0) continue;
    const bool is_of_layer =
        input.dims.size() == 3 && (is_sequence(readers, input.name) || is_state(readers, input.name));
    if (!is_of_layer && !has_batch_second(input, readers, lists)) continue;
    input.batch = 1;
    std::swap(input.dims[0], input.dims[1]);
  }
  for (GraphInput& input : file.inputs)
    input.channels_last =
        (input.dims.size() == 3 || input.dims.size() == 4) && is_put_channels_first(file, readers, input);
}

}  // namespace n2d2::onnx
