// The operators of QONNX, which Brevitas and FINN write: reals are rounded to a grid, and stay reals.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "quantized.hpp"

namespace n2d2::onnx {

namespace {

constexpr int kMostBits = 32, kMostBitsOfData = 16;
constexpr const char* kNearest = "ROUND";

using Rounding = float (*)(float);

float away_from_zero(float x) {
  return std::copysign(std::ceil(std::abs(x)), x);
}
float half_up(float x) {
  return std::copysign(std::floor(std::abs(x) + 0.5F), x);
}
float half_down(float x) {
  return std::copysign(std::ceil(std::abs(x) - 0.5F), x);
}

/// Source: QONNX, operator Quant, attribute rounding_mode.
Rounding rounding_of(const std::string& given) {
  std::string mode = given;
  std::transform(mode.begin(), mode.end(), mode.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (mode == kNearest || mode == "HALF_EVEN") return std::nearbyint;
  if (mode == "CEIL") return std::ceil;
  if (mode == "FLOOR") return std::floor;
  if (mode == "UP") return away_from_zero;
  if (mode == "DOWN" || mode == "ROUND_TO_ZERO") return std::trunc;
  if (mode == "HALF_UP") return half_up;
  if (mode == "HALF_DOWN") return half_down;
  refuse(fmt::format("rounding_mode '{}' is not known", given),
         "ROUND, HALF_EVEN, HALF_UP, HALF_DOWN, UP, DOWN, CEIL and FLOOR are");
}

/// What a node rounds to.
struct Quantizer {
  Array scale;
  Array zero;
  int bits = 2;
  int64_t lowest = -1, highest = 1;
  /// Only -1 and 1, which is that of 0, too.
  bool is_bipolar = false;
  std::string mode = kNearest;
  Rounding round = std::nearbyint;

  float integer_of(float x, float step, float shift) const {
    const float y = x / step + shift;
    if (y != y) refuse("a value is not a number");
    if (is_bipolar) return y >= 0 ? 1.0F : -1.0F;
    return round(std::clamp(y, static_cast<float>(lowest), static_cast<float>(highest)));
  }
};

Array read_scale(Node& node, size_t slot) {
  const Array& scale = node.constant(slot, "the scale");
  if (scale.is_integer || scale.size() == 0) refuse("the scale is no real number");
  for (const float s : scale.reals)
    if (!(s > 0) || !std::isfinite(s)) refuse(fmt::format("scale {}, expected a positive number", s));
  return scale;
}

/// As integers, whatever type the file has them in.
Array read_zero(Node& node, size_t slot) {
  constexpr double kMost = 1 << 24;
  const Array& given = node.constant(slot, "the zero point");
  Array out = Array::of_integers(given.dims, std::vector<int64_t>(static_cast<size_t>(given.size())));
  if (given.size() == 0) refuse("the zero point has no value");
  for (int64_t i = 0; i < given.size(); ++i) {
    const double zero = given.at(i);
    if (!(std::abs(zero) <= kMost) || zero != std::rint(zero))
      refuse(fmt::format("zero point {}, expected a whole number", zero));
    out.integers[static_cast<size_t>(i)] = static_cast<int64_t>(zero);
  }
  return out;
}

int read_bits(Node& node, size_t slot) {
  const Array& given = node.constant(slot, "the bit width");
  if (given.size() == 0) refuse("the bit width has no value");
  const double bits = given.at(0);
  for (int64_t i = 1; i < given.size(); ++i)
    if (given.at(i) != bits) refuse("several bit widths in one tensor", "one bit width for all channels");
  if (!(bits >= 1 && bits <= kMostBits) || bits != std::rint(bits))
    refuse(fmt::format("bit width {}, expected a whole number of 1 to {}", bits, kMostBits));
  return static_cast<int>(bits);
}

/// QONNX asks for both attributes, and its documents do not agree what their absence means.
bool read_switch(Node& node, std::string_view name) {
  if (!node.has(name)) refuse(fmt::format("has no attribute '{}'", name), "write it: 0 or 1");
  return node.integer(name, 0) != 0;
}

Quantizer read_quantizer(Node& node) {
  Quantizer out;
  out.scale = read_scale(node, 1);
  out.zero = read_zero(node, 2);
  out.bits = read_bits(node, 3);
  const bool is_signed = read_switch(node, "signed"), is_narrow = read_switch(node, "narrow");
  out.mode = node.text("rounding_mode", kNearest);
  out.round = rounding_of(out.mode);
  out.is_bipolar = is_signed && out.bits == 1;
  if (out.is_bipolar) return out;
  out.lowest = is_signed ? -(int64_t{1} << (out.bits - 1)) + (is_narrow ? 1 : 0) : 0;
  out.highest =
      is_signed ? (int64_t{1} << (out.bits - 1)) - 1 : (int64_t{1} << out.bits) - (is_narrow ? 2 : 1);
  return out;
}

void expect_to_fit(const Extents& parameter, const Extents& data, std::string_view what) {
  if (broadcast(data, parameter) != data)
    refuse(fmt::format("{} of {} for data of {}", what, text_of(parameter), text_of(data)));
}

Array rounded(const Array& in, const Quantizer& q) {
  if (in.is_integer) refuse("quantizes integers", "the data of a Quant are real numbers");
  expect_to_fit(q.scale.dims, in.dims, "scales");
  expect_to_fit(q.zero.dims, in.dims, "zero points");
  Array out = Array{}.like(in.dims);
  out.steps.resize(out.reals.size());
  for_broadcast(in.dims, in.dims, q.scale.dims, [&](int64_t i, int64_t, int64_t s) {
    out.steps[static_cast<size_t>(i)] = q.scale.reals[static_cast<size_t>(s)];
  });
  for_broadcast(in.dims, in.dims, q.zero.dims, [&](int64_t i, int64_t, int64_t z) {
    const auto k = static_cast<size_t>(i);
    const auto zero = static_cast<float>(q.zero.integers[static_cast<size_t>(z)]);
    out.reals[k] = (q.integer_of(in.reals[k], out.steps[k], zero) - zero) * out.steps[k];
  });
  out.lowest = q.lowest - *std::max_element(q.zero.integers.begin(), q.zero.integers.end());
  out.highest = q.highest - *std::min_element(q.zero.integers.begin(), q.zero.integers.end());
  return out;
}

void fold_quant(Node& node) {
  const Array& in = node.constant(0, "the data");
  node.set_constant(rounded(in, read_quantizer(node)));
}

/// One value, or one a channel (axis 1) of the data.
void expect_one_or_channels(const Array& array, const Extents& data, std::string_view what) {
  expect_to_fit(array.dims, data, what);
  for (size_t i = 0; i < array.dims.size(); ++i)
    if (array.dims[i] != 1 && data.size() - array.dims.size() + i != 1)
      refuse(fmt::format("{} of {} for data of {}, only channels (axis 1) may have their own", what,
                         text_of(array.dims), text_of(data)));
}

void convert_quant(Node& node) {
  const Operand& data = node.data();
  const Quantizer q = read_quantizer(node);
  if (q.is_bipolar)
    refuse("data of one signed bit are -1 and 1, and integers between layers are neighbours",
           "train with activations of 2 bits");
  if (q.round != rounding_of(kNearest))
    refuse(fmt::format("rounding_mode {} of data, only {} is imported", q.mode, kNearest),
           "train with activations that are rounded to the nearest integer");
  if (q.bits > kMostBitsOfData)
    refuse(fmt::format("{} bits between layers, expected at most {}", q.bits, kMostBitsOfData),
           "quantize to 8 bits, or leave what ends the network in floats");
  expect_one_or_channels(q.scale, data.dims, "scales");
  expect_one_or_channels(q.zero, data.dims, "zero points");
  node.finish(
      std::make_unique<ops::FakeQuantize>(rounding({q.scale.reals, q.zero.integers, q.lowest, q.highest})),
      {data.value}, data.dims);
}

void fold_bipolar_quant(Node& node) {
  const Array& in = node.constant(0, "the data");
  Quantizer q;
  q.scale = read_scale(node, 1);
  q.zero = Array::of_integers({}, {0});
  q.is_bipolar = true;
  node.set_constant(rounded(in, q));
}

void convert_bipolar_quant(Node& node) {
  node.data();
  refuse("of data makes -1 and 1, and integers between layers are neighbours",
         "train with activations of 2 bits (Quant); weights may be bipolar");
}

/// Data that are multiples of a scale already, and of which no bit is left out.
void convert_trunc(Node& node) {
  const Operand& data = node.data();
  const Array scale = read_scale(node, 1), zero = read_zero(node, 2);
  if (node.input_count() != 5)
    refuse(fmt::format("{} inputs, only the form with 5 inputs is imported", node.input_count()),
           "an average and a Quant behind it do the same to the nearest integer");
  const int bits = read_bits(node, 3), left = read_bits(node, 4);
  node.text("rounding_mode", "FLOOR");
  const graph::NodeId producer = node.graph().value(data.value).producer;
  const auto* round = producer ? graph::as<ops::FakeQuantize>(node.graph().node(producer)) : nullptr;
  const bool is_on_grid = round != nullptr && round->scale.size() == 1 && scale.size() == 1 &&
                          zero.size() == 1 && round->step(0) == scale.reals[0];
  if (bits != left)
    refuse(fmt::format("leaves {} of {} bits, and integer layers round to the nearest", left, bits),
           "replace it and the sum before it by an average (AveragePool, GlobalAveragePool) and a Quant");
  if (!is_on_grid)
    refuse("its data are no multiples of its scale", "a Quant of this scale must have made them");
  node.pass_on(data, data.dims);
}

}  // namespace

void register_qonnx(RuleRegistry& registry);
void register_qonnx(RuleRegistry& registry) {
  registry.add("BipolarQuant", {convert_bipolar_quant, fold_bipolar_quant, Integers::Refused, true});
  registry.add("IntQuant", {convert_quant, fold_quant, Integers::Refused, true});
  registry.add("Quant", {convert_quant, fold_quant, Integers::Refused, true});
  registry.add("Trunc", {convert_trunc, nullptr, Integers::Refused, true});
}

}  // namespace n2d2::onnx
