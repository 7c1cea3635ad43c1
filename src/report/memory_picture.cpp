#include <algorithm>

#include "n2d2/base/text.hpp"

#include "pictures.hpp"
#include "svg.hpp"

namespace n2d2::report {

namespace {

constexpr double kLeft = 86, kTop = 16, kWidth = 860, kHeight = 380, kRight = 14, kBelow = 116;
constexpr double kCharacter = 6.2, kLine = 13;

/// Where steps and bytes are in the picture.
class Scales {
 public:
  explicit Scales(const MemoryMap& map) : steps_(static_cast<double>(std::max<size_t>(1, map.steps.size()))) {
    for (const MapBox& box : map.boxes) {
      most_ = std::max(most_, static_cast<double>(box.to));
      steps_ = std::max(steps_, box.end);
    }
    for (const NamedBytes& level : map.levels) most_ = std::max(most_, static_cast<double>(level.bytes));
    most_ *= 1.04;
  }
  double x(double step) const { return kLeft + kWidth * step / steps_; }
  double y(double bytes) const { return kTop + kHeight * (1 - bytes / most_); }
  double steps() const { return steps_; }
  double most() const { return most_; }

 private:
  double steps_, most_ = 1;
};

std::string text_of(const MapBox& box) {
  std::string text =
      fmt::format("{}: {} bytes, from {} to {}", shown(box.name), with_thousands(box.to - box.from),
                  with_thousands(box.from), with_thousands(box.to));
  if (box.share < 1) text += fmt::format(", {:.0f} % of them its own", 100 * box.share);
  return text;
}

std::string box_shape(const MapBox& box, const Scales& scales) {
  const double x = scales.x(box.first), width = scales.x(box.end) - x;
  const double y = scales.y(static_cast<double>(box.to)),
               height = scales.y(static_cast<double>(box.from)) - y;
  std::string out = fmt::format("<g class=\"map\" data-name=\"{}\" role=\"img\" aria-label=\"{}\">",
                                html(box.name), html(text_of(box)));
  out += rectangle(fmt::format("block{} c{}", box.share < 1 ? " lane" : "", box.group % kColors), x, y, width,
                   std::max(height, 1.0), hint(text_of(box)));
  if (height >= kLine && width >= 4 * kCharacter)
    out += words_at("in", x + 3, y + kLine - 2, fitting(shown(box.name), width - 6, kCharacter));
  return out + "</g>\n";
}

/// Lines at round numbers of bytes, of which four to nine are there.
std::string grid(const Scales& scales) {
  double step = 1;
  while (scales.most() / step > 9) step *= scales.most() / (2 * step) > 9 ? 4 : 2;
  std::string out;
  for (double bytes = 0; bytes <= scales.most(); bytes += step) {
    out += line("grid", kLeft, scales.y(bytes), kLeft + kWidth, scales.y(bytes));
    out += words_at("e dim", kLeft - 6, scales.y(bytes) + 4, with_thousands(static_cast<int64_t>(bytes)));
  }
  return out;
}

/// Names of steps, as many as have room.
std::string names_of_steps(const MemoryMap& map, const Scales& scales) {
  const double width = kWidth / scales.steps();
  const auto stride = static_cast<size_t>(std::max(1.0, kLine / std::max(width, 0.1) + 0.99));
  std::string out;
  for (size_t i = 0; i < map.steps.size(); i += stride) {
    const double x = scales.x(static_cast<double>(i) + 0.5), y = kTop + kHeight + 12;
    out +=
        fmt::format("<text class=\"e dim\" transform=\"translate({} {}) rotate(-50)\">{}</text>",
                    coordinate(x + 4), coordinate(y), html(fitting(shown(map.steps[i]), kBelow, kCharacter)));
  }
  return out;
}

}  // namespace

std::string memory_picture(const MemoryMap& map) {
  const Scales scales(map);
  std::string out = grid(scales);
  if (map.peak_step) {
    const auto step = static_cast<double>(*map.peak_step);
    out += rectangle("peak", scales.x(step), kTop, scales.x(step + 1) - scales.x(step), kHeight,
                     hint("the step of the peak"));
  }
  for (const MapBox& box : map.boxes) out += box_shape(box, scales);
  double last = -1;
  for (const NamedBytes& level : map.levels) {
    const double y = scales.y(static_cast<double>(level.bytes));
    out += line("level", kLeft, y, kLeft + kWidth, y);
    // Two lines at one height have their texts beside each other.
    const bool is_near = last >= 0 && std::abs(last - y) < kLine;
    out += words_at(is_near ? "level" : "level e", is_near ? kLeft + 4 : kLeft + kWidth - 4, y - 4,
                    fmt::format("{}: {} bytes", level.name, with_thousands(level.bytes)));
    last = y;
  }
  out += names_of_steps(map, scales);
  return picture("class=\"memory\"", kLeft + kWidth + kRight, kTop + kHeight + kBelow,
                 "Bytes in use over the steps of a run", out);
}

}  // namespace n2d2::report
