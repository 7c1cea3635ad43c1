// Changes the size of the picture: bilinear, pixel centres at half coordinates.
#include <algorithm>
#include <cmath>

#include <opencv2/imgproc.hpp>

#include "files/mat.hpp"
#include "stimuli/transformation_type.hpp"

namespace n2d2::data {

namespace {

/// What one pixel of the result is made of along one axis.
struct Taps {
  int first = 0;
  std::vector<double> weights;  // sum 1
};

/// Triangle of half width max(1, from / to) around the centre (x + 0.5) * from / to, cut at the edges.
std::vector<Taps> antialias_taps(int from, int to) {
  const double scale = static_cast<double>(from) / to, support = std::max(scale, 1.0);
  std::vector<Taps> out;
  for (int x = 0; x < to; ++x) {
    const double centre = (x + 0.5) * scale;
    Taps taps;
    taps.first = std::max(0, static_cast<int>(centre - support + 0.5));
    const int end = std::min(from, static_cast<int>(centre + support + 0.5));
    double sum = 0;
    for (int i = taps.first; i < end; ++i) {
      const double weight = std::max(0.0, 1 - std::abs((i + 0.5 - centre) / support));
      taps.weights.push_back(weight);
      sum += weight;
    }
    for (double& weight : taps.weights) weight /= sum;
    out.push_back(std::move(taps));
  }
  return out;
}

/// The picture seen as [outer][axis][inner], inner contiguous.
struct Axis {
  int64_t outer, size, inner;
};

/// Bytes: weights as integers of 22 fraction bits, rounded half away from zero; the sum is rounded half up
/// and clamped. This is how Pillow computes, so results of the two are equal.
void filter(const uint8_t* from, uint8_t* to, const Axis& axis, const std::vector<Taps>& all) {
  constexpr int kFraction = 22;
  std::vector<int32_t> weights;
  for (int64_t o = 0; o < axis.outer; ++o)
    for (size_t x = 0; x < all.size(); ++x) {
      weights.clear();
      for (const double w : all[x].weights)
        weights.push_back(static_cast<int32_t>(std::lround(w * (1 << kFraction))));
      const uint8_t* start = from + (o * axis.size + all[x].first) * axis.inner;
      for (int64_t i = 0; i < axis.inner; ++i) {
        int32_t sum = 1 << (kFraction - 1);
        for (size_t k = 0; k < weights.size(); ++k)
          sum += weights[k] * start[static_cast<int64_t>(k) * axis.inner + i];
        *to++ = static_cast<uint8_t>(std::clamp(sum >> kFraction, 0, 255));
      }
    }
}

template <class T>
void filter(const T* from, T* to, const Axis& axis, const std::vector<Taps>& all) {
  for (int64_t o = 0; o < axis.outer; ++o)
    for (const Taps& taps : all) {
      const T* start = from + (o * axis.size + taps.first) * axis.inner;
      for (int64_t i = 0; i < axis.inner; ++i) {
        double sum = 0;
        for (size_t k = 0; k < taps.weights.size(); ++k)
          sum += taps.weights[k] * static_cast<double>(start[static_cast<int64_t>(k) * axis.inner + i]);
        *to++ = cv::saturate_cast<T>(sum);
      }
    }
}

void filter(const Image& from, Image& to, const Axis& axis, const std::vector<Taps>& taps) {
  switch (from.depth()) {
    case DataType::U8:
      return filter(from.span<uint8_t>().data(), to.span<uint8_t>().data(), axis, taps);
    case DataType::U16:
      return filter(from.span<uint16_t>().data(), to.span<uint16_t>().data(), axis, taps);
    case DataType::I16:
      return filter(from.span<int16_t>().data(), to.span<int16_t>().data(), axis, taps);
    default:
      return filter(from.span<float>().data(), to.span<float>().data(), axis, taps);
  }
}

/// Rows first, then columns, with rounding to the element type in between.
Image resize_antialiased(Image image, int width, int height) {
  if (width != image.width()) {
    Image out(width, image.height(), image.channels(), image.depth());
    filter(image, out, {image.height(), image.width(), image.channels()},
           antialias_taps(image.width(), width));
    image = std::move(out);
  }
  if (height != image.height()) {
    Image out(width, height, image.channels(), image.depth());
    filter(image, out, {1, image.height(), int64_t{width} * image.channels()},
           antialias_taps(image.height(), height));
    image = std::move(out);
  }
  return image;
}

/// side * to / from, cut, at least 1.
int scaled(int side, int to, int from) {
  return static_cast<int>(std::max<int64_t>(1, int64_t{side} * to / from));
}

class Rescale final : public Transformation {
 public:
  int width = 0, height = 0;
  bool keep_aspect_ratio = false, resize_to_fit = true, exact = false, antialias = false;
  Dims keep_size;

