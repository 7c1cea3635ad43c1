// How does a report get into a file, and a line onto the terminal?
#pragma once

#include <filesystem>
#include <string_view>

namespace n2d2::app {

/// Writes a whole file, making its folder. ConfigError when it cannot be written, or is a link.
void write_text(const std::filesystem::path& path, std::string_view text);

/// Messages that are information or notices are dropped from here on.
void show_warnings_only();

/// From here on nothing is printed, and errors alone are logged: another process prints.
void be_silent();

/// To standard output, at once. What is not written there stops nothing: finish_printing() tells of it at the
/// end.
void print(std::string_view text);

}  // namespace n2d2::app
