#include <algorithm>
#include <numeric>
#include <set>

#include "file.hpp"
#include "import/channels_last.hpp"

namespace n2d2::onnx {

namespace {

/// Tensors of one axis get a batch of 1 in front of it, from the inputs to where nodes give them more axes.
class SingleRows {
 public:
  explicit SingleRows(const File& file) : file_(file) {
    for (GraphInput& input : file_.inputs)
      if (input.dims.size() == 1 && input.dims[0] > 0) {
        input.dims.insert(input.dims.begin(), 1);
        add(input.name);
      }
  }

  bool has_rows() const { return !rows_.empty(); }
  /// False where a node does something else with a single axis than what is known here.
  bool run() {
    return std::all_of(file_.nodes.begin(), file_.nodes.end(), [&](FileNode& node) {
      const std::vector<std::string> read = node.read();
      return std::none_of(read.begin(), read.end(), [&](const std::string& name) { return is_row(name); }) ||
             take(node);
    });
  }
  File file() && { return std::move(file_); }

 private:
  bool is_row(const std::string& name) const { return rows_.contains(name); }
  void add(const std::string& name) {
    rows_.insert(name);
    if (const auto known = file_.declared.find(name);
        known != file_.declared.end() && known->second.dims.size() == 1)
      known->second.dims.insert(known->second.dims.begin(), 1);
  }
  /// Extents of a constant; nothing of what is none.
  const Array* constant(const std::string& name) const {
    if (const auto found = file_.initializers.find(name); found != file_.initializers.end())
      return found->second.get();
    for (const FileNode& node : file_.nodes)
      if (node.domain.empty() && node.type == "Constant" && node.outputs.at(0) == name)
        if (const auto value = node.attributes.find("value"); value != node.attributes.end())
          return value->second.tensor.get();
    return nullptr;
  }

  bool take(FileNode& node) {
    if (!node.domain.empty() || node.inputs.empty()) return false;
    const bool is_first = is_row(node.inputs[0]);
    if (takes_elements(node.type) || joins_elements(node.type)) return take_elements(node);
    if (!is_first || std::any_of(node.inputs.begin() + 1, node.inputs.end(),
                                 [&](const std::string& name) { return is_row(name); }))
      return false;
    if (node.type == "MatMul") {
      const Array* matrix = node.inputs.size() == 2 ? constant(node.inputs[1]) : nullptr;
      if (matrix == nullptr || matrix->dims.size() != 2) return false;
      add(node.outputs.at(0));
      return true;
    }
    if (node.type == "Softmax" || node.type == "LogSoftmax") {
      node.attributes["axis"].kind = Attribute::Kind::Int;
      node.attributes["axis"].integer = 1;
      add(node.outputs.at(0));
      return true;
    }
    if (node.type == "Unsqueeze") return unsqueeze(node);
    return node.type == "Reshape" && reshape(node);
  }

  /// Other operands are rows, or constants of at most one axis.
  bool take_elements(FileNode& node) {
    for (const std::string& name : node.inputs) {
      if (name.empty() || is_row(name)) continue;
      const Array* array = constant(name);
      if (array == nullptr || array->dims.size() > 1) return false;
    }
    add(node.outputs.at(0));
    return true;
  }

  /// The elements along one axis, with a first one that is the batch.
  bool unsqueeze(FileNode& node) {
    std::vector<int64_t> axes;
    if (const auto given = node.attributes.find("axes"); given != node.attributes.end())
      axes = given->second.integers;
    else if (const Array* list = node.inputs.size() > 1 ? constant(node.inputs[1]) : nullptr;
             list != nullptr && list->is_integer)
      axes = list->integers;
    const auto rank = static_cast<int64_t>(axes.size()) + 1;
    std::vector<int64_t> dims(static_cast<size_t>(rank), -1);
    for (const int64_t axis : axes) {
      if (axis < -rank || axis >= rank) return false;
      dims[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 1;
    }
    if (dims[0] != 1 || std::count(dims.begin(), dims.end(), -1) != 1) return false;
    put_reshape(node, std::move(dims));
    return true;
  }

  /// One row, or a tensor whose first axis is the batch of 1.
  bool reshape(FileNode& node) {
    const Array* shape = node.inputs.size() > 1 ? constant(node.inputs[1]) : nullptr;
    if (shape == nullptr || !shape->is_integer || shape->dims.size() != 1 || shape->size() == 0) return false;
    if (shape->size() == 1) {
      put_reshape(node, {1, -1});
      add(node.outputs.at(0));
      return true;
    }
    return shape->integers[0] == 1 || shape->integers[0] == -1;
  }

  void put_reshape(FileNode& node, std::vector<int64_t> dims) {
    std::string name = node.outputs.at(0) + "/extents";
    while (file_.initializers.contains(name)) name += "_";
    const auto rank = static_cast<int64_t>(dims.size());
    file_.initializers[name] = std::make_shared<const Array>(Array::of_integers({rank}, std::move(dims)));
    node.type = "Reshape";
    node.inputs = {node.inputs[0], name};
    node.attributes.clear();
  }

  File file_;
  std::set<std::string, std::less<>> rows_;
};

}  // namespace

void give_rows_a_batch(File& file) {
  const bool has_single = std::any_of(file.inputs.begin(), file.inputs.end(),
                                      [](const GraphInput& input) { return input.dims.size() == 1; });
  if (!has_single) return;
  SingleRows rows(file);
  if (rows.has_rows() && rows.run()) file = std::move(rows).file();
}

}  // namespace n2d2::onnx
