// Instructions and stack of the kernels for MVE on layers of LeNet, ResNet8, DS-CNN and MobileNetV1 (96 x
// 96, 0.25), under emulation with one instruction in a nanosecond. Exits with 1 where a layer takes more
// than its limit, one with weights of 4 bits more than 1.1 of one with bytes, or the stack is above
// kStackBytes.
#include "conv2d_mve.hpp"
#include "depthwise_mve.hpp"
#include "fc_mve.hpp"
#include "mve_layer.hpp"

namespace n2d2::mve_test {
namespace {

namespace kernels = N2D2_EXPORT_NAMESPACE;

alignas(16) int8_t scratch[4096];
alignas(16) uint8_t in[40000], out[40000];
alignas(16) int8_t weights[70000];
alignas(16) int32_t biases[512], factors[512];

/// `limit` is in instructions for 1000 products, with float factors.
struct Counted {
  const char* name;
  Kind kind;
  int in_h, in_w, in_c, out_h, out_w, out_c, kernel_h, kernel_w, stride, pad_y, pad_x, limit;
};

const Counted kLayers[] = {
    {"LeNet 5x5", Kind::Conv, 28, 28, 1, 24, 24, 6, 5, 5, 1, 0, 0, 1220},
    {"LeNet 5x5", Kind::Conv, 12, 12, 6, 8, 8, 16, 5, 5, 1, 0, 0, 216},
    {"LeNet fc", Kind::Fc, 1, 1, 256, 1, 1, 84, 1, 1, 1, 0, 0, 205},
    {"ResNet8 3x3", Kind::Conv, 32, 32, 3, 32, 32, 16, 3, 3, 1, 1, 1, 584},
    {"ResNet8 3x3", Kind::Conv, 32, 32, 16, 32, 32, 16, 3, 3, 1, 1, 1, 217},
    {"ResNet8 3x3", Kind::Conv, 32, 32, 16, 16, 16, 32, 3, 3, 2, 0, 0, 189},
    {"ResNet8 3x3", Kind::Conv, 16, 16, 32, 16, 16, 32, 3, 3, 1, 1, 1, 162},
    {"ResNet8 1x1", Kind::Conv, 32, 32, 16, 16, 16, 32, 1, 1, 2, 0, 0, 571},
    {"ResNet8 3x3", Kind::Conv, 16, 16, 32, 8, 8, 64, 3, 3, 2, 0, 0, 151},
    {"ResNet8 3x3", Kind::Conv, 8, 8, 64, 8, 8, 64, 3, 3, 1, 1, 1, 139},
    {"ResNet8 1x1", Kind::Conv, 16, 16, 32, 8, 8, 64, 1, 1, 2, 0, 0, 326},
    {"DS-CNN 10x4", Kind::Conv, 49, 10, 1, 25, 5, 64, 10, 4, 2, 4, 1, 389},
    {"DS-CNN depthwise", Kind::Depthwise, 25, 5, 64, 25, 5, 64, 3, 3, 1, 1, 1, 950},
    {"DS-CNN 1x1", Kind::Conv, 25, 5, 64, 25, 5, 64, 1, 1, 1, 0, 0, 221},
    {"MobileNetV1 3x3", Kind::Conv, 96, 96, 3, 48, 48, 8, 3, 3, 2, 0, 0, 828},
    {"MobileNetV1 depthwise", Kind::Depthwise, 48, 48, 8, 48, 48, 8, 3, 3, 1, 1, 1, 895},
    {"MobileNetV1 1x1", Kind::Conv, 48, 48, 8, 48, 48, 16, 1, 1, 1, 0, 0, 1290},
    {"MobileNetV1 depthwise", Kind::Depthwise, 48, 48, 16, 24, 24, 16, 3, 3, 2, 0, 0, 1083},
    {"MobileNetV1 1x1", Kind::Conv, 24, 24, 16, 24, 24, 32, 1, 1, 1, 0, 0, 561},
    {"MobileNetV1 depthwise", Kind::Depthwise, 24, 24, 32, 24, 24, 32, 3, 3, 1, 1, 1, 812},
    {"MobileNetV1 1x1", Kind::Conv, 24, 24, 32, 24, 24, 32, 1, 1, 1, 0, 0, 346},
    {"MobileNetV1 depthwise", Kind::Depthwise, 24, 24, 32, 12, 12, 32, 3, 3, 2, 0, 0, 1072},
    {"MobileNetV1 1x1", Kind::Conv, 12, 12, 32, 12, 12, 64, 1, 1, 1, 0, 0, 321},
    {"MobileNetV1 depthwise", Kind::Depthwise, 12, 12, 64, 12, 12, 64, 3, 3, 1, 1, 1, 775},
    {"MobileNetV1 1x1", Kind::Conv, 12, 12, 64, 12, 12, 64, 1, 1, 1, 0, 0, 220},
    {"MobileNetV1 depthwise", Kind::Depthwise, 12, 12, 64, 6, 6, 64, 3, 3, 2, 0, 0, 1010},
    {"MobileNetV1 1x1", Kind::Conv, 6, 6, 64, 6, 6, 128, 1, 1, 1, 0, 0, 214},
    {"MobileNetV1 depthwise", Kind::Depthwise, 6, 6, 128, 6, 6, 128, 3, 3, 1, 1, 1, 863},
    {"MobileNetV1 1x1", Kind::Conv, 6, 6, 128, 6, 6, 128, 1, 1, 1, 0, 0, 168},
    {"MobileNetV1 depthwise", Kind::Depthwise, 6, 6, 128, 3, 3, 128, 3, 3, 2, 0, 0, 1190},
    {"MobileNetV1 1x1", Kind::Conv, 3, 3, 128, 3, 3, 256, 1, 1, 1, 0, 0, 173},
    {"MobileNetV1 depthwise", Kind::Depthwise, 3, 3, 256, 3, 3, 256, 3, 3, 1, 1, 1, 1037},
    {"MobileNetV1 1x1", Kind::Conv, 3, 3, 256, 3, 3, 256, 1, 1, 1, 0, 0, 149},
};

Config config_of(const Counted& l) {
  Config c;
  c.in_h = l.in_h, c.in_w = l.in_w, c.in_c = c.in_pixel = l.in_c, c.in_row = l.in_w * l.in_c;
  c.out_h = l.out_h, c.out_w = l.out_w, c.out_c = c.out_pixel = l.out_c, c.out_row = l.out_w * l.out_c;
  c.kernel_h = l.kernel_h, c.kernel_w = l.kernel_w, c.stride_x = c.stride_y = l.stride;
  c.pad_y = l.pad_y, c.pad_x = l.pad_x;
  return c;
}

template <class Factor, class Weight = int8_t>
void compute(const Counted& l, const Config& c, int count) {
  const auto* const w = reinterpret_cast<const Weight*>(weights);
  const auto* const f = reinterpret_cast<const Factor*>(factors);
  const kernels::Rows rows = {0, count};
  if (l.kind == Kind::Depthwise)
    kernels::depthwise_mve(c, rows, in, out, weights, biases, f, scratch);
  else if (l.kind == Kind::Fc)
    kernels::fc_mve(c, rows, in, out, w, biases, f, scratch);
  else
    kernels::conv2d_mve(c, rows, in, out, w, biases, f, scratch);
}

int count(const Counted& l) {
  const Config c = config_of(l);
  const int64_t of_output = l.kernel_h * l.kernel_w * (l.kind == Kind::Depthwise ? 1 : l.in_c);
  const int64_t products = of_output * l.out_h * l.out_w * l.out_c;
  const int64_t fixed = instructions([&] { compute<int32_t>(l, c, c.out_h); });
  const int64_t floats = instructions([&] { compute<float>(l, c, c.out_h); });
  const int64_t narrow = l.kind == Kind::Depthwise
                             ? 0
                             : instructions([&] { compute<float, kernels::Narrow<4, 0>>(l, c, c.out_h); });
  // Without rows there is the frame of the test alone.
  const int stack =
      stack_of([&] { compute<float>(l, c, c.out_h); }) - stack_of([&] { compute<float>(l, c, 0); });
  const bool fails = floats * 1000 > products * l.limit || stack > 512 || narrow * 10 > floats * 11;
  print(fails ? "FAIL " : "     ", l.name, " ", l.in_h, "x", l.in_w, "x", l.in_c, " -> ", l.out_c, ": ",
        products, " products, ", fixed, " fixed, ", floats, " float, ", narrow, " with weights of 4 bits, ");
  print(fixed * 1000 / products, " ", floats * 1000 / products, " of 1000, limit ", l.limit, ", stack ",
        stack, "\n");
  return fails ? 1 : 0;
}

}  // namespace
}  // namespace n2d2::mve_test

int main() {
  int failures = 0;
  for (const auto& layer : n2d2::mve_test::kLayers) failures += n2d2::mve_test::count(layer);
  return failures > 0 ? 1 : 0;
}
