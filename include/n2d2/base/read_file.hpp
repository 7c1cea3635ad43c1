// How does a file get into memory? Regular files alone, up to a size.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>

namespace n2d2 {

/// A file that is not read; the caller says what it was for.
class FileError : public std::exception {
 public:
  explicit FileError(std::string reason) : reason(std::move(reason)) {}
  const char* what() const noexcept override { return reason.c_str(); }
  /// "no such file", "expected a regular file, found a pipe", "the file is larger than 1,024 bytes", or what
  /// the system says.
  std::string reason;
};

/// All bytes. Never waits: pipes and devices are refused, not opened. FileError.
std::string read_regular_file(const std::filesystem::path& path, int64_t most);

/// The text of a file, whichever editor wrote it: UTF-8 without the byte order mark, each line ends in "\n"
/// where the file has "\r\n" or "\r". FileError as read_regular_file(), and for UTF-16.
std::string read_text_file(const std::filesystem::path& path, int64_t most);
/// Cleans bytes that are in memory already in the same way.
std::string plain_text(std::string bytes);

/// FileError unless it can be opened and is a regular file, for readers that open it themselves.
void expect_regular_file(const std::filesystem::path& path);

}  // namespace n2d2
