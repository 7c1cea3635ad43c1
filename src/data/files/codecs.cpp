#include "codecs.hpp"

#include <filesystem>
#include <system_error>

#include <dlfcn.h>

#include "n2d2/base/error.hpp"

namespace n2d2::data::codecs {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& reason) {
  throw ConfigError(fmt::format("OpenCV's codecs of pictures cannot be loaded: {}", reason), {},
                    "install the package n2d2-imgcodecs; JPEG, PNG, PBM, PGM and PPM files do not need it");
}

/// Where the program is installed, else where it was built.
fs::path place() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / N2D2_CODECS;
  return fs::exists(installed, ignored) ? installed : fs::path(N2D2_BUILT_CODECS);
}

/// The library stays loaded until the process ends.
const Functions* loaded() {
  void* const library = ::dlopen(place().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(::dlerror());
  void* const found = ::dlsym(library, "n2d2_imgcodecs");
  if (found == nullptr) fail(::dlerror());
  return reinterpret_cast<const Functions* (*)()>(found)();
}

}  // namespace

const Functions& functions() {
  static const Functions* const found = loaded();
  return *found;
}

}  // namespace n2d2::data::codecs
