// Does every kernel, called range by range, give the bytes of one call, wherever the rows lie?
//
// Before each call the input memory is filled with other bytes, but for the rows that the windows of the range touch;
// after it every byte outside of the range's rows must be what it was.
#include <functional>

#include "cases.hpp"
#include "concat.hpp"
#include "conv.hpp"
#include "conv_depthwise.hpp"
#include "conv_sum.hpp"
#include "elemwise.hpp"
#include "fc.hpp"
#include "kernels/conv_sum_config.hpp"
#include "kernels/planned_tensor.hpp"
#include "padding.hpp"
#include "pool.hpp"
#include "reshape.hpp"
#include "scaling.hpp"

namespace n2d2::kernels_test {
namespace {

namespace kernels = N2D2_Export;
using kernels::Rows;

// Rows of an input, both ends included; none if first > last.
struct Span {
  int first, last;
};

std::function<Span(Rows)> same_rows() {
  return [](Rows rows) { return Span{rows.first, rows.first + rows.count - 1}; };
}

template <class In, class Out>
struct Layer {
  using Bounds = Config<BoundOf<Out>>;
  std::vector<Map<ValueOf<In>>> inputs;
  Placement out;                      // extents
  int out_first = 0, out_count = -1;  // channels that the call writes; -1: all
  Bounds config;
  std::function<Span(Rows)> needs;  // of the first input, and of others where they do not say
  std::function<Span(Rows)> others_need = nullptr;
  // Config with planes set; where each input lies; the inputs' addresses.
  std::function<void(const Bounds&, Rows, const std::vector<Placement>&, const std::vector<const In*>&, Out*)>
      run;
};

Span clipped(Span s, int h) {
  return {std::max(s.first, 0), std::min(s.last, h - 1)};
}

std::function<Span(Rows)> window_rows(const Window& k, int h) {
  return [k, h](Rows rows) {
    const int first = rows.first * k.stride_y - k.pad_y;
    const int last = (rows.first + rows.count - 1) * k.stride_y - k.pad_y + (k.h - 1) * k.dilation_y;
    return clipped({first, last}, h);
  };
}

// [0, h) in pieces, in scan order.
std::vector<Rows> random_cut(Generator& random, int h, int bottom_up) {
  std::vector<Rows> cut;
  for (int y = 0; y < h;) {
    const int n = random.one_in(3) ? 1 : random.in(1, h - y);
    cut.push_back({y, n});
    y += n;
  }
  if (bottom_up) std::reverse(cut.begin(), cut.end());
  return cut;
}

// Straight, wrapped once, or a ring that holds `rows` rows at a time and is passed as often as the map is high.
Placement stream(Generator& random, int h, int w, int c, int rows) {
  Placement p = random.place(h, w, c);
  if (random.one_in(3)) return p;
  p.ring = std::max(rows, 1) + random.in(0, 2);
  p.first = random.in(0, p.ring - 1);
  p.wrapped = p.origin;
  return p;
}

// As write() and surroundings(), but for the rows [first, last] only.
template <class T>
void write_rows(const Map<ValueOf<T>>& map, const Placement& p, Span rows, std::vector<T>& memory) {
  for (int y = rows.first; y <= rows.last; ++y)
    for (int x = 0; x < map.w; ++x)
      for (int k = 0; k < map.c; ++k) memory.at(p.element(y, x, k)) = static_cast<T>(map.at(y, x, k));
}

template <class In, class Out>
std::vector<Out> run_whole(Generator& random, const Layer<In, Out>& layer, const Placement& to) {
  auto config = layer.config;
  std::vector<Placement> places;
  std::vector<std::vector<In>> memories;
  std::vector<const In*> from;
  for (const auto& map : layer.inputs) {
    places.push_back({map.h, map.w, map.c, map.c, map.w * map.c});
    memories.push_back(memory_with<In>(map, places.back(), random));
    from.push_back(memories.back().data());
    if (places.size() == 1 || !layer.others_need) set_in(config, places.back());
  }
  set_out(config, to);
  std::vector<Out> out(to.end());
  layer.run(config, {0, to.h}, places, from, out.data());
  return out;
}

template <class In, class Out>
Span needed(const Layer<In, Out>& layer, size_t input, Rows rows) {
  return input > 0 && layer.others_need ? layer.others_need(rows) : layer.needs(rows);
}

template <class In, class Out>
int rows_held(const Layer<In, Out>& layer, size_t input, const std::vector<Rows>& cut) {
  int held = 1;
  for (const Rows& rows : cut) {
    const Span s = needed(layer, input, rows);
    held = std::max(held, s.last - s.first + 1);
  }
  return held;
}

template <class In, class Out>
void check_ranges(Generator& random, Layer<In, Out> layer) {
  layer.config.bottom_up = random.in(0, 1), layer.config.ordered = random.in(0, 1);
  layer.config.parallel = random.one_in(10);
  if constexpr (std::is_same_v<In, float>)  // sums of these depend on their order
    for (auto& map : layer.inputs)
      for (double& x : map.v) x = static_cast<float>(x * 0.7310586);
  const Placement plain{layer.out.h, layer.out.w, layer.out.c, layer.out.c, layer.out.w * layer.out.c};
  const std::vector<Out> expected = run_whole(random, layer, plain);
  const int first = layer.out_first, end = layer.out_count < 0 ? plain.c : first + layer.out_count;
  const std::vector<Rows> cut = random_cut(random, plain.h, layer.config.bottom_up);
  int highest = 1;
  for (const Rows& rows : cut) highest = std::max(highest, rows.count);
  const Placement to = stream(random, plain.h, plain.w, plain.c, highest);
  std::vector<Placement> places;
  for (const auto& map : layer.inputs) {
    places.push_back(stream(random, map.h, map.w, map.c, rows_held(layer, places.size(), cut)));
    if (places.size() == 1 || !layer.others_need) set_in(layer.config, places.back());
  }
  set_out(layer.config, to);
  for (const Rows& rows : cut) {
    std::vector<std::vector<In>> memories;
    std::vector<const In*> from;
    for (size_t i = 0; i < places.size(); ++i) {
      memories.push_back(random.values<In>(places[i].end(), 0, 127));
      write_rows<In>(layer.inputs[i], places[i], needed(layer, i, rows), memories.back());
    }
    for (size_t i = 0; i < places.size(); ++i) from.push_back(memories[i].data() + places[i].row_start(0));
    std::vector<Out> wanted = random.values<Out>(to.end(), 0, 127);
    std::vector<Out> memory = wanted;
    for (int y = rows.first; y < rows.first + rows.count; ++y)
      for (int x = 0; x < to.w; ++x)
        for (int k = first; k < end; ++k)
          wanted.at(to.element(y, x, k)) = expected.at(plain.element(y, x, k));
    layer.run(layer.config, rows, places, from, memory.data() + to.start());
    ASSERT_EQ(memory, wanted) << describe("in", places[0]) << describe("out", to) << " rows " << rows.first
                              << "+" << rows.count << " bottom_up " << layer.config.bottom_up << " ordered "
                              << layer.config.ordered;
  }
}

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
  const auto bias = random.values<Sum>(outputs, -1000, 1000);
  layer.run = [=](const auto& config, Rows rows, const auto&, const auto& in, Out* out) {
    kernels::conv2d(config, rows, in[0], out, weights.data(), bias.data(), rescaling.factor.data());
  };
  return layer;
}

// T: the addend has the type of the input.
template <class T, class Weight, class Sum, class Factor>
Layer<T, T> conv_sum_layer(Generator& random) {
  Layer<T, T> layer = conv_layer<T, T, Weight, Sum, Factor>(random);
  layer.inputs.push_back(random.map<T>(layer.out.h, layer.out.w, layer.out.c));
  layer.others_need = same_rows();
  ConvSumConfig<BoundOf<T>> sum;
  set_sum(random, sum);
  const int window = layer.config.kernel_w * layer.config.kernel_h * layer.inputs[0].c / layer.config.groups;
  const auto weights = random.values<Weight>(static_cast<size_t>(layer.out.c) * window, -60, 60);
  const auto bias = random.values<Sum>(layer.out.c, -1000, 1000);
  const Rescaling<T, Factor> rescaling(random, layer.out.c, 2000.0 * window);
  rescaling.set(layer.config);
  layer.run = [=](const auto& config, Rows rows, const std::vector<Placement>& places, const auto& in,
                  T* out) {
    ConvSumConfig<BoundOf<T>> c = sum;
    static_cast<Config<BoundOf<T>>&>(c) = config;
    set_addend(c, places[1]);
    kernels::conv2d_sum(c, rows, in[0], in[1], out, weights.data(), bias.data(), rescaling.factor.data());
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

constexpr int kCases = cases(120, 4);

// make(random): a layer.
template <class Make>
void sweep(unsigned seed, Make make) {
  Generator random(seed);
  for (int i = 0; i < kCases && !testing::Test::HasFatalFailure(); ++i) check_ranges(random, make(random));
}

TEST(RowRanges, OfAConvolutionGiveTheBytesOfOneCall) {
  sweep(1, conv_layer<uint8_t, int8_t, int8_t, int32_t, float>);
  sweep(2, conv_layer<int8_t, uint8_t, int8_t, int32_t, int32_t>);
  sweep(3, conv_layer<uint16_t, int16_t, int16_t, int64_t, int32_t>);
  sweep(4, conv_layer<int16_t, uint16_t, int16_t, int64_t, float>);
  sweep(5, conv_layer<float, float, float, float, float>);
}
TEST(RowRanges, OfAConvolutionWithASumGiveTheBytesOfOneCall) {
  sweep(6, conv_sum_layer<uint8_t, int8_t, int32_t, float>),
      sweep(7, conv_sum_layer<int8_t, int8_t, int32_t, int32_t>);
  sweep(8, conv_sum_layer<uint16_t, int16_t, int64_t, float>);
  sweep(9, conv_sum_layer<int16_t, int16_t, int64_t, int32_t>),
      sweep(10, conv_sum_layer<float, float, float, float>);
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
