// In which form does another build system take an exported network?
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "n2d2/export/file_tree.hpp"

namespace n2d2::exporter {

/// The packages that somebody asked for.
struct PackageRequest {
  std::vector<std::string> formats;  ///< among package_formats()
  std::string network;               ///< what its user calls it
  std::string tool;                  ///< "n2d2 1.2.3"
};

/// What the files of every format say about one network.
struct Package {
  std::string name_space;                                            ///< of its code
  std::vector<std::pair<std::filesystem::path, std::string>> files;  ///< the code and its headers, sorted
  std::vector<std::filesystem::path> sources;                        ///< those that are compiled
  std::vector<std::pair<std::string, std::string>> facts;  ///< rows of the README, both are Markdown
  std::string provenance;                                  ///< JSON; empty: nobody says
  int bits = 8;                                            ///< -32: floats
  int64_t arena = 0, stack = 0, parameters = 0;            ///< bytes; the stack is the largest of a call
  int64_t code = 0;                                        ///< bytes, estimated; 0: not known
  int64_t scores = 0;                                      ///< of the first output
  int64_t pixels = 1;                                      ///< that the first output has classes for
};

/// Names of all formats, in the order of the documentation.
const std::vector<std::string>& package_formats();

/// Returns a name of lower-case ASCII letters, digits and single underscores, at most 48 bytes, which begins
/// with "n2d2_": every format takes it as a name of packages, targets and headers, and no name of a build
/// system is among them.
std::string package_identifier(std::string_view network);

/// Writes packages/<format>/<package_identifier()> for each format: the code in src/, the files of the
/// format, an example, README.md, LICENSE and provenance.json. A CMSIS-Pack also is one file,
/// packages/cmsis-pack/N2D2.<package_identifier()>.<version>.pack.
void write_packages(const Package& package, const PackageRequest& request, FileTree& tree);

/// Returns a zip archive of these files, not compressed: the same bytes for the same files everywhere.
std::string zip_of(const std::vector<std::pair<std::filesystem::path, std::string>>& files);

}  // namespace n2d2::exporter
