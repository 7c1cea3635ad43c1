// How is a text from a file shown, so that it is text wherever it goes?
#pragma once

#include <string>
#include <string_view>

namespace n2d2::report {

/// presentable() of valid UTF-8: what is no UTF-8 becomes U+FFFD, characters that turn, hide or end text
/// (bidirectional controls, line separators, control characters, zero-width characters) are named as U+202E.
std::string shown(std::string_view text);

/// shown() with `&`, `<`, `>`, `"` and `'` as entities: text or the value of an attribute in HTML and SVG.
std::string html(std::string_view text);

}  // namespace n2d2::report
