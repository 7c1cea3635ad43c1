#include "integer_nodes.hpp"

#include <algorithm>
#include <utility>

#include "n2d2/base/log.hpp"

namespace n2d2::onnx {

namespace {

constexpr int64_t kMostByte = 255;

/// Initializers of scale 1 and zero point 0 of an integer type.
std::vector<std::string> unit_grid(File& file, const std::string& name, int64_t lowest, int64_t highest) {
  Array zero = Array::of_integers({}, {0});
  zero.lowest = lowest, zero.highest = highest;
  return {add_initializer(file, name + "/scale", Array::of_reals({}, {1})),
          add_initializer(file, name + "/zero", std::move(zero))};
}

}  // namespace

FileNode node_of(const FileNode& like, std::string type, std::vector<std::string> inputs,
                 std::string output) {
  FileNode node;
  node.name = like.name, node.opset = like.opset;
  node.type = std::move(type), node.inputs = std::move(inputs), node.outputs = {std::move(output)};
  return node;
}

Attribute real_number(double value) {
  Attribute out;
  out.kind = Attribute::Kind::Real, out.real = static_cast<float>(value);
  return out;
}

Attribute integer_number(int64_t value) {
  Attribute out;
  out.kind = Attribute::Kind::Int, out.integer = value;
  return out;
}

std::string add_initializer(File& file, const std::string& name, Array array) {
  file.initializers[name] = std::make_shared<const Array>(std::move(array));
  return name;
}

std::vector<FileNode> rounding_nodes(File& file, const FileNode& clip, double lowest, double highest) {
  const std::string& name = clip.outputs.at(0);
  const bool is_signed = lowest < 0;
  int64_t most = is_signed ? kMostByte / 2 : kMostByte;
  while (static_cast<double>(most) < highest || (is_signed && static_cast<double>(-most - 1) > lowest))
    most = 2 * most + 1;
  const std::vector<std::string> grid = unit_grid(file, name, is_signed ? -most - 1 : 0, most);
  FileNode bounds = node_of(clip, "Clip", {name + "/all"}, name + "/integers");
  bounds.attributes = {{"max", real_number(highest)}, {"min", real_number(lowest)}};
  return {node_of(clip, "QuantizeLinear", {name + "/sum", grid[0], grid[1]}, name + "/all"), bounds,
          node_of(clip, "DequantizeLinear", {name + "/integers", grid[0], grid[1]}, name)};
}

void read_bytes(File& file, GraphInput& input) {
  input.grid = Grid{{1}, {0}, 0, kMostByte};
  const std::string& name = input.name;
  const std::vector<std::string> grid = unit_grid(file, name, 0, kMostByte);
  FileNode like;
  like.opset = file.opset;
  const auto next = [&](const char* type, const std::string& from, const std::string& to) {
    like.name = to;
    return node_of(like, type, {from, grid[0], grid[1]}, to);
  };
  const std::vector<FileNode> front{next("DequantizeLinear", name, name + "/given"),
                                    next("QuantizeLinear", name + "/given", name + "/integers"),
                                    next("DequantizeLinear", name + "/integers", name + "/reals")};
  for (FileNode& node : file.nodes)
    std::replace(node.inputs.begin(), node.inputs.end(), name, name + "/reals");
  file.nodes.insert(file.nodes.begin(), front.begin(), front.end());
}

void drop_widths(File& file) {
  std::set<std::string> names;
  for (FileNode& node : file.nodes)
    for (auto it = node.attributes.begin(); it != node.attributes.end();) {
      const bool is_width = node.domain.empty() && it->first.ends_with("_bits");
      if (is_width) names.insert(it->first);
      it = is_width ? node.attributes.erase(it) : std::next(it);
    }
  if (names.empty()) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  log::notice("{}: the attributes {} of its nodes change nothing", file.path, list);
}

}  // namespace n2d2::onnx
