// Are groups of rows apart from the input rows that they are made of, and do kernels give the same bytes by
// them?
#include "row_groups.hpp"

#include <set>

#include "cases.hpp"
#include "conv.hpp"
#include "conv_depthwise.hpp"
#include "kernels/packed_order.hpp"
#include "kernels/planned_tensor.hpp"

namespace n2d2::kernels_test {
namespace {

// Bytes of rows [first, end) of a straight map.
std::set<int> bytes_of(const Placement& p, int size, int first, int end) {
  std::set<int> bytes;
  for (int y = std::max(first, 0); y < std::min(end, p.h); ++y)
    for (int i = p.element(y, 0, 0) * size; i < (p.element(y, p.w - 1, p.c - 1) + 1) * size; ++i)
      bytes.insert(i);
  return bytes;
}

bool meet(const std::set<int>& a, const std::set<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int i) { return b.contains(i); });
}

// An output that may lie over its input, in a memory of bytes.
struct Overlap {
  Placement from, to;
  Window window;
  int in_size = 1, out_size = 1;
  bool bottom_up = false;

  std::set<int> read(int first, int end) const {
    std::set<int> bytes;
    for (int y = first; y < end; ++y) {
      const int top = y * window.stride_y - window.pad_y;
      bytes.merge(bytes_of(from, in_size, top, top + (window.h - 1) * window.dilation_y + 1));
    }
    return bytes;
  }
  std::set<int> written(int first, int end) const { return bytes_of(to, out_size, first, end); }
  // Rows [first, end) of the output as they come.
  std::pair<int, int> scanned(int done, int count) const {
    return bottom_up ? std::pair{to.h - done - count, to.h - done} : std::pair{done, done + count};
  }
};

Placement straight(Generator& random, int h, int w, int c, int origin) {
  Placement p{h, w, c};
  p.pixel = random.one_in(2) ? c : c + random.in(1, 3);
  p.row = w * p.pixel + (random.one_in(3) ? random.in(1, 4) : 0);
  p.origin = p.wrapped = origin;
  return p;
}

Overlap any_overlap(Generator& random) {
  Overlap o;
  o.window.h = random.in(1, 4), o.window.stride_y = random.in(1, 2),
  o.window.pad_y = random.in(0, o.window.h - 1);
  o.window.dilation_y = random.in(1, 2);
  o.in_size = random.one_in(3) ? 2 : 1, o.out_size = random.one_in(3) ? 2 : 1;
  o.from = straight(random, random.in(1, 9), random.in(1, 4), random.in(1, 4), random.in(0, 60));
  o.to = straight(random, random.in(1, 9), random.in(1, 4), random.in(1, 8), random.in(0, 60));
  o.bottom_up = random.one_in(2);
  return o;
}

template <class In, class Out>
N2D2_Export::RowGroups groups_of(const Overlap& o, const uint8_t* memory) {
  Config<int> config;
  set_in(config, o.from), set_out(config, o.to), set_window(config, o.window);
  config.ordered = 1, config.bottom_up = o.bottom_up;
  return N2D2_Export::row_groups(config, all_rows(o.to), N2D2_Export::window_rows(config),
                                 reinterpret_cast<const In*>(memory) + o.from.start(),
                                 reinterpret_cast<const Out*>(memory) + o.to.start());
}
N2D2_Export::RowGroups groups_of(const Overlap& o, const uint8_t* memory) {
  if (o.in_size == 1 && o.out_size == 1) return groups_of<uint8_t, uint8_t>(o, memory);
  if (o.in_size == 1) return groups_of<uint8_t, uint16_t>(o, memory);
  return o.out_size == 1 ? groups_of<uint16_t, uint8_t>(o, memory) : groups_of<uint16_t, uint16_t>(o, memory);
}

