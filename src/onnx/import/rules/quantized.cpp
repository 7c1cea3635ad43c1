#include "quantized.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/batchnorm.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/scaling.hpp"
#include "n2d2/tensor/integer_types.hpp"
#include "n2d2/tensor/signed_bits.hpp"

#include "import/layers.hpp"
#include "read/element_types.hpp"

namespace n2d2::onnx {

namespace {

constexpr int kBitsOfWord = 16;

}  // namespace

std::optional<QuantParams> scales_of_rows(const Node& node, const Array& weights, int64_t rows) {
  if (weights.steps.empty()) return std::nullopt;
  QuantParams quant{kBitsOfByte, true, 0, {}};
  const int64_t size = weights.size() / rows;
  bool one_step = true, fits = true;
  int64_t lowest = weights.lowest, highest = weights.highest;
  for (int64_t row = 0; row < rows; ++row) {
    const float step = weights.steps[static_cast<size_t>(row * size)];
    for (int64_t i = row * size; i < (row + 1) * size; ++i) {
      one_step = one_step && weights.steps[static_cast<size_t>(i)] == step;
      const double q = weights.at(i) / static_cast<double>(step);
      fits = fits && q > -128.5 && q < 127.5;
      if (!fits) continue;
      const auto integer = static_cast<int64_t>(std::nearbyint(q));
      lowest = std::min(lowest, integer);
      highest = std::max(highest, integer);
    }
    quant.scale.push_back(step);
  }
  // A step of 0: folding joined these weights with others that were never integers.
  if (!one_step || std::count(quant.scale.begin(), quant.scale.end(), 0.0F) > 0 || !fits) {
    log::warn("{}: the weights {}, integer exports give them scales of their own", node.file().subject(),
              one_step ? "do not fit signed 8 bits around 0" : "have several scales for one output");
    return std::nullopt;
  }
  quant.bits = std::min(kBitsOfByte, signed_bits(lowest, highest));
  if (std::count(quant.scale.begin(), quant.scale.end(), quant.scale[0]) == rows) {
    quant.axis = -1;
    quant.scale.resize(1);
  }
  return quant;
}

ops::FakeQuantize rounding(const Grid& q) {
  ops::FakeQuantize round;
  for (const float s : q.scale) round.scale.push_back(static_cast<double>(s));
  round.zero_point.assign(q.zero.begin(), q.zero.end());
  round.is_signed = q.lowest < 0;
  const auto holds = [&](int bits) {
    const QuantParams all{bits, round.is_signed, -1, {}};
    return q.lowest >= all.lowest() && q.highest <= all.highest();
  };
  round.bits = holds(kBitsOfByte) ? kBitsOfByte : kBitsOfWord;
  const QuantParams all{round.bits, round.is_signed, -1, {}};
  if (q.lowest != all.lowest() || q.highest != all.highest())
    round.bounds = {static_cast<int>(q.lowest), static_cast<int>(q.highest)};
  return round;
}

namespace {

/// Scale and zero point as a node has them at two inputs.
Grid read_grid(Node& node, size_t slot) {
  Grid out;
  const Array& scale = node.constant(slot, "the scale");
  if (scale.is_integer || scale.size() == 0) refuse("the scale is no real number");
  out.scale = scale.reals;
  for (const float s : out.scale)
    if (!(s > 0) || !std::isfinite(s)) refuse(fmt::format("scale {}, expected a positive number", s));
  out.zero.assign(out.scale.size(), 0);
  const Array* zero = node.optional_constant(slot + 1, "the zero point");
  if (zero == nullptr) return out;
  if (!zero->is_integer || zero->highest == 0)
    refuse("the zero point is not of an integer type of 2, 4, 8, 16 or 32 bits");
  if (zero->size() != scale.size())
    refuse(fmt::format("{} zero points for {} scales", zero->size(), scale.size()));
  out.zero = zero->integers;
  out.lowest = zero->lowest;
  out.highest = zero->highest;
  return out;
}

/// Refuses quantization by blocks, which exists from operator set 21 on.
void expect_no_blocks(Node& node) {
  node.expect("block_size", 0, "quantize with one scale for all, or one a channel");
}

/// Returns the grid of the integers that a QuantizeLinear makes. Without a zero point, `output_dtype` gives
/// the type of the integers.
Grid read_output_grid(Node& node) {
  Grid q = read_grid(node, 1);
  expect_no_blocks(node);
  node.integer("saturate", 1);   // of 8 bit floats
  node.integer("precision", 0);  // of the division alone
  const int64_t type = node.integer("output_dtype", 0);
  if (type == 0) return q;
  const std::optional<Grid> integers = grid_of_type(type);
  if (!integers)
    refuse(fmt::format("makes elements of type {}", element_type_name(type)), "quantize to INT8 or UINT8");
  if (node.has_input(2)) return q;
  q.lowest = integers->lowest;
  q.highest = integers->highest;
  return q;
}

/// Which axis several scales belong to, checked against the extents. Of data, only the channels may have
/// their own.
size_t axis_of_scales(const Grid& q, const Operand& data, int64_t axis) {
  if (q.is_one()) return 0;
  const size_t i = axis_of(axis, data.dims.size());
  if (static_cast<int64_t>(q.scale.size()) != data.dims[i])
    refuse(fmt::format("{} scales for axis {} of {}", q.scale.size(), i, text_of(data.dims)));
  if (!data.is_constant() && i != 1)
    refuse(fmt::format("scales along axis {} of data, only channels (axis 1) may have their own", i));
  return i;
}

/// Calls body(element, index of its scale).
template <class Body>
void for_scaled(const Grid& q, const Extents& dims, size_t axis, const Body& body) {
  const int64_t step = q.is_one() ? 1 : strides_of(dims)[axis];
  const int64_t size = elements_of(dims), count = q.is_one() ? 1 : dims[axis];
  for (int64_t i = 0; i < size; ++i) body(i, static_cast<size_t>(i / step % count));
}

Array dequantized(const Array& in, const Grid& q, size_t axis) {
  if (!in.is_integer) refuse("dequantizes real numbers");
  Array out = Array{}.like(in.dims);
  out.steps.resize(out.reals.size());
  out.lowest = in.lowest - *std::max_element(q.zero.begin(), q.zero.end());
  out.highest = in.highest - *std::min_element(q.zero.begin(), q.zero.end());
  for_scaled(q, in.dims, axis, [&](int64_t i, size_t k) {
    const auto at = static_cast<size_t>(i);
    out.steps[at] = q.scale[k];
    out.reals[at] = static_cast<float>(in.integers[at] - q.zero[k]) * q.scale[k];
  });
  return out;
}

Array quantized(const Array& in, const Grid& q, size_t axis) {
  if (in.is_integer) refuse("quantizes integers");
  Array out;
  out.is_integer = true;
  out.lowest = q.lowest;
  out.highest = q.highest;
  out = out.like(in.dims);
  for_scaled(q, in.dims, axis, [&](int64_t i, size_t k) {
    const auto at = static_cast<size_t>(i);
    const float x = std::nearbyint(in.reals[at] / q.scale[k]) + static_cast<float>(q.zero[k]);
    if (x != x) refuse("a value is not a number");
    out.integers[at] =
        static_cast<int64_t>(std::clamp(x, static_cast<float>(q.lowest), static_cast<float>(q.highest)));
  });
  return out;
}

/// y = factor x + offset, one of each for every channel.
graph::ValueId add_affine(Node& node, graph::ValueId data, const std::vector<double>& factor,
                          const std::vector<float>& offset, std::string_view suffix) {
  const auto is_zero = [](float x) { return x == 0; };
  if (std::all_of(offset.begin(), offset.end(), is_zero)) {
    auto scaling = std::make_unique<ops::Scaling>();
    scaling->factor = factor;
    return node.add(std::move(scaling), {data}, suffix);
  }
  const int64_t channels = static_cast<int64_t>(factor.size());
  const auto vector = [&](auto value) {
    Tensor out(Shape{channels});
    for (int64_t c = 0; c < channels; ++c)
      out.data<float>()[c] = static_cast<float>(value(static_cast<size_t>(c)));
    return out;
  };
  auto norm = std::make_unique<ops::BatchNorm>();
  norm->epsilon = 0;
  norm->momentum = 0;
  return node.add(std::move(norm),
                  {data, node.add_constant("scales", vector([&](size_t c) { return factor[c]; })),
                   node.add_constant("biases", vector([&](size_t c) { return offset[c]; })),
                   node.add_constant("means", vector([](size_t) { return 0.0F; })),
                   node.add_constant("variances", vector([](size_t) { return 1.0F; }))},
                  suffix);
}

/// The reals that integers stand for under this scale: the wire itself where they were made under it.
graph::ValueId reals_of(Node& node, const Operand& data, const Grid& q, std::string_view suffix) {
  if (!data.grid)
    refuse("dequantizes data that are no integers of 16 bits or less",
           "a QuantizeLinear must have made them");
  const Grid& own = *data.grid;
  if (own.scale == q.scale && own.zero == q.zero) return data.value;
  const size_t channels = static_cast<size_t>(map_shape(data.dims).c());
  std::vector<double> factor(channels);
  std::vector<float> offset(channels);
  for (size_t c = 0; c < channels; ++c) {
    const auto channel = static_cast<int64_t>(c);
    const size_t to = q.index(channel), from = own.index(channel);
    factor[c] = static_cast<double>(q.scale[to]) / static_cast<double>(own.scale[from]);
    offset[c] = q.scale[to] * static_cast<float>(own.zero[from] - q.zero[to]);
  }
  return add_affine(node, data.value, factor, offset, suffix);
}

/// Rounds the value to the grid, as the node's own layer.
void finish_quantize(Node& node, graph::ValueId value, const Grid& q, Extents dims) {
  node.finish(std::make_unique<ops::FakeQuantize>(rounding(q)), {value}, std::move(dims));
  node.set_grid(q);
}

void expect_narrow(const Grid& q) {
  if (q.highest - q.lowest > 65535) refuse("32 bit integers between layers", "quantize to 8 bits");
}

void convert_quantize(Node& node) {
  const Operand& data = node.data();
  const Grid q = read_output_grid(node);
  expect_narrow(q);
  axis_of_scales(q, data, node.integer("axis", 1));
  finish_quantize(node, data.value, q, data.dims);
}

void fold_quantize(Node& node) {
  const Array& in = node.constant(0, "the data");
  const Grid q = read_output_grid(node);
  expect_narrow(q);
  node.set_constant(quantized(in, q, axis_of_scales(q, node.input(0), node.integer("axis", 1))));
}

/// The scale and zero point of a DequantizeLinear, whose reals are float32 here whatever `output_dtype` says.
Grid read_input_grid(Node& node) {
  expect_no_blocks(node);
  node.integer("output_dtype", 0);
  return read_grid(node, 1);
}

void convert_dequantize(Node& node) {
  const Operand& data = node.data();
  const Grid q = read_input_grid(node);
  axis_of_scales(q, data, node.integer("axis", 1));
  const graph::ValueId value = reals_of(node, data, q, "");
  node.set_value(value, data.dims);
}

void fold_dequantize(Node& node) {
  const Array& in = node.constant(0, "the data");
  const Grid q = read_input_grid(node);
  node.set_constant(dequantized(in, q, axis_of_scales(q, node.input(0), node.integer("axis", 1))));
}

/// The data of a QLinear operator as reals.
Operand real_data(Node& node) {
  const Operand& data = node.data();
  const Grid q = read_grid(node, 1);
  if (!q.is_one()) refuse("the data have several scales, expected one");
  return {data.dims, reals_of(node, data, q, "data"), nullptr, {}};
}

/// Integer weights as reals; several scales belong to `axis`.
Array real_weights(Node& node, int64_t axis) {
  const Array& weights = node.constant(3, "the weights");
  const Grid q = read_grid(node, 4);
  const size_t i = q.is_one() ? 0 : axis_of(axis, weights.dims.size());
  if (!q.is_one() && static_cast<int64_t>(q.scale.size()) != weights.dims[i])
    refuse(fmt::format("{} scales for axis {} of {}", q.scale.size(), i, text_of(weights.dims)));
  return dequantized(weights, q, i);
}

Grid result_grid(Node& node) {
  const Grid q = read_grid(node, 6);
  if (!q.is_one()) refuse("the result has several scales, expected one");
  expect_narrow(q);
  return q;
}

/// Inputs: x, its scale and zero point, w, its scale and zero point, scale and zero point of the result,
/// biases.
void convert_qlinear_conv(Node& node) {
  const Operand data = real_data(node);
  const Array weights = real_weights(node, 0);
  std::optional<Tensor> biases;
  if (const Array* given = node.optional_constant(8, "the biases")) {
    const int64_t outputs = weights.dims.empty() ? 0 : weights.dims[0];
    if (!given->is_integer || given->dims != Extents{outputs})
      refuse(fmt::format("the biases are {}, expected {} integers", text_of(given->dims), outputs));
    const Grid x = read_grid(node, 1), w = read_grid(node, 4);
    biases.emplace(Shape{outputs});
    for (int64_t o = 0; o < outputs; ++o)
      biases->data<float>()[o] = static_cast<float>(given->at(o) * static_cast<double>(x.scale[0]) *
                                                    static_cast<double>(w.scale[w.index(o)]));
  }
  const graph::ValueId value = add_conv(node, data, weights, std::move(biases), "conv");
  finish_quantize(node, value, result_grid(node), node.extents_of(value, data.dims.size()));
}

void convert_qlinear_matmul(Node& node) {
  const Operand data = real_data(node);
  const graph::ValueId value = add_fc(node, data, real_weights(node, -1), {}, {}, "fc");
  finish_quantize(node, value, result_grid(node), node.extents_of(value, 2));
}

}  // namespace

void register_quantized(RuleRegistry& registry);
void register_quantized(RuleRegistry& registry) {
  registry.add("DequantizeLinear", {convert_dequantize, fold_dequantize, Integers::Read});
  registry.add("QLinearConv", {convert_qlinear_conv, nullptr, Integers::Read});
  registry.add("QLinearMatMul", {convert_qlinear_matmul, nullptr, Integers::Read});
  registry.add("QuantizeLinear", {convert_quantize, fold_quantize, Integers::Refused});
}

}  // namespace n2d2::onnx
