// Part of an exported project; may be used without condition.
#include "../include/fail.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#ifndef NO_DIRENT
#include <sys/stat.h>
#endif

namespace N2D2_Export {

void fail(const std::string& message) {
#ifdef NO_EXCEPT
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
#else
  throw std::runtime_error(message);
#endif
}

void expect_no_pipe(const std::string& path) {
#ifdef NO_DIRENT
  (void)path;
#else
  struct stat about;
  if (stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    fail(path + ": is a pipe or a device, not a file");
#endif
}

}  // namespace N2D2_Export
