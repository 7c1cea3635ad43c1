#include "pack_weights.hpp"

#include <fmt/format.h>

#include "../../../../export/CPP/kernels/packed.hpp"

namespace n2d2::targets::cpp {

namespace {

namespace packing = N2D2_EXPORT_NAMESPACE;

std::shared_ptr<const Tensor> packed(const Tensor& weights, int64_t rows, int64_t run) {
  const int64_t outputs = weights.shape()[0], groups = packing::packed_groups(static_cast<int>(run));
  const int64_t blocks = packing::packed_blocks(static_cast<int>(outputs));
  auto out = std::make_shared<Tensor>(Shape{blocks * rows * groups * packing::kPackedGroup}, DataType::I8);
  const int8_t* from = weights.data<int8_t>();
  int8_t* to = out->data<int8_t>();
  for (int64_t o = 0; o < outputs; ++o)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < run; ++i) {
        const int64_t group = (o / packing::kPackedOutputs * rows + r) * groups + i / packing::kPackedInputs;
        to[group * packing::kPackedGroup + o % packing::kPackedOutputs * packing::kPackedInputs +
           i % packing::kPackedInputs] = *from++;
      }
  return out;
}

}  // namespace

std::string not_packed(const Tensor& weights) {
  return weights.dtype() == DataType::I8 ? "" : "its weights are no bytes";
}

std::string not_packed(const Tensor& weights, int64_t rows) {
  if (weights.dtype() != DataType::I8) return not_packed(weights);
  if (weights.shape()[1] % packing::kPackedInputs == 0) return {};
  const int64_t run = weights.elements() / weights.shape()[0] / rows;
  const int64_t gathered = rows * packing::packed_groups(static_cast<int>(run)) * packing::kPackedInputs;
  if (gathered <= packing::kPackedPatch) return {};
  return fmt::format("windows of {} bytes, of channels that are no multiple of {}, are more than {}",
                     gathered, static_cast<int>(packing::kPackedInputs),
                     static_cast<int>(packing::kPackedPatch));
}

std::shared_ptr<const Tensor> packed_windows(const Tensor& weights, int64_t rows) {
  if (!not_packed(weights, rows).empty()) return nullptr;
  return packed(weights, rows, weights.elements() / weights.shape()[0] / rows);
}

std::shared_ptr<const Tensor> packed_window(const Tensor& weights) {
  if (!not_packed(weights).empty()) return nullptr;
  return packed(weights, 1, weights.elements() / weights.shape()[0]);
}

}  // namespace n2d2::targets::cpp