  template <class V>
  static void fields(V&& v) {
    v("Width", &Rescale::width, required, at_least(1), help("columns of the result"));
    v("Height", &Rescale::height, required, at_least(1), help("rows of the result"));
    v("KeepAspectRatio", &Rescale::keep_aspect_ratio, help("one factor for both axes"));
    v("ResizeToFit", &Rescale::resize_to_fit,
      help("with KeepAspectRatio, 1: fits inside, 0: covers Width x Height"));
    v("Exact", &Rescale::exact,
      help("with KeepAspectRatio, 1: one side is as asked for; 0: both are cut after a real factor"));
    v("Antialias", &Rescale::antialias, help("support widened by the shrink factor, as Pillow does"));
    v("KeepSize", &Rescale::keep_size, at_least(0),
      help("pictures of this width and height stay as they are; 0: there are none"));
  }

  void foresee(PictureForm& form) const override {
    const bool is_open = keep_aspect_ratio || keep_size.x > 0;
    form.width = is_open ? 0 : width;
    form.height = is_open ? 0 : height;
  }
  std::vector<MapStep> map_steps(const PictureForm& map) const override {
    if (antialias) fail("Antialias: 1 has no form as a layer", "a Pool with a stride looks at every pixel");
    const auto [to_width, to_height] = size_of(map.width, map.height);
    if (to_width == map.width && to_height == map.height) return {};
    return {ResizeStep{to_width, to_height}};
  }
  LabelMaps label_maps() const override { return LabelMaps::Moved; }
  void move_labels(Image& labels, Rng&) const override {
    const auto [to_width, to_height] = size_of(labels.width(), labels.height());
    Image out(to_width, to_height, 1, labels.depth());
    cv::Mat target = view(out);
    // Half-pixel centres as the bilinear form has, which INTER_NEAREST has not.
    with_opencv(*this, labels,
                [&] { cv::resize(view(labels), target, target.size(), 0, 0, cv::INTER_NEAREST_EXACT); });
    labels = std::move(out);
  }

  void apply(Image& image, Rng&) const override {
    require_depth(*this, image, {DataType::U8, DataType::U16, DataType::I16, DataType::F32});
    const auto [to_width, to_height] = size_of(image.width(), image.height());
    if (to_width == image.width() && to_height == image.height()) return;
    if (antialias) {
      image = resize_antialiased(std::move(image), to_width, to_height);
      return;
    }
    Image out(to_width, to_height, image.channels(), image.depth());
    cv::Mat target = view(out);
    with_opencv(*this, image,
                [&] { cv::resize(view(image), target, target.size(), 0, 0, cv::INTER_LINEAR); });
    image = std::move(out);
  }

 private:
  /// Width and height of the result.
  std::pair<int, int> size_of(int from_width, int from_height) const {
    int to_width = width, to_height = height;
    if (keep_size == Dims{from_width, from_height}) return {from_width, from_height};
    if (keep_aspect_ratio && exact) {
      // Against a factor: width / from_width >= height / from_height, in integers.
      const bool is_wider = int64_t{width} * from_height >= int64_t{height} * from_width;
      if (is_wider != resize_to_fit)
        to_height = scaled(from_height, width, from_width);
      else
        to_width = scaled(from_width, height, from_height);
    } else if (keep_aspect_ratio) {
      const double ratio_x = static_cast<double>(width) / from_width;
      const double ratio_y = static_cast<double>(height) / from_height;
      const double ratio = resize_to_fit ? std::min(ratio_x, ratio_y) : std::max(ratio_x, ratio_y);
      // Truncated on purpose, 255.99 becomes 255.
      to_width = std::max(1, static_cast<int>(ratio * from_width));
      to_height = std::max(1, static_cast<int>(ratio * from_height));
    }
    return {to_width, to_height};
  }
};

}  // namespace

void register_rescale(TransformationRegistry& registry);
void register_rescale(TransformationRegistry& registry) {
  registry.add("RescaleTransformation",
               transformation_type<Rescale>("RescaleTransformation", "bilinear resize"));
}

}  // namespace n2d2::data
