// How does a file get onto the disk, so that what is done after it finds it there?
#pragma once

#include <filesystem>
#include <string_view>

namespace n2d2 {

/// Writes a whole file and waits until it is on the disk. ConfigError when it cannot be written.
void write_durably(const std::filesystem::path& path, std::string_view bytes);

/// Waits until what is in a folder, names of files included, is on the disk. ConfigError.
void flush_folder(const std::filesystem::path& folder);

}  // namespace n2d2
