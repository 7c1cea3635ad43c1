// Brings mean and deviation around each pixel to given ones, to float.
#include <cmath>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

class WallisFilter final : public Transformation {
 public:
  int size = 0;
  double mean = 0, std_dev = 1;
  bool per_channel = false;

  template <class V>
  static void fields(V&& v) {
    using W = WallisFilter;
    v("Size", &W::size, required, at_least(1), at_most(1023), help("side of the square around each pixel"));
    v("Mean", &W::mean, help("mean of the result"));
    v("StdDev", &W::std_dev, at_least(0), help("deviation of the result"));
    v("PerChannel", &W::per_channel, help("1: mean and deviation of each channel; 0: of all of them"));
  }

  void foresee(PictureForm& form) const override { form.depth = DataType::F32; }

  /// (x - m) / s * StdDev + Mean with the mean m and the deviation s of the square around x, the picture
  /// mirrored at its edges;
  /// Mean where s is 0.
  LabelMaps label_maps() const override { return LabelMaps::Unchanged; }
  void apply(Image& image, Rng&) const override {
    Image out(image.width(), image.height(), image.channels(), DataType::F32);
    with_opencv(*this, image, [&] {
      std::vector<cv::Mat> planes;
      cv::split(view(std::as_const(image)), planes);
      std::vector<cv::Mat> means(planes.size()), squares(planes.size());
      for (size_t c = 0; c < planes.size(); ++c) {
        planes[c].convertTo(planes[c], CV_64F);
        cv::boxFilter(planes[c], means[c], CV_64F, {size, size});
        cv::sqrBoxFilter(planes[c], squares[c], CV_64F, {size, size});
      }
      if (!per_channel) share(means), share(squares);
      for (size_t c = 0; c < planes.size(); ++c) {
        for (int y = 0; y < image.height(); ++y)
          for (int x = 0; x < image.width(); ++x) {
            const double m = means[c].at<double>(y, x);
            const double variance = squares[c].at<double>(y, x) - m * m;
            double& value = planes[c].at<double>(y, x);
            // What is left of equal values after subtracting squares is no deviation.
            value = variance <= 1e-12 * squares[c].at<double>(y, x)
                        ? mean
                        : (value - m) / std::sqrt(variance) * std_dev + mean;
          }
        planes[c].convertTo(planes[c], CV_32F);
      }
      cv::Mat target = view(out);
      cv::merge(planes, target);
    });
    image = std::move(out);
  }

 private:
  /// Each becomes the mean of all.
  static void share(std::vector<cv::Mat>& planes) {
    cv::Mat sum = planes[0].clone();
    for (size_t c = 1; c < planes.size(); ++c) sum += planes[c];
    sum /= static_cast<double>(planes.size());
    for (cv::Mat& plane : planes) plane = sum;
  }
};

}  // namespace

void register_wallis_filter(TransformationRegistry& registry);
void register_wallis_filter(TransformationRegistry& registry) {
  registry.add("WallisFilterTransformation",
               transformation_type<WallisFilter>("WallisFilterTransformation",
                                                 "same mean and contrast everywhere, to float"));
}

}  // namespace n2d2::data
