#include "n2d2/export/export_lib.hpp"

namespace n2d2::exporter {

Plane Plane::packed(const Shape& shape) {
  Plane p;
  p.width = static_cast<int>(shape.w());
  p.height = static_cast<int>(shape.h());
  p.channels = static_cast<int>(shape.c());
  p.pixel = shape.c();
  p.row = shape.w() * shape.c();
  p.split = p.height == 1 ? p.width : p.height;
  return p;
}

void ExportLib::add(std::string_view op, ImplSpec spec) {
  specs_[std::string(op)].push_back(std::move(spec));
}

const ImplSpec* ExportLib::choose(const graph::Graph& graph, const graph::Node& node,
                                  std::string& reasons) const {
  reasons.clear();
  const auto found = specs_.find(node.op->type());
  if (found == specs_.end()) {
    reasons = fmt::format("{} has no kernel", node.op->type());
    return nullptr;
  }
  const ImplSpec* best = nullptr;
  for (const ImplSpec& spec : found->second) {
    const std::string reason = spec.accepts(graph, node);
    if (!reason.empty())
      reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", spec.kernel, reason);
    else if (best == nullptr || spec.priority > best->priority)
      best = &spec;
  }
  return best;
}

std::vector<std::string> ExportLib::operators() const {
  std::vector<std::string> out;
  for (const auto& [op, specs] : specs_) out.push_back(op);
  return out;
}

namespace cpp {
void register_all_cpp(ExportLib& registry);
}

const ExportLib& cpp_library() {
  static const ExportLib library = [] {
    ExportLib lib;
    cpp::register_all_cpp(lib);
    return lib;
  }();
  return library;
}

}  // namespace n2d2::exporter
