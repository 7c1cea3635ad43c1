#include "placement.hpp"

namespace n2d2::memory {

std::vector<Bytes> first_fit(std::span<const Block> blocks, std::span<const int> order, Bytes alignment) {
  std::vector<Bytes> offsets(blocks.size(), 0);
  std::vector<int> by_offset;  // placed so far, lowest first
  for (const int id : order) {
    const Block& block = blocks[static_cast<size_t>(id)];
    Bytes offset = 0;
    for (const int other : by_offset) {
      const auto o = static_cast<size_t>(other);
      if (!block.life.overlaps(blocks[o].life)) continue;
      if (offset + block.size <= offsets[o]) break;
      offset = std::max(offset, round_up(offsets[o] + blocks[o].size, alignment));
    }
    offsets[static_cast<size_t>(id)] = offset;
    const auto place =
        std::upper_bound(by_offset.begin(), by_offset.end(), offset,
                         [&](Bytes value, int other) { return value < offsets[static_cast<size_t>(other)]; });
    by_offset.insert(place, id);
  }
  return offsets;
}

Bytes peak_of(std::span<const Block> blocks, std::span<const Bytes> offsets) {
  Bytes peak = 0;
  for (size_t i = 0; i < blocks.size(); ++i) peak = std::max(peak, offsets[i] + blocks[i].size);
  return peak;
}

}  // namespace n2d2::memory
