// Which 256 bits stand for a text, a file, a network? SHA-256.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace n2d2 {

/// Source: FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2.
class Sha256 {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
  /// 64 digits of base 16 for all that was added; nothing can be added any more.
  std::string hex();

 private:
  void block(const std::byte* bytes);

  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> open_{};
  uint64_t bytes_ = 0;
};

/// Returns the SHA-256 hash of one text as 64 digits of base 16.
std::string sha256(std::string_view text);

}  // namespace n2d2
