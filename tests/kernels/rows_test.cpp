// Does every kernel, called range by range, give the bytes of one call, wherever the rows lie?
#include "concat.hpp"
#include "conv.hpp"
#include "conv_depthwise.hpp"
#include "elemwise.hpp"
#include "fc.hpp"
#include "kernels/row_ranges.hpp"
#include "padding.hpp"
#include "pool.hpp"
#include "reshape.hpp"
#include "scaling.hpp"

namespace n2d2::kernels_test {
namespace {

Window random_window(Generator& random, int most) {
  Window k;
  k.w = random.in(1, most), k.h = random.in(1, most);
  k.stride_x = random.in(1, 3), k.stride_y = random.in(1, 3);
  k.pad_x = random.in(0, 2), k.pad_y = random.in(0, 2);
  return k;
}

template <class In, class Out, class Weight, class Sum, class Factor>
Layer<In, Out> conv_layer(Generator& random) {
  Layer<In, Out> layer;
  Window k = random_window(random, 5);
  if (random.one_in(3)) k.dilation_x = random.in(1, 3), k.dilation_y = random.in(1, 3);
  const int groups = random.one_in(4) ? 2 : 1, c = groups * random.in(1, random.one_in(2) ? 4 : 40);
  const int outputs = groups * random.in(1, random.one_in(5) ? 90 : 12), h = random.in(1, 12);
  layer.inputs = {random.map<In>(h, random.one_in(4) ? 1 : random.in(1, 12), c)};
  layer.out = {random.in(1, 9), random.in(1, 9), outputs};
  const int window = k.w * k.h * c / groups;
  const Rescaling<Out, Factor> rescaling(random, outputs, 2000.0 * window);
  set_window(layer.config, k), rescaling.set(layer.config), layer.config.groups = groups;
  layer.needs = window_rows(k, h);
  const auto weights = random.values<Weight>(static_cast<size_t>(outputs) * window, -60, 60);
  const bool has_rows = random.one_in(2);
  const int bias_rows =
      has_rows ? set_borders(layer.config, k, h, layer.inputs[0].w, layer.out.h, layer.out.w) : 1;
  const auto bias = random.values<Sum>(static_cast<size_t>(bias_rows) * outputs, -1000, 1000);
  layer.run = [=](const auto& config, Rows rows, const auto&, const auto& in, Out* out) {
    kernels::conv2d(config, rows, in[0], out, weights.data(), bias.data(), rescaling.factor.data());
  };
  return layer;
}

template <class In, class Out, class Weight, class Sum, class Factor>
Layer<In, Out> depthwise_layer(Generator& random) {
  Layer<In, Out> layer;
  Window k = random_window(random, 5);
  if (random.one_in(3)) k.dilation_x = random.in(1, 3), k.dilation_y = random.in(1, 3);
  const int c = random.in(1, random.one_in(3) ? 90 : 12), h = random.in(1, 12);
  const int outputs = c * (random.one_in(4) ? 2 : 1);
  layer.inputs = {random.map<In>(h, random.in(1, 9), c)};
  layer.out = {random.in(1, 9), random.in(1, 9), outputs};
  const Rescaling<Out, Factor> rescaling(random, outputs, 2000.0 * k.w * k.h);
  set_window(layer.config, k), rescaling.set(layer.config);
  layer.needs = window_rows(k, h);
  const auto weights = random.values<Weight>(static_cast<size_t>(outputs) * k.w * k.h, -60, 60);
  const auto bias = random.values<Sum>(outputs, -1000, 1000);
  layer.run = [=](const auto& config, Rows rows, const auto&, const auto& in, Out* out) {
    kernels::conv2d_depthwise(config, rows, in[0], out, weights.data(), bias.data(), rescaling.factor.data());
  };
  return layer;
}

template <class In, class Out, class Weight, class Sum, class Factor>
Layer<In, Out> fc_layer(Generator& random) {
  Layer<In, Out> layer;
  const int outputs = random.in(1, random.one_in(4) ? 90 : 12), h = random.in(1, 6);
  layer.inputs = {random.map<In>(h, random.in(1, 6), random.in(1, 40))};
  layer.out = {1, 1, outputs};
  const int window = static_cast<int>(layer.inputs[0].v.size());
  const Rescaling<Out, Factor> rescaling(random, outputs, 2000.0 * window);
  rescaling.set(layer.config);
  layer.needs = [h](Rows) { return Span{0, h - 1}; };
  const auto weights = random.values<Weight>(static_cast<size_t>(outputs) * window, -60, 60);
  const auto bias = random.values<Sum>(outputs, -1000, 1000);
  layer.run = [=](const auto& config, Rows rows, const auto&, const auto& in, Out* out) {
    kernels::fc(config, {0, 0}, in[0], out, weights.data(), bias.data(), rescaling.factor.data());
    kernels::fc(config, rows, in[0], out, weights.data(), bias.data(), rescaling.factor.data());
  };
  return layer;
}

template <class In, class Out, class Factor>
Layer<In, Out> pool_layer(Generator& random, bool average) {
  Layer<In, Out> layer;
  const Window k = random_window(random, 4);
  const int c = random.in(1, random.one_in(3) ? 90 : 12), h = random.in(1, 12);
  layer.inputs = {random.map<In>(h, random.in(1, 9), c)};
  layer.out = {random.in(1, 9), random.in(1, 9), c};
  Rescaling<Out, Factor> rescaling(random, 1, k.w * k.h * 2.0 * std::numeric_limits<In>::max());
  rescaling.bounds.factor_step = 0;
  set_window(layer.config, k), rescaling.set(layer.config);
  layer.config.count_zeros = random.in(0, 1);
  layer.needs = window_rows(k, h);
  layer.run = [=](const auto& config, Rows rows, const auto&, const auto& in, Out* out) {
    if (average)
      kernels::average_pool(config, rows, in[0], out, rescaling.factor.data());
    else
      kernels::max_pool(config, rows, in[0], out);
  };
  return layer;
}

template <class In, class Out, class Factor>
Layer<In, Out> scaling_layer(Generator& random) {
  Layer<In, Out> layer;
  layer.inputs = {random.map<In>(random.in(1, 9), random.in(1, 9), random.in(1, 80))};
  const auto& in = layer.inputs[0];
  layer.out = {in.h, in.w, in.c};
  const Rescaling<Out, Factor> rescaling(random, in.c, 1.5 * std::numeric_limits<In>::max());
  rescaling.set(layer.config);
  layer.needs = same_rows();
  layer.run = [=](const auto& config, Rows rows, const auto&, const auto& from, Out* out) {
    kernels::scaling(config, rows, from[0], out, rescaling.factor.data());
  };
  return layer;
}

template <class Multiplier>
struct OperandConfig : Config<int> {
  Multiplier multiplier = 0;
  int is_signed = 0;
};

template <class T, class Multiplier>
Layer<T, T> sum_layer(Generator& random) {
  Layer<T, T> layer;
  const int h = random.in(1, 9), w = random.in(1, 9), c = random.in(1, 80);
  layer.inputs = {random.map<T>(h, w, c), random.map<T>(h, w, c), random.map<T>(h, w, c)};
  layer.out = {h, w, c};
  layer.config.lo = std::is_same_v<T, float> ? -1 : std::numeric_limits<T>::min();
  layer.config.hi = std::is_same_v<T, float> ? 6 : std::numeric_limits<T>::max();
  layer.config.shift = 7;
  layer.needs = same_rows();
  layer.run = [](const auto& config, Rows rows, const std::vector<Placement>& places, const auto& in,
                 T* out) {
    OperandConfig<Multiplier> o[3];
    for (int i = 0; i < 3; ++i)
      set_in(o[i], places[i]), o[i].multiplier = 30 + 20 * i, o[i].is_signed = std::is_signed_v<T>;
    kernels::sum(config, rows, out, kernels::operand(o[0], in[0]), kernels::operand(o[1], in[1]),
                 kernels::operand(o[2], in[2]));
  };
  return layer;
}

template <class T>
Layer<T, T> concat_layer(Generator& random) {
  Layer<T, T> layer;
  layer.inputs = {random.map<T>(random.in(1, 9), random.in(1, 9), random.in(1, 80))};
  const auto& in = layer.inputs[0];
  layer.out_first = random.in(0, 9), layer.out_count = in.c;
  layer.out = {in.h, in.w, layer.out_first + in.c + random.in(0, 9)};
  layer.config.out_offset = layer.out_first;
  layer.needs = same_rows();
  layer.run = [](const auto& config, Rows rows, const auto&, const auto& from, T* out) {
    kernels::concat_part(config, rows, from[0], out);
  };
  return layer;
}

template <class T>
Layer<T, T> padding_layer(Generator& random) {
  Layer<T, T> layer;
  const int h = random.in(1, 9), w = random.in(1, 9);
  const int left = random.in(1 - w, 3), top = random.in(1 - h, 3);
  layer.inputs = {random.map<T>(h, w, random.in(1, 20))};
  layer.out = {random.in(1, 12), random.in(1, 12), layer.inputs[0].c};
  layer.config.left = left, layer.config.top = top;
  layer.needs = [=](Rows rows) { return clipped({rows.first - top, rows.first + rows.count - 1 - top}, h); };
  layer.run = [](const auto& config, Rows rows, const auto&, const auto& from, T* out) {
    kernels::pad_map(config, rows, from[0], out);
  };
  return layer;
}

template <class T>
Layer<T, T> reshape_layer(Generator& random) {
  Layer<T, T> layer;
  const int a = random.in(1, 6), b = random.in(1, 6), c = random.in(1, 12), d = random.in(1, 4);
  layer.inputs = {random.map<T>(a, b * c, d)};
  layer.out = random.one_in(2) ? Placement{c, a, b * d} : Placement{a * b * c * d, 1, 1};
  const int in_row = b * c * d, out_row = layer.out.w * layer.out.c;
  layer.needs = [=](Rows rows) {
    return Span{rows.first * out_row / in_row, ((rows.first + rows.count) * out_row - 1) / in_row};
  };
  layer.run = [](const auto& config, Rows rows, const auto&, const auto& from, T* out) {
    kernels::reshape_copy(config, rows, from[0], out);
  };
  return layer;
}

TEST(RowRanges, OfAConvolutionGiveTheBytesOfOneCall) {
  sweep(1, conv_layer<uint8_t, int8_t, int8_t, int32_t, float>);
  sweep(2, conv_layer<int8_t, uint8_t, int8_t, int32_t, int32_t>);
  sweep(3, conv_layer<uint16_t, int16_t, int16_t, int64_t, int32_t>);
  sweep(4, conv_layer<int16_t, uint16_t, int16_t, int64_t, float>);
  sweep(5, conv_layer<float, float, float, float, float>);
}
TEST(RowRanges, OfADepthwiseConvolutionGiveTheBytesOfOneCall) {
  sweep(11, depthwise_layer<uint8_t, int8_t, int8_t, int32_t, float>);
  sweep(12, depthwise_layer<int8_t, uint8_t, int8_t, int32_t, int32_t>);
  sweep(13, depthwise_layer<uint16_t, int16_t, int16_t, int64_t, int32_t>);
  sweep(14, depthwise_layer<int16_t, uint16_t, int16_t, int64_t, float>);
  sweep(15, depthwise_layer<float, float, float, float, float>);
}
TEST(RowRanges, OfAFullyConnectedLayerAreAllOrNothing) {
  sweep(21, fc_layer<uint8_t, int8_t, int8_t, int32_t, float>);
  sweep(22, fc_layer<int8_t, uint8_t, int8_t, int32_t, int32_t>);
  sweep(23, fc_layer<uint16_t, int16_t, int16_t, int64_t, int32_t>);
  sweep(24, fc_layer<int16_t, uint16_t, int16_t, int64_t, float>);
  sweep(25, fc_layer<float, float, float, float, float>);
}
template <class T, class Factor>
void sweep_pools(unsigned seed) {
  for (const bool average : {false, true})
    sweep(seed + average, [=](Generator& random) { return pool_layer<T, T, Factor>(random, average); });
}
TEST(RowRanges, OfAPoolGiveTheBytesOfOneCall) {
  sweep_pools<uint8_t, float>(31), sweep_pools<int8_t, int32_t>(33), sweep_pools<uint16_t, float>(35);
  sweep_pools<int16_t, int32_t>(37), sweep_pools<float, float>(39);
}
TEST(RowRanges, OfAScalingGiveTheBytesOfOneCall) {
  sweep(41, scaling_layer<uint8_t, int8_t, float>), sweep(42, scaling_layer<int8_t, uint8_t, int32_t>);
  sweep(43, scaling_layer<uint16_t, int16_t, float>), sweep(44, scaling_layer<int16_t, uint16_t, int32_t>);
  sweep(45, scaling_layer<float, float, float>);
}
TEST(RowRanges, OfASumGiveTheBytesOfOneCall) {
  sweep(51, sum_layer<uint8_t, int32_t>), sweep(52, sum_layer<int8_t, int32_t>);
  sweep(53, sum_layer<uint16_t, int32_t>), sweep(54, sum_layer<int16_t, int32_t>);
  sweep(55, sum_layer<float, float>);
}
template <class T>
void sweep_moves(unsigned seed) {
  sweep(seed, concat_layer<T>), sweep(seed + 1, padding_layer<T>), sweep(seed + 2, reshape_layer<T>);
}
TEST(RowRanges, OfLayersThatMoveValuesGiveTheBytesOfOneCall) {
  sweep_moves<uint8_t>(61), sweep_moves<int8_t>(64), sweep_moves<uint16_t>(67);
  sweep_moves<int16_t>(70), sweep_moves<float>(73);
}

}  // namespace
}  // namespace n2d2::kernels_test
