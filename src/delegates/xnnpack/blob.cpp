#include "blob.hpp"

#include <algorithm>
#include <cstring>

#include "scratch.hpp"
#include "steps.hpp"

namespace n2d2::delegates {

namespace {

namespace blob_format = N2D2_Export::xnnpack;

template <class T>
std::span<const std::byte> bytes_of(const T* data, size_t count) {
  return std::as_bytes(std::span(data, count));
}

class XnnpackBlob {
 public:
  explicit XnnpackBlob(const graph::Graph& part) : part_(part), order_(part.schedule()) {
    for (const graph::NodeId id : order_) layers_.push_back(xnnpack_layer(part, part.node(id)));
  }

  Blob write() {
    const ScratchPlan scratch = plan_scratch(part_, order_, blob_format::kSpare);
    set_places(scratch);
    set_offsets();
    std::vector<blob_format::Map> maps;
    for (const auto* ends : {&part_.inputs(), &part_.outputs()})
      for (const graph::ValueId id : *ends) maps.push_back(map_of(id, scratch));
    const blob_format::Header header{blob_format::kMagic, bytes_, fitting(part_.inputs().size()),
                                     fitting(part_.outputs().size()), fitting(layers_.size())};
    append(bytes_of(&header, 1));
    append(bytes_of(maps.data(), maps.size()));
    for (const XnnpackLayer& layer : layers_) append(bytes_of(&layer.step, 1));
    for (const XnnpackLayer& layer : layers_) {
      append(bytes_of(layer.scales.data(), layer.scales.size()));
      append(bytes_of(layer.biases.data(), layer.biases.size()));
    }
    for (const XnnpackLayer& layer : layers_) append(bytes_of(layer.weights.data(), layer.weights.size()));
    N2D2_CHECK(blob_.bytes.size() == static_cast<size_t>(bytes_), "{} bytes instead of {}",
               blob_.bytes.size(), bytes_);
    blob_.scratch = scratch.bytes;
    blob_.handle = blob_format::kHandleBytes + static_cast<Bytes>(maps.size()) * blob_format::kMapBytes +
                   static_cast<Bytes>(layers_.size()) * blob_format::kWorkBytes;
    return std::move(blob_);
  }

 private:
  template <class I>
  static int32_t fitting(I value) {
    N2D2_CHECK(std::in_range<int32_t>(value), "{} does not fit into a blob", value);
    return static_cast<int32_t>(value);
  }
  void append(std::span<const std::byte> bytes) {
    blob_.bytes.insert(blob_.bytes.end(), bytes.begin(), bytes.end());
  }

  void set_places(const ScratchPlan& scratch) {
    for (size_t i = 0; i < order_.size(); ++i) {
      const graph::Node& node = part_.node(order_[i]);
      blob_format::Step& step = layers_[i].step;
      step.debug_handle = fitting(i);
      step.in = fitting(scratch.places.at(node.inputs.at(0)));
      step.out = fitting(scratch.places.at(node.outputs.at(0)));
      blob_.layers[step.debug_handle] = {node.name};
    }
  }

  void set_offsets() {
    const size_t maps = part_.inputs().size() + part_.outputs().size();
    size_t at = sizeof(blob_format::Header) + maps * sizeof(blob_format::Map) +
                layers_.size() * sizeof(blob_format::Step);
    const auto place = [&at](size_t bytes) {
      const int32_t out = fitting(at);
      at += bytes;
      return out;
    };
    for (XnnpackLayer& layer : layers_) {
      layer.step.scales = place(layer.scales.size() * sizeof(float));
      layer.step.biases = place(layer.biases.size() * sizeof(int32_t));
    }
    for (XnnpackLayer& layer : layers_) layer.step.weights = place(layer.weights.size());
    bytes_ = fitting(at);
  }

  blob_format::Map map_of(graph::ValueId id, const ScratchPlan& scratch) const {
    const graph::Value& value = part_.value(id);
    const int64_t channels = value.type.shape.c();
    return {fitting(scratch.places.at(id)), fitting(value.type.shape.elements() / channels),
            fitting(channels), xnnpack_offset(value) != 0 ? 1 : 0};
  }

  const graph::Graph& part_;
  std::vector<graph::NodeId> order_;
  std::vector<XnnpackLayer> layers_;
  int32_t bytes_ = 0;
  Blob blob_;
};

}  // namespace

Blob xnnpack_blob(const graph::Graph& part) {
  return XnnpackBlob(part).write();
}

}  // namespace n2d2::delegates
