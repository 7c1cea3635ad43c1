#include "host.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>

#include "n2d2/base/error.hpp"
#include "n2d2/base/log.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace baseline {
extern const bool kReadsPacked;
const HostEntry* table();
}  // namespace baseline
#ifdef N2D2_HOST_PORTABLE
namespace portable {
extern const bool kReadsPacked;
const HostEntry* table();
}  // namespace portable
#endif
#ifdef N2D2_HOST_X86
namespace avx2 {
extern const bool kReadsPacked;
const HostEntry* table();
}  // namespace avx2
namespace avx512 {
extern const bool kReadsPacked;
const HostEntry* table();
}  // namespace avx512
#endif

namespace {

struct InstructionSet {
  const char* name;
  const HostEntry* table;
  bool packed;  ///< N2D2_PACKED of export/CPP/kernels/isa.hpp
};

/// Returns the instruction sets that this machine runs, the best one last.
const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> all = [] {
    std::vector<InstructionSet> out;
#ifdef N2D2_HOST_PORTABLE
    out.push_back({"portable", portable::table(), portable::kReadsPacked});
#endif
    out.push_back({"baseline", baseline::table(), baseline::kReadsPacked});
#ifdef N2D2_HOST_X86
    if (__builtin_cpu_supports("avx2")) out.push_back({"avx2", avx2::table(), avx2::kReadsPacked});
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
      out.push_back({"avx512", avx512::table(), avx512::kReadsPacked});
#endif
    return out;
  }();
  return all;
}

const InstructionSet& chosen() {
  static const InstructionSet& set = []() -> const InstructionSet& {
    const InstructionSet& best = instruction_sets().back();
    const char* wanted = std::getenv("N2D2_HOST_ISA");
    if (wanted == nullptr || *wanted == '\0') return best;
    for (const InstructionSet& each : instruction_sets())
      if (std::string_view(wanted) == each.name) return each;
    log::warn("N2D2_HOST_ISA={}: this processor does not have it; kernels run with {}", wanted, best.name);
    return best;
  }();
  return set;
}

/// Tables of other targets.
std::vector<const HostEntry*>& added_tables() {
  static std::vector<const HostEntry*> all;
  return all;
}

HostKernel in_table(const InstructionSet& set, std::string_view kernel) {
  std::vector<const HostEntry*> tables{set.table};
  tables.insert(tables.end(), added_tables().begin(), added_tables().end());
  for (const HostEntry* entry : tables)
    for (; entry->name != nullptr; ++entry)
      if (entry->name == kernel) return entry->run;
  throw InternalError(fmt::format("no host kernel '{}'", kernel), __FILE__, __LINE__);
}

}  // namespace

void no_kernel(const Types& types) {
  throw InternalError(fmt::format("no host kernel from {} to {}", to_string(types.in), to_string(types.out)),
                      __FILE__, __LINE__);
}

void add_host_kernels(const HostEntry* table) {
  std::vector<const HostEntry*>& all = added_tables();
  if (std::find(all.begin(), all.end(), table) == all.end()) all.push_back(table);
}

bool host_reads_packed() {
  return chosen().packed;
}

HostKernel host_kernel(std::string_view name) {
  return in_table(chosen(), name);
}

HostKernel host_kernel(std::string_view name, std::string_view instruction_set) {
  for (const InstructionSet& each : instruction_sets())
    if (instruction_set == each.name) return in_table(each, name);
  throw InternalError(fmt::format("no instruction set '{}'", instruction_set), __FILE__, __LINE__);
}

std::vector<std::string> host_instruction_sets() {
  std::vector<std::string> out;
  for (const InstructionSet& each : instruction_sets()) out.emplace_back(each.name);
  return out;
}

}  // namespace n2d2::targets::cpp
