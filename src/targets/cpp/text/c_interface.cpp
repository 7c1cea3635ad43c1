#include "c_interface.hpp"

#include <algorithm>

#include "n2d2/export/identifiers.hpp"

#include "arena_text.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;

namespace {

TemplateData::List targets_of(const ProjectText& text, int64_t& total) {
  TemplateData::List out;
  for (const Output& target : text.program().outputs) {
    const TensorType& type = text.program().graph.value(target.value).type;
    const Shape& shape = type.shape;
    out.push_back(TemplateData()
                      .set("index", static_cast<int64_t>(out.size()))
                      .set("scores", shape.c() * shape.h() * shape.w())
                      .set("channels", shape.c())
                      .set("classes", int64_t{target.classes})
                      .set("bits", int64_t{type.quant ? type.quant->bits : text.network().options.bits})
                      .set("output_scale", float_text(step_of(type))));
    total += shape.h() * shape.w();
  }
  return out;
}

/// Where the caller may write the elements of the input one behind the other, of the network that `owner`
/// makes.
std::string input_of(const ProjectText& text, const std::string& owner) {
  const program::Program& program = text.program();
  if (!program.input_in_arena() || program.streams_input() || packed_output(text, program.input()) == "0")
    return "0";
  return text.network().options.parameters.namespace_name + "::" + owner + ".input()";
}

std::string bytes_text(const std::vector<uint8_t>& bytes) {
  Tensor values(Shape{static_cast<int64_t>(bytes.size())}, DataType::U8);
  std::copy(bytes.begin(), bytes.end(), values.data<uint8_t>());
  return elements_of(values);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> c_interface(const ProjectText& text,
                                                             const PixelTable& pixels) {
  const TensorType& input = text.network().input_type();
  const bool has_pixels = pixels.reason.empty();
  int64_t total = 0;
  TemplateData::List targets = targets_of(text, total);
  TemplateData data;
  data.set("upper", upper(text.network().options.parameters.namespace_name))
      .set("width", input.shape.w())
      .set("height", input.shape.h())
      .set("channels", input.shape.c())
      .set("elements", input.shape.elements())
      .set("scale", float_text(step_of(input)))
      .set("zero_point", zero_point_text(input))
      .set("input_type", element_type(input.dtype))
      .set("targets_count", static_cast<int64_t>(targets.size()))
      .set("outputs_total", total)
      .set_list("targets", targets)
      .set("rows", int64_t{text.program().map_of(text.program().input()).h})
      .set_switch("streams", text.program().streams_input())
      .set_switch("has_pixels", has_pixels)
      .set_switch("has_features", !pixels.mean.empty())
      .set_switch("has_self_test", text.network().options.bits > 0)
      .set("picture_channels", static_cast<int64_t>(pixels.channels.size()))
      .set("picture_names", exporter::string_literal(join(pixels.channels, "")))
      .set("input", input_of(text, "Instance(arenas)"))
      .set("static_input", input_of(text, "Network()"))
      .set("values", bytes_text(pixels.picture));
  set_arenas(text, data);
  if (!targets.empty()) data.set("scores", std::get<std::string>(targets.front().entries.at("scores")));
  std::vector<std::pair<std::string, std::string>> out{
      {"include/network.h", text.fill("network_c_header", data)},
      {"src/network_c.cpp", text.fill("network_c", data)},
      {"dnn/src/common_c.cpp", text.fill("common_c", data)},
      {"include/Instance.hpp", text.fill("instance_header", data)},
      {"dnn/src/instance_c.cpp", text.fill("instance_c", data)}};
  if (pixels.picture.empty() || targets.empty()) return out;
  out.emplace_back("include/example_picture.h", text.fill("example_picture", data));
  out.emplace_back("example.c", text.fill("example_c", data));
  out.emplace_back("example.cpp", text.fill("example_cpp", data));
  return out;
}

}  // namespace n2d2::targets::cpp
