// Answers: does this run of the tests take a case of a matrix? The same answer as drawn.py.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace n2d2 {

/// N2D2_DRAW=all, or unset: every case. N2D2_DRAW=0 to 15: one eighth (or one of `parts`, 16 at most) of
/// them, by their names, so that as many draws one after the other take every case once. scripts/test.sh
/// draws by the commit and prints what it drew.
inline bool is_drawn(std::string_view name, uint32_t parts = 8) {
  const char* set = std::getenv("N2D2_DRAW");
  const std::string draw = set == nullptr ? "all" : set;
  if (draw == "all") return true;
  uint32_t crc = 0xFFFFFFFFU;  // CRC-32 of zlib
  for (const char c : name) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  return ~crc % parts == static_cast<uint32_t>(std::stoi(draw)) % parts;
}

/// Each run takes one of `count` alternatives: number 0 where `count` divides the draw, each of the others by
/// another draw.
inline bool is_in_turn(uint64_t number, uint32_t count) {
  const char* set = std::getenv("N2D2_DRAW");
  const std::string draw = set == nullptr ? "all" : set;
  return draw == "all" || (number + static_cast<uint64_t>(std::stoi(draw))) % count == 0;
}

/// Random cases have numbers: the first `core` of them are in every run, a sixteenth of the others is drawn.
inline bool is_drawn(std::string_view name, uint64_t number, uint64_t core) {
  return number < core || is_drawn(std::string(name) + " " + std::to_string(number), 16);
}

}  // namespace n2d2
