#include "wav_file.hpp"

#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "n2d2/base/error.hpp"
#include "n2d2/base/read_file.hpp"

namespace n2d2::data {

namespace {

/// The numbers of a "fmt " chunk.
struct Format {
  int tag = 0, channels = 0, bits = 0, block = 0;
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path) {
    constexpr int64_t kLargest = int64_t{1} << 30;
    try {
      text_ = read_regular_file(path, kLargest);
    } catch (const FileError& error) {
      fail(error.reason);
    }
  }

  Image run() {
    constexpr size_t kHead = 12, kChunkHead = 8;
    const std::string_view all = text_;
    if (all.size() < kHead || all.substr(0, 4) != "RIFF" || all.substr(8, 4) != "WAVE")
      fail("expected a RIFF file of WAVE");
    std::optional<Format> format;
    for (size_t at = kHead; at + kChunkHead <= all.size();) {
      const std::string_view id = all.substr(at, 4);
      const size_t size = number(at + 4, 4);
      at += kChunkHead;
      if (size > all.size() - at)
        fail(fmt::format("cut short: a part of {} bytes begins at byte {}, the file has {}", size, at,
                         all.size()));
      if (id == "fmt ") format = format_at(at, size);
      if (id == "data") {
        if (!format) fail("expected its format before its samples");
        return samples(*format, at, size);
      }
      at += size + size % 2;
    }
    fail("no samples in it");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError(fmt::format("{}: {}", path_.string(), what));
  }
  /// Little-endian.
  uint32_t number(size_t at, size_t bytes) const {
    uint32_t out = 0;
    for (size_t i = 0; i < bytes; ++i)
      out |= static_cast<uint32_t>(static_cast<unsigned char>(text_[at + i])) << (8 * i);
    return out;
  }

  Format format_at(size_t at, size_t size) const {
    constexpr size_t kPlain = 16, kExtended = 26;
    constexpr int kPcm = 1, kFloat = 3, kExtensible = 0xFFFE;
    if (size < kPlain) fail(fmt::format("expected a format of 16 bytes or more, it has {}", size));
    const auto small = [&](size_t offset) { return static_cast<int>(number(at + offset, 2)); };
    Format out{small(0), small(2), small(14), small(12)};
    if (out.tag == kExtensible && size >= kExtended) out.tag = small(24);
    const bool is_known =
        (out.tag == kPcm && (out.bits == 8 || out.bits == 16 || out.bits == 24 || out.bits == 32)) ||
        (out.tag == kFloat && out.bits == 32);
    if (!is_known)
      fail(fmt::format("expected integers of 8, 16, 24 or 32 bits or floats of 32, found form {} of {} bits",
                       out.tag, out.bits));
    if (out.channels < 1 || out.block != out.channels * out.bits / 8)
      fail(fmt::format("its format says {} channels of {} bits in {} bytes", out.channels, out.bits,
                       out.block));
    return out;
  }

  Image samples(const Format& format, size_t at, size_t size) const {
    const auto block = static_cast<size_t>(format.block);
    if (size == 0 || size % block != 0)
      fail(fmt::format("expected samples of {} bytes, found {} bytes", block, size));
    const bool is_float = format.tag == 3;
    const DataType depth = is_float            ? DataType::F32
                           : format.bits == 8  ? DataType::U8
                           : format.bits == 16 ? DataType::I16
                                               : DataType::I32;
    Image out(static_cast<int>(size / block), 1, format.channels, depth);
    const auto bytes = static_cast<size_t>(format.bits / 8);
    for (size_t i = 0; i < static_cast<size_t>(out.elements()); ++i) {
      const uint32_t value = number(at + i * bytes, bytes) << (format.bits == 24 ? 8 : 0);
      switch (depth) {
        case DataType::U8:
          out.span<uint8_t>()[i] = static_cast<uint8_t>(value);
          break;
        case DataType::I16:
          out.span<int16_t>()[i] = static_cast<int16_t>(value);
          break;
        case DataType::I32:
          out.span<int32_t>()[i] = static_cast<int32_t>(value);
          break;
        default:
          std::memcpy(&out.span<float>()[i], &value, sizeof value);
          if (!std::isfinite(out.span<float>()[i])) fail(fmt::format("sample {} is not finite", i));
      }
    }
    return out;
  }

  const std::filesystem::path& path_;
  std::string text_;
};

}  // namespace

Image read_wav(const std::filesystem::path& path) {
  return Reader(path).run();
}

}  // namespace n2d2::data
