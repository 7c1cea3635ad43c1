// May a file be written where the program wants it, and has everything that was printed reached its reader?
#pragma once

#include <filesystem>

namespace n2d2::app {

/// Makes the folder of a file. ConfigError when it cannot be made, or when the path is a link: names that the
/// program chose are not written through links.
void make_place(const std::filesystem::path& path);

/// ConfigError when something that was printed or logged has not reached standard output.
void finish_printing();

}  // namespace n2d2::app
