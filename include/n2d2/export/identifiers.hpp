// Under which names do layers stand in the files and in the code of an export?
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace n2d2::exporter {

/// An identifier for each name, in their order: it begins with an ASCII letter, continues with letters,
/// digits and single underscores, does not end with an underscore and has at most 80 characters. No two are
/// equal, case ignored, and none is a file stem that the driver or a file system has taken. A name that is
/// like that already stays as it is (of those that differ in case only, the first).
///
/// An identifier is no name in C++ by itself, for any name may be a macro or a keyword: code appends what it
/// is ("conv1_output") and declares it in namespace `cells` or in a function; files of cells have folders of
/// their own.
std::vector<std::string> identifiers(const std::vector<std::string>& names);

/// A name for people, within one line of code or comment: in double quotes, with `"`, `\`, `?` and every byte
/// that is not printable ASCII as `\xNN`.
std::string quoted_name(std::string_view name);

/// A string literal of C and C++ that holds these bytes.
std::string string_literal(std::string_view text);

}  // namespace n2d2::exporter
