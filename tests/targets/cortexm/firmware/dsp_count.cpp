// How many instructions does a product take in each class of layers with the DSP instructions?
//
// Counts SysTick of an emulated core that executes an instruction a nanosecond.
// Exit 1 where a class takes more than its limit, in thousandths of an instruction a product.
#include "../../../../src/targets/cortexm/layouts/dsp.hpp"
#include "conv2d_dsp.hpp"
#include "depthwise_dsp.hpp"
#include "dsp_check.hpp"
#include "fc_dsp.hpp"

namespace dsp_test {

namespace {

namespace layouts = n2d2::targets::cortexm::dsp;
using N2D2_Export::Rows;

enum Kind { kConv, kDepthwise, kFc };

struct Class {
  const char* name;
  Kind kind;
  int in_h, in_w, in_c, out_h, out_w, out_c, kernel_h, kernel_w, stride, pad_y, pad_x;
  int most_fixed, most_float;  // thousandths of an instruction a product; 0: no limit
  int most_narrow = 0;         // thousandths of the instructions with weights of bytes, floats as factors
};

const Class kClasses[] = {
#if defined(LAYERS)
#include LAYERS
#else
    {"3x3 conv 16 -> 16", kConv, 32, 32, 16, 32, 32, 16, 3, 3, 1, 1, 1, 1045, 1060, 1100},
    {"3x3 conv 64 -> 64", kConv, 8, 8, 64, 8, 8, 64, 3, 3, 1, 1, 1, 882, 886, 1100},
    {"1x1 conv 64 -> 64", kConv, 25, 5, 64, 25, 5, 64, 1, 1, 1, 0, 0, 1013, 1048, 1110},
    {"1x1 conv 8 -> 16", kConv, 48, 48, 8, 48, 48, 16, 1, 1, 1, 0, 0, 2465, 2742, 1130},
    {"1x1 conv stride 2", kConv, 32, 32, 16, 16, 16, 32, 1, 1, 2, 0, 0, 1546, 1686, 1130},
    {"first 3x3x3 -> 16", kConv, 32, 32, 3, 32, 32, 16, 3, 3, 1, 1, 1, 1632, 1715, 1110},
    {"first 3x3x3 -> 8 stride 2", kConv, 96, 96, 3, 48, 48, 8, 3, 3, 2, 0, 0, 1881, 1964, 1100},
    {"first 10x4x1 -> 64 stride 2", kConv, 49, 10, 1, 25, 5, 64, 10, 4, 2, 4, 1, 1387, 1443, 1100},
    {"first 5x5x1 -> 6", kConv, 28, 28, 1, 24, 24, 6, 5, 5, 1, 0, 0, 2318, 2407, 1280},
    {"depthwise 3x3, 64 channels", kDepthwise, 25, 5, 64, 25, 5, 64, 3, 3, 1, 1, 1, 2624, 2946},
    {"depthwise 3x3, 8 channels", kDepthwise, 48, 48, 8, 48, 48, 8, 3, 3, 1, 1, 1, 3554, 3875},
    {"depthwise 3x3 stride 2, 32 channels", kDepthwise, 24, 24, 32, 12, 12, 32, 3, 3, 2, 0, 0, 2929, 3250},
    {"fc 256 -> 84", kFc, 1, 1, 256, 1, 1, 84, 1, 1, 1, 0, 0, 1183, 1198, 1160},
#endif
};

#if defined(__ARM_ARCH_PROFILE)
// Nanoseconds of a tick on the boards of QEMU that cores.mk names.
#if defined(__ARM_ARCH_8M_MAIN__)
constexpr int kNanoseconds = 50;
#else
constexpr int kNanoseconds = 40;
#endif
volatile uint32_t* clock_register(uint32_t address) {
  return reinterpret_cast<volatile uint32_t*>(address);
}
void start_clock() {
  *clock_register(0xE000E014) = 0xFFFFFF;
  *clock_register(0xE000E018) = 0;
  *clock_register(0xE000E010) = 5;
  while (*clock_register(0xE000E018) == 0) {
  }
}
int64_t instructions() {
  return static_cast<int64_t>(0xFFFFFF - *clock_register(0xE000E018)) * kNanoseconds;
}
#else
void start_clock() {}
int64_t instructions() {
  return 0;
}
#endif

Layer layer_of(Random& random, const Class& k) {
  Layer l{};
  Config& c = l.config;
  l.in = Map{k.in_h, k.in_w, k.in_c, k.in_c, k.in_w * k.in_c},
  l.out = Map{k.out_h, k.out_w, k.out_c, k.out_c, k.out_w * k.out_c};
  l.in.size = k.in_h * l.in.row + 4, l.out.size = k.out_h * l.out.row;
  set_maps(c, l.in, l.out);
  c.kernel_h = k.kernel_h, c.kernel_w = k.kernel_w, c.stride_x = c.stride_y = k.stride,
  c.dilation_x = c.dilation_y = 1;
  c.pad_x = k.pad_x, c.pad_y = k.pad_y, c.groups = k.kind == kDepthwise ? k.in_c : 1, c.tile_pixels = 4;
#if defined(TILE_PIXELS)
  c.tile_pixels = TILE_PIXELS;
#endif
  fill(random, l, static_cast<size_t>(c.out_c) * l.window(), 1);
  return l;
}

template <class Weight = int8_t, class Factor>
int64_t count(const Layer& l, Kind kind, const std::vector<Factor>& factors) {
  const Config& c = l.config;
  const Rows all = {0, c.out_h};
  std::vector<uint8_t> out = l.target;
  const layouts::Filters f{c.out_c, c.kernel_h, c.kernel_w, c.in_c / c.groups, c.groups};
  if (kind == kDepthwise) {
    std::vector<int8_t> taps(l.weights.size());
    for (int i = 0; i < c.in_c; ++i)
      for (int t = 0; t < 9; ++t)
        taps[static_cast<size_t>(t * c.in_c + i)] = l.weights[static_cast<size_t>(i * 9 + t)];
    const std::vector<int8_t> weights = layouts::pack_depthwise(c.in_c, taps.data());
    const auto bias = layouts::pad_channels(c.in_c, l.bias.data());
    const auto factor = layouts::pad_channels(c.in_c, factors.data());
    start_clock();
    const int64_t before = instructions();
    N2D2_Export::depthwise_dsp(c, all, l.source.data(), out.data(), weights.data(), bias.data(),
                               factor.data());
    return instructions() - before;
  }
  const std::vector<int8_t> weights = layouts::pack_filters(f, l.weights.data());
  const auto bias = layouts::pad_outputs(f, l.bias.data(), 1);
  const auto factor = layouts::pad_outputs(f, factors.data(), 1);
  const auto* const stored = reinterpret_cast<const Weight*>(weights.data());
  std::vector<uint8_t> scratch(layouts::scratch_bytes(f, c.tile_pixels) + 16);
  void* aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 15) / 16 * 16);
  start_clock();
  const int64_t before = instructions();
  if (kind == kFc)
    N2D2_Export::fc_dsp(c, {0, 1}, l.source.data(), out.data(), stored, bias.data(), factor.data(), aligned);
  else
    N2D2_Export::conv2d_dsp(c, all, l.source.data(), out.data(), stored, bias.data(), factor.data(), aligned);
  return instructions() - before;
}

