#include "pre_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "n2d2/base/log.hpp"
#include "n2d2/base/staged_folder.hpp"
#include "n2d2/data/image.hpp"
#include "n2d2/tensor/npy.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

namespace fs = std::filesystem;
using data::Image;
using data::Partition;

int64_t position_of(const loader::Network& net, int64_t id) {
  const auto& ids = net.database->list(Partition::Learn);
  const auto found = std::find(ids.begin(), ids.end(), id);
  if (found != ids.end()) return found - ids.begin();
  if (ids.empty()) throw ConfigError("option -pre-samples: there are no Learn stimuli");
  const auto [least, largest] = std::minmax_element(ids.begin(), ids.end());
  throw ConfigError(
      fmt::format("option -pre-samples: expected the id of one of {} Learn stimuli, which lie "
                  "between {} and {}, got '{}'",
                  ids.size(), *least, *largest, id));
}

/// The values as the picture holds them.
Tensor tensor_of(const Image& image) {
  Tensor out(Shape{1, image.channels(), image.height(), image.width()}, image.depth(), Layout::Nhwc);
  std::copy_n(image.raw(), image.bytes(), static_cast<std::byte*>(out.raw()));
  return out;
}

/// 1,C,H,W floats as a picture.
Image picture_of(const Tensor& input) {
  const Shape& shape = input.shape();
  Image out(static_cast<int>(shape.w()), static_cast<int>(shape.h()), static_cast<int>(shape.c()),
            DataType::F32);
  const Tensor pixels = to_layout(input, Layout::Nhwc);
  std::copy(pixels.span().begin(), pixels.span().end(), out.span<float>().begin());
  return out;
}

/// Files with a number in front, and a line for each.
class StagedSteps {
 public:
  explicit StagedSteps(fs::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& name, const std::string& text, const Image& image) {
    const Tensor values = tensor_of(image);
    const std::string stem = fmt::format("{:02}_{}", count_++, file_name(name));
    write_text(folder_ / (stem + ".png"), data::png(image));
    write_text(folder_ / (stem + ".npy"), npy(values));
    lines_ += fmt::format("{} {} {}{}\n", stem, image.text(), range_of(image),
                          text.empty() ? "" : " " + presentable(text));
  }
  int count() const { return count_; }
  void finish() const { write_text(folder_ / "steps.txt", "# file size values step\n" + lines_); }

 private:
  static std::string range_of(const Image& image) {
    switch (image.depth()) {
      case DataType::U8:
        return range<uint8_t>(image);
      case DataType::I8:
        return range<int8_t>(image);
      case DataType::U16:
        return range<uint16_t>(image);
      case DataType::I16:
        return range<int16_t>(image);
      case DataType::I32:
        return range<int32_t>(image);
      default:
        return range<float>(image);
    }
  }

  template <class T>
  static std::string range(const Image& image) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const T value : image.span<T>()) {
      least = std::min(least, static_cast<double>(value));
      most = std::max(most, static_cast<double>(value));
    }
    return fmt::format("{:g}..{:g}", least, most);
  }

  fs::path folder_;
  int count_ = 0;
  std::string lines_;
};

}  // namespace

void write_pre_samples(const loader::Network& net, int64_t id, const fs::path& below) {
  const int64_t position = position_of(net, id);
  const std::string folder = (below / fmt::format("pre_samples_{}", id)).string();
  try {
    StagedFolder staged(folder);
    StagedSteps steps(staged.fresh());
    net.data->follow(Partition::Learn, position, 0,
                     [&](const data::Transformation* step, const Image& image) {
                       if (step == nullptr)
                         steps.add("stored", net.database->name(id), image);
                       else
                         steps.add(step->type(), step->subject() + " " + step->text(), image);
                     });
    Tensor input;
    std::vector<int> labels;
    net.data->read(Partition::Learn, std::span(&position, 1), 0, input, labels);
    steps.add("input", "what the network sees", picture_of(input));
    steps.finish();
    staged.commit();
    log::info("Learn stimulus {}: {} pictures in '{}'", id, steps.count(), folder);
  } catch (const FolderError& error) {
    throw ConfigError(error.reason, {error.path.string(), 0}, error.hint);
  }
}

}  // namespace n2d2::app
