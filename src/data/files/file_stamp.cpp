#include "file_stamp.hpp"

#include <fmt/format.h>

namespace n2d2::data {

std::string file_stamp(const std::filesystem::path& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) return fmt::format("{} {}\n", path.string(), failed.message());
  const auto changed = std::filesystem::last_write_time(path, failed).time_since_epoch().count();
  return fmt::format("{} {} {}\n", path.string(), size, changed);
}

}  // namespace n2d2::data