std::string thousandths(int64_t x) {
  const std::string rest = std::to_string(x % 1000);
  return std::to_string(x / 1000) + "." + std::string(3 - rest.size(), '0') + rest;
}

int run_all() {
  Random random{3};
  int worse = 0;
  for (const Class& k : kClasses) {
    const Layer l = layer_of(random, k);
    const int64_t products = static_cast<int64_t>(k.out_h) * k.out_w * k.out_c * l.window();
    const int64_t fixed = count(l, k.kind, l.multiplier), real = count(l, k.kind, l.factor);
    const int64_t narrow = k.kind == kDepthwise ? 0 : count<N2D2_Export::Narrow<4, 0>>(l, k.kind, l.factor);
    const int64_t per_fixed = fixed * 1000 / products, per_float = real * 1000 / products;
    print(std::string(k.name) + ": " + std::to_string(products) + " products, fixed " +
          std::to_string(fixed) + " " + thousandths(per_fixed) + ", float " + std::to_string(real) + " " +
          thousandths(per_float) + ", with weights of 4 bits " + std::to_string(narrow) + " " +
          thousandths(narrow * 1000 / real) + "\n");
    const bool above = (k.most_fixed > 0 && per_fixed > k.most_fixed) ||
                       (k.most_float > 0 && per_float > k.most_float) ||
                       (k.most_narrow > 0 && narrow * 1000 > real * k.most_narrow);
    if (above)
      print("  MORE than " + thousandths(k.most_fixed) + ", " + thousandths(k.most_float) + " or " +
            thousandths(k.most_narrow) + "\n");
    worse += above ? 1 : 0;
  }
  return worse > 0 ? 1 : 0;
}

}  // namespace

}  // namespace dsp_test

int main() {
  return dsp_test::run_all();
}
