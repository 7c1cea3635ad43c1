// Do depthwise convolutions with the DSP instructions give the bytes of plain loops?
#include "../../../../src/targets/cortexm/layouts/dsp.hpp"
#include "depthwise_dsp.hpp"
#include "dsp_check.hpp"

#ifndef CASES
#define CASES 300
#endif

namespace dsp_test {

namespace {

namespace layouts = n2d2::targets::cortexm::dsp;

/// Runs a layer whose weights are [channels][3][3].
struct Runner {
  std::vector<int8_t> weights;
  std::vector<int32_t> bias, multiplier;
  std::vector<float> factor;

  explicit Runner(const Layer& l)
      : bias(layouts::pad_channels(l.config.in_c, l.bias.data())),
        multiplier(layouts::pad_channels(l.config.in_c, l.multiplier.data())),
        factor(layouts::pad_channels(l.config.in_c, l.factor.data())) {
    const int channels = l.config.in_c;
    std::vector<int8_t> taps(l.weights.size());
    for (int c = 0; c < channels; ++c)
      for (int t = 0; t < 9; ++t)
        taps[static_cast<size_t>(t * channels + c)] = l.weights[static_cast<size_t>(c * 9 + t)];
    weights = layouts::pack_depthwise(channels, taps.data());
  }
  template <class In, class Out>
  void call(const Layer& l, N2D2_Export::Rows rows, const uint8_t* in, uint8_t* out) {
    const auto* from = reinterpret_cast<const In*>(in + l.in.start);
    auto* to = reinterpret_cast<Out*>(out + l.out.start);
    if (l.fixed)
      N2D2_Export::depthwise_dsp(l.config, rows, from, to, weights.data(), bias.data(), multiplier.data());
    else
      N2D2_Export::depthwise_dsp(l.config, rows, from, to, weights.data(), bias.data(), factor.data());
  }
  void operator()(const Layer& l, int first, int count, const uint8_t* in, uint8_t* out) {
    if (l.in_signed)
      l.out_signed ? call<int8_t, int8_t>(l, {first, count}, in, out)
                   : call<int8_t, uint8_t>(l, {first, count}, in, out);
    else
      l.out_signed ? call<uint8_t, int8_t>(l, {first, count}, in, out)
                   : call<uint8_t, uint8_t>(l, {first, count}, in, out);
  }
};

Layer random_layer(Random& random) {
  Layer l{};
  Config& c = l.config;
  c.kernel_h = c.kernel_w = 3, c.dilation_x = c.dilation_y = 1;
  c.stride_x = random.in(1, 3), c.stride_y = random.in(1, 3);
  c.pad_x = random.in(0, 2), c.pad_y = random.in(0, 2);
  c.in_c = c.out_c = c.groups = random.one_in(2) ? 4 * random.in(1, 10) : random.in(1, 23);
  const int out_h = random.in(1, 7), out_w = random.in(1, 8);
  l.in = place(random, size_of_input(random, out_h, c.stride_y, 3, 1, c.pad_y),
               size_of_input(random, out_w, c.stride_x, 3, 1, c.pad_x), c.in_c, true);
  l.out = place(random, out_h, out_w, c.out_c, true);
  set_maps(c, l.in, l.out);
  c.bottom_up = random.in(0, 1), c.ordered = 1;
  l.in_signed = random.one_in(2), l.out_signed = random.one_in(2), l.fixed = random.one_in(2);
  fill(random, l, static_cast<size_t>(c.in_c) * 9, 1);
  return l;
}

int run_all() {
  Random random{11};
  for (int i = 0; i < CASES; ++i) {
    const Layer l = random_layer(random);
    Runner run(l);
    if (!check_ranges(random, l, run) || !check_overlap(l, run) || !check_stream(l, run)) return 1;
  }
  print(std::to_string(CASES) + " depthwise convolutions give the bytes of plain loops\n");
  return 0;
}

}  // namespace

}  // namespace dsp_test

int main() {
  return dsp_test::run_all();
}
