#include "step_graph.hpp"

#include <algorithm>

namespace n2d2::memory {

int IndexSet::count() const {
  int sum = 0;
  for (const uint64_t word : words_) sum += std::popcount(word);
  return sum;
}

StepGraph step_graph(const Problem& problem, const Families& families) {
  const size_t count = problem.steps.size();
  StepGraph graph{std::vector(count, IndexSet(count)), std::vector(count, IndexSet(count))};
  for (size_t t = 0; t < count; ++t)
    for (const Read& read : problem.steps[t].reads) {
      const auto family = static_cast<size_t>(families.of_buffer[static_cast<size_t>(read.buffer)]);
      for (const StepId writer : families.all[family].writers) {
        const auto& writes = problem.steps[static_cast<size_t>(writer)].writes;
        if (std::none_of(writes.begin(), writes.end(),
                         [&](BufferId written) { return related(problem, written, read.buffer); }))
          continue;
        graph.before[t].insert(writer);
        graph.ever_before[t].insert(writer);
        graph.ever_before[t].insert(graph.ever_before[static_cast<size_t>(writer)]);
      }
    }
  return graph;
}

}  // namespace n2d2::memory
