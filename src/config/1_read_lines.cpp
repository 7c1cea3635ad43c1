#include <algorithm>
#include <optional>

#include "n2d2/base/text.hpp"

#include "read_lines.hpp"

namespace n2d2::config {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Looks for the first comment character outside quotes, over a text that grows at its end.
class CommentScan {
 public:
  void scan(std::string_view text) {
    for (; position_ < text.size() && comment_ == std::string_view::npos; ++position_) {
      const char c = text[position_];
      if (c == '"') quoted_ = !quoted_;
      if (!quoted_ && (c == ';' || c == '#')) comment_ = position_;
    }
  }
  bool in_comment() const { return comment_ != std::string_view::npos; }
  bool in_quotes() const { return quoted_; }
  size_t comment() const { return comment_; }

 private:
  size_t position_ = 0;
  size_t comment_ = std::string_view::npos;
  bool quoted_ = false;
};

/// A logical line while its physical lines come in.
class Pending {
 public:
  Pending(const Line& first, std::string_view text) : line_{std::string(text), first.where} {}

  void glue(std::string_view text) { line_.text += text; }

  /// Whether the next physical line belongs to this one; removes the '\' and the blanks behind it. Inside a
  /// comment only a '\' that is the very last byte counts, so that CRLF files keep the line that follows.
  bool continues() {
    const size_t last = line_.text.find_last_not_of(" \t\r\v\f");
    if (last == std::string::npos || line_.text[last] != '\\') return false;
    scan_.scan(std::string_view(line_.text).substr(0, last));
    if (scan_.in_comment() && last + 1 != line_.text.size()) return false;
    line_.text.resize(last);
    return true;
  }
  bool in_comment() const { return scan_.in_comment(); }

  std::optional<Line> finish(Diagnostics& diagnostics) {
    scan_.scan(line_.text);
    if (scan_.in_quotes()) {
      diagnostics.error(line_.where, "quote: expected a closing '\"' on the line, found none");
      return std::nullopt;
    }
    if (scan_.in_comment()) cut_comment(diagnostics);
    line_.text = std::string(trim(line_.text));
    if (line_.text.empty()) return std::nullopt;
    return std::move(line_);
  }

 private:
  void cut_comment(Diagnostics& diagnostics) {
    const char sign = line_.text[scan_.comment()];
    line_.text.resize(scan_.comment());
    const std::string_view kept = trim(line_.text);
    const bool glued = !kept.empty() && kept.data() + kept.size() == line_.text.data() + line_.text.size();
    if (glued && kept.front() != '[' && kept.back() != '=')
      diagnostics.warn(
          line_.where,
          fmt::format("comment: '{}' follows '{}' without a blank; a comment is assumed", sign, kept),
          fmt::format("put the value in quotes if '{}' belongs to it", sign));
  }

  Line line_;
  CommentScan scan_;
};

/// Zeros in every second byte of the beginning: characters of two bytes.
bool is_utf16(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  constexpr size_t kLooked = 64;
  text = text.substr(0, std::min(text.size(), kLooked) & ~size_t{1});
  if (text.size() < 4) return false;
  size_t zeros[2] = {0, 0};
  for (size_t i = 0; i < text.size(); ++i) zeros[i % 2] += text[i] == 0 ? 1 : 0;
  return (zeros[0] == 0) != (zeros[1] == 0) && 2 * std::max(zeros[0], zeros[1]) == text.size();
}

}  // namespace

void check_is_text(std::string_view text, const std::string& file) {
  if (is_utf16(text))
    throw ConfigError("expected a text in UTF-8 or ASCII, the file is UTF-16", {file, 0},
                      "save it as UTF-8, or 'iconv -f UTF-16 -t UTF-8 old.ini > new.ini'");
  const auto is_binary = [](unsigned char c) {
    return c == 127 || (c < 32 && (c < '\t' || c > '\r') && c != 27);
  };
  const auto at = std::find_if(text.begin(), text.end(), is_binary);
  if (at == text.end()) return;
  throw ConfigError(fmt::format("expected a text, the file holds the byte 0x{:02X}: it is binary or damaged",
                                static_cast<unsigned char>(*at)),
                    {file, static_cast<int>(1 + std::count(text.begin(), at, '\n'))});
}

std::vector<Line> split_lines(std::string_view text, const std::string& file) {
  std::vector<Line> out;
  int number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out.push_back({std::string(text.substr(0, end)), {file, ++number}});
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::vector<Line> read_lines(std::span<const Line> physical, Diagnostics& diagnostics) {
  std::vector<Line> out;
  std::optional<Pending> pending;
  const auto flush = [&] {
    if (!pending) return;
    if (auto line = pending->finish(diagnostics)) out.push_back(std::move(*line));
    pending.reset();
  };
  for (const Line& line : physical) {
    std::string_view text = line.text;
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    if (!pending) {
      pending.emplace(line, text);
    } else {
      if (pending->in_comment() && !trim(text).empty())
        diagnostics.warn(line.where, "comment: the comment above ends in '\\', so this line belongs to it",
                         "end the comment with another character");
      pending->glue(text);
    }
    if (!pending->continues()) flush();
  }
  flush();
  return out;
}

std::string_view unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

}  // namespace n2d2::config
