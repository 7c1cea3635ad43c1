#include "writer_node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::onnx {

namespace {

constexpr float kUnbounded = std::numeric_limits<float>::infinity();

constexpr int kBitsOfNibble = 4;

/// The integers as multiples of `unit`, which is 2^4 where they stand in the upper half of their byte. Empty
/// where four bits do not hold them.
std::vector<int8_t> nibbles_of(const Tensor& tensor, int unit) {
  std::vector<int8_t> out;
  for (const int8_t q : tensor.span<int8_t>()) {
    const int nibble = q / unit;
    if (nibble * unit != q || nibble < -8 || nibble > 7) return {};
    out.push_back(static_cast<int8_t>(nibble));
  }
  return out;
}

/// Sums of more than 32 bits as reals: DequantizeLinear has none of their type.
std::string real_sums(ModelBuilder& model, const graph::Value& value) {
  const QuantParams& quant = *value.type.quant;
  std::vector<float> out;
  for (const int64_t b : value.constant->span<int64_t>())
    out.push_back(static_cast<float>(static_cast<double>(b) *
                                     static_cast<double>(quant.scale[quant.axis < 0 ? 0 : out.size()])));
  return model.reals(value.name, value.constant->shape().dims(), out);
}

/// Biases without the zero points of what the layer reads and makes, one for each output: a runtime takes
/// those off by itself.
Tensor plain_biases(const graph::Graph& graph, const graph::Node& node) {
  const Tensor& biases = *graph.value(node.inputs.at(2)).constant;
  const double in = graph.value(node.inputs[0]).type.quant->zero_point;
  const double out = graph.value(node.outputs.at(0)).type.quant->zero_point;
  if (in == 0 && out == 0) return biases;
  const Tensor& weights = *graph.value(node.inputs.at(1)).constant;
  const Rescale& r = *node.rescale;
  Tensor plain(Shape{weights.shape()[0]}, DataType::I32);
  std::vector<int64_t> inside;
  if (in != 0) inside = graph::integer_form(graph, node).inside_sums(weights).at(0);
  for (size_t o = 0; o < plain.span<int32_t>().size(); ++o) {
    double bias = biases.span<int32_t>()[o];
    if (in != 0) bias += in * static_cast<double>(inside.at(o));
    const size_t entry = std::max(r.factor.size(), r.multiplier.size()) == 1 ? 0 : o;
    const double factor = r.factor.empty() ? std::ldexp(static_cast<double>(r.multiplier.at(entry)), -r.shift)
                                           : static_cast<double>(r.factor.at(entry));
    if (out != 0 && factor != 0) bias -= std::round(out / factor);
    N2D2_CHECK(std::abs(bias) <= std::numeric_limits<int32_t>::max(), "a bias of {} of '{}'", bias,
               node.name);
    plain.data<int32_t>()[o] = static_cast<int32_t>(bias);
  }
  return plain;
}

/// Where DequantizeLinear of a parameter finds its scales.
std::string dequantize(WrittenModel& written, const graph::Value& value, const Tensor& tensor) {
  const QuantParams& quant = *value.type.quant;
  ModelBuilder& model = written.model;
  if (tensor.dtype() == DataType::I64) return real_sums(model, value);
  const Extents dims = quant.axis < 0 ? Extents{} : Extents{static_cast<int64_t>(quant.scale.size())};
  std::vector<int8_t> nibbles;
  const int unit = quant.bits > kBitsOfNibble ? 1 << kBitsOfNibble : 1;
  if (model.opset() >= kWrittenOpsetOfFewBits && tensor.dtype() == DataType::I8)
    nibbles = nibbles_of(tensor, unit);
  std::vector<float> scale = quant.scale;
  if (!nibbles.empty())
    for (float& s : scale) s *= static_cast<float>(unit);
  const std::string integers = value.name + "_quantized", zero = value.name + "_zero_point";
  std::vector<std::string> inputs{nibbles.empty() ? model.tensor(integers, tensor)
                                                  : model.nibbles(integers, tensor.shape().dims(), nibbles),
                                  model.reals(value.name + "_scale", dims, scale)};
  if (!nibbles.empty())
    inputs.push_back(model.nibbles(zero, dims, std::vector<int8_t>(scale.size())));
  else if (tensor.dtype() != DataType::I32)  // 32 bits have no zero point
    inputs.push_back(model.zeros(zero, dims, tensor.dtype()));
  WrittenAttributes attributes;
  // Biases of kinds of borders had rows.
  if (quant.axis >= 0)
    attributes.emplace_back("axis",
                            std::min<int64_t>(quant.axis, static_cast<int64_t>(tensor.shape().rank()) - 1));
  return model.add("DequantizeLinear", inputs, attributes, value.name + "_dequantized");
}

}  // namespace

