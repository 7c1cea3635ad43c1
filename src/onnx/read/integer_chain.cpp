#include "integer_chain.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "integer_nodes.hpp"

namespace n2d2::onnx {

namespace {

/// The constant that makes rounding to the nearest what rounding down is.
double offset_of(const Chain& chain, size_t o) {
  return (at(chain.offset, o) - (chain.divisor - 1) / 2) / chain.divisor;
}

void make_conv(FileNode& average, const Array& weights) {
  average.type = "Conv";
  average.inputs.resize(2);
  for (const char* name : {"ceil_mode", "count_include_pad"}) average.attributes.erase(name);
  average.attributes["group"] = integer_number(weights.dims[0]);
  average.attributes.erase("kernel_shape");
}

}  // namespace

void set_weights(File& file, const Weighted& layer, const Row& factor, double divisor) {
  const Array& old = *layer.weights;
  int64_t inner = 1;
  for (size_t i = layer.axis + 1; i < old.dims.size(); ++i) inner *= old.dims[i];
  Array made = Array::of_reals(old.dims, old.reals);
  made.steps.resize(made.reals.size());
  double largest = 0;
  for (size_t i = 0; i < made.reals.size(); ++i) {
    const auto o = static_cast<size_t>(static_cast<int64_t>(i) / inner % layer.outputs());
    const double k = at(factor, o), w = k < 0 ? -old.reals[i] : old.reals[i];
    largest = std::max(largest, w < 0 ? -w : w + 1);
    made.steps[i] = static_cast<float>((k == 0 ? 1 : std::abs(k)) / divisor);
    made.reals[i] = static_cast<float>(k == 0 ? 0 : old.reals[i] * k / divisor);
  }
  made.lowest = -1, made.highest = 1;
  while (static_cast<double>(-made.lowest) < largest) made.lowest *= 2;
  made.highest = -made.lowest - 1;
  FileNode& node = file.nodes[layer.node];
  node.inputs[1] = add_initializer(file, node.outputs.at(0) + "/weights", std::move(made));
}

double error_of(const Chain& chain) {
  double largest = 0;
  if (chain.kind == Chain::Kind::Sum) return 0;  // their offset has the unit of products
  for (size_t o = 0; o < static_cast<size_t>(chain.layer.outputs()); ++o) {
    const double k = std::abs(at(chain.factor, o));
    if (k == 0) continue;
    const double bias = (at(chain.offset, o) - (chain.divisor - 1) / 2) / k;
    largest = std::max(largest, std::abs(bias - std::round(bias)) * k / chain.divisor);
  }
  return largest;
}

namespace {

std::vector<FileNode> write_layer(File& file, const Chain& chain, const Row& biases,
                                  const std::string& name) {
  FileNode& layer = file.nodes[chain.layer.node];
  if (chain.kind == Chain::Kind::Average) make_conv(layer, *chain.layer.weights);
  std::vector<float> made;
  for (size_t o = 0; o < static_cast<size_t>(chain.layer.outputs()); ++o)
    made.push_back(
        static_cast<float>(at(biases, o) * at(chain.factor, o) / chain.divisor + offset_of(chain, o)));
  set_weights(file, chain.layer, chain.factor, chain.divisor);
  const std::string role =
      add_initializer(file, name + "/biases", Array::of_reals({static_cast<int64_t>(made.size())}, made));
  layer.outputs = {name + "/sum"};
  if (layer.type == "MatMul") {
    layer.outputs = {name + "/product"};
    return {node_of(layer, "Add", {name + "/product", role}, name + "/sum")};
  }
  layer.inputs.resize(3);
  layer.inputs[2] = role;
  return {};
}

void write_sum(File& file, const Chain& chain, const std::string& name) {
  FileNode& node = file.nodes[chain.layer.node];
  node.type = "Sum";
  node.inputs = chain.parts;
  Attribute weights;
  weights.kind = Attribute::Kind::Reals;
  for (const double weight : chain.weights)
    weights.reals.push_back(static_cast<float>(weight * chain.factor[0] / chain.divisor));
  if (const double offset = offset_of(chain, 0); offset != 0) {
    node.inputs.push_back(
        add_initializer(file, name + "/offset", Array::of_reals({1}, {static_cast<float>(offset)})));
    weights.reals.push_back(1);
  }
  node.attributes = {{"n2d2_weights", weights}};
  node.outputs = {name + "/sum"};
}

}  // namespace

std::vector<FileNode> write_chain(File& file, const Chain& chain, const Row& biases, const FileNode& clip) {
  const std::string& name = clip.outputs.at(0);
  std::vector<FileNode> out;
  if (chain.kind == Chain::Kind::Sum)
    write_sum(file, chain, name);
  else
    out = write_layer(file, chain, biases, name);
  std::vector<FileNode> rounding = rounding_nodes(file, clip, chain.lowest, chain.highest);
  std::move(rounding.begin(), rounding.end(), std::back_inserter(out));
  return out;
}

}  // namespace n2d2::onnx
