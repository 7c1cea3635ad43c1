// Changes gain, bias and gamma of the channels at random.
#include <algorithm>
#include <cmath>

#include "files/pixels.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

/// Channels that may have ranges of their own.
constexpr size_t kMostChannels = 64;

struct Variation {
  double gain = 1, bias = 0, gamma = 1;
};

class RandomAffine final : public Transformation {
 public:
  std::vector<double> gain{1, 1}, bias{0, 0}, gamma{1, 1};
  double gain_probability = 1, bias_probability = 1, gamma_probability = 1;
  bool disjoint_gamma = false;
  std::vector<int> mask;

  template <class V>
  static void fields(V&& v) {
    using R = RandomAffine;
    v("GainRange", &R::gain, help("smallest and largest factor; GainRange[c]: of channel c alone"));
    v("BiasRange", &R::bias,
      help("smallest and largest shift in parts of white; BiasRange[c]: of channel c alone"));
    v("GammaRange", &R::gamma, help("smallest and largest exponent; GammaRange[c]: of channel c alone"));
    v("GainVarProb", &R::gain_probability, at_least(0), at_most(1), help("how often the gain is changed"));
    v("BiasVarProb", &R::bias_probability, at_least(0), at_most(1), help("how often the bias is changed"));
    v("GammaVarProb", &R::gamma_probability, at_least(0), at_most(1), help("how often the gamma is changed"));
    v("DisjointGamma", &R::disjoint_gamma, help("1: either the gamma is changed, or gain and bias"));
    v("ChannelsMask", &R::mask, at_least(0), at_most(1), help("1 for each channel to change; empty: all"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) {
    read_ranges(keys, "GainRange", gain, gains_, -1e9, diagnostics);
    read_ranges(keys, "BiasRange", bias, biases_, -1e9, diagnostics);
    read_ranges(keys, "GammaRange", gamma, gammas_, 1e-6, diagnostics);
  }

  bool is_random() const override { return true; }

  /// v becomes g (v / S)^gamma S + b S, S the largest integer of the depth or 1; of a negative v, -(-v /
  /// S)^gamma. Integers are kept within their type. Channels without ranges of their own change alike.
  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  void apply(Image& image, Rng& rng) const override {
    const auto channels = static_cast<size_t>(image.channels());
    if (!mask.empty() && mask.size() != channels)
      fail(fmt::format("ChannelsMask: expected {} numbers for a picture of {}, got {}", channels,
                       image.text(), mask.size()));
    const size_t last = std::max({gains_.size(), biases_.size(), gammas_.size()});
    if (last > channels)
      fail(fmt::format("a range of channel {} has no channel in a picture of {}", last - 1, image.text()));
    const std::vector<Variation> variations = draw(channels, rng);
    const double scale = full_scale(image.depth());
    image = mapped(image, image.depth(), [&](double x, size_t c) {
      if (!mask.empty() && mask[c] == 0) return x;
      const Variation& v = variations[c];
      const double part = x / scale;
      const double curved = v.gamma == 1 ? part : std::copysign(std::pow(std::abs(part), v.gamma), part);
      return (v.gain * curved + v.bias) * scale;
    });
  }

 private:
  using Range = std::vector<double>;

  /// By channel; empty: the range of all.
  std::vector<Range> gains_, biases_, gammas_;

  static bool is_range(const Range& range, double min) {
    return range.size() == 2 && range[0] <= range[1] && range[0] >= min;
  }

  static void check_range(const KeySource& keys, const std::string& key, const Range& range, double min,
                          Diagnostics& diagnostics) {
    if (!is_range(range, min))
      report_key(keys, key,
                 fmt::format("expected two numbers, the smaller one first{}, got '{}'",
                             min > 0 ? fmt::format(" and >= {}", min) : "", ValueText<Range>::print(range)),
                 diagnostics);
  }

  static void read_ranges(const KeySource& keys, const std::string& key, const Range& of_all,
                          std::vector<Range>& of_channels, double min, Diagnostics& diagnostics) {
    check_range(keys, key, of_all, min, diagnostics);
    for (size_t c = 0; c < kMostChannels; ++c) {
      const std::string own = fmt::format("{}[{}]", key, c);
      const auto found = keys.find(own);
      if (!found) continue;
      of_channels.resize(c + 1);
      if (!ValueText<Range>::parse(found->text, of_channels[c]))
        report_key(keys, own, fmt::format("expected two numbers, got '{}'", found->text), diagnostics);
      else
        check_range(keys, own, of_channels[c], min, diagnostics);
    }
  }

  static double draw(const Range& of_all, const std::vector<Range>& of_channels, size_t channel,
                     double common, Rng& rng) {
    const double own = rng.uniform();
    const bool has_own = channel < of_channels.size() && !of_channels[channel].empty();
    const Range& range = has_own ? of_channels[channel] : of_all;
    return std::lerp(range[0], range[1], has_own ? own : common);
  }

  std::vector<Variation> draw(size_t channels, Rng& rng) const {
    const double gain_draw = rng.uniform(), bias_draw = rng.uniform(), gamma_draw = rng.uniform();
    const bool gamma_varies = rng.chance(gamma_probability), has_turn = !disjoint_gamma || !gamma_varies;
    const bool gain_varies = rng.chance(gain_probability) && has_turn;
    const bool bias_varies = rng.chance(bias_probability) && has_turn;
    std::vector<Variation> out(channels);
    for (size_t c = 0; c < channels; ++c) {
      const Variation drawn{draw(gain, gains_, c, gain_draw, rng), draw(bias, biases_, c, bias_draw, rng),
                            draw(gamma, gammas_, c, gamma_draw, rng)};
      if (gain_varies) out[c].gain = drawn.gain;
      if (bias_varies) out[c].bias = drawn.bias;
      if (gamma_varies) out[c].gamma = drawn.gamma;
    }
    return out;
  }
};

}  // namespace

void register_random_affine(TransformationRegistry& registry);
void register_random_affine(TransformationRegistry& registry) {
  registry.add(
      "RandomAffineTransformation",
      transformation_type<RandomAffine>("RandomAffineTransformation", "random gain, bias and gamma"));
}

}  // namespace n2d2::data
