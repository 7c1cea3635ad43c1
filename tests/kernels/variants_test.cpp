// Do all forms of kernels.list give the bytes of the portable one? The list of builds and forms is generated
// from it.
#include <algorithm>

#include "cases.hpp"
#include "kernels/packed_order.hpp"
#include "kernels/planned_tensor.hpp"
#include "kernels/variant_builds.hpp"

namespace n2d2::kernels_test {

namespace {

std::vector<std::string> build_names() {
  std::vector<std::string> names;
  for (const auto& [name, build] : builds())
    if (name != "portable") names.push_back(name);
  return names;
}

// One layer of bytes somewhere in a memory.
struct ByteLayer {
  Placement from, to;
  Config<int> config;
  std::vector<uint8_t> source, target;
  std::vector<int8_t> weights;
  std::vector<int32_t> bias, multiplier;
  std::vector<float> factor;

  int rows = 0;     // of a window whose weights may be packed; 0: they may not
  int element = 1;  // bytes of one of the output

  // The whole memory of the output after the call, or after one for each `step` rows in scan order; with
  // packed weights if they may be.
  std::vector<uint8_t> after(VariantCall call, bool packed = false, int step = 0) const {
    std::vector<uint8_t> memory = target;
    Config<int> c = config;
    c.packed = packed && rows > 0;
    const std::vector<int8_t> w = c.packed != 0 ? pack(weights, to.c, rows) : weights;
    const int most = step > 0 ? step : to.h;
    for (int done = 0; done < to.h; done += most) {
      const int count = std::min(most, to.h - done), first = c.bottom_up != 0 ? to.h - done - count : done;
      call(c, {source.data() + from.start(), memory.data() + static_cast<ptrdiff_t>(to.start()) * element,
               w.data(), bias.data(), factor.data(), multiplier.data(), first, count});
    }
    return memory;
  }
  // A convolution is packed where its window allows it (kPackedPatch).
  void may_be_packed() { rows = packed_rows(config, from.c); }
};

// Extremes of both signs are frequent: nothing may saturate on the way.
template <class T>
std::vector<T> bytes(Generator& random, size_t n) {
  std::vector<T> v = random.values<T>(n, -128, 127);
  if (!random.one_in(4)) return v;
  const int low = random.one_in(2) ? 0x80 : 0, high = random.one_in(2) ? 0x7f : 0xff;
  for (T& x : v) x = static_cast<T>(random.one_in(2) ? low : high);
  return v;
}

ByteLayer make_layer(Generator& random, int h, int w, int c, int out_h, int out_w, int outputs,
                     size_t weights, bool is_signed) {
  ByteLayer l;
  l.from = random.place(h, w, c), l.to = random.place(out_h, out_w, outputs);
  set_in(l.config, l.from), set_out(l.config, l.to);
  l.source = bytes<uint8_t>(random, l.from.end()), l.target = bytes<uint8_t>(random, l.to.end());
  l.weights = bytes<int8_t>(random, weights);
  l.bias = random.values<int32_t>(outputs, -100000, 100000);
  l.config.factor_step = random.in(0, 1), l.config.shift = random.in(8, 38);
  l.config.lo = is_signed ? -128 : 0, l.config.hi = is_signed ? 127 : 255;
  for (int i = 0; i < outputs; ++i) {
    l.factor.push_back(random.one_in(3) ? 1.0F / static_cast<float>(1 << random.in(4, 16))
                                        : static_cast<float>(random.in(1, 1000)) * 1e-5F);
    l.multiplier.push_back(random.in(1, 1 << std::min(30, l.config.shift - 4)));
  }
  l.config.small_factors = random.in(0, 1);  // they are
  if (random.one_in(4)) l.config.lo += random.in(1, 50), l.config.hi -= random.in(1, 50);
  l.config.bottom_up = random.in(0, 1), l.config.ordered = random.in(0, 1);
  return l;
}

/// Outputs of 16 or 32 bits, as those that leave a network.
void widen(Generator& random, ByteLayer& l, bool to_32) {
  l.element = to_32 ? 4 : 2;
  l.target = bytes<uint8_t>(random, static_cast<size_t>(l.to.end()) * l.element);
  l.config.lo = to_32 ? -(1 << 30) : -32768, l.config.hi = to_32 ? 1 << 30 : 32767;
}

Window set_window(Generator& random, Config<int>& c, int most) {
  Window k;
  k.w = random.in(1, most), k.h = random.in(1, most);
  k.stride_x = random.in(1, 2), k.stride_y = random.in(1, 2);
  if (random.one_in(5)) k.dilation_x = random.in(1, 3), k.dilation_y = random.in(1, 3);
  k.pad_x = random.in(0, 2), k.pad_y = random.in(0, 2);
  set_window(c, k);
  return k;
}

// Every second layer of windows has biases for kinds of borders.
void add_bias_rows(Generator& random, ByteLayer& l, const Window& k) {
  if (random.one_in(2)) return;
  const int rows = set_borders(l.config, k, l.from.h, l.from.w, l.to.h, l.to.w);
  l.bias = random.values<int32_t>(static_cast<size_t>(rows) * l.to.c, -100000, 100000);
}

class KernelVariant : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    build_ = &all_.at(GetParam());
    if (!build_->runs) GTEST_SKIP() << "this machine cannot run " << GetParam();
  }
  // Same member of both tables; what: describes the layer.
  template <class Member>
  void compare(const ByteLayer& l, Member member) {
    const std::vector<uint8_t> wanted = l.after(member(all_.at("portable").table()));
    const VariantTable& table = build_->table();
    const bool packed = table.packed && l.rows > 0;
    if (packed) {
      ASSERT_EQ(l.after(member(table), true), wanted)
          << "packed " << describe("in", l.from) << describe("out", l.to);
      if (l.to.h > 1 && ++ranges_ % 4 == 0) {
        const int step = 1 + ranges_ / 4 % 2;
        ASSERT_EQ(l.after(member(table), true, step), wanted)
            << "packed, rows " << step << " by " << step << describe("in", l.from) << describe("out", l.to);
      }
    }
    if (!packed || ++plain_ % 4 == 0) {
      ASSERT_EQ(l.after(member(table)), wanted) << describe("in", l.from) << describe("out", l.to);
    }
  }
  int plain_ = 0, ranges_ = 0;

