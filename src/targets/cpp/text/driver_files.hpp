// Where in a project are the sources of its test driver, and what do they include by which path?
#pragma once

#include <filesystem>
#include <string>

namespace n2d2::targets::cpp {

/// Moves the sources of the test driver to a folder of their own, whose folders are those of the project.
class DriverFiles {
 public:
  /// An empty folder leaves them where they are.
  explicit DriverFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The place of a file of the project.
  std::filesystem::path place(const std::filesystem::path& file) const;
  /// The text of a file with its includes relative to its place.
  std::string text(const std::filesystem::path& file, std::string text) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace n2d2::targets::cpp
