// Which names are taken in an exported program, so that its namespace cannot have them?
#pragma once

#include <string>
#include <string_view>

namespace n2d2::targets::cpp {

/// Who has the identifier: "a keyword of C++", "a name of the C library", ...; empty: nobody. Names of the C
/// library are those of the headers that exported programs include: macros, functions and types. Names of the
/// export are what its own sources declare in a namespace, and its macros: they are read in the files that
/// are shipped.
std::string taken_by(std::string_view name);

}  // namespace n2d2::targets::cpp
