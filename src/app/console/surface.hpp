// What can a standard stream show?
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace n2d2::app {

/// Where text goes, and what may be in it.
struct Surface {
  enum class Kind {
    Terminal,  ///< a line can be written over
    Pipe,      ///< somebody reads lines as they come; also a terminal that knows no control characters
    File       ///< kept: nothing that is of no use later
  };
  Kind kind = Kind::File;
  bool has_colors = false;
  std::function<void(std::string_view text)> write;  ///< at once
  std::function<size_t()> columns;                   ///< of a terminal; asked each time, for windows change
};

/// Value of a variable of the environment; null: it is not set.
using Environment = std::function<const char*(const char* name)>;

/// The kind of the stream of a file descriptor. TERM=dumb and no TERM: a terminal without control characters.
Surface::Kind kind_of(int file, const Environment& environment);
/// Whether a stream has colours: a terminal, unless NO_COLOR has a value (no-color.org).
bool has_colors(Surface::Kind kind, const Environment& environment);
/// Width of the terminal that a file descriptor leads to; 80 where it does not say.
size_t columns_of(int file);

}  // namespace n2d2::app
