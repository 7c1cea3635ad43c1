// How is one node of a file written out as several?
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "file.hpp"

namespace n2d2::onnx {

using Attributes = std::map<std::string, Attribute, std::less<>>;

inline Attribute integer_attribute(int64_t value) {
  Attribute out;
  out.kind = Attribute::Kind::Int, out.integer = value;
  return out;
}

inline Attribute real_attribute(float value) {
  Attribute out;
  out.kind = Attribute::Kind::Real, out.real = value;
  return out;
}

/// One node on its way to several.
class Expansion {
 public:
  Expansion(FileNode node, std::vector<FileNode>& out) : node_(std::move(node)), out_(out) {}

  const FileNode& node() const { return node_; }
  std::string input(size_t slot) const { return slot < node_.inputs.size() ? node_.inputs[slot] : ""; }
  size_t input_count() const { return node_.inputs.size(); }
  /// Takes an attribute out of those that are passed on.
  std::optional<Attribute> take(std::string_view name) {
    const auto found = node_.attributes.find(name);
    if (found == node_.attributes.end()) return std::nullopt;
    Attribute out = found->second;
    node_.attributes.erase(found);
    return out;
  }
  const Attributes& attributes() const { return node_.attributes; }

  /// Adds a node in front of the last one; returns its tensor.
  std::string add(std::string type, std::vector<std::string> inputs, const std::string& part,
                  Attributes attributes = {}) {
    const std::string made = fmt::format("{}/{}", first_output(), part);
    write(fmt::format("{}/{}", node_.label(), part), std::move(type), std::move(inputs), {made},
          std::move(attributes), node_.opset);
    return made;
  }
  /// The last node, with the name and the outputs of the one that is written out.
  void finish(std::string type, std::vector<std::string> inputs, Attributes attributes = {},
              int64_t opset = 0) {
    write(node_.name, std::move(type), std::move(inputs), node_.outputs, std::move(attributes),
          std::max(opset, node_.opset));
  }
  /// Another output than the first, made by a node of its own.
  void make(size_t output, std::string type, std::vector<std::string> inputs, Attributes attributes = {}) {
    if (output >= node_.outputs.size() || node_.outputs[output].empty()) return;
    write(fmt::format("{}/{}", node_.label(), output), std::move(type), std::move(inputs),
          {node_.outputs[output]}, std::move(attributes), node_.opset);
  }

  std::string constant(Array value, const std::string& part) {
    return add("Constant", {}, part, value_of(std::move(value)));
  }
  std::string number(float value, const std::string& part) {
    return constant(Array::of_reals({}, {value}), part);
  }
  static Attributes value_of(Array value) {
    Attribute tensor;
    tensor.kind = Attribute::Kind::Tensor;
    tensor.tensor = std::make_shared<const Array>(std::move(value));
    return {{"value", tensor}};
  }

  /// The reals of integers at `slot`, whose scale and zero point are the two inputs behind it.
  std::string reals(size_t slot, const std::string& part) {
    return dequantized(input(slot), input(slot + 1), input(slot + 2), part);
  }
  std::string dequantized(const std::string& data, const std::string& scale, const std::string& zero,
                          const std::string& part, int64_t axis = 1) {
    return add("DequantizeLinear", inputs_of({data, scale, zero}), part, {{"axis", integer_attribute(axis)}});
  }
  /// Rounds the result to the scale and zero point at `slot`.
  void finish_quantized(const std::string& real, size_t slot) {
    finish("QuantizeLinear", inputs_of({real, input(slot), input(slot + 1)}));
  }
  static std::vector<std::string> inputs_of(std::vector<std::string> inputs) {
    while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
    return inputs;
  }

 private:
  const std::string& first_output() const { return node_.outputs.at(0); }
  void write(std::string name, std::string type, std::vector<std::string> inputs,
             std::vector<std::string> outputs, Attributes attributes, int64_t opset) {
    FileNode made;
    made.name = std::move(name), made.type = std::move(type), made.opset = opset;
    made.inputs = std::move(inputs), made.outputs = std::move(outputs);
    made.attributes = std::move(attributes);
    out_.push_back(std::move(made));
  }

  FileNode node_;
  std::vector<FileNode>& out_;
};

using Rewrite = std::function<void(Expansion&)>;

/// Attributes of a Transpose without `perm`, whose rank the import knows: the first axis becomes the last but
/// one, then the last two change places.
inline constexpr std::string_view kMovesFirst = "n2d2_moves_first", kSwapsLast = "n2d2_swaps_last";

/// What writes a model of scikit-learn (ai.onnx.ml) out as layers. Null for all other operators.
const Rewrite* learnt_model_of(std::string_view type);

/// What writes an operator of ONNX out as others of ONNX: reductions that are a function of a sum. Null for
/// all other operators.
const Rewrite* composition_of(std::string_view type);

/// What writes a node of operator sets 1 to 6 in the form of set 7. Null where that is its own.
const Rewrite* old_form_of(const FileNode& node);

}  // namespace n2d2::onnx
