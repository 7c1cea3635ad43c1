// How is the placement of a network's maps printed?
#pragma once

#include <string>

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// "at most 1,280 bytes", and "portable kernels" where the bound is true of these alone.
struct StackText {
  std::string bound, of;
};
StackText stack_text(const Platform& platform);

/// dnn/include/mem_info.hpp: sizes of the arenas, the stack, and where each map lies.
std::string memory_header(const ProjectText& text);

/// Arenas that hold something, with what declares them: {{#memories}} of the templates.
exporter::TemplateData::List arenas_data(const ProjectText& text);

/// What CHECK_MEMORY overwrites before each call: {{free}}, {{first_free}} and {{steps}}.
void set_free_bytes(const ProjectText& text, exporter::TemplateData& data);

}  // namespace n2d2::targets::cpp
