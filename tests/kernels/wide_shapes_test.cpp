// Do kernels of floats and of 16 bits compute what plain loops do, for all maps and windows of 1 to 5?
#include "conv.hpp"
#include "conv_depthwise.hpp"
#include "elemwise.hpp"
#include "fc.hpp"
#include "kernels/all_shapes.hpp"
#include "kernels/planned_tensor.hpp"
#include "pool.hpp"

namespace n2d2::kernels_test {
namespace {

/// Elements of other values before and behind what a layer reads or writes; of floats, no numbers.
constexpr int kPoison = 70;

template <class In, class Out>
struct WideLayer {
  Config<BoundOf<Out>> config;
  Placement from, to;
  Map<ValueOf<In>> in;
  std::vector<In> source;

  WideLayer(Generator& random, const Shape& s, int channels, int outputs)
      : from(random.place(s.h, s.w, channels)),
        to(random.place(s.out_h, s.out_w, outputs)),
        in(random.map<In>(s.h, s.w, channels)) {
    for (Placement* p : {&from, &to}) p->origin += kPoison, p->wrapped += kPoison;
    if constexpr (std::is_same_v<In, float>)
      source.assign(static_cast<size_t>(from.end()) + kPoison, std::numeric_limits<float>::quiet_NaN());
    else
      source = random.values<In>(static_cast<size_t>(from.end()) + kPoison, -32768, 32767);
    write<In>(in, from, source);
    set_in(config, from), set_out(config, to), set_window(config, s.window);
    config.bottom_up = random.in(0, 1), config.ordered = random.in(0, 1);
    config.whole_rows = random.in(0, 3) > 0 ? 1 : 0;
  }

