// How is a part that a delegate computes printed? Its functions, its call, its files.
#pragma once

#include <string>
#include <vector>

#include "n2d2/export/file_tree.hpp"
#include "n2d2/export/template.hpp"

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// A part with the expressions that stand for it in forward.cpp.
struct PartText {
  const delegates::HandedPart* part = nullptr;
  std::string identifier;       ///< of its cell
  std::string handle, scratch;  ///< addresses
};

/// The parts of the network, in the order of the calls.
std::vector<PartText> find_parts(const ProjectText& text);

/// Declarations of the delegates' functions, for the global namespace.
std::string part_functions(const std::vector<PartText>& parts, const std::string& export_namespace);

/// For parts.mustache.
exporter::TemplateData parts_data(const std::vector<PartText>& parts, const ProjectText& text);

/// Files of the delegates with their place in the project; their text still says N2D2_Export.
std::vector<std::pair<std::filesystem::path, std::string>> part_files(const std::vector<PartText>& parts);

/// What sources.mk says of them: sources, compile and link options.
std::string part_sources(const std::vector<PartText>& parts);

}  // namespace n2d2::targets::cpp
