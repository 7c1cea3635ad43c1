// What do all pages have around their content?
#pragma once

#include <string>
#include <string_view>

namespace n2d2::report {

/// Everything before the body, with a policy that lets nothing but this script, which may be null, and the
/// style of the pages do anything.
std::string head(std::string_view title, const char* script);

/// A part of a page with its heading; "" where it has no content. `title` is HTML.
std::string section(std::string_view id, std::string_view title, const std::string& content);

}  // namespace n2d2::report
