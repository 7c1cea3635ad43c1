#include <algorithm>
#include <cmath>
#include <set>

#include "n2d2/base/text.hpp"

#include "file.hpp"

namespace n2d2::onnx {

namespace {

class Part {
 public:
  Part(const File& whole, const Ends& ends) : file_(std::make_shared<File>(whole)), ends_(ends) {
    for (const FileNode& node : file_->nodes)
      for (const std::string& output : node.outputs)
        if (!output.empty()) made_.push_back(output);
  }

  std::shared_ptr<const File> run() {
    for (const auto& [name, value] : ends_.constants) take_constant(name, value);
    if (!ends_.inputs.empty()) take_inputs();
    if (!ends_.outputs.empty()) take_outputs();
    if (!findings_.has_errors()) order_nodes(*file_, findings_);
    findings_.finish<ModelError>();
    give_rows_a_batch(*file_);
    end_at_scores(*file_);
    find_layouts(*file_);
    return file_;
  }

 private:
  void error(std::string message, std::string hint = {}) {
    findings_.error({file_->path, 0}, std::move(message), std::move(hint));
  }

  /// The tensor of this name, or the first of the node of this name; "" with a finding.
  std::string tensor_of(std::string_view option, const std::string& name) {
    if (std::find(made_.begin(), made_.end(), name) != made_.end()) return name;
    for (const FileNode& node : file_->nodes)
      if (node.name == name) return node.outputs.at(0);
    error(fmt::format("{}: the file has no tensor '{}'{}", option, name, did_you_mean(name, made_)));
    return "";
  }

  void take_constant(const std::string& name, double value) {
    const auto input = std::find_if(file_->inputs.begin(), file_->inputs.end(),
                                    [&](const GraphInput& each) { return each.name == name; });
    if (input == file_->inputs.end())
      return error(fmt::format("constants: the file has no input '{}'", name));
    if (!input->is_number())
      return error(
          fmt::format("constants: input '{}' is {}, expected one number", name, text_of(input->dims)));
    const Extents dims(input->dims.size(), 1);
    const bool is_whole = value == std::floor(value) && std::abs(value) < 0x1p53;
    if (input->holds_integers && !is_whole)
      return error(fmt::format("constants: input '{}' holds integers, got {}", name, value));
    file_->initializers[name] = std::make_shared<const Array>(
        input->holds_integers ? Array::of_integers(dims, {static_cast<int64_t>(value)})
                              : Array::of_reals(dims, {static_cast<float>(value)}));
    file_->inputs.erase(input);
  }

  void take_outputs() {
    file_->outputs.clear();
    for (const std::string& name : ends_.outputs) {
      const std::string tensor = tensor_of("outputs", name);
      const auto& known = file_->outputs;
      if (!tensor.empty() && std::find(known.begin(), known.end(), tensor) == known.end())
        file_->outputs.push_back(tensor);
    }
  }

  void take_inputs() {
    const std::vector<GraphInput> before = std::move(file_->inputs);
    file_->inputs.clear();
    std::set<std::string> taken;
    for (const std::string& name : ends_.inputs) {
      const auto own =
          std::find_if(before.begin(), before.end(), [&](const auto& input) { return input.name == name; });
      if (own != before.end() && taken.insert(name).second) file_->inputs.push_back(*own);
      if (own != before.end()) continue;
      const std::string tensor = tensor_of("inputs", name);
      if (tensor.empty() || !taken.insert(tensor).second) continue;
      const auto declared = file_->declared.find(tensor);
      if (declared == file_->declared.end())
        error(fmt::format("inputs: the file does not say the extents of '{}'", tensor),
              "onnx.shape_inference.infer_shapes writes them into it");
      else
        file_->inputs.push_back({tensor, declared->second.dims, declared->second.grid});
    }
    // What made them is not needed for them.
    for (FileNode& node : file_->nodes)
      for (std::string& output : node.outputs)
        if (taken.contains(output)) output.clear();
    report_left(before, taken);
  }

  /// Inputs of the file that something needed still reads.
  void report_left(const std::vector<GraphInput>& before, const std::set<std::string>& taken) {
    std::set<std::string, std::less<>> open(file_->outputs.begin(), file_->outputs.end());
    if (!ends_.outputs.empty()) open = {ends_.outputs.begin(), ends_.outputs.end()};
    for (size_t i = file_->nodes.size(); i-- > 0;) {  // users before producers
      const FileNode& node = file_->nodes[i];
      const bool is_needed = open.contains(node.name) ||
                             std::any_of(node.outputs.begin(), node.outputs.end(), [&](const auto& output) {
                               return !output.empty() && open.contains(output);
                             });
      if (!is_needed) continue;
      for (const std::string& read : node.read()) {
        if (!taken.contains(read)) open.insert(read);
        const bool is_left = std::any_of(before.begin(), before.end(), [&](const auto& input) {
          return input.name == read && !taken.contains(read);
        });
        if (is_left)
          error(fmt::format("inputs: {} reads '{}', an input that is left out", node.subject(), read),
                fmt::format("name '{}', too", read));
      }
    }
  }

  std::shared_ptr<File> file_;
  const Ends& ends_;
  std::vector<std::string> made_;
  Diagnostics findings_;
};

}  // namespace

Model part_of(const Model& model, const Ends& ends) {
  if (ends.inputs.empty() && ends.outputs.empty() && ends.constants.empty()) return model;
  return Model(Part(model.file(), ends).run());
}

}  // namespace n2d2::onnx
