// Adds up what is around each pixel, weighted by a kernel.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/refused_keys.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

/// Reads "*" as well as a name.
constexpr std::array kKernels{"*", "Gaussian", "LoG", "DoG", "Gabor"};

class Filter final : public Transformation {
 public:
  std::string kernel;
  int width = 0, height = 0;
  bool positive = true;
  double sigma = std::numbers::sqrt2, sigma1 = 2, sigma2 = 1;
  double theta = 0, lambda = 10, psi = std::numbers::pi / 2, gamma = 0.5;
  std::vector<double> values;
  std::string orientation;

  template <class V>
  static void fields(V&& v) {
    using F = Filter;
    v("Kernel", &F::kernel, required, help("Gaussian, LoG, DoG, Gabor, or * for the numbers of Kernel.Mat"));
    v("Kernel.SizeX", &F::width, required, at_least(1), at_most(1023), help("columns of the kernel"));
    v("Kernel.SizeY", &F::height, required, at_least(1), at_most(1023), help("rows of the kernel"));
    v("Kernel.Mat", &F::values, help("of Kernel=*: row by row"));
    v("Kernel.Positive", &F::positive, help("Gaussian, LoG, DoG: 1: above zero in the middle, 0: below"));
    v("Kernel.Sigma", &F::sigma, help("Gaussian, LoG, Gabor: deviation in pixels"));
    v("Kernel.Sigma1", &F::sigma1, help("DoG: the wide deviation, which is taken away"));
    v("Kernel.Sigma2", &F::sigma2, help("DoG: the narrow one"));
    v("Kernel.Theta", &F::theta, help("Gabor: direction of the wave, in radians"));
    v("Kernel.Lambda", &F::lambda, help("Gabor: length of the wave in pixels"));
    v("Kernel.Psi", &F::psi, help("Gabor: phase in the middle, in radians"));
    v("Kernel.Gamma", &F::gamma, help("Gabor: width over length of what is seen"));
    v("Orientation", &F::orientation, help("not supported"));
  }

  void check(const KeySource& keys, Diagnostics& diagnostics) const {
    refuse_keys(keys, {{"Orientation", !orientation.empty()}}, "kernels are not turned", diagnostics);
    if (std::find(kKernels.begin(), kKernels.end(), kernel) == kKernels.end() && keys.find("Kernel"))
      report_key(keys, "Kernel",
                 fmt::format("expected one of {}, got '{}'", fmt::join(kKernels, " "), kernel), diagnostics);
    const auto given = static_cast<int64_t>(values.size()), wanted = int64_t{width} * height;
    if (kernel == "*" && given != wanted)
      report_key(keys, "Kernel.Mat",
                 fmt::format("expected {} numbers ({} x {}), got {}", wanted, width, height, given),
                 diagnostics);
    if (kernel != "*") warn_without_effect(keys, {"Kernel.Mat"}, "with Kernel=" + kernel, diagnostics);
    if (kernel == "Gabor" && !keys.find("Kernel.Theta"))
      report_key(keys, "Kernel.Theta", "missing, expected a number", diagnostics);
    for (const auto& [key, value] : {std::pair{"Kernel.Sigma", sigma},
                                     {"Kernel.Sigma1", sigma1},
                                     {"Kernel.Sigma2", sigma2},
                                     {"Kernel.Lambda", lambda}})
      if (!(value > 0))
        report_key(keys, key, fmt::format("expected a number above 0, got {}", value), diagnostics);
  }

  /// The picture is mirrored at its edges; the result has its depth.
  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  void apply(Image& image, Rng&) const override {
    require_depth(*this, image, {DataType::U8, DataType::U16, DataType::I16, DataType::F32});
    const std::vector<double> weights = weights_of_kernel();
    Image out(image.width(), image.height(), image.channels(), image.depth());
    cv::Mat target = view(out);
    with_opencv(*this, image, [&] {
      const cv::Mat kernel_mat(height, width, CV_64F, const_cast<double*>(weights.data()));
      cv::filter2D(view(std::as_const(image)), target, -1, kernel_mat);
    });
    image = std::move(out);
  }

 private:
  /// f(x, y) of each place, the middle being 0, 0.
  template <class F>
  std::vector<double> sampled(const F& f) const {
    std::vector<double> out;
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column)
        out.push_back(f(column - (width - 1) / 2.0, row - (height - 1) / 2.0));
    return out;
  }

  /// Sum 1.
  std::vector<double> gaussian(double deviation) const {
    std::vector<double> out =
        sampled([&](double x, double y) { return std::exp(-(x * x + y * y) / (2 * deviation * deviation)); });
    const double sum = std::accumulate(out.begin(), out.end(), 0.0);
    for (double& weight : out) weight /= sum;
    return out;
  }

  /// Sum 0; above zero in the middle.
  std::vector<double> laplacian_of_gaussian() const {
    const double square = sigma * sigma;
    std::vector<double> out = sampled([&](double x, double y) {
      const double t = (x * x + y * y) / (2 * square);
      return (1 - t) * std::exp(-t) / (std::numbers::pi * square * square);
    });
    const double mean = std::accumulate(out.begin(), out.end(), 0.0) / static_cast<double>(out.size());
    for (double& weight : out) weight -= mean;
    return out;
  }

  std::vector<double> gabor() const {
    const double c = std::cos(theta), s = std::sin(theta);
    return sampled([&](double x, double y) {
      const double along = x * c + y * s, across = y * c - x * s;
      return std::exp(-(along * along + gamma * gamma * across * across) / (2 * sigma * sigma)) *
             std::cos(2 * std::numbers::pi * along / lambda + psi);
    });
  }

  std::vector<double> weights_of_kernel() const {
    if (kernel == "*") return values;
    if (kernel == "Gabor") return gabor();
    std::vector<double> out;
    if (kernel == "LoG") {
      out = laplacian_of_gaussian();
    } else if (kernel == "Gaussian") {
      out = gaussian(sigma);
    } else {
      out = gaussian(sigma2);
      const std::vector<double> wide = gaussian(sigma1);
      for (size_t i = 0; i < out.size(); ++i) out[i] -= wide[i];
    }
    if (!positive)
      for (double& weight : out) weight = -weight;
    return out;
  }
};

}  // namespace

void register_filter(TransformationRegistry& registry);
void register_filter(TransformationRegistry& registry) {
  registry.add("FilterTransformation",
               transformation_type<Filter>("FilterTransformation", "what is around a pixel, weighted"));
}

}  // namespace n2d2::data
