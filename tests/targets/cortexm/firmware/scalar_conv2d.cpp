// Do convolutions without DSP instructions give the bytes of plain loops, for random layers and every call
// by rows?
#include "../../../../src/targets/cortexm/layouts/scalar.hpp"
#include "conv2d_scalar.hpp"
#include "scalar_layer.hpp"
#include "scalar_run.hpp"

namespace n2d2::scalar_test {
namespace {

namespace layouts = n2d2::targets::cortexm::scalar;

Layer draw_layer(Draw& draw) {
  Layer l;
  LayerConfig& c = l.c;
  c.groups = draw.one_in(6) ? draw.in(2, 3) : 1;
  c.kernel_w = draw.in(1, 4), c.kernel_h = draw.in(1, 4), c.stride_x = draw.in(1, 3),
  c.stride_y = draw.in(1, 2);
  if (draw.one_in(3)) c.kernel_w = c.kernel_h = 1;
  c.dilation_x = draw.one_in(5) ? 2 : 1, c.dilation_y = draw.one_in(5) ? 2 : 1;
  const int far_x = (c.kernel_w - 1) * c.dilation_x, far_y = (c.kernel_h - 1) * c.dilation_y;
  c.pad_x = draw.in(0, 2), c.pad_y = draw.in(0, 2);
  const int out_w = draw.one_in(5) ? 1 : draw.in(1, 9), out_h = draw.one_in(5) ? 1 : draw.in(1, 5);
  const int w = (out_w - 1) * c.stride_x + far_x + 1 - c.pad_x - draw.in(0, 2);
  const int h = (out_h - 1) * c.stride_y + far_y + 1 - c.pad_y - draw.in(0, 2);
  const int channels = draw.one_in(12) ? draw.in(60, 150) : draw.in(1, draw.one_in(2) ? 6 : 24);
  l.from = Map::draw(draw, h < 1 ? 1 : h, w < 1 ? 1 : w,
                     c.groups * (channels > 24 && c.kernel_w * c.kernel_h > 2 ? 9 : channels));
  l.to = Map::draw(draw, out_h, out_w, c.groups * draw.in(1, draw.one_in(3) ? 20 : 5));
  if (draw.one_in(4)) {
    c.border_top = draw.in(0, out_h), c.border_bottom = draw.in(0, out_h - c.border_top);
    c.border_left = draw.in(0, out_w), c.border_right = draw.in(0, out_w - c.border_left);
  }
  l.signed_in = draw.one_in(2), l.signed_out = draw.one_in(2), l.fixed = draw.one_in(2);
  c.shift = l.fixed ? (draw.one_in(5) ? 30 : 32) : 0, c.bottom_up = draw.in(0, 1);
  fill(draw, l);
  return l;
}

/// The arrays as the exporter packs them.
struct Packed {
  std::vector<int8_t> weights;
  std::vector<int32_t> bias, multiplier;
  std::vector<float> factor;
  std::vector<uint8_t> scratch;  // from its second byte on: at no multiple of 4

  explicit Packed(const Layer& l) {
    const layouts::Filters f = {l.c.out_c, l.c.kernel_h, l.c.kernel_w, l.channels(), l.c.groups};
    weights = layouts::pack_filters(f, l.weights.data());
    bias = layouts::pack_biases(f, l.weights.data(), l.bias.data(), l.bias_rows(), l.signed_in);
    multiplier = layouts::pad_outputs(f, l.multiplier.data(), 1);
    factor = layouts::pad_outputs(f, l.factor.data(), 1);
    scratch.resize(1 + layouts::scratch_bytes(f));
  }
  template <class In, class Out>
  void run(const Layer& l, int first, int count, const In* in, Out* out) {
    using namespace N2D2_EXPORT_NAMESPACE;
    if (l.fixed)
      conv2d_scalar(l.c, Rows{first, count}, in, out, weights.data(), bias.data(), multiplier.data(),
                    scratch.data() + 1);
    else
      conv2d_scalar(l.c, Rows{first, count}, in, out, weights.data(), bias.data(), factor.data(),
                    scratch.data() + 1);
  }
};

/// A layer of the networks that are counted.
struct Counted {
  const char* name;
  int h, w, channels, out_h, out_w, outputs, kernel_h, kernel_w, stride, pad_y, pad_x;
  Recorded recorded;
};
const Counted kCounted[] = {
    {"conv 3x3 16", 16, 16, 16, 16, 16, 16, 3, 3, 1, 1, 1, {1417, 1452, 3740, 3760}},
    {"conv 3x3 64", 8, 8, 64, 8, 8, 64, 3, 3, 1, 1, 1, {1065, 1073, 2988, 2991}},
    {"conv 1x1 64", 12, 5, 64, 12, 5, 64, 1, 1, 1, 0, 0, {1266, 1336, 4025, 4054}},
    {"conv 1x1 8-16", 24, 24, 8, 24, 24, 16, 1, 1, 1, 0, 0, {3992, 4578, 13476, 13707}},
    {"conv 1x1 128", 6, 6, 128, 6, 6, 128, 1, 1, 1, 0, 0, {1093, 1127, 3389, 3400}},
    {"conv 1x1 s2", 16, 16, 32, 8, 8, 64, 1, 1, 2, 0, 0, {1537, 1688, 5201, 5263}},
    {"first 3x3x3-16", 16, 16, 3, 16, 16, 16, 3, 3, 1, 1, 1, {2455, 2624, 6942, 7006}},
    {"first 3x3x3-8 s2", 32, 32, 3, 16, 16, 8, 3, 3, 2, 0, 0, {2996, 3173, 7742, 7799}},
    {"first 10x4x1 s2", 25, 10, 1, 13, 5, 64, 10, 4, 2, 4, 1, {2074, 2192, 5890, 5937}},
    {"first 5x5x1-6", 20, 20, 1, 16, 16, 6, 5, 5, 1, 0, 0, {3352, 3550, 8554, 8622}},
};

Layer counted_layer(Draw& draw, const Counted& s, bool fixed) {
  Layer l;
  LayerConfig& c = l.c;
  c.groups = c.dilation_x = c.dilation_y = 1;
  c.kernel_h = s.kernel_h, c.kernel_w = s.kernel_w, c.stride_x = c.stride_y = s.stride, c.pad_y = s.pad_y,
  c.pad_x = s.pad_x;
  l.from = Map::dense(s.h, s.w, s.channels), l.to = Map::dense(s.out_h, s.out_w, s.outputs);
  l.fixed = fixed, c.shift = fixed ? 32 : 0;
  fill(draw, l);
  set_usual_factors(draw, l);
  return l;
}

bool count_layers(Draw& draw) {
  bool within = true;
  for (const Counted& s : kCounted) {
    print("count ", s.name);
    for (int fixed = 1; fixed >= 0; --fixed) {
      const Layer l = counted_layer(draw, s, fixed != 0);
      Packed packed(l);
      std::vector<uint8_t> out(static_cast<size_t>(l.to.bytes()));
      const uint32_t n = instructions([&] { packed.run(l, 0, l.c.out_h, l.memory.data(), out.data()); });
      within =
          is_within(fixed != 0, n, s.recorded, l.c.out_h * l.c.out_w * l.c.out_c * l.taps() * l.channels()) &&
          within;
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
  print("conv2d: ", N2D2_LAYERS, " layers are equal\n");
  return !N2D2_COUNTS || count_layers(draw) ? 0 : 1;
}
