#include "dialects.hpp"

#include <algorithm>
#include <limits>

#include "n2d2/base/log.hpp"

#include "expansion.hpp"

namespace n2d2::onnx {

namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr int64_t kOpsetOfGelu = 20;

/// As the operator of ONNX of the same name.
void as_it_is(Expansion& e) {
  e.finish(e.node().type, e.node().inputs, e.attributes());
}

/// A, its scale and zero point, B, its scale and zero point, scale and zero point of the result.
Rewrite of_two(std::string type) {
  return [type = std::move(type)](Expansion& e) {
    const std::string a = e.reals(0, "a"), b = e.reals(3, "b");
    e.finish_quantized(e.add(type, {a, b}, "reals", e.attributes()), 6);
  };
}

/// X, its scale and zero point, scale and zero point of the result. `channels_last` and `opset` with their
/// defaults say nothing.
Rewrite of_one(std::string type) {
  return [type = std::move(type)](Expansion& e) {
    const std::string x = e.reals(0, "x");
    if (const auto last = e.take("channels_last"); last && last->integer != 0)
      throw ModelError(fmt::format("{}: channels_last=1 is not read", e.node().subject()), {},
                       "quantize the model without layout optimization (ONNX Runtime below its level 'all')");
    e.take("opset");
    e.finish_quantized(e.add(type, {x}, "reals", e.attributes()), 3);
  };
}

/// Scale and zero point of the result, then X, its scale and zero point of each.
void write_concat(Expansion& e) {
  std::vector<std::string> parts;
  for (size_t slot = 2; slot + 1 < e.input_count(); slot += 3)
    parts.push_back(e.reals(slot, fmt::format("x{}", parts.size())));
  e.finish_quantized(e.add("Concat", std::move(parts), "reals", e.attributes()), 0);
}

/// A, its scale and zero point, B, its own, C with their product as scale, scale and zero point of the
/// result, without which it is real.
void write_qgemm(Expansion& e) {
  std::vector<std::string> inputs{e.reals(0, "a"), e.reals(3, "b")};
  if (!e.input(6).empty()) {
    const std::string scale = e.add("Mul", {e.input(1), e.input(4)}, "scale");
    const std::string real = e.add("Cast", {e.input(6)}, "c_real", {{"to", integer_attribute(1)}});
    inputs.push_back(e.add("Mul", {real, scale}, "c"));
  }
  if (e.input(7).empty()) return e.finish("Gemm", std::move(inputs), e.attributes());
  e.finish_quantized(e.add("Gemm", std::move(inputs), "reals", e.attributes()), 7);
}

/// The activation of a fused operator, with what it has as parameters.
void finish_activated(Expansion& e, std::string type, std::vector<std::string> inputs) {
  const std::optional<Attribute> activation = e.take("activation");
  std::vector<float> parameters;
  if (const auto list = e.take("activation_params")) parameters = list->reals;
  for (const char* name : {"activation_alpha", "activation_beta"})
    if (const auto one = e.take(name)) parameters.push_back(one->real);
  if (!activation || activation->text.empty())
    return e.finish(std::move(type), std::move(inputs), e.attributes());
  std::string value = e.add(std::move(type), std::move(inputs), "sums", e.attributes());
  const auto parameter = [&](size_t i, float missing) {
    return i < parameters.size() ? parameters[i] : missing;
  };
  if (activation->text == "Clip")
    return e.finish("Clip", {value, e.number(parameter(0, -std::numeric_limits<float>::max()), "low"),
                             e.number(parameter(1, std::numeric_limits<float>::max()), "high")});
  Attributes attributes;
  if (activation->text == "LeakyRelu") attributes["alpha"] = real_attribute(parameter(0, 0.01F));
  if (activation->text == "HardSigmoid") {
    attributes["alpha"] = real_attribute(parameter(0, 0.2F));
    attributes["beta"] = real_attribute(parameter(1, 0.5F));
  }
  e.finish(activation->text, {value}, std::move(attributes));
}

/// X, W, B, and perhaps a map that is added in front of the activation.
void write_fused_conv(Expansion& e) {
  std::vector<std::string> inputs = Expansion::inputs_of({e.input(0), e.input(1), e.input(2)});
  if (e.input(3).empty()) return finish_activated(e, "Conv", std::move(inputs));
  Attributes of_conv = e.attributes();
  for (const char* name : {"activation", "activation_params"}) of_conv.erase(name);
  const std::string conv = e.add("Conv", std::move(inputs), "conv", of_conv);
  for (const auto& [name, attribute] : of_conv) e.take(name);
  finish_activated(e, "Add", {conv, e.input(3)});
}

void write_fused_gemm(Expansion& e) {
  finish_activated(e, "Gemm", e.node().inputs);
}

void write_gelu(Expansion& e) {
  e.finish("Gelu", e.node().inputs, e.attributes(), kOpsetOfGelu);
}

void write_bias_gelu(Expansion& e) {
  e.finish("Gelu", {e.add("Add", e.node().inputs, "sums")}, {}, kOpsetOfGelu);
}

void write_rms_norm(Expansion& e) {
  e.finish("RMSNormalization", e.node().inputs, e.attributes());
}

/// Data and what is added to them, scales, biases, and biases of the sum, which is output 3.
void write_skip_norm(Expansion& e) {
  std::string sum = e.add("Add", {e.input(0), e.input(1)}, "sum");
  if (!e.input(4).empty()) sum = e.add("Add", {sum, e.input(4)}, "biased");
  e.make(3, "Identity", {sum});
  e.make(0, "LayerNormalization", Expansion::inputs_of({sum, e.input(2), e.input(3)}), e.attributes());
}

/// x sigmoid(alpha x).
void write_quick_gelu(Expansion& e) {
  const std::optional<Attribute> alpha = e.take("alpha");
  const std::string slope = e.number(alpha ? alpha->real : 1.702F, "alpha");
  const std::string gate = e.add("Sigmoid", {e.add("Mul", {e.input(0), slope}, "scaled")}, "gate");
  e.finish("Mul", {e.input(0), gate});
}

/// Data, and perhaps what is added to them.
void write_fast_gelu(Expansion& e) {
  Attribute way;
  way.kind = Attribute::Kind::Text, way.text = "tanh";
  const std::string x = e.input(1).empty() ? e.input(0) : e.add("Add", {e.input(0), e.input(1)}, "sums");
  e.finish("Gelu", {x}, {{"approximate", way}}, kOpsetOfGelu);
}

/// alpha A B, each of which may be transposed in front of the product.
void write_fused_matmul(Expansion& e) {
  const auto is_set = [&](const char* name) {
    const std::optional<Attribute> given = e.take(name);
    return given && given->integer != 0;
  };
  const auto operand = [&](size_t slot, const char* last, const char* first, const char* part) {
    const bool swaps = is_set(last), moves = is_set(first);
    if (!swaps && !moves) return e.input(slot);
    return e.add("Transpose", {e.input(slot)}, part,
                 {{std::string(kSwapsLast), integer_attribute(swaps ? 1 : 0)},
                  {std::string(kMovesFirst), integer_attribute(moves ? 1 : 0)}});
  };
  const std::string a = operand(0, "transA", "transBatchA", "a"),
                    b = operand(1, "transB", "transBatchB", "b");
  const std::optional<Attribute> alpha = e.take("alpha");
  if (!alpha || alpha->real == 1) return e.finish("MatMul", {a, b}, e.attributes());
  const std::string factor = e.number(alpha->real, "alpha");
  e.finish("Mul", {e.add("MatMul", {a, b}, "product", e.attributes()), factor});
}

/// Data, its scale and its zero point.
void write_dynamic(Expansion& e) {
  log::notice("{}: scales of each sample become those of calibration", e.node().subject());
  Array zero = Array::of_integers({}, {0});
  zero.highest = 255;
  e.make(1, "Constant", {}, Expansion::value_of(Array::of_reals({}, {1})));
  e.make(2, "Constant", {}, Expansion::value_of(std::move(zero)));
  e.make(0, "Identity", {e.input(0)});
}

/// Scales of 1, as many as there are zero points.
std::string ones(Expansion& e, const std::string& zero, const std::string& part) {
  const std::string one = e.number(1, part);
  if (zero.empty()) return one;
  const std::string real = e.add("Cast", {zero}, part + "_zero", {{"to", integer_attribute(1)}});
  const std::string none = e.add("Mul", {real, e.number(0, part + "_none")}, part + "_times");
  return e.add("Add", {none, one}, part + "_each");
}

/// Data, which stand for reals already, weights, zero points of both. The sums of integers are those of reals
/// with scale 1.
Rewrite of_integers(std::string type, int64_t axis_of_weights) {
  return [type = std::move(type), axis_of_weights](Expansion& e) {
    const std::string weights =
        e.dequantized(e.input(1), ones(e, e.input(3), "unit"), e.input(3), "weights", axis_of_weights);
    e.finish(type, {e.input(0), weights}, e.attributes());
  };
}

/// (X - offset) scale, with numbers for each feature or one for all.
void write_scaler(Expansion& e) {
  const auto take = [&](const char* name) {
    std::optional<Attribute> found = e.take(name);
    if (!found || found->kind != Attribute::Kind::Reals || found->reals.empty())
      throw ModelError(
          fmt::format("{}: attribute '{}' is no list of real numbers", e.node().subject(), name));
    const auto count = static_cast<int64_t>(found->reals.size());
    return e.constant(Array::of_reals({count}, std::move(found->reals)), name);
  };
  const std::string offset = take("offset"), scale = take("scale");
  if (e.input_count() != 1 || !e.attributes().empty())
    throw ModelError(
        fmt::format("{}: expected one input, and no attributes but offset and scale", e.node().subject()));
  e.finish("Mul", {e.add("Sub", {e.input(0), offset}, "centered"), scale});
}

const Rewrite* rewrite_of(const FileNode& node) {
  static const std::map<std::pair<std::string_view, std::string_view>, Rewrite> kRewrites{
      {{"", "ConvInteger"}, of_integers("Conv", 0)},
      {{"", "DynamicQuantizeLinear"}, write_dynamic},
      {{"", "MatMulInteger"}, of_integers("MatMul", 1)},
      {{"", "SimplifiedLayerNormalization"}, write_rms_norm},
      {{kMicrosoft, "BiasGelu"}, write_bias_gelu},
      {{kMicrosoft, "DequantizeLinear"}, as_it_is},
      {{kMicrosoft, "FastGelu"}, write_fast_gelu},
      {{kMicrosoft, "FusedConv"}, write_fused_conv},
      {{kMicrosoft, "FusedGemm"}, write_fused_gemm},
      {{kMicrosoft, "FusedMatMul"}, write_fused_matmul},
      {{kMicrosoft, "Gelu"}, write_gelu},
      {{kMicrosoft, "QGemm"}, write_qgemm},
      {{kMicrosoft, "QLinearAdd"}, of_two("Add")},
      {{kMicrosoft, "QLinearAveragePool"}, of_one("AveragePool")},
      {{kMicrosoft, "QLinearConcat"}, write_concat},
      {{kMicrosoft, "QLinearGlobalAveragePool"}, of_one("GlobalAveragePool")},
      {{kMicrosoft, "QLinearLeakyRelu"}, of_one("LeakyRelu")},
      {{kMicrosoft, "QLinearMul"}, of_two("Mul")},
      {{kMicrosoft, "QLinearSigmoid"}, of_one("Sigmoid")},
      {{kMicrosoft, "QLinearSoftmax"}, of_one("Softmax")},
      {{kMicrosoft, "QuantizeLinear"}, as_it_is},
      {{kMicrosoft, "QuickGelu"}, write_quick_gelu},
      {{kMicrosoft, "SimplifiedLayerNormalization"}, write_rms_norm},
      {{kMicrosoft, "SkipLayerNormalization"}, write_skip_norm},
      {{kMicrosoft, "TransposeMatMul"}, write_fused_matmul},
      {{"ai.onnx.ml", "Scaler"}, write_scaler},
  };
  if (node.outputs.empty() || node.outputs[0].empty()) return nullptr;
  if (const Rewrite* old = old_form_of(node)) return old;
  const auto found = kRewrites.find({std::string_view(node.domain), std::string_view(node.type)});
  if (found != kRewrites.end()) return &found->second;
  if (node.domain == "ai.onnx.ml" && !node.inputs.empty()) return learnt_model_of(node.type);
  return node.domain.empty() && !node.inputs.empty() ? composition_of(node.type) : nullptr;
}

bool is_quantizer(const FileNode& node) {
  return node.domain.empty() && node.type == "DynamicQuantizeLinear";
}

bool is_of_integers(const FileNode& node) {
  return node.domain.empty() && (node.type == "ConvInteger" || node.type == "MatMulInteger");
}

/// Data of each DynamicQuantizeLinear whose integers and zero point ConvInteger and MatMulInteger alone read,
/// both of one quantizer, and none of whose results leaves the network.
std::set<std::string, std::less<>> dynamic_data(const std::vector<FileNode>& nodes,
                                                const std::vector<std::string>& outputs) {
  std::set<std::string, std::less<>> out, others(outputs.begin(), outputs.end());
  std::map<std::string, std::string, std::less<>> zero_of;
  for (const FileNode& node : nodes)
    if (is_quantizer(node) && node.outputs.size() == 3) zero_of[node.outputs[0]] = node.outputs[2];
  for (const FileNode& node : nodes)
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const auto data = zero_of.find(node.inputs[0]);
      const bool fits = is_of_integers(node) && data != zero_of.end() &&
                        (slot == 0 ? node.inputs.size() > 2 && node.inputs[2] == data->second : slot == 2);
      if (!fits) others.insert(node.inputs[slot]);
    }
  for (const FileNode& node : nodes) {
    if (!is_quantizer(node) || !zero_of.contains(node.outputs.at(0))) continue;
    const bool scale_leaves = std::find(outputs.begin(), outputs.end(), node.outputs[1]) != outputs.end();
    if (!scale_leaves && !others.contains(node.outputs[0]) && !others.contains(node.outputs[2]))
      out.insert(node.outputs[0]);
  }
  return out;
}

}  // namespace

std::vector<FileNode> written_out(std::vector<FileNode> nodes, const std::vector<std::string>& outputs) {
  const std::set<std::string, std::less<>> dynamic = dynamic_data(nodes, outputs);
  const auto is_left = [&](const FileNode& node) {
    if (is_quantizer(node)) return node.outputs.empty() || !dynamic.contains(node.outputs[0]);
    return is_of_integers(node) && (node.inputs.empty() || !dynamic.contains(node.inputs[0]));
  };
  std::vector<FileNode> out;
  for (FileNode& node : nodes) {
    const Rewrite* rewrite = is_left(node) ? nullptr : rewrite_of(node);
    if (rewrite == nullptr) {
      out.push_back(std::move(node));
      continue;
    }
    Expansion expansion(std::move(node), out);
    (*rewrite)(expansion);
  }
  return out;
}

}  // namespace n2d2::onnx
