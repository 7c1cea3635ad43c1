// Any text given as a graph ends with a graph or a ModelError, and what was read prints and reads again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "n2d2/graph/text.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/ops/all.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace n2d2;
  if (size > 4096) return 0;
  try {
    const graph::Graph graph =
        graph::from_text({reinterpret_cast<const char*>(data), size}, ops::registry(), "fuzz");
    graph::verify(graph);
    const std::string text = graph::to_text(graph, graph::Values::All);
    if (graph::to_text(graph::from_text(text, ops::registry()), graph::Values::All) != text) std::abort();
  } catch (const ModelError&) {
  }
  return 0;
}
