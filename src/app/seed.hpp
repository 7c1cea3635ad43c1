// Which seed does this run have, and where does it come from?
#pragma once

#include <cstdint>
#include <filesystem>

#include "n2d2/config/ini_document.hpp"

#include "command_line/options.hpp"

namespace n2d2::app {

struct Seed {
  uint64_t value = 1;
  /// Neither -seed nor seed.dat said anything: the value is only good when no split depends on it.
  bool assumed = false;
  /// The run learns: seed.dat is written.
  bool is_kept = false;
};

/// `-seed`; else, when learning, a drawn one; else the content of seed.dat in the working directory; else 1,
/// assumed.
Seed find_seed(const Options& options);
/// Returns the seed of a run that goes on: `-seed` if given, else the seed of the state. A state without a
/// seed (0) is treated as in find_seed().
Seed seed_of_state(const Options& options, uint64_t seed);

/// That of a graph file; ConfigError when `-seed` says another.
Seed seed_of_graph(const Options& options, uint64_t seed);

/// Once the network is built: refuses an assumed seed when the split of the database depends on it.
void settle_seed(const Seed& seed, const config::IniDocument& ini);

/// Writes seed.dat when the run learns: nothing refuses it any more.
void keep_seed(const Seed& seed, const std::filesystem::path& folder = {});

}  // namespace n2d2::app
