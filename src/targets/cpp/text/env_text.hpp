// What does a project say about what goes into the network and what comes out?
#pragma once

#include "n2d2/export/stimulus.hpp"

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// dnn/include/env.hpp.
std::string env_header(const ProjectText& text, const PixelTable& pixels);

/// dnn/src/quantize_input.cpp; "" when there is no table.
std::string quantize_input_source(const ProjectText& text, const PixelTable& pixels);

/// include/Stream.hpp; "" when no input is a state, or when there is no quantize_input() of reals.
std::string stream_header(const ProjectText& text, const PixelTable& pixels);

/// dnn/src/labels.cpp. `labels`: of each output, none or one for each class.
std::string labels_source(const ProjectText& text, const std::vector<std::vector<std::string>>& labels);

}  // namespace n2d2::targets::cpp
