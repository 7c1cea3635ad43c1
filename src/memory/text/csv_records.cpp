#include "csv_records.hpp"

namespace n2d2::memory {

namespace {

/// Reads one record that starts at `at`; moves `at` behind its line end and counts lines.
CsvRecord read_record(std::string_view text, size_t& at, int& line, bool& open_quote) {
  CsvRecord record{line, {""}};
  bool quoted = false, after_quotes = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        record.fields.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        record.fields.back() += text[++at];
      } else {
        quoted = false;
        after_quotes = true;
      }
    } else if (c == '\n') {
      ++at;
      break;
    } else if (c == ',') {
      record.fields.emplace_back();
      after_quotes = false;
    } else if (c == '"' && record.fields.back().empty() && !after_quotes) {
      quoted = true;
    } else if (c != '\r') {
      record.fields.back() += c;
    }
  }
  open_quote = quoted;
  return record;
}

}  // namespace

std::vector<CsvRecord> csv_records(std::string_view text, const std::string& file, Diagnostics& diagnostics) {
  std::vector<CsvRecord> records;
  int line = 1;
  for (size_t at = 0; at < text.size();) {
    const bool comment = text[at] == '#';
    if (comment) {
      const size_t end = text.find('\n', at);
      at = end == std::string_view::npos ? text.size() : end + 1;
      ++line;
      continue;
    }
    bool open_quote = false;
    CsvRecord record = read_record(text, at, line, open_quote);
    if (open_quote)
      diagnostics.error({file, record.line}, "expected a closing '\"', got the end of the file");
    const bool blank = record.fields.size() == 1 && record.fields.front().empty();
    if (!blank) records.push_back(std::move(record));
  }
  return records;
}

}  // namespace n2d2::memory
