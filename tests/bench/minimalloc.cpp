// How fast does the exact search fit the instances of minimalloc into their capacities?
//   minimalloc --dir <folder of NAME.CAPACITY.csv> [--nodes N] [--lowest]
// Prints a line of a Markdown table per instance. Exits with 1 when one does not fit, or a plan is wrong.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "n2d2/base/text.hpp"
#include "n2d2/memory/plan_csv.hpp"

#include "place/search.hpp"

namespace {

namespace fs = std::filesystem;
using n2d2::memory::Block;
using n2d2::memory::Bytes;

struct Options {
  std::string dir;
  int64_t nodes = 0;    // no limit
  bool lowest = false;  // go on to the lowest peak there is
};

/// A number that is not negative.
std::optional<int64_t> count_of(std::string_view text) {
  const auto value = n2d2::parse_integer(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<Options> options_of(const std::vector<std::string>& args) {
  Options options;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--lowest") {
      options.lowest = true;
      continue;
    }
    if (i + 1 == args.size()) return std::nullopt;
    const std::string& value = args[i + 1];
    if (args[i] == "--dir") {
      options.dir = value;
    } else if (args[i] == "--nodes" && count_of(value)) {
      options.nodes = *count_of(value);
    } else {
      return std::nullopt;
    }
    ++i;
  }
  if (!fs::is_directory(options.dir)) return std::nullopt;
  return options;
}

std::vector<Block> read_blocks(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::vector<Block> blocks;
  for (const auto& buffer : n2d2::memory::problem_from_csv(text.str(), path.string()).buffers)
    blocks.push_back({buffer.size(), buffer.life, 0});
  return blocks;
}

/// Peak of a placement; -1 when two blocks that live at the same time share a byte.
Bytes checked_peak(const std::vector<Block>& blocks, const std::vector<Bytes>& offsets) {
  Bytes peak = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (offsets[i] < 0) return -1;
    peak = std::max(peak, offsets[i] + blocks[i].size);
    for (size_t j = 0; j < i; ++j) {
      const bool apart_in_time =
          blocks[i].life.end <= blocks[j].life.first || blocks[j].life.end <= blocks[i].life.first;
      const bool apart_in_space =
          offsets[i] + blocks[i].size <= offsets[j] || offsets[j] + blocks[j].size <= offsets[i];
      if (!apart_in_time && !apart_in_space) return -1;
    }
  }
  return peak;
}

/// Whether the instance fits; prints its line.
bool solve(const fs::path& path, Bytes capacity, const Options& options) {
  const std::vector<Block> blocks = read_blocks(path);
  const auto largest_first =
      n2d2::memory::sorted_blocks(blocks, [](const Block& a, const Block& b) { return a.size > b.size; });
  auto offsets = n2d2::memory::first_fit(blocks, largest_first, 1);
  const Bytes greedy = n2d2::memory::peak_of(blocks, offsets);

  const auto start = std::chrono::steady_clock::now();
  int64_t nodes = 0;
  const Bytes target = options.lowest ? 0 : capacity;
  auto found = n2d2::memory::search(blocks, 1, greedy, options.nodes, target, &nodes);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  if (found) offsets = std::move(*found);

  const Bytes peak = checked_peak(blocks, offsets);
  const bool fits = peak >= 0 && peak <= capacity;
  fmt::print("| {} | {} | {} | {} | {} | {} | {:.2f} | {} |\n", path.stem().stem().string(), blocks.size(),
             capacity, n2d2::memory::bound_of(blocks, 1), peak, nodes, time.count(),
             fits       ? "yes"
             : peak < 0 ? "overlap"
                        : "no");
  return fits;
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = options_of({argv + 1, argv + argc});
  if (!options) {
    fmt::print(stderr, "usage: minimalloc --dir <folder> [--nodes <limit>] [--lowest]\n");
    return 2;
  }
  std::vector<fs::path> instances;
  for (const auto& entry : fs::directory_iterator(options->dir))
    if (entry.path().extension() == ".csv") instances.push_back(entry.path());
  std::sort(instances.begin(), instances.end());
  fmt::print("| instance | blocks | capacity | lower bound | peak | nodes | seconds | fits |\n");
  fmt::print("|---|--:|--:|--:|--:|--:|--:|---|\n");
  size_t fitting = 0;
  for (const fs::path& path : instances) {
    const std::string suffix = path.stem().extension().string();
    const auto capacity = count_of(suffix.empty() ? suffix : suffix.substr(1));
    if (!capacity) {
      fmt::print(stderr, "{}: expected a name like A.1048576.csv\n", path.string());
      return 2;
    }
    if (solve(path, *capacity, *options)) ++fitting;
  }
  fmt::print("\n{} of {} within capacity\n", fitting, instances.size());
  return fitting == instances.size() ? 0 : 1;
}
