// How does a network come to its memory, that of its own or of the caller's?
#pragma once

#include <string>

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// Sets what the templates say of arenas: {{#memories}}, the parameters that stand for memory of the caller's
/// ({{taken}};
/// {{given}}, where others come first), the arguments that hand them on ({{passed}}), and kOfParts.
void set_arenas(const ProjectText& text, exporter::TemplateData& data);

/// Returns the address of the elements of a map in its arena as an expression; "0" where they are not
/// contiguous in the order of pixels and channels, or in no arena.
std::string packed_output(const ProjectText& text, graph::ValueId value);

}  // namespace n2d2::targets::cpp
