// How is the inference printed?
#pragma once

#include <string>
#include <vector>

#include "parts.hpp"
#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// dnn/src/forward.cpp, or, with the arenas of an instance, dnn/src/instance.cpp: one function a layer, and
/// propagate().
std::string forward_source(const ProjectText& text, const std::vector<PartText>& parts);

}  // namespace n2d2::targets::cpp
