// Do kernels compute what plain loops do, for all maps and windows of 1 to 5, in every build and form?
#include "kernels/all_shapes.hpp"

#include <numeric>
#include <optional>
#include <set>

#include "kernels/packed_order.hpp"
#include "kernels/planned_tensor.hpp"
#include "kernels/variant_builds.hpp"

namespace n2d2::kernels_test {
namespace {

using Sums = Map<int64_t>;

/// Elements of other values before and behind what a layer reads or writes.
constexpr int kPoison = 70;

/// One layer of bytes in a memory whose other elements are poison.
struct PoisonedLayer {
  Config<int> config;
  Placement from, to;
  std::vector<uint8_t> source;
  std::vector<int8_t> weights, packed;  // packed: empty where they may not be
  std::vector<int32_t> bias;
  int rows_a_call = 0;             // 0: all of them
  std::optional<Counted> counted;  // of an average over the taps that count
};

Placement place_in_poison(Generator& random, int h, int w, int c) {
  Placement p = random.place(h, w, c);
  p.origin += kPoison, p.wrapped += kPoison;
  return p;
}

template <class T>
std::vector<T> poison(Generator& random, const Placement& p) {
  return random.values<T>(static_cast<size_t>(p.end()) + kPoison, -128, 127);
}

PoisonedLayer layer_of(Generator& random, const Shape& s, const Sums& in, int outputs) {
  PoisonedLayer l;
  l.from = place_in_poison(random, in.h, in.w, in.c);
  l.to = place_in_poison(random, s.out_h, s.out_w, outputs);
  l.source = poison<uint8_t>(random, l.from);
  write<uint8_t>(in, l.from, l.source);
  set_in(l.config, l.from), set_out(l.config, l.to), set_window(l.config, s.window);
  l.config.bottom_up = random.in(0, 1), l.config.ordered = random.in(0, 1);
  l.config.whole_rows = random.in(0, 3) > 0 ? 1 : 0;
  l.rows_a_call = random.one_in(2) ? 0 : random.in(1, 2);
  return l;
}

Sums input_of(Generator& random, const Shape& s, int channels) {
  return s.is_signed ? random.map<int8_t>(s.h, s.w, channels) : random.map<uint8_t>(s.h, s.w, channels);
}

std::string text_of(const PoisonedLayer& l, const Shape& s) {
  return describe("in", l.from) + describe("out", l.to) + describe(s.window) + " groups " +
         std::to_string(l.config.groups) + (s.is_signed ? " signed" : " unsigned") + " bottom_up " +
         std::to_string(l.config.bottom_up) + " rows a call " + std::to_string(l.rows_a_call) + " layer " +
         std::to_string(s.number);
}

class AllBuilds : public testing::Test {
 protected:
  /// Calls `member` of every build in every form, and compares the whole memory.
  template <class Out, class Factor, class Member>
  bool equal(const PoisonedLayer& l, const Shape& s, const std::vector<Out>& before,
             const std::vector<Out>& wanted, const Config<int>& bounds, const std::vector<Factor>& factor,
             const Member& member) const {
    for (const auto& [name, build] : all_) {
      if (!build.runs) continue;
      const VariantTable& table = build.table();
      for (const bool is_packed : {false, true}) {
        if (is_packed && (!table.packed || l.packed.empty())) continue;
        Config<int> c = bounds;
        c.packed = is_packed ? 1 : 0;
        VariantArrays arrays{};
        std::vector<Out> found = before;
        arrays.in = l.source.data() + l.from.start(), arrays.out = found.data() + l.to.start();
        arrays.weights = is_packed ? l.packed.data() : l.weights.data(), arrays.bias = l.bias.data();
        if constexpr (std::is_same_v<Factor, float>)
          arrays.factor = factor.data();
        else
          arrays.multiplier = factor.data();
        const int most = l.rows_a_call > 0 ? l.rows_a_call : l.to.h;
        for (int done = 0; done < l.to.h; done += most) {
          arrays.rows = std::min(most, l.to.h - done);
          arrays.first_row = c.bottom_up != 0 ? l.to.h - done - arrays.rows : done;
          member(table)(c, arrays);
        }
        if (found == wanted) continue;
        ADD_FAILURE() << name << (is_packed ? " packed" : "") << ", outputs of " << 8 * sizeof(Out) << " bits"
                      << (std::is_same_v<Factor, float> ? "" : ", fixed point") << ":" << text_of(l, s);
        return false;
      }
    }
    return true;
  }

