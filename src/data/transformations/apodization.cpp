// Weights the columns of each row by a window that fades towards its ends.
#include <cmath>
#include <numbers>

#include "files/pixels.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

enum class WindowName { Rectangular, Hann, Hamming, Cosine, Gaussian, Blackman, Kaiser };

}  // namespace

}  // namespace n2d2::data

template <>
struct n2d2::EnumText<n2d2::data::WindowName> {
  static constexpr std::array names{"Rectangular", "Hann",     "Hamming", "Cosine",
                                    "Gaussian",    "Blackman", "Kaiser"};
};

namespace n2d2::data {

namespace {

/// The modified Bessel function of the first kind and order 0, by its series.
double bessel(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > 1e-16 * sum; ++k) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

class Apodization final : public Transformation {
 public:
  int size = 0;
  WindowName window = WindowName::Rectangular;
  double sigma = 0.4, alpha = 0.16, beta = 5;

  template <class V>
  static void fields(V&& v) {
    using A = Apodization;
    v("Size", &A::size, required, at_least(1), help("columns of the window, those of the picture"));
    v("WindowName", &A::window, help("how it fades"));
    v("WindowName.Sigma", &A::sigma, help("Gaussian: deviation, in halves of the window"));
    v("WindowName.Alpha", &A::alpha, help("Blackman: 0.16 is the usual one"));
    v("WindowName.Beta", &A::beta, at_least(0), at_most(500), help("Kaiser: how much it fades"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    for (const auto& [owner, key] : {std::pair{WindowName::Gaussian, "WindowName.Sigma"},
                                     {WindowName::Blackman, "WindowName.Alpha"},
                                     {WindowName::Kaiser, "WindowName.Beta"}})
      if (window != owner)
        warn_without_effect(keys, {key}, "with WindowName=" + ValueText<WindowName>::print(window),
                            diagnostics);
    if (sigma <= 0)
      report_key(keys, "WindowName.Sigma", fmt::format("expected a number above 0, got {}", sigma),
                 diagnostics);
  }

  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  void foresee(PictureForm& form) const override { form.depth = DataType::F32; }

  void apply(Image& image, Rng&) const override {
    if (image.width() != size)
      fail(fmt::format("Size: expected {}, the columns of a picture of {}, got {}", image.width(),
                       image.text(), size));
    const size_t channels = static_cast<size_t>(image.channels()), columns = static_cast<size_t>(size);
    std::vector<double> weights;
    for (int column = 0; column < size; ++column) weights.push_back(weight(column));
    Image out = mapped(image, DataType::F32, [](double x, size_t) { return x; });
    const std::span<float> values = out.span<float>();
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(static_cast<double>(values[i]) * weights[i / channels % columns]);
    image = std::move(out);
  }

 private:
  double weight(int column) const {
    if (size == 1) return 1;
    const double at = static_cast<double>(column) / (size - 1);  // 0 to 1
    const double turn = 2 * std::numbers::pi * at, from_middle = 2 * at - 1;
    switch (window) {
      case WindowName::Rectangular:
        return 1;
      case WindowName::Hann:
        return 0.5 - 0.5 * std::cos(turn);
      case WindowName::Hamming:
        return 0.54 - 0.46 * std::cos(turn);
      case WindowName::Cosine:
        return std::sin(turn / 2);
      case WindowName::Gaussian:
        return std::exp(-0.5 * (from_middle / sigma) * (from_middle / sigma));
      case WindowName::Blackman:
        return (1 - alpha) / 2 - 0.5 * std::cos(turn) + alpha / 2 * std::cos(2 * turn);
      case WindowName::Kaiser:
        break;
    }
    return bessel(beta * std::sqrt(1 - from_middle * from_middle)) / bessel(beta);
  }
};

}  // namespace

void register_apodization(TransformationRegistry& registry);
void register_apodization(TransformationRegistry& registry) {
  registry.add("ApodizationTransformation",
               transformation_type<Apodization>("ApodizationTransformation", "rows fade towards their ends"));
}

}  // namespace n2d2::data
