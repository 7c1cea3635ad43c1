// How is the placement of a network's maps printed?
#pragma once

#include <cstdint>
#include <string>

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// Bytes of the stack that a call of propagate() takes at most, its kernels in their portable forms, as g++
/// compiles it at -Os, -O2 and -O3, with Optimize=speed and size. tests/e2e/stack_test.py holds every kind of
/// layer to it, for x86-64 and, where there is a compiler for them, for Cortex-M.
inline constexpr int64_t kStackOfPropagate = 1280;

/// dnn/include/mem_info.hpp: sizes of the arenas, the stack, and where each map lies.
std::string memory_header(const ProjectText& text);

/// Arenas that hold something, with what declares them: {{#memories}} of the templates.
exporter::TemplateData::List arenas_data(const ProjectText& text);

/// What CHECK_MEMORY overwrites before each call: {{free}}, {{first_free}} and {{steps}}.
void set_free_bytes(const ProjectText& text, exporter::TemplateData& data);

}  // namespace n2d2::targets::cpp
