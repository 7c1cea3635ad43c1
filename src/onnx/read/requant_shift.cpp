#include "requant_shift.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integer_nodes.hpp"

namespace n2d2::onnx {

namespace {

[[noreturn]] void refuse_node(const FileNode& node, const std::string& reason) {
  throw ModelError(
      fmt::format("{}: {}", node.subject(), reason), {},
      "RequantShift(x, mul, add) has constants mul and add, and the attributes div, n_levels and "
      "signed");
}

/// A number of an attribute, which may be in a tensor; nothing where it is not there.
std::optional<double> number(const FileNode& node, std::string_view name) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return std::nullopt;
  const Attribute& value = found->second;
  if (value.kind == Attribute::Kind::Int) return static_cast<double>(value.integer);
  if (value.kind == Attribute::Kind::Real) return static_cast<double>(value.real);
  if (value.kind == Attribute::Kind::Tensor && value.tensor && value.tensor->size() == 1)
    return value.tensor->at(0);
  return std::nullopt;
}

class RequantShifts {
 public:
  explicit RequantShifts(File& file) : file_(file) {
    for (const FileNode& node : file.nodes)
      for (const std::string& output : node.outputs) makers_[output] = node;
  }

  void run() {
    std::vector<FileNode> out;
    for (FileNode& node : file_.nodes)
      if (node.type == "RequantShift")
        write(node, out);
      else
        out.push_back(std::move(node));
    file_.nodes = std::move(out);
  }

 private:
  ArrayPtr constant(const std::string& name) const {
    if (const auto found = file_.initializers.find(name); found != file_.initializers.end())
      return found->second;
    const auto maker = makers_.find(name);
    if (maker == makers_.end() || maker->second.type != "Constant") return nullptr;
    const auto value = maker->second.attributes.find("value");
    return value == maker->second.attributes.end() ? nullptr : value->second.tensor;
  }

  /// Rank of the weights of the Conv that makes the tensor; 0 where another node does.
  size_t rank_of_conv(const std::string& name) const {
    const auto maker = makers_.find(name);
    if (maker == makers_.end() || maker->second.type != "Conv" || maker->second.inputs.size() < 2) return 0;
    const ArrayPtr weights = constant(maker->second.inputs[1]);
    return weights ? weights->dims.size() : 0;
  }

  /// Real numbers that broadcast over channels, plus `more`.
  std::string operand(const FileNode& node, size_t slot, const std::string& name, double more) {
    const ArrayPtr given = constant(node.inputs.at(slot));
    if (!given || given->size() == 0) refuse_node(node, fmt::format("input {} is no constant", slot));
    std::vector<float> values;
    for (int64_t i = 0; i < given->size(); ++i) values.push_back(static_cast<float>(given->at(i) + more));
    Extents dims = given->dims;
    const size_t rank = rank_of_conv(node.inputs[0]);
    if (dims.size() == 1 && dims[0] > 1 && rank > 2) {
      dims.assign(rank, 1);
      dims[1] = given->size();
    }
    return add_initializer(file_, node.outputs[0] + "/" + name, Array::of_reals(dims, std::move(values)));
  }

  void write(const FileNode& node, std::vector<FileNode>& out) {
    const auto divisor = number(node, "div"), is_signed = number(node, "signed");
    const auto given = number(node, "n_levels"), levels = given ? given : number(node, "n_levels_out");
    constexpr double kMostDivisor = 0x1p31, kMostLevels = 65536;
    if (node.inputs.size() != 3 || node.outputs.size() != 1 || !divisor || !is_signed || !levels)
      refuse_node(node, fmt::format("{} inputs and other attributes than expected", node.inputs.size()));
    if (!(*divisor >= 1 && *divisor <= kMostDivisor) ||
        std::exp2(std::round(std::log2(*divisor))) != *divisor)
      refuse_node(node, fmt::format("div is {}, expected a power of 2", *divisor));
    if (!(*levels >= 2 && *levels <= kMostLevels) || *levels != std::floor(*levels))
      refuse_node(node, fmt::format("{} levels, expected 2 to 65536", *levels));
    const std::string& name = node.outputs[0];
    const double half = *divisor > 1 ? *divisor / 2 : 0, below = std::floor(*levels / 2);
    const std::string mul = operand(node, 1, "mul", 0), add = operand(node, 2, "add", half);
    const std::string div =
        add_initializer(file_, name + "/div", Array::of_reals({}, {static_cast<float>(*divisor)}));
    out.push_back(node_of(node, "Mul", {node.inputs[0], mul}, name + "/scaled"));
    out.push_back(node_of(node, "Add", {name + "/scaled", add}, name + "/shifted"));
    out.push_back(node_of(node, "Div", {name + "/shifted", div}, name + "/divided"));
    out.push_back(node_of(node, "Floor", {name + "/divided"}, name + "/floor"));
    FileNode clip = node_of(node, "Clip", {name + "/floor"}, name);
    const double lowest = *is_signed != 0 ? -below : 0;
    clip.attributes = {{"min", real_number(lowest)}, {"max", real_number(lowest + *levels - 1)}};
    out.push_back(std::move(clip));
  }

  File& file_;
  std::map<std::string, FileNode, std::less<>> makers_;
};

}  // namespace

void write_out_requant_shifts(File& file) {
  const auto is_one = [](const FileNode& node) { return node.type == "RequantShift"; };
  if (std::any_of(file.nodes.begin(), file.nodes.end(), is_one)) RequantShifts(file).run();
}

}  // namespace n2d2::onnx