  std::map<std::string, Build> all_ = builds();
  const Build* build_ = nullptr;
};

constexpr int kCases = cases(400);

// Any signs of input and output, any of the calls that `member` names by them.
template <class Use>
void for_signs(const Use& use) {
  for (const int in : {0, 1})
    for (const int out : {0, 1}) use(in, out);
}

// Every length of a run around the vectors, every number of filters around the tiles, every number of
// windows.
TEST_P(KernelVariant, AddsProductsOfAllSmallShapesToTheBytesOfThePortableForm) {
  Generator random(5);
  Sparse sparse;
  for (int c = 1; c <= 132 && !HasFatalFailure(); ++c)
    for (const int outputs : {1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 65})
      for (int w = 1; w <= 6; ++w)
        for_signs([&](int in, int out) {
          if ((c + outputs + w) % 2 != in || !sparse.take() || HasFatalFailure()) return;
          ByteLayer l = make_layer(random, 1, w, c, 1, w, outputs, outputs * c, out);
          l.may_be_packed();
          compare(l, [&](const VariantTable& t) { return t.conv[in][out]; });
        });
}

TEST_P(KernelVariant, AddsWindowsOfAllSmallShapesToTheBytesOfThePortableForm) {
  Generator random(6);
  Sparse sparse;
  for (int c = 1; c <= 12 && !HasFatalFailure(); ++c)
    for (int kernel = 2; kernel <= 4; ++kernel)
      for (int pad = 0; pad <= 2; ++pad)
        for (int w = kernel; w <= kernel + 5; ++w)
          for_signs([&](int in, int out) {
            if (!sparse.take() || HasFatalFailure()) return;
            const int out_w = w + 2 * pad - kernel + 1, outputs = random.in(1, 9);
            ByteLayer l = make_layer(random, 4, w, c, 4 + 2 * pad - kernel + 1, out_w, outputs,
                                     outputs * c * kernel * kernel, out);
            l.config.kernel_w = l.config.kernel_h = kernel, l.config.pad_x = l.config.pad_y = pad;
            add_bias_rows(random, l, {kernel, kernel, 1, 1, 1, 1, pad, pad});
            l.may_be_packed();
            compare(l, [&](const VariantTable& t) { return t.conv[in][out]; });
          });
}

TEST_P(KernelVariant, ConvolvesAllNumbersOfChannelsToTheBytesOfThePortableForm) {
  Generator random(7);
  Sparse sparse;
  for (int c = 1; c <= 132 && !HasFatalFailure(); ++c)
    for (int kernel = 1; kernel <= 5; kernel += 2)
      for (int w = 1; w <= 9; ++w)
        for_signs([&](int in, int out) {
          if ((c + w) % 2 != in || !sparse.take() || HasFatalFailure()) return;
          ByteLayer l = make_layer(random, 3, w, c, 3, w, c, c * kernel * kernel, out);
          l.config.kernel_w = l.config.kernel_h = kernel, l.config.pad_x = l.config.pad_y = kernel / 2;
          compare(l, [&](const VariantTable& t) { return t.depthwise_conv[in][out]; });
          compare(l, [&](const VariantTable& t) { return t.fixed_depthwise[in][out]; });
        });
}

