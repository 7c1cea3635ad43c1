#include "n2d2/modules/load.hpp"

#include <filesystem>
#include <set>

#include <dlfcn.h>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/modules/module.hpp"

namespace n2d2::modules {

namespace {

constexpr const char* kBuildAgain = "build it against the headers of this n2d2 (docs/make/extending.md)";

[[noreturn]] void refuse(const std::string& file, const std::string& what, const std::string& hint = {}) {
  throw ConfigError("module: " + what, {file, 0}, hint);
}

/// The words of the loader, without the path in front.
std::string loader_error(const std::string& path) {
  const char* said = dlerror();
  std::string text = said == nullptr ? "unknown error" : said;
  if (text.starts_with(path + ": ")) text = text.substr(path.size() + 2);
  return text;
}

template <class Function>
Function* function_of(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

void check_interface(void* library, const std::string& file) {
  auto* const interface = function_of<const char*()>(library, "n2d2_module_interface");
  if (interface == nullptr)
    refuse(file, "is not one of n2d2", "it needs an N2D2_MODULE (docs/make/extending.md)");
  if (const std::string_view built_for = interface(); built_for != N2D2_INTERFACE)
    refuse(file, fmt::format("built for the interface {}, this is {}", built_for, N2D2_INTERFACE),
           kBuildAgain);
}

}  // namespace

void load(const std::string& file) {
  static std::set<std::filesystem::path> loaded;
  std::error_code error;
  const std::filesystem::path path = std::filesystem::canonical(file, error);
  if (error) refuse(file, error.message());
  if (loaded.contains(path)) return;
  try {
    expect_regular_file(path);
  } catch (const FileError& e) {
    refuse(file, e.reason);
  }
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(file, "cannot be loaded: " + loader_error(path.string()), kBuildAgain);
  check_interface(library, file);
  Registries registries;
  try {
    function_of<void(Registries&)>(library, "n2d2_module_register")(registries);
  } catch (const Error& e) {
    refuse(file, e.findings().empty() ? std::string(e.what()) : e.findings().front().message);
  }
  loaded.insert(path);
  log::info("Module: {}", file);
}

}  // namespace n2d2::modules
