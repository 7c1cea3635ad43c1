#include "text_parts.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "n2d2/base/random.hpp"
#include "n2d2/graph/text.hpp"

namespace n2d2::graph {

namespace {

constexpr size_t kEscape = 4;  // characters of \xNN

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_./:-").find(c) != std::string_view::npos;
}

template <class Stays>
std::string escape(std::string_view text, Stays stays) {
  std::string out;
  for (const char c : text)
    out += stays(c) ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return out;
}

/// The words that begin a line of another kind.
bool is_keyword(std::string_view name) {
  return name == "input" || name == "constant" || name == "output";
}

}  // namespace

std::string escaped(std::string_view text) {
  return escape(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

std::string escaped_name(std::string_view name) {
  return escape(name, is_plain);
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  while (true) {
    const size_t plain = std::min(text.find('\\'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return out;
    unsigned char byte = 0;
    if (text.size() < kEscape || text[1] != 'x') return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + kEscape, byte, 16);
    if (error != std::errc() || end != text.data() + kEscape) return std::nullopt;
    out += static_cast<char>(byte);
    text.remove_prefix(kEscape);
  }
}

std::string name_text(std::string_view name) {
  const bool stays = !name.empty() && !is_keyword(name) && std::all_of(name.begin(), name.end(), is_plain);
  return stays ? std::string(name) : "\"" + escaped(name) + "\"";
}

std::string hash_text(const Tensor& tensor) {
  const auto bytes = static_cast<size_t>(tensor.bytes());
  return fmt::format("{:016x}", hash_bytes({static_cast<const char*>(tensor.raw()), bytes}));
}

}  // namespace n2d2::graph
