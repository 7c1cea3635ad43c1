// How does a folder change all at once, by one process at a time, or not at all?
#pragma once

#include <exception>
#include <filesystem>
#include <string>
#include <utility>

namespace n2d2 {

/// A folder that cannot be locked, written or replaced. The caller says what it was for.
class FolderError : public std::exception {
 public:
  FolderError(std::filesystem::path path, std::string reason, std::string hint = {})
      : path(std::move(path)), reason(std::move(reason)), hint(std::move(hint)) {}
  const char* what() const noexcept override { return reason.c_str(); }

  std::filesystem::path path;
  /// "cannot be written: No space left on device".
  std::string reason, hint;
};

/// A new content of `folder`, made beside it and then exchanged with it in one step of the kernel, so that a
/// process killed at any moment leaves either the old content or the new one. A link to a folder is followed.
/// What lies beside has names that begin with ".<folder>.n2d2-"; what a killed process left there is removed
/// by the next one. File systems that cannot exchange keep the old content as ".<folder>.n2d2-old" for the
/// moment between two renamings.
class StagedFolder {
 public:
  /// Locks `folder` until the end of this object's life. FolderError: another process has it, or the place
  /// cannot be written.
  explicit StagedFolder(const std::filesystem::path& folder);
  /// Without commit() nothing has happened.
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  /// What is there now; need not exist.
  const std::filesystem::path& folder() const { return folder_; }
  /// Where the new content goes; an empty folder at first.
  const std::filesystem::path& fresh() const { return fresh_; }
  /// The new content takes the place of the old one, which is removed. FolderError.
  void commit();

 private:
  void lock();
  void unlock();
  void exchange();

  std::filesystem::path folder_, fresh_, lock_path_;
  int lock_ = -1;
  bool committed_ = false;
};

}  // namespace n2d2
