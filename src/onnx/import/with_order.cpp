// Which order has a Transpose that an operator of another domain became? It depends on the rank.
#include <algorithm>
#include <numeric>

#include "importer.hpp"
#include "read/expansion.hpp"

namespace n2d2::onnx {

const FileNode* Importer::with_order(const FileNode& node) {
  const auto moves = node.attributes.find(kMovesFirst), swaps = node.attributes.find(kSwapsLast);
  if (node.type != "Transpose" || moves == node.attributes.end() || swaps == node.attributes.end())
    return nullptr;
  const auto data = operands_.find(node.inputs.at(0));
  if (data == operands_.end()) return nullptr;
  std::vector<int64_t> order(data->second.dims.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  if (moves->second.integer != 0 && order.size() > 2)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (swaps->second.integer != 0 && order.size() > 1) std::swap(order.back(), order[order.size() - 2]);
  FileNode& out = ordered_.emplace_back(node);
  out.attributes.clear();
  Attribute& perm = out.attributes["perm"];
  perm.kind = Attribute::Kind::Ints, perm.integers = std::move(order);
  return &out;
}

}  // namespace n2d2::onnx