uint8_t zero_point(const QuantParams& quant) {
  return static_cast<uint8_t>((quant.is_signed ? 128 : 0) + quant.zero_point);
}

std::vector<int64_t> rows_columns(Dims dims) {
  return {dims.y, dims.x};
}

std::vector<int64_t> begins_ends(const Pads& pads) {
  return {pads.top, pads.left, pads.bottom, pads.right};
}

void expect_float(const NodeWriter& node) {
  if (node.form() != Form::Float)
    throw ModelError("has no form in an ONNX file of integers", {}, "a float export (-nbbits -32) has one");
}

std::string add_clamp(ModelBuilder& model, const std::string& tensor, const Clamp& clamp,
                      const std::string& base) {
  const bool has_lo = clamp.lo > -kUnbounded, has_hi = clamp.hi < kUnbounded;
  if (!has_lo && !has_hi) return tensor;
  if (clamp.lo == 0 && !has_hi) return model.add("Relu", {tensor}, {}, base + "_Relu");
  const std::string lo = has_lo ? model.reals(base + "_min", {}, {clamp.lo}) : "";
  std::vector<std::string> inputs{tensor, lo};
  if (has_hi) inputs.push_back(model.reals(base + "_max", {}, {clamp.hi}));
  return model.add("Clip", inputs, {}, base + "_Clip");
}

std::string bound_reals(WrittenModel& written, const std::string& tensor, const QuantParams& quant,
                        int64_t lo, int64_t hi, bool rectifies, const std::string& base) {
  const QuantParams type{quant.bits > kBitsOfByte ? 2 * kBitsOfByte : kBitsOfByte, quant.is_signed, -1, {}};
  const int64_t type_lo = type.lowest(), type_hi = type.highest();
  const auto zero = static_cast<int64_t>(quant.zero_point);
  const auto real = [&](int64_t q) { return static_cast<float>(q - zero) * quant.scale.at(0); };
  const bool cuts = hi < type_hi || (lo > type_lo && lo != zero);
  if (cuts) return add_clamp(written.model, tensor, {real(lo), real(hi)}, base);
  if (lo == zero && (rectifies || type_lo < zero))
    return add_clamp(written.model, tensor, {0, kUnbounded}, base);
  return tensor;
}

std::string quantize_pair(WrittenModel& written, const std::string& tensor, const QuantParams& quant,
                          const std::string& base, const std::string& real_name) {
  ModelBuilder& model = written.model;
  const std::string scale = model.reals(base + "_scale", {}, {quant.scale.at(0)});
  const std::string zero = quant.bits > kBitsOfByte ? model.zeros(base + "_zero_point", {},
                                                                  integer_type(quant.bits, quant.is_signed))
                                                    : model.byte(base + "_zero_point", zero_point(quant));
  const std::string q = model.add("QuantizeLinear", {tensor, scale, zero}, {}, base + "_quantized");
  return model.add("DequantizeLinear", {q, scale, zero}, {}, real_name);
}

const Shape& NodeWriter::in(size_t slot) const {
  return written_.graph.value(node_.inputs.at(slot)).type.shape;
}
const Shape& NodeWriter::out() const {
  return written_.graph.value(node_.outputs.at(0)).type.shape;
}

