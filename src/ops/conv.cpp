#include "n2d2/ops/conv.hpp"

#include "checks.hpp"
#include "window.hpp"

namespace n2d2::ops {

namespace {

struct Geometry {
  Window window;
  int64_t batch, in_c, out_c, group_in, group_out, taps;

  /// First input channel that output o sees.
  int64_t first_channel(int64_t o) const { return o / group_out * group_in; }
};

Geometry geometry(const Conv& op, const Shape& in) {
  return {make_window(in, op.kernel, op.stride, op.dilation, op.padding),
          in.n(),
          in.c(),
          op.nb_outputs,
          in.c() / op.groups,
          op.nb_outputs / op.groups,
          int64_t{op.kernel.x} * op.kernel.y};
}

/// Calls pair(o, c, w) for each connected pair of output and input channel; w is the index of the pair's
/// first weight.
template <class Pair>
void for_pairs(const Conv& op, const Geometry& g, Pair&& pair) {
  for (int64_t o = 0; o < g.out_c; ++o)
    for (int64_t i = 0; i < g.group_in; ++i) {
      const int64_t c = g.first_channel(o) + i;
      if (op.is_connected(c, o)) pair(o, c, (o * g.group_in + i) * g.taps);
    }
}

/// d_in[c] gets the sum over its outputs and taps of weight times gradient.
void backward_data(const Conv& op, const Geometry& g, const float* weights, const float* d_out, float* d_in) {
  const int64_t in_pixels = g.window.in_pixels(), out_pixels = g.window.out_pixels();
  std::vector<double> sum(static_cast<size_t>(g.in_c * in_pixels));
  for (int64_t n = 0; n < g.batch; ++n) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for_pairs(op, g, [&](int64_t o, int64_t c, int64_t w) {
      const float* grad = d_out + (n * g.out_c + o) * out_pixels;
      double* plane = sum.data() + c * in_pixels;
      for (int64_t k = 0; k < g.taps; ++k)
        g.window.for_rows(k / op.kernel.x, k % op.kernel.x, [&](int64_t out, int64_t in, int64_t count) {
          for (int64_t j = 0; j < count; ++j)
            plane[in + j * g.window.x.stride] += static_cast<double>(weights[w + k]) * grad[out + j];
        });
    });
    std::copy(sum.begin(), sum.end(), d_in + n * g.in_c * in_pixels);
  }
}

void backward_weights(const Conv& op, const Geometry& g, const float* in, const float* d_out, Tensor& d_w) {
  const int64_t in_pixels = g.window.in_pixels(), out_pixels = g.window.out_pixels();
  d_w.fill(0);
  float* d_weights = d_w.data<float>();
  for_pairs(op, g, [&](int64_t o, int64_t c, int64_t w) {
    for (int64_t k = 0; k < g.taps; ++k) {
      double sum = 0;
      for (int64_t n = 0; n < g.batch; ++n) {
        const float* grad = d_out + (n * g.out_c + o) * out_pixels;
        const float* plane = in + (n * g.in_c + c) * in_pixels;
        g.window.for_rows(k / op.kernel.x, k % op.kernel.x, [&](int64_t out, int64_t first, int64_t count) {
          for (int64_t j = 0; j < count; ++j)
            sum += static_cast<double>(grad[out + j]) * plane[first + j * g.window.x.stride];
        });
      }
      d_weights[w + k] = static_cast<float>(sum);
    }
  });
}

void backward_biases(const Geometry& g, const float* d_out, float* d_biases) {
  const int64_t pixels = g.window.out_pixels();
  for (int64_t o = 0; o < g.out_c; ++o) {
    double sum = 0;
    for (int64_t n = 0; n < g.batch; ++n)
      for (int64_t p = 0; p < pixels; ++p) sum += d_out[(n * g.out_c + o) * pixels + p];
    d_biases[o] = static_cast<float>(sum);
  }
}

}  // namespace

std::string_view Conv::input_role(size_t slot) const {
  return slot == 1 ? "weights" : slot == 2 ? "biases" : "";
}

std::vector<Shape> Conv::infer(std::span<const Shape> in) const {
  expect_inputs(in, 2, 3);
  expect_map(in, 0);
  expect_at_least("NbOutputs", nb_outputs, 1);
  expect_at_least("Groups", groups, 1);
  const int64_t channels = in[0].c();
  if (channels % groups != 0 || nb_outputs % groups != 0)
    throw ModelError(fmt::format("{} groups do not divide {} input channels and {} outputs", groups, channels,
                                 nb_outputs));
  if (!connections.empty()) {
    if (groups > 1) throw ModelError("Connections and Groups exclude each other");
    if (static_cast<int64_t>(connections.size()) != channels * nb_outputs)
      throw ModelError(fmt::format("Connections has {} entries, expected {} channels x {} outputs",
                                   connections.size(), channels, nb_outputs));
  }
  if (in[1].rank() == 4 && in[1][1] * groups != channels)
    throw ModelError(fmt::format("input 0 has {} channels, weights expect {}", channels, in[1][1] * groups));
  expect_parameter(in, 1, "weights", {nb_outputs, channels / groups, kernel.y, kernel.x});
  if (in.size() == 3) expect_parameter(in, 2, "biases", {nb_outputs});
  const Window window = make_window(in[0], kernel, stride, dilation, padding);
  return {{in[0].n(), nb_outputs, window.y.out(), window.x.out()}};
}

void Conv::forward(const graph::ForwardArgs& args) const {
  const Geometry g = geometry(*this, args.in[0]->shape());
  const float* in = args.in[0]->data<float>();
  const float* weights = args.in[1]->data<float>();
  const float* biases = args.in.size() == 3 ? args.in[2]->data<float>() : nullptr;
  const int64_t in_pixels = g.window.in_pixels(), out_pixels = g.window.out_pixels();
  std::vector<double> sum(static_cast<size_t>(g.out_c * out_pixels));
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t o = 0; o < g.out_c; ++o)
      std::fill_n(sum.begin() + o * out_pixels, out_pixels, biases ? static_cast<double>(biases[o]) : 0.0);
    for_pairs(*this, g, [&](int64_t o, int64_t c, int64_t w) {
      const float* plane = in + (n * g.in_c + c) * in_pixels;
      double* result = sum.data() + o * out_pixels;
      for (int64_t k = 0; k < g.taps; ++k)
        g.window.for_rows(k / kernel.x, k % kernel.x, [&](int64_t out, int64_t first, int64_t count) {
          for (int64_t j = 0; j < count; ++j)
            result[out + j] += static_cast<double>(weights[w + k]) * plane[first + j * g.window.x.stride];
        });
    });
    std::copy(sum.begin(), sum.end(), args.out[0]->data<float>() + n * g.out_c * out_pixels);
  }
}

bool Conv::backward(const graph::BackwardArgs& args) const {
  const Geometry g = geometry(*this, args.in[0]->shape());
  const float* d_out = args.d_out[0]->data<float>();
  if (args.d_in[0]) backward_data(*this, g, args.in[1]->data<float>(), d_out, args.d_in[0]->data<float>());
  if (args.d_in[1]) backward_weights(*this, g, args.in[0]->data<float>(), d_out, *args.d_in[1]);
  if (args.d_in.size() == 3 && args.d_in[2]) backward_biases(g, d_out, args.d_in[2]->data<float>());
  return true;
}

void register_conv(graph::OperatorRegistry& registry);
void register_conv(graph::OperatorRegistry& registry) {
  graph::register_operator<Conv>(registry);
}

}  // namespace n2d2::ops
