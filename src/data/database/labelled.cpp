// What label has each pixel of a sample?
#include <algorithm>

#include "n2d2/data/database.hpp"

#include "rectangles.hpp"

namespace n2d2::data {

Image cut(const Image& image, const Roi& roi) {
  Image out(roi.width, roi.height, image.channels(), image.depth());
  const auto pixel = static_cast<size_t>(image.channels() * size_bytes(image.depth()));
  const auto row = pixel * static_cast<size_t>(roi.width);
  for (int y = 0; y < roi.height; ++y)
    std::copy_n(image.raw() + (static_cast<size_t>(roi.y + y) * static_cast<size_t>(image.width()) +
                               static_cast<size_t>(roi.x)) *
                                  pixel,
                row, out.raw() + static_cast<size_t>(y) * row);
  return out;
}

Roi inside(const Roi& roi, int width, int height) {
  const int left = std::clamp(roi.x, 0, width), top = std::clamp(roi.y, 0, height);
  const auto right = std::clamp<int64_t>(int64_t{roi.x} + roi.width, left, width);
  const auto bottom = std::clamp<int64_t>(int64_t{roi.y} + roi.height, top, height);
  return {left, top, static_cast<int>(right) - left, static_cast<int>(bottom) - top, roi.label};
}

namespace {

void paint(Image& labels, const Roi& roi, int label) {
  const Roi part = inside(roi, labels.width(), labels.height());
  const auto ids = labels.span<int32_t>();
  for (int y = part.y; y < part.y + part.height; ++y)
    std::fill_n(ids.begin() + int64_t{y} * labels.width() + part.x, part.width, label);
}

/// A margin beyond every picture is that of the largest.
Roi widened(const Roi& roi, int wanted) {
  const int margin = std::min(wanted, 1 << 24);
  return {roi.x - margin, roi.y - margin, roi.width + 2 * margin, roi.height + 2 * margin, -1};
}

/// The part of the picture that a sample is which is not composite and has one rectangle.
std::optional<Roi> only_part(const Database& database, int64_t id) {
  const std::vector<Roi> rois = database.rois(id);
  if (rois.size() != 1 || database.is_composite(id)) return std::nullopt;
  const Dims size = database.picture_size(id);
  const Roi part = inside(rois.front(), size.x, size.y);
  if (part.width == 0 || part.height == 0)
    throw ConfigError(
        fmt::format("{}: its rectangle of {}x{} pixels from ({}, {}) lies outside of the picture of {}x{}",
                    database.name(id), rois.front().width, rois.front().height, rois.front().x,
                    rois.front().y, size.x, size.y));
  return part;
}

}  // namespace

bool Database::is_composite(int64_t id) const {
  switch (rules_.composite) {
    case CompositeLabel::None:
      return false;
    case CompositeLabel::Auto:
      return label(id) < 0;
    default:
      return true;
  }
}

Dims Database::picture_size(int64_t id) const {
  const Image picture = image(id);
  return {picture.width(), picture.height()};
}

int Database::label_id(const std::string& name) {
  const auto found = std::find(labels_.begin(), labels_.end(), name);
  if (found != labels_.end()) return static_cast<int>(found - labels_.begin());
  labels_.push_back(name);
  return static_cast<int>(labels_.size()) - 1;
}

Image Database::sample(int64_t id) const {
  const auto part = only_part(*this, id);
  return part ? cut(image(id), *part) : image(id);
}

Image Database::label_map(int64_t id) const {
  const auto part = only_part(*this, id);
  const Dims size = part ? Dims{part->width, part->height} : picture_size(id);
  const std::vector<Roi> all = is_composite(id) ? rois(id) : std::vector<Roi>();
  const bool is_own = !is_composite(id) || rules_.composite == CompositeLabel::Combine ||
                      (rules_.composite == CompositeLabel::Disjoint && all.empty());
  Image labels(size.x, size.y, 1, DataType::I32);
  const auto ids = labels.span<int32_t>();
  std::fill(ids.begin(), ids.end(), is_own ? label(id) : rules_.default_label);
  if (rules_.rois_margin > 0)
    for (const Roi& each : all) paint(labels, widened(each, rules_.rois_margin), -1);
  for (const Roi& each : all) paint(labels, each, each.label);
  for (const Roi& part_of_others : ignored_parts(id)) paint(labels, part_of_others, -1);
  return labels;
}

}  // namespace n2d2::data