  /// Calls `call` with config, input, output and factors; compares the whole memory of the output.
  template <class Factor, class Call>
  bool equal(Generator& random, const Shape& s, const Rescaling<Out, Factor>& rescaling,
             const Map<ValueOf<Out>>& wanted_values, const Call& call) {
    std::vector<Out> found = random.values<Out>(static_cast<size_t>(to.end()) + kPoison, 0, 100);
    std::vector<Out> wanted = found;
    write<Out>(wanted_values, to, wanted);
    call(config, source.data() + from.start(), found.data() + to.start(), rescaling.factor.data());
    if (found == wanted) return true;
    ADD_FAILURE() << describe("in", from) << describe("out", to) << describe(s.window) << " groups "
                  << config.groups << " layer " << s.number;
    return false;
  }
};

template <class In, class Out, class Weight, class Sum, class Factor>
bool convolves(Generator& random, const Shape& s) {
  using Value = ValueOf<Out>;
  const int groups = s.multiplier, outputs = groups * ((s.outputs + groups - 1) / groups);
  const int channels = groups * ((s.c + groups - 1) / groups);
  const int window = s.window.w * s.window.h * channels / groups;
  WideLayer<In, Out> l(random, s, channels, outputs);
  const auto weights = random.map<Weight>(outputs, 1, window);
  const std::vector<Value> bias = random.values<Value>(outputs, -1000, 1000);
  const double largest = std::is_same_v<Out, float> ? 1.0 : 0.1 * window * std::numeric_limits<In>::max();
  const Rescaling<Out, Factor> rescaling(random, outputs, largest * std::numeric_limits<Weight>::max());
  rescaling.set(l.config);
  l.config.groups = groups;
  const std::vector<Weight> w(weights.v.begin(), weights.v.end());
  const std::vector<Sum> b(bias.begin(), bias.end());
  const auto sums = oracle::conv<Value>(l.in, s.window, s.out_h, s.out_w, groups, weights.v, bias);
  return l.equal(random, s, rescaling, rescaling.apply(sums),
                 [&](const auto& c, const In* in, Out* out, const Factor* factor) {
                   N2D2_Export::conv2d(c, all_rows(l.to), in, out, w.data(), b.data(), factor);
                 });
}

template <class In, class Out, class Weight, class Sum, class Factor>
bool convolves_channels(Generator& random, const Shape& s) {
  using Value = ValueOf<Out>;
  const int outputs = s.c * s.multiplier, taps = s.window.w * s.window.h;
  WideLayer<In, Out> l(random, s, s.c, outputs);
  const auto weights = random.map<Weight>(taps, 1, outputs);  // [tap][output]
  std::vector<Value> turned(weights.v.size());
  for (int o = 0; o < outputs; ++o)
    for (int t = 0; t < taps; ++t) turned[static_cast<size_t>(o) * taps + t] = weights.at(t, 0, o);
  const std::vector<Value> bias = random.values<Value>(outputs, -1000, 1000);
  const double largest = std::is_same_v<Out, float> ? 1.0 : 0.3 * taps * std::numeric_limits<In>::max();
  const Rescaling<Out, Factor> rescaling(random, outputs, largest * std::numeric_limits<Weight>::max());
  rescaling.set(l.config);
  const std::vector<Weight> w(weights.v.begin(), weights.v.end());
  const std::vector<Sum> b(bias.begin(), bias.end());
  const auto sums = oracle::conv<Value>(l.in, s.window, s.out_h, s.out_w, s.c, turned, bias);
  return l.equal(random, s, rescaling, rescaling.apply(sums),
                 [&](const auto& c, const In* in, Out* out, const Factor* factor) {
                   N2D2_Export::conv2d_depthwise(c, all_rows(l.to), in, out, w.data(), b.data(), factor);
                 });
}

template <class T, class Factor>
bool pools(Generator& random, Shape s) {
  s.window.dilation_x = s.window.dilation_y = 1;
  const int area = s.window.w * s.window.h;
  WideLayer<T, T> l(random, s, s.c, s.c);
  l.config.count_zeros = random.in(0, 1);
  Rescaling<T, Factor> rescaling(random, 1, area * 2.0 * std::numeric_limits<T>::max());
  rescaling.bounds.factor_step = 0;
  rescaling.set(l.config);
  auto most = oracle::max_pool<ValueOf<T>>(l.in, s.window, s.out_h, s.out_w, l.config.count_zeros != 0);
  for (auto& x : most.v) x = std::clamp<ValueOf<T>>(x, l.config.lo, l.config.hi);
  auto sums = oracle::window_sum<ValueOf<T>>(l.in, s.window, s.out_h, s.out_w);
  if (!l.equal(random, s, rescaling, most, [&](const auto& c, const T* in, T* out, const Factor*) {
        N2D2_Export::max_pool(c, all_rows(l.to), in, out);
      }))
    return false;
  const auto average = [&](const auto& c, const T* in, T* out, const Factor* factor) {
    N2D2_Export::average_pool(c, all_rows(l.to), in, out, factor);
  };
  if (random.one_in(2)) {
    const Counted counted = Counted::around(random, s);
    counted.set(l.config);
    const auto averages = average_by_count(rescaling, sums, counted, area);
    return l.equal(random, s, rescaling, averages, average);
  }
  if constexpr (std::is_same_v<T, float>)
    for (double& x : sums.v) x = static_cast<float>(x) / static_cast<float>(area);
  return l.equal(random, s, rescaling, rescaling.apply(sums), average);
}

template <class Multiplier>
struct Addend {
  int in_w = 1, in_h = 1, in_c = 1, in_pixel = 1, in_row = 1, in_ring = 0, in_first = 0, in_turn = 0;
  Multiplier multiplier = 0;
  int is_signed = 0;
};

/// Two operands, one of which may be one row, one column or one channel that is repeated, and a start. Sums
/// of floats are exact, whatever the order.
template <class T, class Multiplier>
bool adds(Generator& random, Shape s) {
  using Value = ValueOf<T>;
  constexpr bool kIsFloat = std::is_same_v<T, float>;
  s.out_h = s.h, s.out_w = s.w;
  WideLayer<T, T> l(random, s, s.c, s.c);
  Addend<Multiplier> first, second;
  first.is_signed = second.is_signed = std::is_signed_v<T> ? 1 : 0;
  set_in(first, l.from);
  const int repeats = s.number % 5;
  const Placement beside =
      random.place(repeats == 1 ? 1 : s.h, repeats == 2 ? 1 : s.w, repeats == 3 ? 1 : s.c);
  set_in(second, beside);
  const auto added = random.map<T>(beside.h, beside.w, beside.c);
  std::vector<T> memory = random.values<T>(static_cast<size_t>(beside.end()), 0, 100);
  write<T>(added, beside, memory);
  Rescaling<T, Multiplier> bounds(random, 1, 2.0 * std::numeric_limits<T>::max());
  bounds.set(l.config);
  l.config.shift = kIsFloat || s.number % 7 == 0 ? 0 : random.in(1, 30);
  const double one = static_cast<double>(int64_t{1} << l.config.shift);
  const auto multiplier = [&] {
    if (kIsFloat) return static_cast<Multiplier>(random.in(-3, 3));
    return static_cast<Multiplier>((random.one_in(4) ? -1.0 : 1.0) * random.in(1, 100) / 150.0 * one + 1);
  };
  first.multiplier = multiplier(), second.multiplier = multiplier();
  if (!kIsFloat && random.one_in(2))
    l.config.start = int64_t{random.in(-300, 300)} * (int64_t{1} << l.config.shift) + random.in(-99, 99);
  auto sums = oracle::weighted_sum<Value>(
      {l.in, oracle::repeated<Value>(added, s.h, s.w, s.c)},
      {static_cast<Value>(first.multiplier), static_cast<Value>(second.multiplier)});
  for (Value& x : sums.v)
    if constexpr (kIsFloat)
      x = std::clamp<Value>(x, l.config.lo, l.config.hi);
    else
      x = oracle::rescale_fixed(x + l.config.start, 1, l.config.shift, l.config.lo, l.config.hi);
  return l.equal(random, s, bounds, sums, [&](const auto& c, const T* in, T* out, const Multiplier*) {
    N2D2_Export::sum(c, all_rows(l.to), out, N2D2_Export::operand(first, in),
                     N2D2_Export::operand(second, static_cast<const T*>(memory.data() + beside.start())));
  });
}

template <class In, class Out, class Weight, class Sum, class Factor>
bool connects(Generator& random, Shape s) {
  using Value = ValueOf<Out>;
  s.out_h = s.out_w = 1;
  WideLayer<In, Out> l(random, s, s.c, s.outputs);
  const int window = s.h * s.w * s.c;
  const auto weights = random.map<Weight>(s.outputs, 1, window);
  const std::vector<Value> bias = random.values<Value>(s.outputs, -1000, 1000);
  const double largest = std::is_same_v<Out, float> ? 1.0 : 0.1 * window * std::numeric_limits<In>::max();
  const Rescaling<Out, Factor> rescaling(random, s.outputs, largest * std::numeric_limits<Weight>::max());
  rescaling.set(l.config);
  const std::vector<Weight> w(weights.v.begin(), weights.v.end());
  const std::vector<Sum> b(bias.begin(), bias.end());
  return l.equal(random, s, rescaling, rescaling.apply(oracle::fc<Value>(l.in, weights.v, bias)),
                 [&](const auto& c, const In* in, Out* out, const Factor* factor) {
                   N2D2_Export::fc(c, all_rows(l.to), in, out, w.data(), b.data(), factor);
                 });
}

TEST(WideShapes, ConvolveAsPlainLoopsDo) {
  Generator random(1);
  for_shapes_in_turn([&](const Shape& s) {
    return convolves<float, float, float, float, float>(random, s) &&
           (s.is_signed ? convolves<int16_t, int16_t, int16_t, int64_t, int32_t>(random, s)
                        : convolves<uint16_t, uint16_t, int16_t, int64_t, float>(random, s));
  });
}

TEST(WideShapes, ConvolveChannelsAsPlainLoopsDo) {
  Generator random(2);
  for_shapes_in_turn([&](const Shape& s) {
    return convolves_channels<float, float, float, float, float>(random, s) &&
           (s.is_signed ? convolves_channels<int16_t, int16_t, int16_t, int64_t, int32_t>(random, s)
                        : convolves_channels<uint16_t, uint16_t, int16_t, int64_t, float>(random, s));
  });
}

TEST(WideShapes, PoolAsPlainLoopsDo) {
  Generator random(3);
  for_shapes_in_turn([&](const Shape& s) {
    return pools<float, float>(random, s) &&
           (s.is_signed ? pools<int16_t, int32_t>(random, s) : pools<uint16_t, float>(random, s));
  });
}

TEST(WideShapes, AddAsPlainLoopsDo) {
  Generator random(5);
  for_all_maps([&](const Shape& s) {
    return adds<float, float>(random, s) &&
           (s.is_signed ? adds<int16_t, int32_t>(random, s) : adds<uint16_t, int32_t>(random, s));
  });
}

TEST(WideShapes, ConnectAsPlainLoopsDo) {
  Generator random(4);
  for_all_maps([&](const Shape& s) {
    return connects<float, float, float, float, float>(random, s) &&
           (s.is_signed ? connects<int16_t, int16_t, int16_t, int64_t, int32_t>(random, s)
                        : connects<uint16_t, uint16_t, int16_t, int64_t, float>(random, s));
  });
}

}  // namespace
}  // namespace n2d2::kernels_test
