// How does a program in C call an exported network?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "n2d2/export/stimulus.hpp"

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// include/network.h and its sources and, where there is a picture, example.c, example.cpp and their picture:
/// path in the project, text.
std::vector<std::pair<std::string, std::string>> c_interface(const ProjectText& text,
                                                             const PixelTable& pixels);

}  // namespace n2d2::targets::cpp
