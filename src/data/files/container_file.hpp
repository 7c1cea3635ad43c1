// What bytes does a data file hold? Plain or gzip, whole, with errors that name the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace n2d2::data {

/// First of the names that exists in the folder; empty when none does.
std::filesystem::path first_existing(const std::filesystem::path& folder,
                                     const std::vector<std::string>& names);

/// The first bytes of a file, decompressed if it is gzip; fewer when there are no more. ConfigError as
/// read_bytes().
std::vector<uint8_t> read_head(const std::filesystem::path& path, size_t most);
/// All bytes of a file, decompressed if it is gzip. ConfigError: "<path>: ..." when unreadable or cut short,
/// no regular file, or longer than `most` bytes when decompressed: where gzip declares that, before it is
/// read, and never with more than about 1.25 `most` bytes in memory.
std::vector<uint8_t> read_bytes(const std::filesystem::path& path, size_t most = size_t{1} << 30);

}  // namespace n2d2::data
