// Where is a transformed picture kept for the next run?
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "n2d2/data/image.hpp"

namespace n2d2::data {

/// Pictures by number, one file each, in a folder of `root` that is named after everything they are made
/// from. May be used by several threads and processes: files appear whole, and a damaged one is no picture.
class DiskCache {
 public:
  /// `made_from`: a text that differs when a picture may.
  DiskCache(const std::filesystem::path& root, const std::string& made_from);

  std::optional<Image> find(int64_t id) const;
  /// ConfigError "<path>: ..." when it cannot be written.
  void keep(int64_t id, const Image& image) const;

 private:
  std::filesystem::path file(int64_t id) const;
  std::filesystem::path folder_;
};

}  // namespace n2d2::data
