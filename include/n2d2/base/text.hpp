// Which small text questions does every module ask? Numbers, words, names, near misses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace n2d2 {

std::string_view trim(std::string_view text);
/// Pieces between separators; "a,,b" gives three, "" gives one empty piece.
std::vector<std::string> split(std::string_view text, char separator);
/// Blank-separated words; a "quoted part" keeps its blanks and loses its quotes.
std::vector<std::string> words(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);

/// A whole number: sign, digits, exact groups of three after ',', also "12.0" and "1e6". Nothing when the
/// text is anything else, has a fraction or does not fit; only what $(...) computed is truncated toward zero.
std::optional<int64_t> parse_integer(std::string_view text);
/// parse_integer() of a number without a fraction.
std::optional<int64_t> parse_whole(std::string_view text);
/// A real number in the C locale, thousands ',' allowed in the integer part; inf and nan are refused.
std::optional<double> parse_real(std::string_view text);
/// "0", "1", "true", "false".
std::optional<bool> parse_bool(std::string_view text);

/// The shortest text that reads back as the same float or double.
std::string print_real(double value);
std::string print_real(float value);

/// The candidate nearest to the name by edit distance, if it is near enough to be what was meant.
std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates);
/// "; did you mean 'X'?" or "".
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// C identifier of a cell name: other characters become '_', a leading non-letter
/// gets '_' in front.
std::string c_identifier(std::string_view name);
/// File name of a cell: `< > : " | ? * /` and control characters become '_'.
std::string file_name(std::string_view name);
/// A file name for each name, in their order, none twice: file_name(), at most 200 bytes of it, and where
/// several names would have one, `~` and eight hex digits behind those that are not written like that
/// already. Depends on the set of names alone.
std::vector<std::string> file_names(std::span<const std::string> names);

/// What may be shown of a text that came from elsewhere: control characters but line feeds and tabs as
/// `\xNN`; of a word longer than 1,000 bytes and of a line longer than 10,000 the beginning and how long it
/// is.
std::string presentable(std::string_view text);

/// 12,345,678 bytes as "12,345,678".
std::string with_thousands(int64_t value);

}  // namespace n2d2
