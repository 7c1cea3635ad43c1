// How is the inference printed?
#pragma once

#include <string>
#include <vector>

#include "parts.hpp"
#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// Returns dnn/src/forward.cpp: one function a layer, and propagate().
std::string forward_source(const ProjectText& text, const std::vector<PartText>& parts);

/// Returns dnn/src/instance.cpp, which compiles forward.cpp with the arenas of an instance.
std::string instance_source(const ProjectText& text);

}  // namespace n2d2::targets::cpp
