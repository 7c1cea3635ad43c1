// dnn/src/forms.cpp of a project: which form of its kernel computes each layer, once it is compiled?
#pragma once

#include <string>

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// A table for the test driver, no part of the network: forms depend on the instructions that the compiler is
/// given.
std::string forms_source(const ProjectText& text);

}  // namespace n2d2::targets::cpp
