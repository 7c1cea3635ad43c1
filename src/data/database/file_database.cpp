#include "file_database.hpp"

#include <fmt/ranges.h>

#include "files/picture_orientation.hpp"
#include "files/picture_size.hpp"

namespace n2d2::data {

int64_t FileDatabase::add(Sample sample, const std::filesystem::path& root, int label) {
  if (roots_.empty() || roots_.back() != root) roots_.push_back(root);
  items_.push_back({std::move(sample), roots_.size() - 1});
  label_of_.push_back(label);
  return size() - 1;
}

void FileDatabase::keep_pictures() {
  cache_ = std::make_unique<PictureCache>(items_.size(), INT64_MAX);
}

void FileDatabase::set_format(const ArrayFormat& format) {
  format_ = fmt::format("{} {}{}\n", static_cast<int>(format.type), fmt::join(format.shape, " "),
                        format.channels_last ? " channels last" : "");
}

std::string FileDatabase::stamp() const {
  std::string out = format_;
  for (const Item& item : items_) out += item.sample.name(roots_[item.root]) + " " + item.sample.stamp();
  for (const auto& [id, rois] : rois_)
    for (const Roi& roi : rois)
      out += fmt::format("{} {} {} {} {} {}\n", id, is_composite(id), roi.x, roi.y, roi.width, roi.height);
  return out;
}

std::string FileDatabase::name(int64_t id) const {
  return item(id).sample.name(roots_[item(id).root]);
}

Image FileDatabase::image(int64_t id) const {
  if (!cache_) return item(id).sample.image();
  return *cache_->get(static_cast<size_t>(id), [&] { return item(id).sample.image(); });
}

std::vector<Roi> FileDatabase::rois(int64_t id) const {
  const auto found = rois_.find(id);
  return found == rois_.end() ? std::vector<Roi>() : found->second;
}

Dims FileDatabase::picture_size(int64_t id) const {
  // A TIFF's header may declare a tile that is larger than the picture.
  const bool is_tiff = ending_of(path(id)).starts_with("tif");
  if (is_tiff || sample_kind(path(id)) != SampleKind::Picture) return Database::picture_size(id);
  const auto size = data::picture_size(path(id));
  if (!size || size->width < 1 || size->height < 1 || size->width > kMostPixels || size->height > kMostPixels)
    return Database::picture_size(id);
  const Dims stored{static_cast<int>(size->width), static_cast<int>(size->height)};
  const bool is_sideways = item(id).sample.is_upright() && is_turned_sideways(picture_orientation(path(id)));
  return is_sideways ? Dims{stored.y, stored.x} : stored;
}

}  // namespace n2d2::data
