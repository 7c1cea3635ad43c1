// Which bytes are a zip archive of some files?
#include <array>

#include "n2d2/base/error.hpp"
#include "n2d2/export/packages.hpp"

namespace n2d2::exporter {

namespace {

constexpr uint32_t kLocalHeader = 0x04034b50U, kCentralHeader = 0x02014b50U, kEnd = 0x06054b50U;
constexpr uint32_t kZipVersion = 20;       // 2.0
constexpr uint32_t kUtf8Names = 1U << 11;  // general purpose flag
constexpr uint32_t kStored = 0;            // no compression
/// MS-DOS date of 1980-01-01, the first that there is: an archive has no time of its own.
constexpr uint32_t kDate = (1U << 5U) | 1U;
constexpr uint32_t kUnixFile = 3U << 8U;                     // made by: Unix, so that attributes are a mode
constexpr uint32_t kMode = (0100644U << 16U) & 0xffffffffU;  // -rw-r--r--
constexpr size_t kMostBytes = 0xffffffffU, kMostFiles = 0xffffU;

std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> out{};
  for (uint32_t i = 0; i < out.size(); ++i) {
    out[i] = i;
    for (int bit = 0; bit < 8; ++bit) out[i] = (out[i] >> 1U) ^ ((out[i] & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return out;
}

uint32_t crc_of(const std::string& text) {
  static const std::array<uint32_t, 256> table = crc_table();
  uint32_t crc = 0xffffffffU;
  for (const char c : text) crc = (crc >> 8U) ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xffU];
  return ~crc;
}

/// Little endian.
void put(std::string& out, size_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += static_cast<char>((value >> (8U * static_cast<unsigned>(i))) & 0xffU);
}

/// What both headers of a file have in common.
void put_entry(std::string& out, const std::string& name, const std::string& content) {
  put(out, kZipVersion, 2);
  put(out, kUtf8Names, 2);
  put(out, kStored, 2);
  put(out, 0, 2);  // time
  put(out, kDate, 2);
  put(out, crc_of(content), 4);
  put(out, content.size(), 4);
  put(out, content.size(), 4);
  put(out, name.size(), 2);
  put(out, 0, 2);  // extra field
}

}  // namespace

std::string zip_of(const std::vector<std::pair<std::filesystem::path, std::string>>& files) {
  std::string out, directory;
  for (const auto& [path, content] : files) {
    const std::string name = path.generic_string();
    const size_t offset = out.size();
    put(out, kLocalHeader, 4);
    put_entry(out, name, content);
    out += name + content;
    put(directory, kCentralHeader, 4);
    put(directory, kUnixFile | kZipVersion, 2);
    put_entry(directory, name, content);
    put(directory, 0, 6);  // comment, disk, internal attributes
    put(directory, kMode, 4);
    put(directory, offset, 4);
    directory += name;
  }
  if (out.size() + directory.size() > kMostBytes || files.size() > kMostFiles)
    throw ExportError("export: a zip archive of 4 GiB or of 65,536 files is not written");
  const size_t start = out.size();
  out += directory;
  put(out, kEnd, 4);
  put(out, 0, 4);  // disks
  put(out, files.size(), 2);
  put(out, files.size(), 2);
  put(out, directory.size(), 4);
  put(out, start, 4);
  put(out, 0, 2);  // comment
  return out;
}

}  // namespace n2d2::exporter
