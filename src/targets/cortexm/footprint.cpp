#include "footprint.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "n2d2/program/constants.hpp"
#include "n2d2/program/kernel.hpp"
#include "n2d2/targets/cpp/platform.hpp"

#include "boards.hpp"
#include "figures/costs.hpp"
#include "figures/instructions.hpp"

namespace n2d2::targets::cortexm {

namespace {

constexpr int64_t kWord = 4;
/// Code that reads weights of 4 bits, in the orders of this target and in that of CPP.
constexpr int64_t kNarrowTiles = 500, kNarrowFields = 350;

int64_t rounded_up(int64_t bytes, int64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

/// Adds up parameters as firmware/link.ld places them: source by source, biases and factors before weights,
/// and each section of a source at a multiple of what its arrays ask for.
void add_parameters(const program::Program& program, Footprint& out) {
  int64_t at = 0;
  for (const program::Cell& cell : program.cells) {
    for (const bool is_bias : {true, false}) {
      std::vector<std::pair<int64_t, int64_t>> arrays;  // bytes and alignment, from the last one
      for (const program::ConstantId id : program::constants_of(program, cell)) {
        const program::Constant& constant = program.constant(id);
        if (constant.is_bias != is_bias) continue;
        const Tensor& data = *constant.data;
        const bool is_of_bytes = data.dtype() == DataType::I8;
        const program::Bytes bytes = program::stored_bytes(constant);
        arrays.emplace(arrays.begin(), bytes,
                       is_of_bytes ? cpp::kAlignmentOfWords : std::max(kWord, size_bytes(data.dtype())));
        (is_bias ? out.biases : out.weights) += bytes;
      }
      int64_t most = 1;
      for (const auto& [bytes, alignment] : arrays) most = std::max(most, alignment);
      at = rounded_up(at, most);
      for (const auto& [bytes, alignment] : arrays) at = rounded_up(at, alignment) + bytes;
    }
  }
  out.filling = rounded_up(at, kWord) - out.weights - out.biases;
}

/// Bytes of code: what all programs have, each kernel once, and something for each layer.
int64_t code_of(const program::Program& program, const Core& core) {
  std::map<std::string_view, int> layers;
  for (const program::Cell& cell : program.cells) {
    std::set<std::string_view> kernels;
    for (const program::CallId id : cell.calls) {
      kernels.insert(program.call(id).kernel->name());
      for (const program::Call& step : program.call(id).steps) kernels.insert(step.kernel->name());
    }
    for (const std::string_view kernel : kernels) ++layers[kernel];
  }
  int64_t bytes = code_size_of(machine_of(core), "").first;
  for (const auto& [kernel, count] : layers) {
    const CodeSize size = code_size_of(machine_of(core), kernel);
    bytes += size.first + count * size.each;
  }
  bool tiles = false, fields = false;
  for (const program::Constant& constant : program.constants)
    if (constant.storage.is_narrow()) (constant.fields ? tiles : fields) = true;
  return bytes + (tiles ? kNarrowTiles : 0) + (fields ? kNarrowFields : 0);
}

}  // namespace

Footprint footprint_of(const program::Program& program, const Core& core, int64_t stack, const Part* board) {
  Footprint out;
  out.core = core.name, out.issues_two = core.issues_two;
  for (const program::Memory& memory : program.memories) out.arena += memory.peak;
  out.stack = stack;
  add_parameters(program, out);
  out.layers = instructions_of(program, core);
  out.code = code_of(program, core);
  if (board != nullptr) out.board = *board;
  for (const Part& part : boards())
    if (has_core(part, core.name) && out.fits(part)) out.fitting.push_back(part);
  std::stable_sort(out.fitting.begin(), out.fitting.end(), [](const Part& a, const Part& b) {
    return std::tuple(a.ram, a.flash) < std::tuple(b.ram, b.flash);
  });
  return out;
}

}  // namespace n2d2::targets::cortexm
