// How fast does the exact search fit the instances of minimalloc into their capacities?
//   minimalloc --dir <folder of NAME.CAPACITY.csv> [--nodes N] [--lowest]
// Prints a line of a Markdown table per instance. Exits with 1 when one does not fit, or a plan is wrong.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "n2d2/memory/plan_csv.hpp"

#include "search.hpp"

namespace {

namespace fs = std::filesystem;
using n2d2::memory::Block;
using n2d2::memory::Bytes;

struct Options {
  std::string dir;
  int64_t nodes = 0;    // no limit
  bool lowest = false;  // go on to the lowest peak there is
};

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const bool more = i + 1 < argc;
    if (std::strcmp(argv[i], "--dir") == 0 && more) {
      options.dir = argv[++i];
    } else if (std::strcmp(argv[i], "--nodes") == 0 && more) {
      options.nodes = std::atoll(argv[++i]);
    } else if (std::strcmp(argv[i], "--lowest") == 0) {
      options.lowest = true;
    } else {
      options.dir.clear();
      break;
    }
  }
  if (options.dir.empty()) {
    std::fprintf(stderr, "usage: minimalloc --dir <folder> [--nodes <limit>] [--lowest]\n");
    std::exit(2);
  }
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
bool solve(const fs::path& path, const Options& options) {
  const std::vector<Block> blocks = read_blocks(path);
  const Bytes capacity = std::atoll(path.stem().extension().string().c_str() + 1);
  const auto largest_first =
      n2d2::memory::sorted_blocks(blocks, [](const Block& a, const Block& b) { return a.size > b.size; });
  auto offsets = n2d2::memory::first_fit(blocks, largest_first, 1);
  const Bytes greedy = n2d2::memory::peak_of(blocks, offsets);

  const auto start = std::chrono::steady_clock::now();
  int64_t nodes = 0;
  auto found = n2d2::memory::search(blocks, 1, greedy, options.nodes, options.lowest ? 0 : capacity, &nodes);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  if (found) offsets = std::move(*found);

  const Bytes peak = checked_peak(blocks, offsets);
  const bool fits = peak >= 0 && peak <= capacity;
  std::printf("| %s | %zu | %lld | %lld | %lld | %lld | %.2f | %s |\n", path.stem().stem().string().c_str(),
              blocks.size(), static_cast<long long>(capacity),
              static_cast<long long>(n2d2::memory::bound_of(blocks, 1)), static_cast<long long>(peak),
              static_cast<long long>(nodes), time.count(),
              fits       ? "yes"
              : peak < 0 ? "overlap"
                         : "no");
  std::fflush(stdout);
  return fits;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  std::vector<fs::path> instances;
  for (const auto& entry : fs::directory_iterator(options.dir))
    if (entry.path().extension() == ".csv") instances.push_back(entry.path());
  std::sort(instances.begin(), instances.end());
  std::printf("| instance | blocks | capacity | lower bound | peak | nodes | seconds | fits |\n");
  std::printf("|---|--:|--:|--:|--:|--:|--:|---|\n");
  size_t fitting = 0;
  for (const fs::path& path : instances) fitting += solve(path, options) ? 1 : 0;
  std::printf("\n%zu of %zu within capacity\n", fitting, instances.size());
  return fitting == instances.size() ? 0 : 1;
}
