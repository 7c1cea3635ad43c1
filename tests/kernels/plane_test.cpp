#include "plane.hpp"

#include "cases.hpp"
#include "conv.hpp"
#include "conv_depthwise.hpp"
#include "kernels/planned_tensor.hpp"
#include "pool.hpp"

namespace n2d2::kernels_test {
namespace {

// Input and output of one layer in one memory, as close as the rows' order allows (memory-targets 1): the
// output of each row may cover what no later row, nor that row itself, reads.
struct SharedMemory {
  Placement from, to;
  Config<int> config;
};

SharedMemory share(const Window& k, int h, int w, int c, int out_h, int out_w, int out_c, int bottom_up) {
  SharedMemory s{{h, w, c, c, w * c}, {out_h, out_w, out_c, out_c, out_w * out_c}, {}};
  const int reach = (k.h - 1) * k.dilation_y;
  int margin = 0;
  for (int r = 0; r < out_h; ++r) {
    const int first = std::min(h, std::max(0, r * k.stride_y - k.pad_y));
    const int last = std::min(h - 1, r * k.stride_y - k.pad_y + reach);
    margin = std::max(margin, bottom_up ? (out_h - r) * s.to.row - (h - 1 - last) * s.from.row
                                        : (r + 1) * s.to.row - first * s.from.row);
  }
  const int in_size = h * w * c, out_size = out_h * out_w * out_c;
  s.from.origin = bottom_up ? std::max(0, out_size - in_size - margin) : margin;
  s.to.origin = bottom_up ? s.from.origin + in_size + margin - out_size : 0;
  set_in(s.config, s.from), set_out(s.config, s.to), set_window(s.config, k);
  s.config.lo = 0, s.config.hi = 255, s.config.shift = 14, s.config.bottom_up = bottom_up;
  return s;
}

Window random_window(Generator& random) {
  Window k;
  k.w = random.in(1, 5), k.h = random.in(1, 5);
  k.stride_x = random.in(1, 3), k.stride_y = random.in(1, 3);
  k.pad_x = random.in(0, k.w - 1), k.pad_y = random.in(0, k.h - 1);
  return k;
}

int out_size(int in, int kernel, int stride, int pad) {
  return std::max(1, (in + 2 * pad - kernel) / stride + 1);
}

constexpr int kCases = cases(300, 4);

TEST(RowOrder, LetsAConvolutionOverwriteWhatItHasRead) {
  Generator random(1);
  for (int i = 0; i < kCases; ++i) {
    const int h = random.in(1, 12), w = random.one_in(3) ? 1 : random.in(1, 12), c = random.in(1, 9);
    const int outputs = random.one_in(5) ? random.in(60, 80) : random.in(1, 12);
    const Window k = random_window(random);
    SharedMemory s = share(k, h, w, c, out_size(h, k.h, k.stride_y, k.pad_y),
                           out_size(w, k.w, k.stride_x, k.pad_x), outputs, random.in(0, 1));
    const auto in = random.map<uint8_t>(h, w, c);
    const auto weights = random.map<int8_t>(outputs, 1, k.w * k.h * c);
    const std::vector<int64_t> bias = random.values<int64_t>(outputs, 0, 2000);
    std::vector<uint8_t> memory(std::max(s.from.end(), s.to.end()));
    write<uint8_t>(in, s.from, memory);
    const std::vector<int8_t> w_array(weights.v.begin(), weights.v.end());
    const std::vector<int32_t> b_array(bias.begin(), bias.end());
    const int32_t factor = 40;
    N2D2_Export::conv2d(s.config, all_rows(s.to), memory.data() + s.from.start(),
                        memory.data() + s.to.start(), w_array.data(), b_array.data(), &factor);
    auto expected = oracle::conv<int64_t>(in, k, s.to.h, s.to.w, 1, weights.v, bias);
    for (int64_t& x : expected.v) x = oracle::rescale_fixed(x, factor, 14, 0, 255);
    ASSERT_EQ(read(memory, s.to).v, expected.v) << describe("in", s.from) << describe("out", s.to)
                                                << describe(k) << " bottom_up " << s.config.bottom_up;
  }
}

TEST(RowOrder, LetsDepthwiseAndPoolOverwriteWhatTheyHaveRead) {
  Generator random(2);
  for (int i = 0; i < kCases; ++i) {
    const int h = random.in(1, 12), w = random.one_in(3) ? 1 : random.in(1, 12), c = random.in(1, 80);
    const Window k = random_window(random);
    SharedMemory s = share(k, h, w, c, out_size(h, k.h, k.stride_y, k.pad_y),
                           out_size(w, k.w, k.stride_x, k.pad_x), c, random.in(0, 1));
    const auto in = random.map<uint8_t>(h, w, c);
    const std::vector<int8_t> ones(static_cast<size_t>(k.w) * k.h * c, 1);
    const std::vector<int32_t> zeros(c, 0);
    const int32_t factor = (1 << 14) / (k.w * k.h);
    auto average = oracle::window_sum<int64_t>(in, k, s.to.h, s.to.w);
    for (int64_t& x : average.v) x = oracle::rescale_fixed(x, factor, 14, 0, 255);
    const std::string what = describe("in", s.from) + describe("out", s.to) + describe(k) + " bottom_up " +
                             std::to_string(s.config.bottom_up);
    for (int layer = 0; layer < 3; ++layer) {
      std::vector<uint8_t> memory(std::max(s.from.end(), s.to.end()));
      write<uint8_t>(in, s.from, memory);
      const uint8_t* from = memory.data() + s.from.start();
      uint8_t* to = memory.data() + s.to.start();
      if (layer == 0)
        N2D2_Export::conv2d_depthwise(s.config, all_rows(s.to), from, to, ones.data(), zeros.data(), &factor);
      if (layer == 1) N2D2_Export::average_pool(s.config, all_rows(s.to), from, to, &factor);
      if (layer == 2) N2D2_Export::max_pool(s.config, all_rows(s.to), from, to);
      const auto expected = layer == 2 ? oracle::max_pool<int64_t>(in, k, s.to.h, s.to.w, false) : average;
      ASSERT_EQ(read(memory, s.to).v, expected.v) << what << " layer " << layer;
    }
  }
}

}  // namespace
}  // namespace n2d2::kernels_test
