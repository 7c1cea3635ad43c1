#include "n2d2/graph/verify.hpp"
#include "n2d2/passes/pass.hpp"

namespace n2d2::passes {

void register_all_passes(PassRegistry& registry);

PassRegistry& open_registry() {
  static PassRegistry all = [] {
    PassRegistry filled;
    register_all_passes(filled);
    return filled;
  }();
  return all;
}

const PassRegistry& registry() {
  return open_registry();
}

int run(graph::Graph& graph, std::span<const std::string_view> names, const PassContext& context) {
  for (const std::string_view name : names)
    if (!registry().find(name)) throw ConfigError(registry().unknown("pass", name));
  int total = 0;
  for (const std::string_view name : names) {
    const int rewrites = (*registry().find(name))->run(graph, context);
    graph::verify(graph);
    if (context.after_pass) context.after_pass(name, rewrites, graph);
    total += rewrites;
  }
  return total;
}

}  // namespace n2d2::passes
