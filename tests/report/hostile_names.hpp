// Which names would do something, if they were more than text?
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "n2d2/base/random.hpp"

namespace n2d2::report {

inline constexpr int kHostileNames = 100;

/// Pieces of HTML, scripts, JSON and CSV, controls and broken UTF-8 in an order that the seed draws.
inline std::string hostile_name(int seed) {
  using namespace std::string_view_literals;
  static constexpr std::array kPieces{"</script><script>alert(1)</script>"sv,
                                      "<img src=x onerror=alert(1)>"sv,
                                      "\"'><svg onload=alert(1)>"sv,
                                      "<!--"sv,
                                      "]]>"sv,
                                      "&lt;&amp;"sv,
                                      "\\u003c/script\\u003e"sv,
                                      "\xE2\x80\xAE"sv,  // right-to-left override
                                      "\xE2\x81\xA6"sv,  // left-to-right isolate
                                      "\xE2\x80\xA8"sv,  // line separator
                                      "\xE2\x80\xA9"sv,  // paragraph separator
                                      "\x00"sv,
                                      "\x1B[2J"sv,
                                      "\x7F"sv,
                                      "\xC2\x85"sv,          // next line
                                      "\xFF\xFE"sv,          // no UTF-8
                                      "\xC0\xBC"sv,          // '<' in too many bytes
                                      "\xED\xA0\x80"sv,      // half of a surrogate pair
                                      "\xF4\x90\x80\x80"sv,  // beyond the last character
                                      "\xE2\x82"sv,          // halved
                                      "\r\n"sv,
                                      "\t"sv,
                                      "=1+1,\"x\""sv,
                                      "javascript:alert(1)"sv,
                                      "https://example.com/x.js"sv,
                                      "${alert(1)}`"sv,
                                      "\xE5\xB1\x82"sv,  // a character of Chinese
                                      "conv1"sv,
                                      "__proto__"sv,
                                      " "sv};
  Rng rng(static_cast<uint64_t>(seed), "hostile names");
  std::string out;
  // Every piece is the first of some name.
  out += kPieces[static_cast<size_t>(seed) % kPieces.size()];
  for (int i = 0; i < seed % 7; ++i) out += kPieces[rng.below(kPieces.size())];
  return out;
}

}  // namespace n2d2::report
