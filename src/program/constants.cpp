#include "n2d2/program/constants.hpp"

#include <algorithm>

namespace n2d2::program {

std::vector<ConstantId> constants_of(const Program& program, const Cell& cell) {
  std::vector<ConstantId> out;
  const auto add = [&](const Call& call) {
    for (const ConstantId id : call.constants)
      if (std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
  };
  for (const CallId id : cell.calls) {
    add(program.call(id));
    for (const Call& step : program.call(id).steps) add(step);
  }
  return out;
}

Bytes stored_bytes(const Constant& constant) {
  const int64_t bytes = constant.data->bytes();
  if (!constant.storage.is_narrow()) return bytes;
  if (constant.fields) return constant.fields->bytes();
  const int64_t rows = constant.data->shape()[0], fields = 8 / constant.storage.bits;
  return rows * ((bytes / rows + fields - 1) / fields);
}

}  // namespace n2d2::program
