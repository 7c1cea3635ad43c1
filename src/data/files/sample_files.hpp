// Which samples lie below a folder, and how is one of them read?
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "n2d2/data/sample_kind.hpp"

#include "array_file.hpp"

namespace n2d2::data {

/// Keys that say which files count.
struct FileFilter {
  /// Levels of folders searched below the first; < 0: all.
  int depth = -1;
  /// Wildcards on the path, the path below the first folder or the name.
  std::vector<std::string> ignore_masks;
  /// Without dot, case ignored; empty: all.
  std::vector<std::string> valid_extensions;
};

struct FoundFile {
  std::filesystem::path path;
  std::vector<std::string> folders;  // below the first
  /// Pictures whose channels come behind those of this one.
  std::vector<std::filesystem::path> channels = {};
  /// Pictures are set upright by their EXIF data.
  bool is_upright = true;
};

/// How many files and folders of is_left_by_others() were left out.
class LeftByOthers {
 public:
  void add(const std::filesystem::path& path);
  /// "<subject>: files and folders that file managers leave are left out: 3, the first is 'a/.DS_Store'";
  /// nothing for none.
  void say(const std::string& subject) const;

 private:
  int64_t count_ = 0;
  std::string first_;
};

/// Files of a folder first, then its folders, each sorted by name. A file is found as itself. What file
/// managers leave is left out and counted. Throws filesystem_error.
std::vector<FoundFile> find_files(const std::filesystem::path& root, const FileFilter& filter,
                                  LeftByOthers* left = nullptr);

/// One sample: a picture file, or an array in a file of one or several.
class Sample {
 public:
  explicit Sample(std::shared_ptr<const FoundFile> file, std::shared_ptr<const ArrayFile> array = nullptr,
                  int64_t index = 0)
      : file_(std::move(file)), array_(std::move(array)), index_(index) {}

  const std::filesystem::path& path() const { return file_->path; }
  const std::vector<std::string>& folders() const { return file_->folders; }
  bool is_upright() const { return file_->is_upright; }
  /// "cat/1.png", "all.npy[3]": below the root, with the place among several.
  std::string name(const std::filesystem::path& root) const;
  /// Returns file_stamp() of all files of the sample, and a mark where the picture is not set upright.
  std::string stamp() const;
  /// ConfigError naming the file.
  Image image() const;

 private:
  std::shared_ptr<const FoundFile> file_;
  std::shared_ptr<const ArrayFile> array_;
  int64_t index_ = 0;
  /// What is odd about the picture was said.
  std::shared_ptr<std::atomic<bool>> is_told_ = std::make_shared<std::atomic<bool>>(false);
};

/// The samples of all files, in their order. Arrays are opened, pictures are not. ConfigError naming a file.
/// `are_upright`: pictures are set upright by their EXIF data.
std::vector<Sample> samples_of(std::vector<FoundFile> files, const ArrayFormat& format, bool are_upright);

}  // namespace n2d2::data