TEST(RowGroups, LieApartFromWhatTheyAreMadeOf) {
  Generator random(1);
  alignas(8) static const uint8_t memory[4096] = {};
  int together = 0, alone = 0;
  for (int i = 0; i < cases(3000, 4); ++i) {
    const Overlap o = any_overlap(random);
    const auto groups = groups_of(o, memory);
    int done = 0, counted = 0;
    while (done < o.to.h) {
      const int n = groups.size(done);
      ASSERT_GE(n, 1);
      ASSERT_LE(done + n, o.to.h);
      const auto [first, end] = o.scanned(done, n);
      if (n > 1) {
        ASSERT_FALSE(meet(o.read(first, end), o.written(first, end)))
            << describe("in", o.from) << describe("out", o.to);
      }
      (n > 1 ? together : alone) += 1;
      done += n, ++counted;
    }
    ASSERT_EQ(groups.count(100), counted);
    ASSERT_EQ(groups.count(2), std::min(2, counted));
  }
  EXPECT_GT(together, 200);
  EXPECT_GT(alone, 200);
}

// No row is left out of a group that it could be in: with it, something that lies between the first and the
// last byte of what is written lies between those of the rows from the first window to behind the last one.
TEST(RowGroups, AreAsLargeAsTheyMayBe) {
  Generator random(2);
  alignas(8) static const uint8_t memory[4096] = {};
  for (int i = 0; i < cases(3000, 4); ++i) {
    const Overlap o = any_overlap(random);
    const auto groups = groups_of(o, memory);
    const auto top_of = [&](int y) { return y * o.window.stride_y - o.window.pad_y; };
    for (int done = 0; done + groups.size(done) < o.to.h; done += groups.size(done)) {
      const auto [first, end] = o.scanned(done, groups.size(done) + 1);
      const int bottom = top_of(end - 1) + (o.window.h - 1) * o.window.dilation_y;
      const std::set<int> read = bytes_of(o.from, o.in_size, top_of(first), bottom + 2);
      const std::set<int> written = o.written(first, end);
      ASSERT_FALSE(read.empty());
      ASSERT_TRUE(*read.begin() <= *written.rbegin() && *written.begin() <= *read.rbegin())
          << describe("in", o.from) << describe("out", o.to) << describe(o.window);
    }
  }
}

TEST(RowGroups, AreThoseOfThePicture) {
  alignas(8) static const uint8_t memory[64] = {};
  Overlap o;
  o.from = {4, 1, 4, 4, 4, 20, 0, 0, 20}, o.to = {4, 1, 8, 8, 8, 0, 0, 0, 0};
  const auto groups = groups_of(o, memory);
  EXPECT_EQ(groups.size(0), 2);
  EXPECT_EQ(groups.size(2), 1);
  EXPECT_EQ(groups.size(3), 1);
  EXPECT_EQ(groups.count(9), 3);
}

TEST(RowGroups, AreSingleRowsInRings) {
  alignas(8) static const uint8_t memory[64] = {};
  Overlap o;
  o.from = {4, 1, 1, 1, 1, 20, 4, 1, 20}, o.to = {4, 1, 1, 1, 1, 0, 0, 0, 0};
  EXPECT_EQ(groups_of(o, memory).size(0), 1);
  std::swap(o.from, o.to);
  EXPECT_EQ(groups_of(o, memory).size(0), 1);
}

// The least distance of the input from the output, or bottom-up of the output from the input, at which no row
// is written over that is still read. Both begin at 0.
int closest(const Overlap& o) {
  int distance = 0;
  for (int y = 0; y < o.to.h; ++y) {
    const int top = std::max(y * o.window.stride_y - o.window.pad_y, 0);
    const int bottom = std::min(y * o.window.stride_y - o.window.pad_y + o.window.h, o.from.h);
    if (top >= o.from.h || bottom <= 0) continue;
    distance = std::max(distance, o.bottom_up ? bottom * o.from.row - o.to.row_start(y)
                                              : o.to.row_start(y) + o.to.row - o.from.row_start(top));
  }
  return distance;
}

struct OverLayer {
  Map<int64_t> in;
  std::vector<int8_t> weights;  // [output][row][column][channel]
  std::vector<int32_t> bias;
  Rescaling<uint8_t, float> rescaling;
  Overlap overlap;

