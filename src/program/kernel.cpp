#include "n2d2/program/kernel.hpp"

#include <algorithm>
#include <set>

namespace n2d2::program {

Plane plane_of(const View& view) {
  const Bytes element = view.element();
  return {view.w,
          view.h,
          view.c,
          view.pixel / element,
          view.row / element,
          view.ring,
          view.first,
          view.turn / element};
}

void KernelLibrary::add(std::unique_ptr<const Kernel> kernel) {
  N2D2_CHECK(find(kernel->name()) == nullptr, "two kernels '{}'", kernel->name());
  kernels_.push_back(std::move(kernel));
}

const Kernel* KernelLibrary::choose(const graph::Graph& graph, const graph::Node& node,
                                    std::string& reasons) const {
  reasons.clear();
  const Kernel* best = nullptr;
  for (const auto& kernel : kernels_) {
    const auto types = kernel->operators();
    if (std::find(types.begin(), types.end(), node.op->type()) == types.end()) continue;
    const std::string reason = kernel->refuses(graph, node);
    if (!reason.empty())
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", kernel->name(), reason);
    else if (best == nullptr || kernel->priority() > best->priority())
      best = kernel.get();
  }
  if (best == nullptr && other_ != nullptr) {
    std::string others;
    best = other_->choose(graph, node, others);
    if (best == nullptr && reasons.empty()) reasons = others;
  }
  if (best == nullptr && reasons.empty()) reasons = fmt::format("{} has no kernel", node.op->type());
  return best;
}

std::vector<std::string> KernelLibrary::operators() const {
  std::set<std::string> out;
  for (const auto& kernel : kernels_)
    for (const std::string_view type : kernel->operators()) out.emplace(type);
  return {out.begin(), out.end()};
}

std::vector<const Kernel*> KernelLibrary::kernels() const {
  std::vector<const Kernel*> out;
  for (const auto& kernel : kernels_) out.push_back(kernel.get());
  return out;
}

const Kernel* KernelLibrary::find(std::string_view name) const {
  for (const auto& kernel : kernels_)
    if (kernel->name() == name) return kernel.get();
  return nullptr;
}

}  // namespace n2d2::program
