#include "integer_chain.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "n2d2/tensor/integer_types.hpp"

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

void set_weights(File& file, const Weighted& layer, const Row& factor, double divisor, const Row& finer) {
  const Array& old = *layer.weights;
  int64_t inner = 1;
  for (size_t i = layer.axis + 1; i < old.dims.size(); ++i) inner *= old.dims[i];
  Array made = Array::of_reals(old.dims, old.reals);
  made.steps.resize(made.reals.size());
  double largest = 0;
  for (size_t i = 0; i < made.reals.size(); ++i) {
    const auto o = static_cast<size_t>(static_cast<int64_t>(i) / inner % layer.outputs());
    const double k = at(factor, o), w = (k < 0 ? -old.reals[i] : old.reals[i]) * at(finer, o);
    largest = std::max(largest, w < 0 ? -w : w + 1);
    made.steps[i] = static_cast<float>((k == 0 ? 1 : std::abs(k)) / divisor / at(finer, o));
    made.reals[i] = static_cast<float>(k == 0 ? 0 : old.reals[i] * k / divisor);
  }
  made.lowest = -1, made.highest = 1;
  while (static_cast<double>(-made.lowest) < largest) made.lowest *= 2;
  made.highest = -made.lowest - 1;
  FileNode& node = file.nodes[layer.node];
  node.inputs[1] = add_initializer(file, node.outputs.at(0) + "/weights", std::move(made));
}

namespace {

constexpr double kFinestWeight = 127, kFinestSum = 0x1p30, kFinestBias = 0x1p22;
/// Weights of so many bits are stored in half a byte.
constexpr int kBitsOfHalf = 4;

/// The magnitudes of the weights of one output.
struct Magnitudes {
  double most = 0, sum = 0;
};

std::vector<Magnitudes> magnitudes_of(const Weighted& layer) {
  const Array& weights = *layer.weights;
  int64_t inner = 1;
  for (size_t i = layer.axis + 1; i < weights.dims.size(); ++i) inner *= weights.dims[i];
  std::vector<Magnitudes> out(static_cast<size_t>(layer.outputs()));
  for (size_t i = 0; i < weights.reals.size(); ++i) {
    Magnitudes& own = out[static_cast<size_t>(static_cast<int64_t>(i) / inner % layer.outputs())];
    const double w = std::abs(static_cast<double>(weights.reals[i]));
    own.most = std::max(own.most, w), own.sum += w;
  }
  return out;
}

/// Bits of the widest weight; -128 counts as 128.
int bits_of_weights(const std::vector<Magnitudes>& weights) {
  double most = 1;
  for (const Magnitudes& each : weights) most = std::max(most, each.most);
  int bits = 2;
  while (std::ldexp(1.0, bits - 1) <= most) ++bits;
  return std::min(bits, kBitsOfByte);
}

/// `bias`: magnitude of the bias in units of the sums.
double finer_weights(const Magnitudes& weights, double bias, double most_input) {
  double finer = weights.most > 0 ? std::floor(kFinestWeight / weights.most) : 1;
  finer = std::min(finer, std::floor(kFinestSum / std::max(weights.sum * most_input + bias, 1.0)));
  finer = std::min(finer, std::floor(kFinestBias / std::max(bias, 1.0)));
  return std::max(finer, 1.0);
}

}  // namespace

void settle(Chain& chain, const Row& old_biases, double most_input) {
  const std::vector<Magnitudes> weights = magnitudes_of(chain.layer);
  const int bits = chain.kind == Chain::Kind::Average ? kBitsOfByte : bits_of_weights(weights);
  chain.finer.clear();
  for (size_t o = 0; o < weights.size(); ++o) {
    const double k = std::abs(at(chain.factor, o)), old = at(old_biases, o);
    const double bias = std::abs(old) + (std::abs(at(chain.offset, o)) + chain.divisor) / std::max(k, 1.0);
    const double own = bits > kBitsOfHalf && k != 0 ? finer_weights(weights[o], bias, most_input) : 1;
    chain.finer.push_back(own);
    if (k == 0) {  // the offset alone
      chain.biases.push_back({0, true, 0});
      chain.real_biases.push_back(offset_of(chain, o));
      continue;
    }
    const auto parts = static_cast<int64_t>(bits > kBitsOfHalf ? own : std::ldexp(1.0, kBitsOfByte - bits));
    Flooring flooring;
    flooring.k = static_cast<int64_t>(k), flooring.l = static_cast<int64_t>(at(chain.offset, o));
    flooring.d = static_cast<int64_t>(chain.divisor);
    flooring.lowest = static_cast<int64_t>(chain.lowest);
    flooring.highest = static_cast<int64_t>(chain.highest);
    flooring.most = static_cast<int64_t>(weights[o].sum * most_input + std::abs(old));
    flooring.keeps_multiples = chain.kind == Chain::Kind::Average;
    ChainBias made = bias_of(flooring, parts);
    const double first = at(chain.factor, o) < 0 ? -old : old;
    const double part = k / static_cast<double>(parts) / chain.divisor;
    const double all = first * static_cast<double>(parts) + static_cast<double>(made.parts);
    if (made.is_exact && std::abs(all) > 2 * kFinestBias) made.is_exact = false, made.moved = part;
    chain.biases.push_back(made);
    // Floats need no parts: where integers are not exact, they still are.
    const bool has_parts = made.is_exact || flooring.keeps_multiples;
    chain.real_biases.push_back(has_parts ? all * part : first * k / chain.divisor + offset_of(chain, o));
  }
}

namespace {

std::vector<FileNode> write_layer(File& file, const Chain& chain, const std::string& name) {
  FileNode& layer = file.nodes[chain.layer.node];
  if (chain.kind == Chain::Kind::Average) make_conv(layer, *chain.layer.weights);
  std::vector<float> made;
  for (const double bias : chain.real_biases) made.push_back(static_cast<float>(bias));
  set_weights(file, chain.layer, chain.factor, chain.divisor, chain.finer);
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

std::vector<FileNode> write_chain(File& file, const Chain& chain, const FileNode& clip) {
  const std::string& name = clip.outputs.at(0);
  std::vector<FileNode> out;
  if (chain.kind == Chain::Kind::Sum)
    write_sum(file, chain, name);
  else
    out = write_layer(file, chain, name);
  std::vector<FileNode> rounding = rounding_nodes(file, clip, chain.lowest, chain.highest);
  std::move(rounding.begin(), rounding.end(), std::back_inserter(out));
  return out;
}

}  // namespace n2d2::onnx