  // What the kernel leaves in a memory in which output and input lie as close as they may.
  template <class Run>
  std::vector<int64_t> run(const Run& kernel) const {
    std::vector<uint8_t> memory(std::max(overlap.from.end(), overlap.to.end()) + 8, 3);
    write<uint8_t>(in, overlap.from, memory);
    Config<int> config;
    set_in(config, overlap.from), set_out(config, overlap.to), set_window(config, overlap.window);
    rescaling.set(config);
    config.ordered = 1, config.parallel = 1, config.bottom_up = overlap.bottom_up;
    kernel(config, memory.data() + overlap.from.start(), memory.data() + overlap.to.start());
    return read(memory, overlap.to).v;
  }
  std::vector<int64_t> expected(int groups) const {
    const std::vector<int64_t> w(weights.begin(), weights.end()), b(bias.begin(), bias.end());
    return rescaling
        .apply(oracle::conv<int64_t>({in}, overlap.window, overlap.to.h, overlap.to.w, groups, w, b))
        .v;
  }
  std::string where() const {
    return describe("in", overlap.from) + describe("out", overlap.to) + describe(overlap.window) +
           (overlap.bottom_up ? " bottom_up" : "");
  }
};

OverLayer over_layer(Generator& random, int c, int outputs, int group_c) {
  Overlap o;
  o.window.w = o.window.h = random.in(1, 3), o.window.pad_x = o.window.pad_y = o.window.w / 2;
  o.window.stride_x = o.window.stride_y = random.in(1, 2);
  o.bottom_up = random.one_in(2);
  const int h = random.in(4, 16), w = random.in(4, 10);
  const auto size = [&](int in) { return (in + 2 * o.window.pad_y - o.window.h) / o.window.stride_y + 1; };
  o.from = straight(random, h, w, c, 0), o.to = straight(random, size(h), size(w), outputs, 0);
  Placement& moved = o.bottom_up ? o.to : o.from;
  moved.origin = moved.wrapped = closest(o);
  const int window = o.window.w * o.window.h * group_c;
  return {random.map<uint8_t>(h, w, c),
          random.values<int8_t>(static_cast<size_t>(outputs) * window, -128, 127),
          random.values<int32_t>(outputs, -1000, 1000),
          Rescaling<uint8_t, float>(random, outputs, 4000.0 * window), o};
}

// Orders of weights that a form of this build reads: packed or not.
#if defined(N2D2_PACKED_FORM)
const std::vector<bool> kOrders = {false, true};
#else
const std::vector<bool> kOrders = {false};
#endif

TEST(RowGroups, GiveConvolutionsOverTheirInputTheBytesOfTheOracle) {
  Generator random(3);
  for (int i = 0; i < cases(200, 4); ++i) {
    const int c = random.in(1, 24), outputs = random.in(1, 40);
    const OverLayer l = over_layer(random, c, outputs, c);
    for (const bool packed : kOrders) {
      const std::vector<int8_t> w = packed ? pack(l.weights, outputs, l.overlap.window.h) : l.weights;
      const auto found = l.run([&](auto config, const uint8_t* in, uint8_t* out) {
        config.packed = packed;
        N2D2_Export::conv2d(config, all_rows(l.overlap.to), in, out, w.data(), l.bias.data(),
                            l.rescaling.factor.data());
      });
      ASSERT_EQ(found, l.expected(1)) << l.where() << " packed " << packed;
    }
  }
}

TEST(RowGroups, GiveDepthwiseLayersOverTheirInputTheBytesOfTheOracle) {
  Generator random(4);
  for (int i = 0; i < cases(200, 4); ++i) {
    const int c = random.one_in(2) ? random.in(1, 20) : random.in(60, 70);
    const OverLayer l = over_layer(random, c, c, 1);
    const int taps = l.overlap.window.w * l.overlap.window.h;
    std::vector<int8_t> w(l.weights.size());
    for (int o = 0; o < c; ++o)
      for (int t = 0; t < taps; ++t) w[t * c + o] = l.weights[o * taps + t];
    const auto found = l.run([&](const auto& config, const uint8_t* in, uint8_t* out) {
      N2D2_Export::conv2d_depthwise(config, all_rows(l.overlap.to), in, out, w.data(), l.bias.data(),
                                    l.rescaling.factor.data());
    });
    ASSERT_EQ(found, l.expected(c)) << l.where();
  }
}

}  // namespace
}  // namespace n2d2::kernels_test
