// Has a launcher started this process as one of several, and what do they talk through?
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "n2d2/cluster/transport.hpp"

namespace n2d2::cluster {

/// What a launcher says of the process that it has started.
struct Launched {
  std::string launcher;  ///< "mpirun", "srun" or "PMIx"
  int rank = 0;
  int size = 0;  ///< 0: unknown
  friend bool operator==(const Launched&, const Launched&) = default;
};

/// Reads the variables of launchers. `variable` is getenv in a run.
std::optional<Launched> launched(const std::function<const char*(const char*)>& variable);

/// Loads the module of MPI and starts it. ConfigError: it cannot be loaded, or is of another version.
/// `version` is that of the program.
std::unique_ptr<Transport> load_mpi(const std::string& version);

}  // namespace n2d2::cluster
