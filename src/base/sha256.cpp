#include "n2d2/base/sha256.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace n2d2 {

namespace {

constexpr size_t kBlock = 64, kLength = 8;

/// Fractions of the cube roots of the first 64 primes.
constexpr std::array<uint32_t, 64> kRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t word_at(const std::byte* bytes) {
  uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | std::to_integer<uint32_t>(bytes[i]);
  return word;
}

}  // namespace

void Sha256::block(const std::byte* bytes) {
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 16; ++i) w[i] = word_at(bytes + 4 * i);
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  std::array<uint32_t, 8> s = state_;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t e = s[4], a = s[0];
    const uint32_t t1 = s[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                        ((e & s[5]) ^ (~e & s[6])) + kRounds[i] + w[i];
    const uint32_t t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    std::copy_backward(s.begin(), s.end() - 1, s.end());
    s[4] += t1;
    s[0] = t1 + t2;
  }
  for (size_t i = 0; i < s.size(); ++i) state_[i] += s[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t at = bytes_ % kBlock, count = std::min(kBlock - at, bytes.size());
    std::copy_n(bytes.begin(), count, open_.begin() + static_cast<std::ptrdiff_t>(at));
    bytes_ += count;
    bytes = bytes.subspan(count);
    if (bytes_ % kBlock == 0) block(open_.data());
  }
}

std::string Sha256::hex() {
  const uint64_t bits = 8 * bytes_;
  const size_t at = bytes_ % kBlock;
  const size_t zeros = (at < kBlock - kLength ? kBlock : 2 * kBlock) - kLength - at - 1;
  std::array<std::byte, 2 * kBlock> end{};
  end[0] = std::byte{0x80};
  for (size_t i = 0; i < kLength; ++i)
    end[1 + zeros + i] = static_cast<std::byte>(bits >> (8 * (kLength - 1 - i)));
  add(std::span(end).first(1 + zeros + kLength));
  std::string out;
  for (const uint32_t word : state_) out += fmt::format("{:08x}", word);
  return out;
}

std::string sha256(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return sum.hex();
}

}  // namespace n2d2
