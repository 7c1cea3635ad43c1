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

}  // namespace n2d2::data
