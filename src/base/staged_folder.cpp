#include "n2d2/base/staged_folder.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace n2d2 {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, const char* what, int error = errno) {
  throw FolderError(path, std::string(what) + ": " + std::generic_category().message(error));
}

/// "a/b" of "a/b/", and what a link leads to.
fs::path settled(const fs::path& folder) {
  std::error_code ignored;
  const fs::path plain = folder.has_filename() ? folder : folder.parent_path();
  const fs::path target = fs::is_symlink(plain, ignored) ? fs::canonical(plain, ignored) : plain;
  return target.empty() ? plain : target;
}

fs::path beside(const fs::path& folder, const char* what) {
  return folder.parent_path() / ("." + folder.filename().string() + ".n2d2-" + what);
}

/// Whether an open file still has its name: its last holder may have removed it in the meantime.
bool is_named(int file, const fs::path& path) {
  struct stat open_file {};
  struct stat named {};
  return ::fstat(file, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

}  // namespace

StagedFolder::StagedFolder(const fs::path& folder)
    : folder_(settled(folder)), fresh_(beside(folder_, "new")), lock_path_(beside(folder_, "lock")) {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error))
    throw FolderError(folder_, "cannot be written: expected a folder, found a file");
  if (folder_.has_parent_path()) fs::create_directories(folder_.parent_path(), error);
  if (error) fail(folder_, "cannot be written", error.value());
  lock();
  fs::remove_all(fresh_, error);
  if (::mkdir(fresh_.c_str(), 0777) == 0) return;
  const int reason = errno;
  unlock();
  fail(folder_, "cannot be written", reason);
}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(fresh_, ignored);
  unlock();
}

void StagedFolder::lock() {
  while (true) {
    lock_ = ::open(lock_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lock_ < 0) fail(folder_, "cannot be written");
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      ::close(lock_);
      if (reason != EWOULDBLOCK) fail(folder_, "cannot be locked", reason);
      throw FolderError(folder_, "another process is writing it",
                        "wait until it has ended, or write elsewhere");
    }
    if (is_named(lock_, lock_path_)) return;
    ::close(lock_);
  }
}

void StagedFolder::unlock() {
  ::unlink(lock_path_.c_str());
  ::close(lock_);
}

void StagedFolder::exchange() {
  if (!fs::exists(folder_)) {
    if (::rename(fresh_.c_str(), folder_.c_str()) != 0) fail(folder_, "cannot be replaced");
    return;
  }
  if (::renameat2(AT_FDCWD, fresh_.c_str(), AT_FDCWD, folder_.c_str(), RENAME_EXCHANGE) == 0) {
    std::error_code ignored;
    fs::remove_all(fresh_, ignored);
    return;
  }
  std::error_code ignored;
  const fs::path old = beside(folder_, "old");
  fs::remove_all(old, ignored);
  if (::rename(folder_.c_str(), old.c_str()) != 0) fail(folder_, "cannot be replaced");
  if (::rename(fresh_.c_str(), folder_.c_str()) != 0) {
    const int reason = errno;
    ::rename(old.c_str(), folder_.c_str());
    fail(folder_, "cannot be replaced", reason);
  }
  fs::remove_all(old, ignored);
}

void StagedFolder::commit() {
  exchange();
  committed_ = true;
}

}  // namespace n2d2
