#include "pack_weights.hpp"

#include <array>

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

using program::Storage;

/// The bits below a field, which all weights have in common.
int lower_bits(Storage storage) {
  return storage.is_odd ? 0x80 >> storage.bits : 0;
}

bool holds(Storage storage, int8_t weight) {
  return ((weight ^ lower_bits(storage)) & (0xff >> storage.bits)) == 0;
}

unsigned field_of(int8_t weight, Storage storage) {
  N2D2_CHECK(holds(storage, weight), "weight {} has no field of {} bits", weight, storage.bits);
  const unsigned from_lowest = static_cast<unsigned>(weight) ^ (storage.is_odd ? 0x80U : 0U);
  return (from_lowest & 0xffU) >> (8 - storage.bits);
}

/// Calls at(field) for the fields of byte `byte`, lowest bits first: the weight, or null.
template <class At>
uint8_t byte_of(Storage storage, const At& at) {
  unsigned out = 0;
  for (int field = 0; field < 8 / storage.bits; ++field)
    if (const int8_t* weight = at(field); weight != nullptr)
      out |= field_of(*weight, storage) << (field * storage.bits);
  return static_cast<uint8_t>(out);
}

}  // namespace

Storage fewest_bits(const Tensor& weights, bool may_be_odd) {
  constexpr std::array kNarrow{Storage{1, true}, Storage{2, false}, Storage{2, true}, Storage{4, false},
                               Storage{4, true}};
  if (weights.dtype() != DataType::I8) return {};
  const auto values = weights.span<int8_t>();
  for (const Storage storage : kNarrow)
    if ((may_be_odd || !storage.is_odd) &&
        std::all_of(values.begin(), values.end(), [&](int8_t w) { return holds(storage, w); }))
      return storage;
  return {};
}

Tensor narrow_rows(const Tensor& weights, Storage storage) {
  const int64_t rows = weights.shape()[0], row = weights.elements() / rows, fields = 8 / storage.bits;
  const int64_t bytes = (row + fields - 1) / fields;
  Tensor out(Shape{rows * bytes}, DataType::U8);
  uint8_t* to = out.data<uint8_t>();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t b = 0; b < bytes; ++b)
      *to++ = byte_of(storage, [&](int field) {
        const int64_t at = b * fields + field;
        return at < row ? weights.data<int8_t>() + r * row + at : nullptr;
      });
  return out;
}

Tensor narrow_groups(const Tensor& packed, Storage storage) {
  const int64_t bytes = packing::kPackedGroup * storage.bits / 8;
  Tensor out(Shape{packed.elements() * storage.bits / 8}, DataType::U8);
  uint8_t* to = out.data<uint8_t>();
  // Zeros that fill a block of outputs up are multiplied to sums that nobody reads.
  const auto stored = [&](const int8_t* weight) { return holds(storage, *weight) ? weight : nullptr; };
  for (int64_t g = 0; g < packed.elements() / packing::kPackedGroup; ++g)
    for (int64_t b = 0; b < bytes; ++b)
      *to++ = byte_of(storage, [&](int field) {
        return stored(packed.data<int8_t>() + g * packing::kPackedGroup + b + field * bytes);
      });
  return out;
}

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