TEST_P(KernelVariant, ConvolvesToTheBytesOfThePortableForm) {
  Generator random(1);
  for (int i = 0; i < kCases && !HasFatalFailure(); ++i) {
    const int in = random.in(0, 1), out = random.in(0, 1), groups = random.one_in(5) ? 2 : 1;
    const int c = groups * random.in(1, random.one_in(2) ? 8 : 80);
    const int outputs = groups * random.in(1, random.one_in(4) ? 80 : 20);
    Config<int> window;
    const Window k = set_window(random, window, 5);
    ByteLayer l = make_layer(random, random.in(1, 9), random.in(1, 12), c, random.in(1, 6), random.in(1, 11),
                             outputs, static_cast<size_t>(outputs) * k.w * k.h * c / groups, out);
    set_window(l.config, k);
    l.config.groups = groups;
    add_bias_rows(random, l, k);
    l.may_be_packed();
    compare(l, [&](const VariantTable& t) { return t.conv[in][out]; });
    compare(l, [&](const VariantTable& t) { return t.fixed_conv[in][out]; });
  }
}

// Rows without gaps, in any order: all pixels of a layer of points may be one row, if the output has the size
// of the input.
TEST_P(KernelVariant, TakesPixelsOfAllRowsTogetherToTheBytesOfThePortableForm) {
  Generator random(8);
  for (int i = 0; i < kCases && !HasFatalFailure(); ++i) {
    const int in = random.in(0, 1), out = random.in(0, 1), c = 4 * random.in(1, 20),
              outputs = random.in(1, 40);
    const int h = random.in(1, 7), w = random.in(1, 9), longer = random.one_in(3) ? random.in(-2, 2) : 0;
    ByteLayer l = make_layer(random, h, w, c, std::max(1, h + longer), std::max(1, w + longer), outputs,
                             static_cast<size_t>(outputs) * c, out);
    for (Placement* p : {&l.from, &l.to}) *p = {p->h, p->w, p->c, p->c, p->w * p->c};
    set_in(l.config, l.from), set_out(l.config, l.to);
    l.source = bytes<uint8_t>(random, l.from.end()), l.target = bytes<uint8_t>(random, l.to.end());
    l.config.ordered = 0;
    l.may_be_packed();
    compare(l, [&](const VariantTable& t) { return t.conv[in][out]; });
  }
}

TEST_P(KernelVariant, ConvolvesChannelsToTheBytesOfThePortableForm) {
  Generator random(2);
  for (int i = 0; i < kCases && !HasFatalFailure(); ++i) {
    const int in = random.in(0, 1), out = random.in(0, 1);
    const int c = random.one_in(3) ? 1 << random.in(0, 6) : random.in(1, 140);
    const int outputs = c * (random.one_in(5) ? 2 : 1);
    Config<int> window;
    Window k = set_window(random, window, 5);
    if (random.one_in(2)) k.w = k.h = 3;
    ByteLayer l = make_layer(random, random.in(1, 9), random.in(1, 12), c, random.in(1, 6), random.in(1, 11),
                             outputs, static_cast<size_t>(outputs) * k.w * k.h, out);
    set_window(l.config, k);
    compare(l, [&](const VariantTable& t) { return t.depthwise_conv[in][out]; });
    compare(l, [&](const VariantTable& t) { return t.fixed_depthwise[in][out]; });
  }
}

