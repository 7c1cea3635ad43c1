// Any text given as a memory problem ends with a ConfigError or with a problem that is planned validly.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "n2d2/base/error.hpp"
#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using n2d2::ConfigError;
  namespace memory = n2d2::memory;
  if (size > 2048) return 0;
  try {
    const auto problem = memory::problem_from_csv({reinterpret_cast<const char*>(data), size}, "fuzz");
    memory::problem_from_csv(memory::problem_to_csv(problem), "again");
    if (problem.buffers.size() > 20) return 0;
    for (const auto& memory : problem.memories)
      if (memory.capacity > 0) return 0;  // a plan may exceed a capacity, which validate() then says
    for (const auto& buffer : problem.buffers)
      if (buffer.size() > 4096 || buffer.life.end > 64) return 0;
    memory::SolveOptions options;
    options.search_nodes = 0;
    if (!memory::validate(problem, memory::solve(problem, options)).empty()) std::abort();
  } catch (const ConfigError&) {
  }
  return 0;
}