std::string NodeWriter::view(size_t slot, bool flat) {
  const graph::Value& value = written_.graph.value(node_.inputs.at(slot));
  N2D2_CHECK(!value.is_constant(), "'{}' is a constant where '{}' reads data", value.name, node_.name);
  WrittenValue& found = written_.values.at(value.id);
  std::string& wanted = flat ? found.flat : found.map;
  if (!wanted.empty()) return wanted;
  const std::string& from = flat ? found.map : found.flat;
  wanted = make(from, flat, value.id);
  return wanted;
}

/// Adds the Flatten or Reshape that gives a value the other rank, and in form Qdq a quantize pair behind it.
std::string NodeWriter::make(const std::string& from, bool flat, graph::ValueId id) {
  const graph::Value& value = written_.graph.value(id);
  const Shape& shape = value.type.shape;
  const std::string base = value.name + (flat ? "_flat" : "_map");
  ModelBuilder& model = written_.model;
  const std::string moved =
      flat ? model.add("Flatten", {from}, {{"axis", int64_t{1}}}, base)
           : model.add("Reshape",
                       {from, model.integers(base + "_shape", {0, shape.c(), shape.h(), shape.w()})}, {},
                       base);
  if (form() != Form::Qdq) return moved;
  return quantize_pair(written_, moved, *value.type.quant, base, base + "_dequantized");
}

std::string NodeWriter::map(size_t slot) {
  return view(slot, false);
}
std::string NodeWriter::flat(size_t slot) {
  return view(slot, true);
}
std::string NodeWriter::any(size_t slot) {
  return view(slot, is_flat());
}

bool NodeWriter::is_flat() const {
  return std::all_of(node_.inputs.begin(), node_.inputs.end(), [&](graph::ValueId id) {
    const auto found = written_.values.find(id);
    return found == written_.values.end() || !found->second.flat.empty();
  });
}

bool NodeWriter::is_constant(size_t slot) const {
  return written_.graph.value(node_.inputs.at(slot)).is_constant();
}
const Tensor& NodeWriter::constant(size_t slot) const {
  N2D2_CHECK(is_constant(slot), "input {} of '{}' is no constant", slot, node_.name);
  return *written_.graph.value(node_.inputs.at(slot)).constant;
}

const QuantParams& NodeWriter::quant_of_input() const {
  return *written_.graph.value(node_.inputs.at(0)).type.quant;
}

std::string NodeWriter::parameter(size_t slot) {
  const graph::Value& value = written_.graph.value(node_.inputs.at(slot));
  N2D2_CHECK(value.is_constant(), "'{}' is no constant", value.name);
  std::string& name = written_.constants[value.id];
  if (!name.empty()) return name;
  if (form() == Form::Float)
    name = written_.model.tensor(value.name, *value.constant);
  else if (form() == Form::Qdq)
    name = dequantize(
        written_, value,
        node_.op->input_role(slot) == "biases" ? plain_biases(written_.graph, node_) : *value.constant);
  else
    name = written_.model.as_reals(value.name, *value.constant);
  return name;
}

std::string NodeWriter::add(const std::string& type, const std::vector<std::string>& inputs,
                            const WrittenAttributes& attributes, int number) {
  return written_.model.add(type, inputs, attributes, node_.name + "_" + type, number);
}

std::string NodeWriter::channels(std::string_view role, const std::vector<float>& values, bool flat) {
  const auto count = static_cast<int64_t>(values.size());
  const bool equal = std::all_of(values.begin(), values.end(), [&](float x) { return x == values[0]; });
  const std::string name = fmt::format("{}_{}", node_.name, role);
  if (equal) return written_.model.reals(name, {}, {values.at(0)});
  return written_.model.reals(name, flat ? Extents{1, count} : Extents{1, count, 1, 1}, values);
}

