// Which files of a project, and which of its figures, do packages for other build systems take?
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "n2d2/export/file_tree.hpp"
#include "n2d2/export/stimulus.hpp"

#include "project_text.hpp"

namespace n2d2::targets::cpp {

/// Files that a line `#include "..."` of the text names, as it names them.
std::vector<std::string> included_by(const std::string& text);

/// Writes the packages of Options::packages into the tree: the static form of the network, no test driver.
/// `sources_of_both`: its sources but for the calls and the interfaces. `code`: all files of the project that
/// are code, by their paths.
void write_packages(const ProjectText& text, const std::vector<std::string>& sources_of_both,
                    const std::map<std::filesystem::path, std::string>& code,
                    const exporter::Samples& samples, exporter::FileTree& tree);

}  // namespace n2d2::targets::cpp
