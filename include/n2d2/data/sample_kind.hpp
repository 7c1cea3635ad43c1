// Is this file a sample?
#pragma once

#include <filesystem>
#include <string>

namespace n2d2::data {

enum class SampleKind { None, Picture, Array };

/// By what its name ends in.
SampleKind sample_kind(const std::filesystem::path& file);
/// What the name ends in, lower case, without dot.
std::string ending_of(const std::filesystem::path& file);
/// What file managers leave beside samples: `._*`, `.DS_Store`, `__MACOSX`, `Thumbs.db`, `desktop.ini` and
/// their like. Such files are no samples, such folders no labels.
bool is_left_by_others(const std::filesystem::path& path);

}  // namespace n2d2::data
