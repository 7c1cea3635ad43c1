#include "seed.hpp"

#include <filesystem>
#include <optional>
#include <random>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"
#include "n2d2/base/text.hpp"

#include "files.hpp"

namespace n2d2::app {

namespace {

constexpr const char* kFile = "seed.dat";
constexpr int64_t kLongestSeed = 64;
constexpr const char* kSeedHint = "'-seed n' gives the seed of the learning run";

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

/// What the learning run left; nothing when it left no file.
std::optional<uint64_t> kept_seed(const std::string& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  std::string text;
  try {
    text = read_text_file(file, kLongestSeed);
  } catch (const FileError& error) {
    throw ConfigError(error.reason, {file, 0}, kSeedHint);
  }
  const auto value = parse_whole(trim(text));
  if (!value || *value < 1)
    throw ConfigError(fmt::format("expected an integer >= 1, got '{}'", trim(text)), {file, 0}, kSeedHint);
  return static_cast<uint64_t>(*value);
}

}  // namespace

Seed find_seed(const Options& options) {
  if (options.seed > 0) return {static_cast<uint64_t>(options.seed), false, options.learns()};
  if (options.learns()) return {1 + std::random_device{}() % 0x7fffffffU, false, true};
  if (const auto value = kept_seed(options.in_output(kFile).string())) return {*value, false, false};
  const bool needs_that_of_learning = !options.begins_learning();
  return {1, needs_that_of_learning, false};
}

Seed seed_of_state(const Options& options, uint64_t seed) {
  if (options.seed > 0 || seed == 0) return find_seed(options);
  return {seed, false, options.learns()};
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
}

void keep_seed(const Seed& seed, const std::filesystem::path& folder) {
  if (seed.is_kept) write_text(folder / kFile, std::to_string(seed.value) + "\n");
}

}  // namespace n2d2::app
