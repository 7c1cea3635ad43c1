#include "self_test_text.hpp"

#include <algorithm>
#include <cstring>

namespace n2d2::targets::cpp {

using exporter::TemplateData;

namespace {

constexpr uint32_t kStart = 0xffffffffU, kPolynomial = 0xedb88320U;

uint32_t crc_of(uint32_t crc, std::span<const uint8_t> bytes) {
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? kPolynomial : 0);
  }
  return crc;
}

/// Computes the CRC-32 of the elements of a tensor: row by row, the channels of a pixel beside each other,
/// the bytes of an element from the lowest on.
uint32_t crc_of(const Tensor& tensor) {
  const Tensor pixels = to_layout(tensor, Layout::Nhwc);
  const auto* bytes = static_cast<const uint8_t*>(pixels.raw());
  return ~crc_of(kStart, {bytes, static_cast<size_t>(pixels.bytes())});
}

/// The class of each pixel of a map of integers, as argmax.hpp says.
template <class T>
void add_classes(const Tensor& map, int64_t threshold, std::vector<int32_t>& classes) {
  const Tensor pixels = to_layout(map, Layout::Nhwc);
  const int64_t channels = map.shape().c();
  const std::span<const T> values = pixels.span<T>();
  for (auto pixel = values.begin(); pixel != values.end(); pixel += channels)
    classes.push_back(channels == 1
                          ? int32_t{*pixel > threshold}
                          : static_cast<int32_t>(std::max_element(pixel, pixel + channels) - pixel));
}

void add_classes(const Tensor& map, int64_t threshold, std::vector<int32_t>& classes) {
  switch (map.dtype()) {
    case DataType::I8:
      return add_classes<int8_t>(map, threshold, classes);
    case DataType::U8:
      return add_classes<uint8_t>(map, threshold, classes);
    case DataType::I16:
      return add_classes<int16_t>(map, threshold, classes);
    case DataType::U16:
      return add_classes<uint16_t>(map, threshold, classes);
    default:
      return add_classes<int32_t>(map, threshold, classes);
  }
}

}  // namespace

std::string self_test_source(const ProjectText& text, const exporter::Judge& judge, const Tensor& sample) {
  const PlannedNetwork& network = text.network();
  if (network.options.bits <= 0) return "";
  std::vector<std::string> expected;
  std::vector<int32_t> classes;
  const std::vector<LayerOutput> layers = judged_layers(network, judge, sample);
  for (const LayerOutput& layer : layers)
    expected.push_back(fmt::format("  {:#010x}u,\n", crc_of(layer.tensor)));
  for (const Output& output : text.program().outputs) {
    const std::string name = name_in_network(text.program(), output.value);
    const auto layer =
        std::find_if(layers.begin(), layers.end(), [&](const LayerOutput& l) { return l.value == name; });
    N2D2_CHECK(layer != layers.end(), "no layer has the output '{}'", name);
    const TensorType& type = text.program().graph.value(output.value).type;
    add_classes(layer->tensor, single_class_threshold(type), classes);
  }
  Tensor found(Shape{1, static_cast<int64_t>(classes.size()), 1, 1}, DataType::I32);
  std::copy(classes.begin(), classes.end(), found.data<int32_t>());
  expected.push_back(fmt::format("  {:#010x}u,\n", crc_of(found)));
  return text.fill(
      "self_test",
      TemplateData()
          .set("input", elements_of(to_layout(input_values(network, sample), Layout::Nhwc)))
          .set("expected", join(expected, ""))
          .set("running", static_cast<int64_t>(text.program().regions.empty() ? 1 : layers.size()))
          .set("outputs", static_cast<int64_t>(layers.size())));
}

}  // namespace n2d2::targets::cpp