std::string NodeWriter::reals(std::string_view role, const std::vector<float>& values) {
  return written_.model.reals(fmt::format("{}_{}", node_.name, role), {static_cast<int64_t>(values.size())},
                              values);
}
std::string NodeWriter::tensor(std::string_view role, const Tensor& tensor) {
  return written_.model.tensor(fmt::format("{}_{}", node_.name, role), tensor);
}
std::string NodeWriter::integers(std::string_view role, const std::vector<int64_t>& values) {
  return written_.model.integers(fmt::format("{}_{}", node_.name, role), values);
}

std::string NodeWriter::keep_scale(const std::string& tensor) {
  if (form() != Form::Qdq) return tensor;
  const QuantParams& quant = *written_.graph.value(node_.inputs.at(0)).type.quant;
  return quantize_pair(written_, tensor, quant, tensor, tensor + "_dequantized");
}

std::string NodeWriter::add_clamp(const std::string& tensor, const Clamp& clamp) {
  return onnx::add_clamp(written_.model, tensor, clamp, node_.name);
}

double NodeWriter::multiplier(size_t slot) const {
  const Rescale& r = *node_.rescale;
  return std::ldexp(static_cast<double>(r.multiplier.at(slot)), -r.shift);
}

void NodeWriter::result(const std::string& tensor, bool flat, double unit) {
  if (form() == Form::FakeQuantization && node_.rescale) return finish(rescale(tensor, flat, unit), flat);
  finish(tensor, flat);
}

void NodeWriter::scaled_result(const std::string& tensor, bool flat) {
  finish(bound_steps(tensor), flat);
}

/// The factors of a rescaling, then its rounding and bounds.
std::string NodeWriter::rescale(const std::string& tensor, bool flat, double unit) {
  const Rescale& r = *node_.rescale;
  std::vector<float> factors;
  if (r.mode == RescaleMode::FloatingPoint)
    for (const float f : r.factor) factors.push_back(static_cast<float>(f * unit));
  else
    for (size_t i = 0; i < r.multiplier.size(); ++i)
      factors.push_back(static_cast<float>(multiplier(i) * unit));
  const auto count = static_cast<int64_t>(factors.size());
  const Extents dims = count == 1 ? Extents{} : flat ? Extents{1, count} : Extents{1, count, 1, 1};
  const std::string factor = written_.model.reals(node_.name + "_factor", dims, factors);
  return bound_steps(add("Mul", {tensor, factor}));
}

/// Ties to even in Floating-point, else half up.
std::string NodeWriter::bound_steps(const std::string& tensor) {
  const Rescale& r = *node_.rescale;
  const Clamp bounds{static_cast<float>(r.lo), static_cast<float>(r.hi)};
  if (r.mode == RescaleMode::FloatingPoint) return add("Round", {add_clamp(tensor, bounds)});
  const std::string half = written_.model.reals(node_.name + "_half", {}, {0.5F});
  return add_clamp(add("Floor", {add("Add", {tensor, half})}), bounds);
}

void NodeWriter::finish(const std::string& tensor, bool flat) {
  const graph::Value& value = written_.graph.value(node_.outputs.at(0));
  ModelBuilder& model = written_.model;
  std::string last = tensor;
  std::string name = value.name;
  if (form() == Form::Float) {
    if (node_.clamp) last = add_clamp(last, *node_.clamp);
    model.name_last(last, name);
  } else if (form() == Form::FakeQuantization) {
    name = model.unique(value.name + "_quantized");
    model.name_last(last, name);
  } else {
    const QuantParams& quant = *value.type.quant;
    if (node_.rescale)
      last = bound_reals(written_, last, quant, node_.rescale->lo, node_.rescale->hi,
                         node_.clamp || graph::integer_form(written_.graph, node_).clamp, node_.name);
    last = quantize_pair(written_, last, quant, value.name, value.name + "_real");
    model.name_last(last, name);
  }
  WrittenValue& made = written_.values[value.id];
  (flat ? made.flat : made.map) = name;
}

}  // namespace n2d2::onnx