  /// What becomes of the sums in outputs of this type.
  template <class Out, class Factor, class Member>
  bool rescaled(Generator& random, const PoisonedLayer& l, const Shape& s, const Sums& sums, double magnitude,
                const Member& member, bool has_factors = true) const {
    Rescaling<Out, Factor> rescaling(random, sums.c, magnitude);
    if (!has_factors) rescaling.bounds.factor_step = 0;
    Config<int> c = l.config;
    rescaling.set(c);
    c.small_factors = random.in(0, 1);  // they are
    const std::vector<Out> before = poison<Out>(random, l.to);
    std::vector<Out> wanted = before;
    write<Out>(l.counted ? average_by_count(rescaling, sums, *l.counted, s.window.w * s.window.h)
                         : rescaling.apply(sums),
               l.to, wanted);
    return equal(l, s, before, wanted, c, rescaling.factor, member);
  }

  std::map<std::string, Build> all_ = builds();
};

// ---- the layers that are tried
// -----------------------------------------------------------------------------

TEST(AllShapes, AWindowMeetsEveryEntryOfEveryList) {
  std::map<std::pair<int, int>, std::map<std::string, std::set<int>>> met;
  std::map<std::array<int, 4>, std::set<int>> channels;
  for_all_shapes([&](const Shape& s) {
    const auto note = [&, at = std::pair(s.window.h, s.window.w)](const char* list, int value) {
      met[at][list].insert(value);
    };
    note("stride x", s.window.stride_x), note("stride y", s.window.stride_y);
    note("dilation x", s.window.dilation_x), note("dilation y", s.window.dilation_y);
    note("pad x", s.window.pad_x), note("pad y", s.window.pad_y);
    note("out x", s.out_w), note("out y", s.out_h), note("channels", s.c), note("outputs", s.outputs);
    note("multiplier", s.multiplier), note("sign", s.is_signed ? 1 : 0);
    channels[{s.h, s.w, s.window.h, s.window.w}].insert(s.c);
    return true;
  });
  const std::map<std::string, size_t> sizes{
      {"stride x", 4}, {"stride y", 4}, {"dilation x", 3}, {"dilation y", 3}, {"pad x", 8},      {"pad y", 8},
      {"out x", 6},    {"out y", 6},    {"channels", 23},  {"outputs", 23},   {"multiplier", 3}, {"sign", 2}};
  EXPECT_EQ(met.size(), 25U);
  for (const auto& [window, lists] : met)
    for (const auto& [name, size] : sizes)
      EXPECT_EQ(lists.at(name).size(), size) << name << " " << window.first << "x" << window.second;
  EXPECT_EQ(channels.size(), 625U);
  for (const auto& [shape, found] : channels) EXPECT_EQ(found.size(), size_t{kRounds});
}

TEST(AllShapes, ListsHaveNoCommonDivisor) {
  const std::vector<size_t> lengths{kStridesX.size(),   kStridesY.size(), kDilationsX.size(),
                                    kDilationsY.size(), kPadsX.size(),    kPadsY.size(),
                                    kOutsX.size(),      kOutsY.size(),    kChannels.size(),
                                    kOutputs.size(),    kGroupsPeriod};
  for (size_t i = 0; i < lengths.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_EQ(std::gcd(lengths[i], lengths[j]), 1U) << i << " " << j;
}

// ---- the kernels
// -------------------------------------------------------------------------------------------

TEST_F(AllBuilds, ConvolveAsPlainLoopsDo) {
  Generator random(1);
  for_shapes_in_turn([&](const Shape& s) {
    const int groups = s.multiplier, outputs = groups * ((s.outputs + groups - 1) / groups);
    const int channels = groups * ((s.c + groups - 1) / groups), taps = s.window.w * s.window.h;
    const int window = taps * channels / groups;
    const Sums in = input_of(random, s, channels);
    PoisonedLayer l = layer_of(random, s, in, outputs);
    l.config.groups = groups;
    const bool has_rows = random.one_in(3);
    const int rows = has_rows ? set_borders(l.config, s.window, s.h, s.w, s.out_h, s.out_w) : 1;
    l.bias = random.values<int32_t>(static_cast<size_t>(rows) * outputs, -1000, 1000);
    l.weights = random.values<int8_t>(static_cast<size_t>(outputs) * window, -128, 127);
    if (const int packed = packed_rows(l.config, channels); packed > 0)
      l.packed = pack(l.weights, outputs, packed);
    const std::vector<int64_t> w(l.weights.begin(), l.weights.end()), b(l.bias.begin(), l.bias.end());
    const Sums sums =
        has_rows ? oracle::conv_with_rows<int64_t>(in, s.window, s.out_h, s.out_w, groups, w, b, outputs)
                 : oracle::conv<int64_t>(in, s.window, s.out_h, s.out_w, groups, w, b);
    const double magnitude = 3000.0 * window;
    const int sign = s.is_signed ? 1 : 0;
    return rescaled<uint8_t, float>(random, l, s, sums, magnitude,
                                    [&](const auto& t) { return t.conv[sign][0]; }) &&
           rescaled<int8_t, float>(random, l, s, sums, magnitude,
                                   [&](const auto& t) { return t.conv[sign][1]; }) &&
           rescaled<uint8_t, int32_t>(random, l, s, sums, magnitude,
                                      [&](const auto& t) { return t.fixed_conv[sign][0]; }) &&
           rescaled<int8_t, int32_t>(random, l, s, sums, magnitude,
                                     [&](const auto& t) { return t.fixed_conv[sign][1]; }) &&
           rescaled<int16_t, int32_t>(random, l, s, sums, magnitude,
                                      [&](const auto& t) { return t.wide_conv[sign][0]; }) &&
           rescaled<int32_t, int32_t>(random, l, s, sums, magnitude,
                                      [&](const auto& t) { return t.wide_conv[sign][1]; });
  });
}

TEST_F(AllBuilds, ConvolveChannelsAsPlainLoopsDo) {
  Generator random(2);
  for_shapes_in_turn([&](const Shape& s) {
    const int outputs = s.c * s.multiplier, taps = s.window.w * s.window.h;
    const Sums in = input_of(random, s, s.c);
    PoisonedLayer l = layer_of(random, s, in, outputs);
    l.bias = random.values<int32_t>(outputs, -1000, 1000);
    l.weights = random.values<int8_t>(static_cast<size_t>(outputs) * taps, -128, 127);
    std::vector<int64_t> w(l.weights.size());  // [output][tap], those of the kernel are [tap][output]
    for (int o = 0; o < outputs; ++o)
      for (int t = 0; t < taps; ++t)
        w[static_cast<size_t>(o) * taps + t] = l.weights[static_cast<size_t>(t) * outputs + o];
    const std::vector<int64_t> b(l.bias.begin(), l.bias.end());
    l.config.pad_value = random.one_in(2) ? 0 : s.is_signed ? random.in(-128, 127) : random.in(0, 255);
    const Sums framed = oracle::framed<int64_t>(in, s.window, s.out_h, s.out_w, l.config.pad_value);
    const Sums sums = oracle::conv<int64_t>(framed, within(s.window), s.out_h, s.out_w, s.c, w, b);
    const double magnitude = 9000.0 * taps;
    const int sign = s.is_signed ? 1 : 0;
    return rescaled<uint8_t, float>(random, l, s, sums, magnitude,
                                    [&](const auto& t) { return t.depthwise_conv[sign][0]; }) &&
           rescaled<int8_t, float>(random, l, s, sums, magnitude,
                                   [&](const auto& t) { return t.depthwise_conv[sign][1]; }) &&
           rescaled<uint8_t, int32_t>(random, l, s, sums, magnitude,
                                      [&](const auto& t) { return t.fixed_depthwise[sign][0]; }) &&
           rescaled<int8_t, int32_t>(random, l, s, sums, magnitude,
                                     [&](const auto& t) { return t.fixed_depthwise[sign][1]; }) &&
           rescaled<int16_t, int32_t>(random, l, s, sums, magnitude,
                                      [&](const auto& t) { return t.wide_depthwise[sign][0]; }) &&
           rescaled<int32_t, int32_t>(random, l, s, sums, magnitude,
                                      [&](const auto& t) { return t.wide_depthwise[sign][1]; });
  });
}

TEST_F(AllBuilds, PoolAsPlainLoopsDo) {
  Generator random(3);
  for_shapes_in_turn([&](Shape s) {
    s.window.dilation_x = s.window.dilation_y = 1;
    const Sums in = input_of(random, s, s.c);
    PoisonedLayer l = layer_of(random, s, in, s.c);
    l.config.count_zeros = random.in(0, 1);
    l.config.lo = s.is_signed ? -100 : 3, l.config.hi = 100;
    const std::vector<uint8_t> before = poison<uint8_t>(random, l.to);
    std::vector<uint8_t> wanted = before;
    Sums most = oracle::max_pool<int64_t>(in, s.window, s.out_h, s.out_w, l.config.count_zeros != 0);
    for (int64_t& x : most.v) x = std::clamp<int64_t>(x, l.config.lo, l.config.hi);
    write<uint8_t>(most, l.to, wanted);
    const int sign = s.is_signed ? 1 : 0;
    l.config.pad_value = random.one_in(2) ? 0 : s.is_signed ? random.in(-128, 127) : random.in(0, 255);
    const Sums framed = oracle::framed<int64_t>(in, s.window, s.out_h, s.out_w, l.config.pad_value);
    const Sums sums = oracle::window_sum<int64_t>(framed, within(s.window), s.out_h, s.out_w);
    const double magnitude = 500.0 * s.window.w * s.window.h;
    if (!equal(l, s, before, wanted, l.config, std::vector<float>{1},
               [&](const auto& t) { return t.max_pool[sign]; }))
      return false;
    if (l.config.pad_value == 0 && random.one_in(2)) {
      l.counted = Counted::around(random, s);
      l.counted->set(l.config);
    }
    return rescaled<uint8_t, float>(
               random, l, s, sums, magnitude, [&](const auto& t) { return t.average_pool[sign][0]; },
               false) &&
           rescaled<int8_t, float>(
               random, l, s, sums, magnitude, [&](const auto& t) { return t.average_pool[sign][1]; },
               false) &&
           rescaled<int16_t, int32_t>(
               random, l, s, sums, magnitude, [&](const auto& t) { return t.wide_average_pool[sign][0]; },
               false) &&
           rescaled<int32_t, int32_t>(
               random, l, s, sums, magnitude, [&](const auto& t) { return t.wide_average_pool[sign][1]; },
               false);
  });
}

TEST_F(AllBuilds, ConnectAsPlainLoopsDo) {
  Generator random(4);
  for_all_maps([&](const Shape& s) {
    const Sums in = input_of(random, s, s.c);
    PoisonedLayer l = layer_of(random, s, in, s.outputs);
    const int window = s.h * s.w * s.c;
    l.bias = random.values<int32_t>(s.outputs, -1000, 1000);
    l.weights = random.values<int8_t>(static_cast<size_t>(s.outputs) * window, -128, 127);
    l.packed = pack(l.weights, s.outputs, 1);
    const std::vector<int64_t> w(l.weights.begin(), l.weights.end()), b(l.bias.begin(), l.bias.end());
    const Sums sums = oracle::fc<int64_t>(in, w, b);
    const double magnitude = 3000.0 * window;
    const int sign = s.is_signed ? 1 : 0;
    return rescaled<uint8_t, float>(random, l, s, sums, magnitude,
                                    [&](const auto& t) { return t.fc[sign][0]; }) &&
           rescaled<int8_t, float>(random, l, s, sums, magnitude,
                                   [&](const auto& t) { return t.fc[sign][1]; }) &&
           rescaled<int16_t, int32_t>(random, l, s, sums, magnitude,
                                      [&](const auto& t) { return t.wide_fc[sign][0]; }) &&
           rescaled<int32_t, int32_t>(random, l, s, sums, magnitude,
                                      [&](const auto& t) { return t.wide_fc[sign][1]; });
  });
}

std::vector<int8_t> narrow_weights(Generator& random, const NarrowKind& kind, size_t n) {
  const int step = 256 >> kind.bits;
  std::vector<int8_t> out;
  for (size_t i = 0; i < n; ++i)
    out.push_back(
        static_cast<int8_t>(-128 + step * random.in(0, (1 << kind.bits) - 1) + (kind.is_odd ? step / 2 : 0)));
  return out;
}

/// Fills in weights of a kind; `rows`: of a window that may be packed. Odd weights are where no row is filled
/// up with zeros, of which there are none among them.
void set_narrow(PoisonedLayer& l, const NarrowKind& kind, int outputs, int rows) {
  if (rows > 0) l.packed = narrow_groups(pack(l.weights, outputs, rows), kind.bits, kind.is_odd);
  l.weights = narrow_rows(l.weights, outputs, kind.bits, kind.is_odd);
}

TEST_F(AllBuilds, ConnectNarrowWeightsAsPlainLoopsDo) {
  Generator random(6);
  for_all_maps([&](const Shape& s) {
    const int at = s.number % kNarrow;
    const NarrowKind& kind = kNarrowKinds[at];
    const Sums in = input_of(random, s, s.c);
    PoisonedLayer l = layer_of(random, s, in, s.outputs);
    const int window = s.h * s.w * s.c;
    l.bias = random.values<int32_t>(s.outputs, -1000, 1000);
    l.weights = narrow_weights(random, kind, static_cast<size_t>(s.outputs) * window);
    const std::vector<int64_t> w(l.weights.begin(), l.weights.end()), b(l.bias.begin(), l.bias.end());
    const Sums sums = oracle::fc<int64_t>(in, w, b);
    set_narrow(l, kind, s.outputs, 1);
    const double magnitude = 3000.0 * window;
    if (s.is_signed)
      return rescaled<int8_t, float>(random, l, s, sums, magnitude,
                                     [&](const auto& t) { return t.narrow_fc[1][at]; });
    return rescaled<uint8_t, float>(random, l, s, sums, magnitude,
                                    [&](const auto& t) { return t.narrow_fc[0][at]; });
  });
}

TEST_F(AllBuilds, ConvolveNarrowWeightsAsPlainLoopsDo) {
  Generator random(7);
  for_shapes_in_turn([&](const Shape& s) {
    const int sign = s.is_signed ? 1 : 0, at = s.number / 2 % 2;
    const NarrowKind& kind = kNarrowKinds[kNarrowConvs[sign][at]];
    const int window = s.window.w * s.window.h * s.c;
    const Sums in = input_of(random, s, s.c);
    PoisonedLayer l = layer_of(random, s, in, s.outputs);
    l.config.groups = 1;
    l.bias = random.values<int32_t>(s.outputs, -1000, 1000);
    l.weights = narrow_weights(random, kind, static_cast<size_t>(s.outputs) * window);
    const std::vector<int64_t> w(l.weights.begin(), l.weights.end()), b(l.bias.begin(), l.bias.end());
    const Sums sums = oracle::conv<int64_t>(in, s.window, s.out_h, s.out_w, 1, w, b);
    const bool is_whole = s.window.w * s.c % 4 == 0;
    set_narrow(l, kind, s.outputs, kind.is_odd && !is_whole ? 0 : packed_rows(l.config, s.c));
    const double magnitude = 3000.0 * window;
    if (s.is_signed)
      return rescaled<int8_t, float>(random, l, s, sums, magnitude,
                                     [&](const auto& t) { return t.narrow_conv[1][at]; });
    return rescaled<uint8_t, float>(random, l, s, sums, magnitude,
                                    [&](const auto& t) { return t.narrow_conv[0][at]; });
  });
}

/// A sum in place, with the factors, the shifts and the starts that Calls::sum() of variant_kernels.cpp has.
template <class Out>
Sums sum_of(const Sums& in, const Sums& old, const Config<int>& c) {
  const int size = c.shift % 3 == 0 ? 20 : 28, shift = c.shift % 3 == 2 ? 3 : size + 2;
  const int64_t start = c.in_c % 2 == 1 ? (int64_t{c.in_c - 20} << shift) + c.in_w * 12345 : 0;
  Sums out = oracle::weighted_sum<int64_t>({in, old}, {int64_t{3} << size, -(int64_t{5} << (size - 1))});
  for (int64_t& x : out.v) x = oracle::rescale_fixed(x + start, 1, shift, c.lo, c.hi);
  return out;
}

TEST_F(AllBuilds, AddAsPlainLoopsDo) {
  Generator random(5);
  for_all_maps([&](Shape s) {
    s.out_h = s.h, s.out_w = s.w;
    const Sums in = input_of(random, s, s.c);
    PoisonedLayer l = layer_of(random, s, in, s.c);
    l.config.shift = s.number % 3;
    const int sign = s.is_signed ? 1 : 0;
    const auto of_type = [&](auto zero, int to) {
      using Out = decltype(zero);
      Config<int> c = l.config;
      c.lo = std::numeric_limits<Out>::min(), c.hi = std::numeric_limits<Out>::max() - s.number % 5;
      const std::vector<Out> before = poison<Out>(random, l.to);
      std::vector<Out> wanted = before;
      write<Out>(sum_of<Out>(in, read<Out>(before, l.to), c), l.to, wanted);
      return equal(l, s, before, wanted, c, std::vector<float>{1},
                   [&](const auto& t) { return t.sum[sign][to]; });
    };
    return of_type(uint8_t{0}, 0) && of_type(int8_t{0}, 1);
  });
}

}  // namespace
}  // namespace n2d2::kernels_test
