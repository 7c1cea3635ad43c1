// How does a network come to its memory, that of its own or of the caller's?
#pragma once

#include <string>

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// Sets what the templates say of arenas: {{#memories}}, the parameters that stand for memory of the caller's
/// ({{taken}};
/// {{given}}, where others come first), the arguments that hand them on ({{passed}}), and kOfParts.
void set_arenas(const ProjectText& text, exporter::TemplateData& data);

/// The elements of a map in its arena, which `from` leads to ("arenas_."), as an expression; "0" where they
/// do not lie one behind the other in the order of pixels and channels, or in no arena.
std::string packed_output(const ProjectText& text, graph::ValueId value, const std::string& from);

}  // namespace n2d2::targets::cpp
