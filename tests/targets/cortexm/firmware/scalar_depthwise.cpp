// Do depthwise convolutions without DSP instructions give the bytes of plain loops, for random layers and
// bands?
#include "../../../../src/targets/cortexm/layouts/scalar.hpp"
#include "depthwise_scalar.hpp"
#include "scalar_layer.hpp"
#include "scalar_run.hpp"

namespace n2d2::scalar_test {
namespace {

namespace layouts = n2d2::targets::cortexm::scalar;

Layer draw_layer(Draw& draw) {
  Layer l;
  LayerConfig& c = l.c;
  l.depthwise = true;
  c.kernel_w = c.kernel_h = 3, c.dilation_x = c.dilation_y = 1;
  c.stride_x = draw.in(1, 3), c.stride_y = draw.in(1, 3), c.pad_x = draw.in(0, 2), c.pad_y = draw.in(0, 2);
  const int out_w = draw.in(1, 8), out_h = draw.in(1, 6), channels = draw.in(1, 40);
  const int w = (out_w - 1) * c.stride_x + 3 - c.pad_x - draw.in(0, 2);
  const int h = (out_h - 1) * c.stride_y + 3 - c.pad_y - draw.in(0, 2);
  l.from = Map::draw(draw, h < 1 ? 1 : h, w < 1 ? 1 : w, channels),
  l.to = Map::draw(draw, out_h, out_w, channels);
  c.groups = channels;
  l.signed_in = draw.one_in(2), l.signed_out = draw.one_in(2), l.fixed = draw.one_in(2);
  c.shift = l.fixed ? (draw.one_in(5) ? 30 : 32) : 0, c.bottom_up = draw.in(0, 1);
  fill(draw, l);
  return l;
}

struct Packed {
  std::vector<int8_t> weights;
  explicit Packed(const Layer& l) : weights(layouts::pack_depthwise(l.c.out_c, l.weights.data())) {}

  template <class In, class Out>
  void run(const Layer& l, int first, int count, const In* in, Out* out) {
    using namespace N2D2_EXPORT_NAMESPACE;
    if (l.fixed)
      depthwise_scalar(l.c, Rows{first, count}, in, out, weights.data(), l.bias.data(), l.multiplier.data());
    else
      depthwise_scalar(l.c, Rows{first, count}, in, out, weights.data(), l.bias.data(), l.factor.data());
  }
};

struct Counted {
  const char* name;
  int h, w, channels, out_h, out_w, stride, pad;
  Recorded recorded;
};
const Counted kCounted[] = {
    {"depthwise 25x5x64", 25, 5, 64, 25, 5, 1, 1, {4171, 4768, 11451, 12877}},
    {"depthwise 24x24x8", 24, 24, 8, 24, 24, 1, 1, {4325, 4986, 13092, 14022}},
    {"depthwise 24x24x16 s2", 24, 24, 16, 12, 12, 2, 0, {4195, 4845, 12932, 13543}},
    {"depthwise 6x6x128", 6, 6, 128, 6, 6, 1, 1, {3529, 4209, 11119, 12191}},
    {"depthwise 3x3x256", 3, 3, 256, 3, 3, 1, 1, {3865, 4454, 9490, 11057}},
};

bool count_layers(Draw& draw) {
  bool within = true;
  for (const Counted& s : kCounted) {
    print("count ", s.name);
    for (int fixed = 1; fixed >= 0; --fixed) {
      Layer l;
      l.depthwise = true, l.fixed = fixed != 0;
      l.c.kernel_w = l.c.kernel_h = 3, l.c.dilation_x = l.c.dilation_y = 1;
      l.c.stride_x = l.c.stride_y = s.stride, l.c.pad_x = l.c.pad_y = s.pad, l.c.groups = s.channels;
      l.from = Map::dense(s.h, s.w, s.channels), l.to = Map::dense(s.out_h, s.out_w, s.channels);
      l.c.shift = fixed ? 32 : 0;
      fill(draw, l);
      set_usual_factors(draw, l);
      Packed packed(l);
      std::vector<uint8_t> out(static_cast<size_t>(l.to.bytes()));
      const uint32_t n = instructions([&] { packed.run(l, 0, l.c.out_h, l.memory.data(), out.data()); });
      within = is_within(fixed != 0, n, s.recorded, l.c.out_h * l.c.out_w * l.c.out_c * 9) && within;
    }
  }
  return within;
}

}  // namespace
}  // namespace n2d2::scalar_test

int main() {
  using namespace n2d2::scalar_test;
  Draw draw;
  for (int i = 0; i < N2D2_LAYERS; ++i) {
    const Layer l = draw_layer(draw);
    Packed packed(l);
    if (!is_equal(draw, l, packed, i)) return 1;
  }
  print("depthwise: ", N2D2_LAYERS, " layers are equal\n");
  return !N2D2_COUNTS || count_layers(draw) ? 0 : 1;
}
