#include "n2d2/cluster/load.hpp"

#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <dlfcn.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"

namespace n2d2::cluster {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& reason, const std::string& hint) {
  throw ConfigError("-cluster: the module of MPI " + reason, {}, hint);
}

/// Where the program is installed, else where it was built.
fs::path place() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = program.parent_path().parent_path() / N2D2_MPI;
  return fs::exists(installed, ignored) ? installed : fs::path(N2D2_BUILT_MPI);
}

template <class Function>
Function* function_of(void* library, const char* name) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) fail(std::string("has no ") + name, "install n2d2-mpi of the version of n2d2");
  return reinterpret_cast<Function*>(found);
}

std::optional<int> number_in(const char* text) {
  const auto value = text == nullptr ? std::nullopt : parse_whole(text);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

}  // namespace

std::optional<Launched> launched(const std::function<const char*(const char*)>& variable) {
  struct Variables {
    const char *launcher, *size, *rank;
  };
  constexpr Variables kLaunchers[] = {{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                      {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  for (const auto& [launcher, size, rank] : kLaunchers)
    if (const auto processes = number_in(variable(size)))
      return *processes > 1
                 ? std::optional(Launched{launcher, number_in(variable(rank)).value_or(0), *processes})
                 : std::nullopt;
  const auto rank = number_in(variable("PMIX_RANK"));
  if (rank && variable("PMIX_NAMESPACE") != nullptr) return Launched{"PMIx", *rank, 0};
  return std::nullopt;
}

std::unique_ptr<Transport> load_mpi(const std::string& version) {
  void* const library = ::dlopen(place().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    fail(fmt::format("cannot be loaded: {}", ::dlerror()), "install the package n2d2-mpi");
  const std::string found = function_of<const char*()>(library, "n2d2_mpi_version")();
  if (found != version)
    fail(fmt::format("is of version {}, this is {}", presentable(found), version),
         "install n2d2-mpi of the version of n2d2");
  try {
    return std::unique_ptr<Transport>(function_of<Transport*()>(library, "n2d2_mpi_start")());
  } catch (const std::runtime_error& error) {
    fail(fmt::format("does not start: {}", error.what()), "");
  }
}

}  // namespace n2d2::cluster
