#include "memory_choices.hpp"

namespace n2d2::memory {

MemoryChoices::MemoryChoices(const Blocks& made, const Problem& problem) : choices_(made.blocks.size()) {
  std::vector<MemoryId> all(problem.memories.size());
  std::iota(all.begin(), all.end(), 0);
  for (size_t b = 0; b < problem.buffers.size(); ++b) {
    if (problem.buffers[b].inside) continue;
    const auto& memories = problem.buffers[b].memories;
    choices_[static_cast<size_t>(made.of_buffer[b])].memories = memories.empty() ? all : memories;
  }
  for (size_t t = 0; t < problem.steps.size(); ++t) {
    const auto& memories = problem.steps[t].scratch_memories;
    if (const int block = made.of_step[t]; block != kNone)
      choices_[static_cast<size_t>(block)].memories = memories.empty() ? all : memories;
  }
  const auto touch = [&](BufferId buffer) {
    const auto b = static_cast<size_t>(buffer);
    choices_[static_cast<size_t>(made.of_buffer[b])].traffic += problem.buffers[b].size();
  };
  for (const Step& step : problem.steps) {
    for (const BufferId b : step.writes) touch(b);
    for (const Read& read : step.reads) touch(read.buffer);
  }
}

std::vector<int> MemoryChoices::in(MemoryId memory) const {
  std::vector<int> out;
  for (size_t i = 0; i < choices_.size(); ++i)
    if (choices_[i].memories[choices_[i].now] == memory) out.push_back(static_cast<int>(i));
  return out;
}

int MemoryChoices::cheapest_to_move(const Packing& packing, std::span<const int> members,
                                    Bytes capacity) const {
  int fullest = 0;
  Bytes most = -1;
  for (const Block& block : packing.blocks)
    if (const Bytes load = load_of(packing, block.life.first); load > most)
      most = load, fullest = block.life.first;
  const Bytes excess = std::max<Bytes>(most - capacity, 1);
  int best = kNone;
  double least = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    const Block& block = packing.blocks[i];
    const Choice& choice = choices_[static_cast<size_t>(members[i])];
    if (block.life.first > fullest || block.life.end <= fullest) continue;
    if (choice.now + 1 == choice.memories.size()) continue;
    const double cost = static_cast<double>(choice.traffic) /
                        static_cast<double>(std::max<Bytes>(std::min(block.size, excess), 1));
    if (best == kNone || cost < least) best = members[i], least = cost;
  }
  return best;
}

MemoryId MemoryChoices::move_on(int block) {
  Choice& choice = choices_[static_cast<size_t>(block)];
  return choice.memories[++choice.now];
}

}  // namespace n2d2::memory
