#include "stimuli_measurement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/parallel.hpp"
#include "n2d2/base/progress.hpp"

#include "files/pixels.hpp"

namespace n2d2::data {

namespace {

struct Sums {
  double min = std::numeric_limits<double>::infinity(), max = -min, sum = 0, squares = 0;
  int64_t count = 0;

  void add(const Image& image) {
    with_pixels(image, [this](auto values) {
      for (const auto value : values) {
        const auto x = static_cast<double>(value);
        min = std::min(min, x);
        max = std::max(max, x);
        sum += x;
        squares += x * x;
      }
    });
    count += image.elements();
  }
  void add(const Sums& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    sum += other.sum;
    squares += other.squares;
    count += other.count;
  }
};

double deviation(double sum, double squares, double count) {
  const double mean = sum / count;
  return std::sqrt(std::max(0.0, squares / count - mean * mean));
}

/// Sums of each place over the pictures.
class PlaceSums {
 public:
  void add(const std::vector<std::optional<PictureCache::Picture>>& block) {
    constexpr int64_t kPlaces = 4096;  // of a part that one thread adds
    const auto places = static_cast<int64_t>(sum_.size());
    parallel_for((places + kPlaces - 1) / kPlaces, [&](int64_t part, int) {
      const auto first = static_cast<size_t>(part * kPlaces);
      const auto last = static_cast<size_t>(std::min(places, (part + 1) * kPlaces));
      for (const auto& picture : block)
        with_pixels(**picture, [&](auto values) {
          for (size_t i = first; i < last; ++i) {
            const auto x = static_cast<double>(values[i]);
            sum_[i] += x;
            squares_[i] += x * x;
          }
        });
    });
  }

  void expect_size(const Image& image, const std::string& name) {
    if (form_.empty()) {
      form_ = Image(image.width(), image.height(), image.channels(), DataType::F32);
      first_ = name;
      sum_.resize(static_cast<size_t>(image.elements()));
      squares_.resize(sum_.size());
    }
    if (image.width() != form_.width() || image.height() != form_.height() ||
        image.channels() != form_.channels())
      throw ConfigError(fmt::format("expected pictures of one size, '{}' is {}, '{}' is {}x{}x{}", name,
                                    image.text(), first_, form_.width(), form_.height(), form_.channels()),
                        {}, "a RescaleTransformation or PadCropTransformation above makes them equal");
  }

  void finish(int64_t pictures, Image& mean, Image& std_dev) const {
    mean = std_dev = form_;
    const auto count = static_cast<double>(pictures);
    for (size_t i = 0; i < sum_.size(); ++i) {
      mean.span<float>()[i] = static_cast<float>(sum_[i] / count);
      std_dev.span<float>()[i] = static_cast<float>(deviation(sum_[i], squares_[i], count));
    }
  }

 private:
  Image form_;
  std::string first_;
  std::vector<double> sum_, squares_;
};

void add_size(const Image& image, StimuliMeasurement& out) {
  const bool is_first = out.pictures++ == 0;
  out.min_width = is_first ? image.width() : std::min(out.min_width, image.width());
  out.max_width = std::max(out.max_width, image.width());
  out.min_height = is_first ? image.height() : std::min(out.min_height, image.height());
  out.max_height = std::max(out.max_height, image.height());
}

}  // namespace

StimuliMeasurement measure_pictures(int64_t count,
                                    const std::function<PictureCache::Picture(int64_t)>& picture,
                                    const std::function<std::string(int64_t)>& name, bool images) {
  constexpr int64_t kBlock = 256;
  StimuliMeasurement out;
  Sums all;
  PlaceSums places;
  progress::Task task("Measuring stimuli", count, "pictures");
  for (int64_t first = 0; first < count; first += kBlock) {
    task.at(first);
    const auto size = static_cast<size_t>(std::min(kBlock, count - first));
    std::vector<std::optional<PictureCache::Picture>> block(size);
    std::vector<Sums> sums(size);
    parallel_for(static_cast<int64_t>(size), [&](int64_t i, int) {
      const auto at = static_cast<size_t>(i);
      block[at].emplace(picture(first + i));
      sums[at].add(**block[at]);
    });
    for (size_t i = 0; i < size; ++i) {
      all.add(sums[i]);
      add_size(**block[i], out);
      if (images) places.expect_size(**block[i], name(first + static_cast<int64_t>(i)));
    }
    if (images) places.add(block);
  }
  if (all.count == 0) return out;
  const auto values = static_cast<double>(all.count);
  out.values = {all.min, all.max, all.sum / values, deviation(all.sum, all.squares, values)};
  if (images) places.finish(count, out.mean, out.std_dev);
  return out;
}

}  // namespace n2d2::data
