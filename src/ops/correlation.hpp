// Which weight lies between which elements of two maps? What Conv and Deconv share: a Conv goes from the
// large map, over which the window slides, to the small one with an element for each of its positions; a
// Deconv goes back.
#pragma once

#include <span>
#include <vector>

#include "n2d2/tensor/tensor.hpp"

#include "window.hpp"

namespace n2d2::ops {

enum class OutputMap { Small, Large };

/// Weights are O,I/groups,KH,KW, of input channel c and output channel o.
struct Correlation {
  /// Slides over the large map; out() are the extents of the small one.
  Window window;
  int64_t batch, inputs, outputs, groups;
  /// I x O, empty: all.
  std::span<const int> connections;
  OutputMap output;
  /// Row of biases for each pixel of the small map; a row holds one bias for each channel. Empty: all pixels
  /// take the only row.
  std::vector<int64_t> bias_rows = {};

  int64_t small_channels() const { return output == OutputMap::Small ? outputs : inputs; }
  int64_t large_channels() const { return output == OutputMap::Small ? inputs : outputs; }
  int64_t taps() const { return window.x.kernel * window.y.kernel; }
};

/// What both operators ask of the channels, the weights (input 1) and the biases (input 2, if there).
/// ModelError.
void expect_weights(std::span<const Shape> in, int nb_outputs, int groups, std::span<const int> connections,
                    Dims kernel);

/// small[s] = bias[s] + sum of weights and large elements. `biases` may be null.
void correlate(const Correlation& c, const float* weights, const float* biases, const float* large,
               float* small);
/// Correlates one sample of integers. Returns the sums in 64 bits, before any rounding. `biases` may be null.
std::vector<int64_t> correlate(const Correlation& c, const int64_t* weights, const int64_t* biases,
                               const int64_t* large);
/// The transpose: large[l] = bias[l] + sum over the windows that see l.
void spread(const Correlation& c, const float* weights, const float* biases, const float* small,
            float* large);
/// d_w = sum over samples and positions of large and small elements; weights of pairs that are not connected
/// get 0.
void weight_gradient(const Correlation& c, const float* large, const float* small, Tensor& d_w);
/// d_b[o] = sum of the channel's gradient over samples and pixels.
void bias_gradient(const Tensor& d_out, Tensor& d_b);

}  // namespace n2d2::ops
