#include "seed.hpp"

#include <fstream>
#include <random>

#include "n2d2/base/log.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

constexpr const char* kFile = "seed.dat";

/// Whether samples are drawn into partitions: some share is asked for, and not in file order.
bool splits_randomly(const config::IniDocument& ini) {
  const auto text = [&](const char* key) -> std::string {
    if (!ini.has_key("database", key)) return {};
    const auto found = ini.find("database", key);
    return found ? found->text : "";
  };
  if (text("RandomPartitioning") == "0" || text("Type") == "Glyphs_Database") return false;
  for (const char* key : {"Learn", "Validation", "Test"})
    if (parse_real(text(key)).value_or(0) > 0) return true;
  return false;
}

}  // namespace

Seed find_seed(const Options& options) {
  if (options.seed > 0) return {static_cast<uint64_t>(options.seed), false, options.learns()};
  if (options.learns()) return {1 + std::random_device{}() % 0x7fffffffU, false, true};
  std::ifstream in(kFile);
  uint64_t value = 0;
  if (in && !(in >> value && value > 0))
    throw ConfigError("expected an integer >= 1", {kFile, 0}, "'-seed n' gives the seed of the learning run");
  if (value > 0) return {value, false, false};
  return {1, true, false};
}

Seed seed_of_graph(const Options& options, uint64_t seed) {
  if (options.seed > 0 && static_cast<uint64_t>(options.seed) != seed)
    throw ConfigError(fmt::format("option -seed: the graph file says {}, got '{}'", seed, options.seed), {},
                      "leave the option out: the seed decides which samples the network has learnt from");
  return {seed, false, false};
}

void settle_seed(const Seed& seed, const config::IniDocument& ini) {
  if (seed.assumed && splits_randomly(ini))
    throw ConfigError("no seed: the samples of Learn, Validation and Test depend on that of the learning run",
                      ini.section_where("database"),
                      "give its '-seed n', or run beside the seed.dat it wrote");
  log::info("Seed: {}", seed.value);
  if (seed.is_kept) write_text(kFile, std::to_string(seed.value) + "\n");
}

}  // namespace n2d2::app
