// How does a set of files appear on disk all at once, or not at all?
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace n2d2::exporter {

/// Where export/CPP lies: $N2D2_PATH, else share/n2d2 beside the program, else the source tree it was built
/// from. ExportError naming the places that were tried.
std::filesystem::path export_sources();

/// Reads a file of the export sources. ExportError when it cannot be read.
std::string read_file(const std::filesystem::path& file);

/// Collects files beside `folder`; commit() moves them into place. Without commit() everything is removed.
class FileTree {
 public:
  /// Creates `<folder>.part` anew. ExportError when the place cannot be written.
  explicit FileTree(std::filesystem::path folder);
  ~FileTree();
  FileTree(const FileTree&) = delete;
  FileTree& operator=(const FileTree&) = delete;

  /// Writes one file, folders included; `path` is relative. ExportError.
  void write(const std::filesystem::path& path, std::string_view content);
  /// Copies a file or a whole folder to the relative path.
  void copy(const std::filesystem::path& from, const std::filesystem::path& path);
  /// Makes room for a file that somebody else writes; returns its absolute path.
  std::filesystem::path reserve(const std::filesystem::path& path);
  /// Replaces the files of an earlier export (those its manifest names, and what was built from them) and
  /// keeps every other file of `folder`.
  void commit();

 private:
  std::filesystem::path folder_, part_;
  std::set<std::string> files_;
  bool committed_ = false;
};

}  // namespace n2d2::exporter
