// Any text given as a graph file ends with a graph and its data sections or a ConfigError, and the graph is
// one of floats or one of integers whose sums are in bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "n2d2/base/log.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/loader/graph_file.hpp"
#include "n2d2/quantize/check_integers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace n2d2;
  if (size > 4096) return 0;
  const log::Capture quiet;
  try {
    const loader::GraphFile file =
        loader::parse_graph_file({reinterpret_cast<const char*>(data), size}, "fuzz.graph");
    graph::verify(file.graph);
    if (file.seed == 0) std::abort();
    (void)quantize::rescaling_of(file.graph);
    (void)config::print(file.ini);
  } catch (const ConfigError&) {
  }
  return 0;
}
