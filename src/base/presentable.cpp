#include <fmt/format.h>

#include "n2d2/base/bytes.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2 {

namespace {

constexpr size_t kLongestWord = 1'000, kLongestLine = 10'000;

/// The first of `limit` bytes, cut before a UTF-8 sequence that would be halved.
std::string shortened(const std::string& text, size_t limit) {
  if (text.size() <= limit) return text;
  return fmt::format("{}... ({} bytes)", beginning(text, limit / 2),
                     with_thousands(static_cast<int64_t>(text.size())));
}

std::string presentable_line(std::string_view line) {
  std::string out, word;
  const auto end_word = [&] {
    out += shortened(word, kLongestWord);
    word.clear();
  };
  for (const char c : line) {
    if (c == ' ' || c == '\t') {
      end_word();
      out += c;
    } else if (is_control(c)) {
      word += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      word += c;
    }
  }
  end_word();
  return shortened(out, kLongestLine);
}

}  // namespace

std::string presentable(std::string_view text) {
  std::string out;
  while (true) {
    const size_t end = text.find('\n');
    out += presentable_line(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace n2d2
