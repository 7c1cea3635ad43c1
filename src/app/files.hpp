// How does a report get into a file, and a line onto the terminal?
#pragma once

#include <filesystem>
#include <string_view>

namespace n2d2::app {

/// Writes a whole file, making its folder. ConfigError when it cannot be written, or is a link.
void write_text(const std::filesystem::path& path, std::string_view text);

/// From here on nothing is printed, and errors alone are logged: another process prints.
void be_silent();
/// The error that ends a run, to standard error.
void print_failure(std::string_view text);

/// A result, to standard output, at once. What is not written there stops nothing: finish_printing() tells of
/// it at the end.
void print(std::string_view text);
/// What the console writes results with: as print(), whatever line of progress is shown.
void write_standard_output(std::string_view text);

}  // namespace n2d2::app