// What leaves a network may be wider than what comes in. A form for bytes must not serve it.
TEST_P(KernelVariant, StoresWideOutputsAsThePortableForm) {
  Generator random(9);
  for (int i = 0; i < kCases && !HasFatalFailure(); ++i) {
    const int in = random.in(0, 1), wide = random.in(0, 1), c = random.in(1, random.one_in(2) ? 20 : 80);
    const int h = random.in(1, 6), w = random.in(1, 9), out_h = random.in(1, 5), out_w = random.in(1, 7);
    Config<int> window;
    const Window k = set_window(random, window, 5);
    const int taps = k.w * k.h, outputs = random.in(1, 40);
    ByteLayer conv =
        make_layer(random, h, w, c, out_h, out_w, outputs, static_cast<size_t>(outputs) * taps * c, true);
    ByteLayer depthwise = make_layer(random, h, w, c, out_h, out_w, c, static_cast<size_t>(c) * taps, true);
    ByteLayer fc = make_layer(random, h, w, c, 1, 1, outputs, static_cast<size_t>(outputs) * h * w * c, true);
    ByteLayer pool = make_layer(random, h, w, c, out_h, out_w, c, 0, true);
    for (ByteLayer* l : {&conv, &depthwise, &fc, &pool}) widen(random, *l, wide != 0);
    for (ByteLayer* l : {&conv, &depthwise, &pool}) set_window(l->config, k);
    pool.config.pool_w = k.w, pool.config.pool_h = k.h;
    pool.config.dilation_x = pool.config.dilation_y = 1, pool.config.factor_step = 0;
    conv.may_be_packed(), fc.rows = 1;
    compare(conv, [&](const VariantTable& t) { return t.wide_conv[in][wide]; });
    compare(depthwise, [&](const VariantTable& t) { return t.wide_depthwise[in][wide]; });
    compare(fc, [&](const VariantTable& t) { return t.wide_fc[in][wide]; });
    compare(pool, [&](const VariantTable& t) { return t.wide_average_pool[in][wide]; });
  }
}

TEST_P(KernelVariant, ConnectsToTheBytesOfThePortableForm) {
  Generator random(3);
  for (int i = 0; i < kCases && !HasFatalFailure(); ++i) {
    const int in = random.in(0, 1), out = random.in(0, 1), h = random.in(1, 5), w = random.in(1, 5);
    const int c = random.in(1, 90), outputs = random.in(1, 80);
    ByteLayer l = make_layer(random, h, w, c, 1, 1, outputs, static_cast<size_t>(outputs) * h * w * c, out);
    l.rows = 1;
    compare(l, [&](const VariantTable& t) { return t.fc[in][out]; });
  }
}

TEST_P(KernelVariant, PoolsAndScalesToTheBytesOfThePortableForm) {
  Generator random(4);
  for (int i = 0; i < kCases && !HasFatalFailure(); ++i) {
    const int in = random.in(0, 1), out = random.in(0, 1), h = random.in(1, 6), w = random.in(1, 9);
    const int c = random.in(1, 140);
    const ByteLayer scaled = make_layer(random, h, w, c, h, w, c, 0, out);
    compare(scaled, [&](const VariantTable& t) { return t.scaling[in][out]; });
    compare(scaled, [&](const VariantTable& t) { return t.sum[in][out]; });
    ByteLayer pooled = make_layer(random, h, w, c, random.in(1, 5), random.in(1, 5), c, 0, out);
    set_window(random, pooled.config, 4);
    pooled.config.dilation_x = pooled.config.dilation_y = 1, pooled.config.factor_step = 0;
    pooled.config.count_zeros = random.in(0, 1);
    compare(pooled, [&](const VariantTable& t) { return t.average_pool[in][out]; });
    pooled.config.lo = in ? -128 : 0, pooled.config.hi = in ? 127 : 255;
    compare(pooled, [&](const VariantTable& t) { return t.max_pool[in]; });
  }
}

INSTANTIATE_TEST_SUITE_P(Of, KernelVariant, testing::ValuesIn(build_names()),
                         [](const auto& info) { return info.param; });

std::string picked(const Build& build, const std::string& unit) {
  for (const PickedForm* p = build.table().picked; p->unit != nullptr; ++p)
    if (p->unit == unit) return p->variant;
  return "";
}

// Each form of the list is what its build compiled; the portable builds compiled none.
TEST(KernelList, EachFormIsInTheBuildOfItsInstructionSet) {
  const auto all = builds();
#define N2D2_KERNEL_BUILD(name, runs)
#define N2D2_KERNEL_VARIANT(unit, variant) EXPECT_EQ(picked(all.at(#variant), #unit), #variant);
#include "variant_list.inc"
  for (const char* name : {"portable", "plain"}) {
    if (all.count(name) == 0) continue;
    for (const PickedForm* p = all.at(name).table().picked; p->unit != nullptr; ++p)
      EXPECT_STREQ(p->variant, "portable") << p->unit;
  }
  if (all.count("model") == 0) return;
  EXPECT_TRUE(all.at("amx_model").table().tiles);  // else it is one more model of AVX-512
  if (all.count("avx512_vnni") == 0) return;
  for (const PickedForm* p = all.at("avx512_vnni").table().picked; p->unit != nullptr; ++p)
    EXPECT_EQ(picked(all.at("model"), p->unit), p->variant);
}

}  // namespace
}  // namespace n2d2::kernels_test
