#include "n2d2/base/read_file.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "n2d2/base/text.hpp"

namespace n2d2 {

namespace {

[[noreturn]] void fail_with(int error) {
  throw FileError(error == ENOENT ? "no such file"
                                  : "cannot be read: " + std::generic_category().message(error));
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// An open regular file.
class File {
 public:
  explicit File(const std::filesystem::path& path) : File() {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) fail_with(errno);
    expect_regular(status);
    // Another file may have taken its place: without O_NONBLOCK, opening a pipe would wait for its other end.
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file_ < 0 || ::fstat(file_, &status) != 0) fail_with(errno);
    expect_regular(status);
    size_ = status.st_size;
  }
  ~File() {
    if (file_ >= 0) ::close(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int64_t size() const { return size_; }
  /// How many bytes there were; 0 at the end.
  size_t read(char* to, size_t most) const {
    while (true) {
      const ssize_t got = ::read(file_, to, most);
      if (got >= 0) return static_cast<size_t>(got);
      if (errno != EINTR) fail_with(errno);
    }
  }

 private:
  File() = default;
  static void expect_regular(const struct stat& status) {
    if (!S_ISREG(status.st_mode))
      throw FileError(fmt::format("expected a regular file, found {}", kind_of(status.st_mode)));
  }

  int file_ = -1;
  int64_t size_ = 0;
};

}  // namespace

std::string read_regular_file(const std::filesystem::path& path, int64_t most) {
  const File file(path);
  // Some regular files have no size until they are read: those of /proc.
  std::string bytes;
  for (size_t used = 0;;) {
    if (std::max(file.size(), static_cast<int64_t>(used)) > most)
      throw FileError(fmt::format("the file is larger than {} bytes", with_thousands(most)));
    bytes.resize(std::max(static_cast<size_t>(file.size()), used) + 4096);
    const size_t got = file.read(bytes.data() + used, bytes.size() - used);
    used += got;
    if (got > 0) continue;
    bytes.resize(used);
    return bytes;
  }
}

std::string plain_text(std::string bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    throw FileError("expected a text in UTF-8 or ASCII, the file is UTF-16");
  size_t to = 0;
  size_t from = bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  if (from == 0 && bytes.find('\r') == std::string::npos) return bytes;
  for (; from < bytes.size(); ++from) {
    const char c = bytes[from];
    bytes[to++] = c == '\r' ? '\n' : c;
    if (c == '\r' && from + 1 < bytes.size() && bytes[from + 1] == '\n') ++from;
  }
  bytes.resize(to);
  return bytes;
}

std::string read_text_file(const std::filesystem::path& path, int64_t most) {
  return plain_text(read_regular_file(path, most));
}

void expect_regular_file(const std::filesystem::path& path) {
  const File file(path);
}

}  // namespace n2d2
