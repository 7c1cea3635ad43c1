// Has a file changed since it was looked at?
#pragma once

#include <filesystem>
#include <string>

namespace n2d2::data {

/// Path, size and time of the last change, a line; another one for a file that may hold other bytes.
std::string file_stamp(const std::filesystem::path& path);

}  // namespace n2d2::data
