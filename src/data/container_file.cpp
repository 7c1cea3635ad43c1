#include "container_file.hpp"

#include <memory>

#include <zlib.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2::data {

std::filesystem::path first_existing(const std::filesystem::path& folder,
                                     const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(folder / name, ignored)) return folder / name;
  }
  return {};
}

std::vector<uint8_t> read_bytes(const std::filesystem::path& path, size_t most) {
  try {
    expect_regular_file(path);
  } catch (const FileError& error) {
    throw ConfigError(fmt::format("{}: {}", path.string(), error.reason));
  }
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw ConfigError(fmt::format("{}: cannot be opened", path.string()));
  gzbuffer(file.get(), 1U << 18);
  constexpr size_t kBlock = size_t{1} << 20;
  std::vector<uint8_t> bytes;
  size_t used = 0;
  while (true) {
    bytes.resize(used + kBlock);
    const int got = gzread(file.get(), bytes.data() + used, kBlock);
    int status = Z_OK;
    const char* reason = gzerror(file.get(), &status);
    if (got < 0 || (status != Z_OK && status != Z_STREAM_END))
      throw ConfigError(
          fmt::format("{}: damaged or cut short after {} bytes: {}", path.string(), used, reason));
    used += static_cast<size_t>(got);
    if (got == 0) break;
    if (used > most)
      throw ConfigError(fmt::format("{}: expected at most {} bytes, unpacked there are more", path.string(),
                                    with_thousands(static_cast<int64_t>(most))));
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace n2d2::data
