#include "n2d2/program/kernel.hpp"

#include <algorithm>
#include <set>

#include "own_kernel.hpp"

namespace n2d2::program {

namespace {

class SourceKernel final : public OwnKernel {
 public:
  std::string_view name() const override { return "source"; }
  HostCall host(const Program&, const Call&) const override {
    return [](const HostArgs&) {
      throw InternalError("the caller makes the rows of the source", __FILE__, __LINE__);
    };
  }
};

}  // namespace

const Kernel& source_kernel() {
  static const SourceKernel kernel;
  return kernel;
}

bool Call::is_source() const {
  return kernel == &source_kernel();
}

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

bool is_turned(std::span<const Shape> maps) {
  const bool one_row =
      std::all_of(maps.begin(), maps.end(), [](const Shape& shape) { return shape.h() == 1; });
  return one_row && std::any_of(maps.begin(), maps.end(), [](const Shape& shape) { return shape.w() > 1; });
}

bool is_turned(const graph::Graph& graph, const graph::Node& node) {
  std::vector<Shape> maps;
  for (const graph::ValueId input : node.inputs)
    if (!graph.value(input).is_constant()) maps.push_back(graph.value(input).type.shape);
  for (const graph::ValueId output : node.outputs) maps.push_back(graph.value(output).type.shape);
  return is_turned(maps);
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

namespace {

/// A kernel without forms is its only one, and reads what it packed.
std::vector<Form> forms_of(const Kernel& kernel) {
  std::vector<Form> out = kernel.forms();
  if (out.empty()) out.push_back({kernel.name(), "", true});
  return out;
}

}  // namespace

std::vector<Choice> KernelLibrary::choices(const graph::Graph& graph, const graph::Node& node) const {
  std::vector<const Kernel*> of_operator;
  for (const auto& kernel : kernels_) {
    const auto types = kernel->operators();
    if (std::find(types.begin(), types.end(), node.op->type()) != types.end())
      of_operator.push_back(kernel.get());
  }
  std::stable_sort(of_operator.begin(), of_operator.end(),
                   [](const Kernel* a, const Kernel* b) { return a->priority() > b->priority(); });
  std::vector<Choice> out;
  for (const Kernel* kernel : of_operator) {
    const std::string refused = kernel->refuses(graph, node);
    for (const Form& form : forms_of(*kernel))
      out.push_back({kernel, form, refused.empty() ? kernel->form_refuses(graph, node, form.name) : refused});
  }
  if (other_ == nullptr) return out;
  const std::vector<Choice> others = other_->choices(graph, node);
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

std::vector<std::string> KernelLibrary::operators() const {
  std::set<std::string> out;
  for (const auto& kernel : kernels_)
    for (const std::string_view type : kernel->operators()) out.emplace(type);
  if (other_ != nullptr)
    for (std::string& type : other_->operators()) out.emplace(std::move(type));
  return {out.begin(), out.end()};
}

std::vector<const Kernel*> KernelLibrary::kernels() const {
  std::vector<const Kernel*> out;
  for (const auto& kernel : kernels_) out.push_back(kernel.get());
  if (other_ == nullptr) return out;
  const std::vector<const Kernel*> others = other_->kernels();
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

const Kernel* KernelLibrary::find(std::string_view name) const {
  for (const auto& kernel : kernels_)
    if (kernel->name() == name) return kernel.get();
  return other_ == nullptr ? nullptr : other_->find(name);
}

}  // namespace n2d2::program
