#include "memory_check.hpp"

#include <string>

#include "free_bytes.hpp"
#include "host_run.hpp"

namespace n2d2::exporter {

using memory::Bytes;

MemoryMap without_reuse(const MemoryMap& map) {
  MemoryMap out = map;
  memory::Problem& problem = out.problem;
  memory::Plan plan;
  plan.peaks.assign(problem.memories.size(), 0);
  const memory::Lifetime always{0, memory::duration(problem)};
  const auto add_space = [&](memory::MemoryId id, Bytes size) {
    const Bytes unit = memory::alignment_of(problem, id);
    Bytes& peak = plan.peaks[static_cast<size_t>(id)];
    plan.spaces.push_back({id, (peak + unit - 1) / unit * unit, size, always});
    peak = plan.spaces.back().offset + size;
    return static_cast<memory::SpaceId>(plan.spaces.size() - 1);
  };
  for (memory::Memory& m : problem.memories) m.capacity = 0;
  std::vector<memory::SpaceId> space_of(problem.buffers.size(), memory::kNone);
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const memory::Buffer& buffer = problem.buffers[b];
    if (!buffer.inside)
      space_of[b] = add_space(buffer.memories.empty() ? 0 : buffer.memories.front(), buffer.size());
  }
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    const memory::Buffer& buffer = problem.buffers[b];
    const auto root = static_cast<size_t>(memory::root_of(problem, static_cast<memory::BufferId>(b)));
    Bytes offset = 0;
    for (const memory::Buffer* at = &buffer; at->inside;
         at = &problem.buffers[static_cast<size_t>(at->inside->buffer)])
      offset += at->inside->offset;
    plan.views.push_back(
        {space_of[root], offset, buffer.pixel, buffer.row(), 0, buffer.width, buffer.height});
  }
  for (const memory::Step& step : problem.steps) {
    plan.scan_of_step.push_back(memory::Scan::TopDown);
    plan.scratch_of_step.push_back(step.scratch > 0 ? add_space(0, step.scratch) : memory::kNone);
  }
  out.plan = std::move(plan);
  return out;
}

namespace {

class Check {
 public:
  Check(const PlannedNetwork& network, const Tensor& sample)
      : network_(network),
        sample_(sample),
        expected_(run_layers(with_memory(network, without_reuse(network.memory)), sample)) {
    for (size_t t = 0; t <= network.memory.problem.steps.size(); ++t)
      free_.push_back(free_bytes(network.memory, static_cast<memory::StepId>(t)));
  }

  void run() {
    compare(run_layers(network_, sample_), "buffers share memory");
    for (const int pattern : {0xA5, 0x5A}) run_poisoned(static_cast<std::byte>(pattern));
    findings_.finish<ExportError>();
  }

 private:
  void run_poisoned(std::byte pattern) {
    const std::string* last_cell = nullptr;
    RunHooks hooks;
    hooks.start = [&](HostArena& arena) { arena.fill(pattern); };
    hooks.before_step = [&](memory::StepId step, HostArena& arena) {
      for (const FreeBytes& free : free_[static_cast<size_t>(step)]) arena.fill(free, pattern);
    };
    hooks.after_cell = [&](const std::string& cell, HostArena& arena) {
      if (last_cell == nullptr && !arena.guards_hold(pattern)) last_cell = &cell;
    };
    compare(run_layers(network_, sample_, hooks),
            fmt::format("free memory holds 0x{:02X}", static_cast<int>(pattern)));
    if (last_cell != nullptr)
      findings_.error({}, fmt::format("export CPP: [{}] writes outside the arena", *last_cell));
  }

  void compare(const std::vector<LayerOutput>& found, const std::string& when) {
    for (size_t i = 0; i < expected_.size(); ++i)
      if (!(expected_[i].tensor == found.at(i).tensor))
        return findings_.error(
            {}, fmt::format("export CPP: [{}] has another output when {}", expected_[i].cell, when));
  }

  const PlannedNetwork& network_;
  const Tensor& sample_;
  std::vector<LayerOutput> expected_;
  std::vector<std::vector<FreeBytes>> free_;  // before each step, and after the last one
  Diagnostics findings_;
};

}  // namespace

void check_memory(const PlannedNetwork& network, const Tensor& sample) {
  Check(network, sample).run();
}

}  // namespace n2d2::exporter
