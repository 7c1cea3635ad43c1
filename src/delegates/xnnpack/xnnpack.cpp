#include "n2d2/delegates/partition.hpp"

#include "blob.hpp"
#include "steps.hpp"

extern "C" {
int N2D2_Export_xnnpack_init(void* handle, const void* blob, size_t size);
int N2D2_Export_xnnpack_execute(void* handle, const N2D2_Export_Arguments* arguments);
void N2D2_Export_xnnpack_destroy(void* handle);
}

namespace n2d2::delegates {

namespace {

/// Layers that the library XNNPACK computes with our bytes. It packs weights anew on the heap, so that the
/// blob is not read after init.
class Xnnpack final : public DelegateBase<Xnnpack> {
 public:
  static constexpr const char* kId = "xnnpack";
  std::vector<std::string> layers;

  template <class V>
  static void fields(V&& v) {
    v("Layers", &Xnnpack::layers, help("names of the layers it takes; empty: all it can"));
  }

  std::vector<NodeSet> partition(const graph::Graph& graph, const program::KernelLibrary&,
                                 std::span<const NodeSet> taken) const override {
    return regions_of_layers(graph, taken, kId, layers,
                             [&](const graph::Node& node) { return xnnpack_refuses(graph, node); });
  }

  Blob preprocess(const graph::Graph& part, const program::KernelLibrary&) const override {
    Blob out = xnnpack_blob(part);
    out.lasts = false;
    out.link_options = {"-lXNNPACK", "-lm"};
    return out;
  }

  Functions functions() const override {
    return {N2D2_Export_xnnpack_init, N2D2_Export_xnnpack_execute, N2D2_Export_xnnpack_destroy};
  }
};

}  // namespace

void register_xnnpack(DelegateRegistry& registry);
void register_xnnpack(DelegateRegistry& registry) {
  register_delegate<Xnnpack>(registry);
}

}  // namespace n2d2::delegates
