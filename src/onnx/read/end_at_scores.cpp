#include <algorithm>
#include <set>

#include "n2d2/base/log.hpp"

#include "file.hpp"

namespace n2d2::onnx {

namespace {

class Scores {
 public:
  explicit Scores(File& file) : file_(file) {
    for (const GraphInput& input : file.inputs) data_.insert(input.name);
    for (size_t i = 0; i < file.nodes.size(); ++i) {
      bool reads_data = false;
      for (const std::string& name : file.nodes[i].read()) {
        ++readers_[name];
        reads_data = reads_data || data_.contains(name);
      }
      for (const std::string& name : file.nodes[i].outputs) {
        maker_[name] = i;
        if (reads_data) data_.insert(name);
      }
    }
    for (const std::string& output : file.outputs) ++readers_[output];
  }

  void run() {
    std::set<std::string> values;  // names of maxima that another output stands for
    for (const std::string& output : file_.outputs)
      if (!values.contains(output)) end(output, values);
    std::erase_if(file_.outputs, [&](const std::string& output) { return values.contains(output); });
    if (gone_.empty()) return;
    std::vector<FileNode> left;
    for (size_t i = 0; i < file_.nodes.size(); ++i)
      if (!gone_.contains(i)) left.push_back(std::move(file_.nodes[i]));
    file_.nodes = std::move(left);
  }

 private:
  static bool is_choice(const FileNode& node) {
    return node.domain.empty() && (node.type == "ArgMax" || node.type == "ArgMin" || node.type == "TopK");
  }
  /// What moves the index of a class, or changes its type.
  static bool is_passing(const FileNode& node) {
    static const std::set<std::string_view> kPassing{"Cast",    "Flatten", "Identity",
                                                     "Reshape", "Squeeze", "Unsqueeze"};
    return node.domain.empty() && kPassing.contains(node.type);
  }
  /// The rank of a tensor that the file declares; 0 where it does not.
  size_t rank_of(const std::string& name) const {
    for (const GraphInput& input : file_.inputs)
      if (input.name == name) return input.dims.size();
    const auto found = file_.declared.find(name);
    return found == file_.declared.end() ? 0 : found->second.dims.size();
  }
  /// Whether the choice is made for each sample.
  bool is_of_samples(const FileNode& node) const {
    const auto axis = node.attributes.find("axis");
    const int64_t along = axis != node.attributes.end() ? axis->second.integer : node.type == "TopK" ? -1 : 0;
    if (along >= 0) return along > 0;
    const size_t rank = rank_of(node.inputs.at(0));
    return rank == 0 ? along == -1 : static_cast<int64_t>(rank) + along > 0;
  }

  /// Puts what a choice reads in the place of the output that it makes, if nothing else reads the choice.
  void end(const std::string& output, std::set<std::string>& values) {
    std::string name = output;
    std::set<size_t> chain;
    for (;;) {
      const auto made = maker_.find(name);
      if (made == maker_.end() || !data_.contains(name) || readers_[name] != 1) return;
      const FileNode& node = file_.nodes[made->second];
      if (is_choice(node)) break;
      if (!is_passing(node)) return;
      chain.insert(made->second);
      name = node.inputs.at(0);
    }
    const size_t at = maker_.find(name)->second;
    const FileNode& choice = file_.nodes[at];
    if (choice.inputs.empty() || !is_of_samples(choice)) return;
    for (const std::string& other : choice.outputs) {
      const bool is_other = !other.empty() && other != name && readers_[other] > 0;
      const bool is_output =
          std::find(file_.outputs.begin(), file_.outputs.end(), other) != file_.outputs.end();
      if (is_other && (!is_output || readers_[other] != 1)) return;
      if (is_other) values.insert(other);
    }
    log::notice("{}: the network ends before it, with the scores; the class is the index of the {}",
                choice.subject(),
                is_least(choice) ? "smallest, which has the largest score here" : "largest");
    FileNode made;
    made.name = choice.name, made.type = is_least(choice) ? "Neg" : "Identity", made.opset = choice.opset;
    made.inputs = {choice.inputs[0]}, made.outputs = {output};
    file_.scores.push_back(output);
    gone_.insert(chain.begin(), chain.end());
    file_.nodes[at] = std::move(made);
  }
  static bool is_least(const FileNode& node) {
    const auto largest = node.attributes.find("largest");
    return node.type == "ArgMin" ||
           (node.type == "TopK" && largest != node.attributes.end() && largest->second.integer == 0);
  }

  File& file_;
  std::set<std::string, std::less<>> data_;
  std::map<std::string, size_t, std::less<>> maker_;
  std::map<std::string, int, std::less<>> readers_;
  std::set<size_t> gone_;
};

}  // namespace

void end_at_scores(File& file) {
  Scores(file).run();
}

}  // namespace n2d2::onnx
