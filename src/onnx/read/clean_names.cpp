#include "clean_names.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "n2d2/base/bytes.hpp"

namespace n2d2::onnx {

namespace {

constexpr size_t kLongest = 200;

bool is_clean(const std::string& name) {
  return name.size() <= kLongest && std::none_of(name.begin(), name.end(), is_control);
}

/// Every name that tensors are known by.
void for_tensors(::onnx::GraphProto& graph, const std::function<void(std::string&)>& use) {
  for (auto& value : *graph.mutable_input()) use(*value.mutable_name());
  for (auto& tensor : *graph.mutable_initializer()) use(*tensor.mutable_name());
  for (auto& node : *graph.mutable_node()) {
    for (std::string& name : *node.mutable_input()) use(name);
    for (std::string& name : *node.mutable_output()) use(name);
    for (auto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) for_tensors(*attribute.mutable_g(), use);
  }
  for (auto& value : *graph.mutable_output()) use(*value.mutable_name());
  for (auto& value : *graph.mutable_value_info()) use(*value.mutable_name());
}

/// How many changed.
int64_t clean_node_names(::onnx::GraphProto& graph) {
  int64_t changed = 0;
  for (auto& node : *graph.mutable_node()) {
    for (auto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) changed += clean_node_names(*attribute.mutable_g());
    if (is_clean(node.name())) continue;
    node.set_name(cleaned_name(node.name()));
    ++changed;
  }
  return changed;
}

}  // namespace

std::string cleaned_name(std::string name) {
  std::replace_if(name.begin(), name.end(), is_control, '_');
  return std::string(beginning(name, kLongest));
}

int64_t clean_names(::onnx::GraphProto& graph) {
  std::set<std::string, std::less<>> taken;
  std::map<std::string, std::string> renamed;
  std::map<std::string, int64_t> next;  // the number that the next name with this beginning tries
  for_tensors(graph, [&](const std::string& name) {
    if (is_clean(name)) taken.insert(name);
  });
  for_tensors(graph, [&](std::string& name) {
    if (is_clean(name)) return;
    const auto [known, is_new] = renamed.try_emplace(name);
    if (is_new) {
      const std::string base = cleaned_name(name);
      known->second = base;
      int64_t& number = next.try_emplace(base, 2).first->second;
      while (!taken.insert(known->second).second) known->second = fmt::format("{}_{}", base, number++);
    }
    name = known->second;
  });
  const auto changed = static_cast<int64_t>(renamed.size());
  return changed + clean_node_names(graph);
}

}  // namespace n2d2::onnx
