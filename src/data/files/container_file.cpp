#include "container_file.hpp"

#include <algorithm>
#include <array>
#include <fstream>
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

namespace {

/// A file that is unpacked while it is read, if it is gzip.
class Unpacked {
 public:
  explicit Unpacked(const std::filesystem::path& path) : path_(path.string()) {
    try {
      expect_regular_file(path);
    } catch (const FileError& error) {
      throw ConfigError(fmt::format("{}: {}", path_, error.reason));
    }
    file_.reset(gzopen(path_.c_str(), "rb"));
    if (!file_) throw ConfigError(fmt::format("{}: cannot be opened", path_));
    gzbuffer(file_.get(), 1U << 18);
  }

  /// At most so many bytes behind those of `bytes`; returns how many.
  size_t read(std::vector<uint8_t>& bytes, size_t most) {
    const size_t used = bytes.size();
    bytes.resize(used + most);
    const int got = gzread(file_.get(), bytes.data() + used, static_cast<unsigned>(most));
    int status = Z_OK;
    const char* reason = gzerror(file_.get(), &status);
    if (got < 0 || (status != Z_OK && status != Z_STREAM_END))
      throw ConfigError(fmt::format("{}: damaged or cut short after {} bytes: {}", path_, used, reason));
    bytes.resize(used + static_cast<size_t>(got));
    return static_cast<size_t>(got);
  }

 private:
  std::string path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_{nullptr, gzclose};
};

/// What the file has unpacked: the last four bytes of gzip, which declare it modulo 2^32, else its size.
uint64_t declared_size(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<unsigned char, 4> bytes{};
  const auto read_four = [&] { in.read(reinterpret_cast<char*>(bytes.data()), bytes.size()); };
  read_four();
  const bool is_gzip = in && bytes[0] == 0x1f && bytes[1] == 0x8b;
  in.clear();
  in.seekg(is_gzip ? -4 : 0, std::ios::end);
  if (!is_gzip) return static_cast<uint64_t>(std::max<std::streamoff>(in.tellg(), 0));
  read_four();
  return uint64_t{bytes[0]} | uint64_t{bytes[1]} << 8 | uint64_t{bytes[2]} << 16 | uint64_t{bytes[3]} << 24;
}

}  // namespace

std::vector<uint8_t> read_head(const std::filesystem::path& path, size_t most) {
  std::vector<uint8_t> bytes;
  Unpacked file(path);
  while (bytes.size() < most && file.read(bytes, most - bytes.size()) > 0) {
  }
  return bytes;
}

std::vector<uint8_t> read_bytes(const std::filesystem::path& path, size_t most) {
  const auto refuse = [&](const std::string& what) {
    throw ConfigError(fmt::format("{}: expected at most {} bytes, {}", path.string(),
                                  with_thousands(static_cast<int64_t>(most)), what));
  };
  Unpacked file(path);
  const uint64_t declared = declared_size(path);
  if (declared > most)
    refuse(fmt::format("unpacked there are {}", with_thousands(static_cast<int64_t>(declared))));
  constexpr size_t kBlock = size_t{1} << 20;
  std::vector<uint8_t> bytes;
  bytes.reserve(declared + kBlock);
  while (file.read(bytes, kBlock) > 0) {
    if (bytes.size() > most) refuse("unpacked there are more");
    // Several parts behind each other, or a false declaration: room for a quarter more.
    if (bytes.capacity() < bytes.size() + kBlock)
      bytes.reserve(std::min(bytes.size() + bytes.size() / 4, most) + kBlock);
  }
  return bytes;
}

}  // namespace n2d2::data
