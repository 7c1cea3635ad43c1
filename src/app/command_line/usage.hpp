// What does the program say about itself? The facts of `-h` and of the manual page that are not options, and
// `-h`.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace n2d2::app {

/// A term and what it means.
struct Fact {
  std::string_view term, meaning;
};

/// Ways to call the program.
std::span<const Fact> synopses();
/// Environment variables that it reads.
std::span<const Fact> environment();
std::span<const Fact> exit_codes();
/// Command lines, and what each does.
std::span<const Fact> examples();

/// Options in groups with their defaults, and the facts; no line is longer than 100 columns.
std::string usage();

/// The text in lines of at most 100 columns: the first begins with `left` padded to `indent`, the others with
/// blanks.
std::string hanging(std::string_view left, std::string_view text, size_t indent);

}  // namespace n2d2::app
