#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "n2d2/base/csv.hpp"
#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/strategy.hpp"

#include "csv_records.hpp"

namespace n2d2::memory {

namespace {

/// One line of the memory map.
struct Plane {
  std::string cell, plane, memory, scan;
  Pieces at;
  Bytes stride = 0;
  int length = 1, count = 1;
  Lifetime life;
  bool to_the_end = false;
};

const char* scan_name(Scan scan) {
  return scan == Scan::TopDown ? "TopDown" : scan == Scan::BottomUp ? "BottomUp" : "Any";
}

/// Buffers in their order, then scratch in the order of steps. A plane's index counts within its cell.
std::vector<Plane> planes_of(const Problem& problem, const Plan& plan) {
  std::vector<int> writer(problem.buffers.size(), kNone);
  for (size_t t = 0; t < problem.steps.size(); ++t)
    for (const BufferId b : problem.steps[t].writes) writer[static_cast<size_t>(b)] = static_cast<int>(t);
  const auto memory_of = [&](SpaceId space) {
    return problem.memories[static_cast<size_t>(plan.spaces[static_cast<size_t>(space)].memory)].name;
  };
  const int end_of_time = duration(problem);
  std::map<std::string, int> count_of_cell;
  std::vector<Plane> planes;
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    const View& view = plan.views[b];
    const auto by = static_cast<size_t>(writer[b]);
    const bool written = writer[b] != kNone;
    const std::string cell = written ? problem.steps[by].name : buffer.name;
    planes.push_back({cell, std::to_string(count_of_cell[cell]++), memory_of(view.space),
                      written ? scan_name(plan.scan_of_step[by]) : "Any",
                      pieces(plan, static_cast<BufferId>(b)), view.pixel, view.width, view.height,
                      buffer.life, buffer.keep || buffer.life.end == end_of_time});
  }
  for (size_t t = 0; t < problem.steps.size(); ++t) {
    const SpaceId id = plan.scratch_of_step[t];
    if (id == kNone) continue;
    const Bytes size = problem.steps[t].scratch;
    const int now = static_cast<int>(t);
    planes.push_back({problem.steps[t].name,
                      "scratch",
                      memory_of(id),
                      "Any",
                      {plan.spaces[static_cast<size_t>(id)].offset, size, 0, 0},
                      size,
                      1,
                      1,
                      {now, now + 1},
                      false});
  }
  return planes;
}

std::string range(Bytes start, Bytes size) {
  return fmt::format("{} (0x{:08X}U) -> {} (0x{:08X}U)", start, start, start + size, start + size);
}

}  // namespace

std::string memory_map_csv(const Problem& problem, const Plan& plan) {
  std::string out = "cell,plane,memory,start,size,wrapStart,wrapSize,stride,length,count,scan,t0,t1\n";
  for (const Plane& p : planes_of(problem, plan))
    out += csv_line({p.cell, p.plane, p.memory, std::to_string(p.at.start), std::to_string(p.at.size),
                     std::to_string(p.at.wrap_start), std::to_string(p.at.wrap_size),
                     std::to_string(p.stride), std::to_string(p.length), std::to_string(p.count), p.scan,
                     std::to_string(p.life.first), std::to_string(p.life.end)});
  return out;
}

std::string memory_map_json(const Problem& problem, const Plan& plan) {
  nlohmann::ordered_json root;
  root["peak"] = plan.peaks[0];
  root["lowerBound"] = lower_bound(problem);
  root["memories"] = nlohmann::ordered_json::array();
  for (const Memory& m : problem.memories)
    root["memories"].push_back({{"name", m.name}, {"capacity", m.capacity}});
  root["planes"] = nlohmann::ordered_json::array();
  for (const Plane& p : planes_of(problem, plan))
    root["planes"].push_back({{"cell", p.cell},
                              {"plane", p.plane},
                              {"memory", p.memory},
                              {"start", p.at.start},
                              {"size", p.at.size},
                              {"wrapStart", p.at.wrap_start},
                              {"wrapSize", p.at.wrap_size},
                              {"stride", p.stride},
                              {"length", p.length},
                              {"count", p.count},
                              {"scan", p.scan},
                              {"t0", p.life.first},
                              {"t1", p.life.end}});
  return root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string memory_map_log(const Problem& problem, const Plan& plan) {
  std::map<std::string, std::string> block_of_cell;
  for (const Plane& p : planes_of(problem, plan)) {
    std::string line = "  " + p.plane + " " + range(p.at.start, p.at.size);
    if (p.at.wrap_size > 0) line += " + " + range(p.at.wrap_start, p.at.wrap_size);
    line += fmt::format(" [{}] @ {}", p.at.size + p.at.wrap_size, p.life.first);
    if (!p.to_the_end) line += fmt::format(" to {}", p.life.end - 1);
    block_of_cell[p.cell] += line + "\n";
  }
  std::string out;
  for (const auto& [cell, lines] : block_of_cell) out += cell + ":\n" + lines;
  return out;
}

}  // namespace n2d2::memory
