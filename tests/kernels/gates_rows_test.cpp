// Do ranges of rows give the bytes of one call (as rows_test.cpp) for functions, products, sums with repeated
// values, resizing and softmax?
#include "function.hpp"
#include "kernels/row_ranges.hpp"
#include "prelu.hpp"
#include "product.hpp"
#include "resize.hpp"
#include "softmax.hpp"
#include "table.hpp"
#include "threshold.hpp"

namespace n2d2::kernels_test {
namespace {

/// One input of the output's extents.
template <class In, class Out>
Layer<In, Out> one_to_one(Generator& random) {
  Layer<In, Out> layer;
  layer.inputs = {random.map<In>(random.in(1, 9), random.in(1, 9), random.in(1, 80))};
  layer.out = {layer.inputs[0].h, layer.inputs[0].w, layer.inputs[0].c};
  layer.needs = same_rows();
  return layer;
}

struct LookUpConfig : Config<int> {
  int entries = 256, table_step = 0;
};

template <class In, class Out>
Layer<In, Out> look_up_layer(Generator& random) {
  Layer<In, Out> layer = one_to_one<In, Out>(random);
  const int entries = 1 << (8 * sizeof(In)), channels = random.one_in(2) ? layer.out.c : 1;
  const auto table = random.values<Out>(static_cast<size_t>(entries) * channels, 0, 127);
  layer.run = [=](const auto& config, Rows rows, const auto&, const auto& in, Out* out) {
    LookUpConfig c;
    static_cast<Config<int>&>(c) = config;
    c.entries = entries, c.table_step = channels > 1 ? entries : 0;
    kernels::look_up(c, rows, in[0], out, table.data());
  };
  return layer;
}

template <class Bound>
struct SoftmaxConfig : Config<Bound> {
  int group = 1, entries = 0;
};

template <class In, class Out, class Factor>
Layer<In, Out> softmax_layer(Generator& random) {
  Layer<In, Out> layer = one_to_one<In, Out>(random);
  std::vector<int32_t> powers;
  for (int32_t power = 65536; power > 0; power = power * 15 / 16) powers.push_back(power);
  const Rescaling<Out, Factor> rescaling(random, 1, 16777216.0);
  rescaling.set(layer.config);
  const int group = layer.out.c % 2 == 0 && random.one_in(2) ? layer.out.c / 2 : layer.out.c;
  layer.run = [=](const auto& config, Rows rows, const auto&, const auto& in, Out* out) {
    SoftmaxConfig<BoundOf<Out>> c;
    static_cast<Config<BoundOf<Out>>&>(c) = config;
    c.group = group, c.entries = static_cast<int>(powers.size()), c.factor_step = 0;
    kernels::softmax_map(c, rows, in[0], out, rescaling.factor.data(), powers.data());
  };
  return layer;
}

template <class Multiplier>
struct OperandConfig : Config<int> {
  Multiplier multiplier = 0;
  int is_signed = 0;
};
template <class Bound>
struct ProductConfig : Config<Bound> {
  int is_fixed = 0, multiplier = 0;
  float factor = 1;
};

/// Inputs of which the second may have one row, one column or one channel for all, and is read as a whole.
template <class T, class Multiplier, bool kProduct>
Layer<T, T> repeated_layer(Generator& random) {
  Layer<T, T> layer = one_to_one<T, T>(random);
  const auto& in = layer.inputs[0];
  const int h = random.one_in(2) ? in.h : 1, w = random.one_in(2) ? in.w : 1, c = random.one_in(2) ? in.c : 1;
  layer.inputs.push_back(random.map<T>(h, w, c));
  layer.others_need = [h](Rows) { return Span{0, h - 1}; };
  layer.config.lo = std::is_same_v<T, float> ? -1 : std::numeric_limits<T>::min();
  layer.config.hi = std::is_same_v<T, float> ? 6 : std::numeric_limits<T>::max();
  layer.config.shift = 7;
  const int is_fixed = random.in(0, 1);
  layer.run = [=](const auto& config, Rows rows, const std::vector<Placement>& places, const auto& from,
                  T* out) {
    OperandConfig<Multiplier> o[2];
    for (int i = 0; i < 2; ++i)
      set_in(o[i], places[i]), o[i].multiplier = 30 + 20 * i, o[i].is_signed = std::is_signed_v<T>;
    ProductConfig<BoundOf<T>> product;
    static_cast<Config<BoundOf<T>>&>(product) = config;
    product.is_fixed = is_fixed, product.multiplier = 3, product.factor = 0.01F;
    if constexpr (kProduct)
      kernels::product(product, rows, out, kernels::operand(o[0], from[0]), kernels::operand(o[1], from[1]));
    else
      kernels::sum(config, rows, out, kernels::operand(o[0], from[0]), kernels::operand(o[1], from[1]));
  };
  return layer;
}

template <class In, class Out, class Factor>
Layer<In, Out> resize_layer(Generator& random, bool linear) {
  using Part = std::conditional_t<std::is_same_v<In, float>, float, int32_t>;
  Layer<In, Out> layer;
  const auto in = random.map<In>(random.in(1, 9), random.in(1, 9), random.in(1, 40));
  layer.inputs = {in};
  layer.out = {random.in(1, 12), random.in(1, 12), in.c};
  layer.needs = [h = in.h](Rows) { return Span{0, h - 1}; };
  const Rescaling<Out, Factor> rescaling(random, 1, 1048576.0 * std::numeric_limits<In>::max());
  rescaling.set(layer.config);
  const auto pairs = [&](int count, int size) {
    std::vector<int32_t> out;
    for (int i = 0; i < 2 * count; ++i) out.push_back(random.in(0, size - 1));
    return out;
  };
  const auto parts = [&](int count) {
    std::vector<Part> out;
    for (int i = 0; i < count; ++i)
      out.push_back(static_cast<Part>(random.in(0, 1024) / (std::is_same_v<Part, float> ? 1024.0 : 1.0)));
    return out;
  };
  const auto rows_of = pairs(layer.out.h, in.h), columns_of = pairs(layer.out.w, in.w);
  const auto row_parts = parts(layer.out.h), column_parts = parts(layer.out.w);
  layer.run = [=](auto config, Rows rows, const auto&, const auto& from, Out* out) {
    config.factor_step = 0;
    if (linear)
      kernels::resize_linear(config, rows, from[0], out, rescaling.factor.data(), rows_of.data(),
                             row_parts.data(), columns_of.data(), column_parts.data());
    else
      kernels::resize_nearest(config, rows, from[0], out, rows_of.data(), columns_of.data());
  };
  return layer;
}

struct FunctionConfig : Config<float> {
  int function = 0;
  float alpha = 0.7F, beta = 0.4F;
};

Layer<float, float> function_layer(Generator& random) {
  Layer<float, float> layer = one_to_one<float, float>(random);
  layer.config.lo = -3, layer.config.hi = 3;
  const int function = random.in(0, kernels::kTan + 1), step = random.in(0, 1);
  const auto slopes = random.values<float>(static_cast<size_t>(layer.out.c), -2, 2);
  layer.run = [=](const auto& config, Rows rows, const auto&, const auto& in, float* out) {
    FunctionConfig c;
    static_cast<Config<float>&>(c) = config;
    c.function = function, c.factor_step = step;
    if (function <= kernels::kTan)
      kernels::function(c, rows, in[0], out);
    else
      kernels::prelu(c, rows, in[0], out, slopes.data());
  };
  return layer;
}

struct ThresholdConfig : Config<float> {
  float threshold = 0.3F, above = 1.5F, below = -1;
  int keeps_above = 0, keeps_below = 0;
};

Layer<float, float> threshold_layer(Generator& random) {
  Layer<float, float> layer = one_to_one<float, float>(random);
  layer.config.lo = -3, layer.config.hi = 3;
  const int keeps_above = random.in(0, 1), keeps_below = random.in(0, 1);
  layer.run = [=](const auto& config, Rows rows, const auto&, const auto& in, float* out) {
    ThresholdConfig c;
    static_cast<Config<float>&>(c) = config;
    c.keeps_above = keeps_above, c.keeps_below = keeps_below;
    kernels::threshold(c, rows, in[0], out);
  };
  return layer;
}

TEST(RowRanges, OfATableGiveTheBytesOfOneCall) {
  sweep(81, look_up_layer<uint8_t, int8_t>), sweep(82, look_up_layer<int8_t, uint8_t>);
}
TEST(RowRanges, OfASoftmaxGiveTheBytesOfOneCall) {
  sweep(83, softmax_layer<uint8_t, uint8_t, float>), sweep(84, softmax_layer<int8_t, int8_t, int32_t>);
  sweep(85, softmax_layer<int16_t, uint16_t, float>), sweep(86, softmax_layer<float, float, float>);
}
TEST(RowRanges, OfAProductGiveTheBytesOfOneCall) {
  sweep(87, repeated_layer<uint8_t, int32_t, true>), sweep(88, repeated_layer<int8_t, int32_t, true>);
  sweep(89, repeated_layer<int16_t, int32_t, true>), sweep(90, repeated_layer<float, float, true>);
}
TEST(RowRanges, OfASumWithRepeatedValuesGiveTheBytesOfOneCall) {
  sweep(91, repeated_layer<uint8_t, int32_t, false>), sweep(92, repeated_layer<int8_t, int32_t, false>);
  sweep(93, repeated_layer<uint16_t, int32_t, false>), sweep(94, repeated_layer<float, float, false>);
}
TEST(RowRanges, OfAResizeGiveTheBytesOfOneCall) {
  for (const bool linear : {false, true}) {
    const auto with = [linear](auto make) { return [=](Generator& random) { return make(random, linear); }; };
    sweep(95, with(resize_layer<uint8_t, uint8_t, float>)),
        sweep(96, with(resize_layer<int8_t, int8_t, int32_t>));
    sweep(97, with(resize_layer<int16_t, int16_t, float>)),
        sweep(98, with(resize_layer<float, float, float>));
  }
}
TEST(RowRanges, OfAFunctionGiveTheBytesOfOneCall) {
  sweep(99, function_layer);
}
TEST(RowRanges, OfAThresholdGiveTheBytesOfOneCall) {
  sweep(100, threshold_layer);
}

}  // namespace
}  // namespace n2d2::kernels_test
