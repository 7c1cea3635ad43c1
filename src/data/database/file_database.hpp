// Which pictures and arrays of a disk are a database, with what labels and rectangles?
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "n2d2/data/database.hpp"

#include "files/sample_files.hpp"
#include "picture_cache.hpp"

namespace n2d2::data {

/// Filled by a driver with add(), then only read.
class FileDatabase final : public Database {
 public:
  FileDatabase() = default;

  /// The sample is called by its path below `root`. Returns its id.
  int64_t add(Sample sample, const std::filesystem::path& root, int label);
  void add_roi(int64_t id, const Roi& roi) { rois_[id].push_back(roi); }
  /// Decoded pictures are kept from here on.
  void keep_pictures();
  /// How files of numbers are read.
  void set_format(const ArrayFormat& format);
  std::array<std::vector<int64_t>, 3>& partitions() { return partitions_; }
  /// Returns the labels of all samples, in the order of their ids.
  const std::vector<int>& label_of() const { return label_of_; }
  const std::filesystem::path& path(int64_t id) const { return item(id).sample.path(); }

  int64_t size() const override { return static_cast<int64_t>(items_.size()); }
  std::string name(int64_t id) const override;
  int label(int64_t id) const override { return label_of_.at(static_cast<size_t>(id)); }
  Image image(int64_t id) const override;
  std::vector<Roi> rois(int64_t id) const override;
  Dims picture_size(int64_t id) const override;
  std::string stamp() const override;

 private:
  struct Item {
    Sample sample;
    size_t root;
  };
  const Item& item(int64_t id) const { return items_.at(static_cast<size_t>(id)); }

  std::string format_;
  std::vector<std::filesystem::path> roots_;
  std::vector<Item> items_;
  std::vector<int> label_of_;
  std::map<int64_t, std::vector<Roi>> rois_;
  mutable std::unique_ptr<PictureCache> cache_;
};

}  // namespace n2d2::data
