#include "frame.hpp"

#include <fmt/format.h>

#include "n2d2/base/sha256.hpp"

#include "embedded.hpp"
#include "shown.hpp"

namespace n2d2::report {

namespace {

/// The bytes that these digits of base 16 are, in base 64 (RFC 4648, section 4).
std::string base64(const std::string& digits) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char digit : digits) {
    bits = bits << 4U | static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    for (count += 4; count >= 6; count -= 6) out += kLetters[bits >> static_cast<unsigned>(count - 6) & 63U];
  }
  if (count > 0) out += kLetters[bits << static_cast<unsigned>(6 - count) & 63U];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

std::string source(const char* text) {
  return text == nullptr ? "'none'" : "'sha256-" + base64(sha256(text)) + "'";
}

}  // namespace

std::string head(std::string_view title, const char* script) {
  const std::string policy =
      fmt::format("default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
                  source(script), source(kStyle));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n",
      policy, html(title), kStyle);
}

std::string section(std::string_view id, std::string_view title, const std::string& content) {
  if (content.empty()) return "";
  return fmt::format("<section aria-labelledby=\"of-{0}\">\n<h2 id=\"of-{0}\">{1}</h2>\n{2}</section>\n", id,
                     title, content);
}

}  // namespace n2d2::report
