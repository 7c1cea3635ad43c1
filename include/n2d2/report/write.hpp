// How does a report become a file that a browser shows, and one that programs read?
#pragma once

#include <string>
#include <string_view>

#include "n2d2/report/report.hpp"

namespace n2d2::report {

/// report.json: the keys of Report::fields(), without those that are empty; one line for each entry of a
/// list. ASCII: other characters, and those that mean something in HTML, are escaped. The same report gives
/// the same bytes.
std::string write_json(const Report& report);

/// report.html: one page that loads nothing, which its Content-Security-Policy says to the browser. Tables
/// and pictures are there without its script, which sorts, changes what the graph shows and marks a layer
/// everywhere. Names are text wherever they come from.
std::string write_html(const Report& report);

/// A page of two reports beside each other: tiles, layers by their names, memory maps. It has no script.
/// `name_a` and `name_b` say which is which.
std::string write_comparison(const Report& a, const Report& b, const std::string& name_a,
                             const std::string& name_b);

/// The report that write_json() wrote. ConfigError, with `place`, for anything else.
Report read_json(std::string_view text, const std::string& place);

}  // namespace n2d2::report
