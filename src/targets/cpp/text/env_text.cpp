#include "env_text.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/base/log.hpp"
#include "n2d2/export/identifiers.hpp"
#include "n2d2/quantize/quantize_graph.hpp"

namespace n2d2::targets::cpp {

using exporter::TemplateData;

namespace {

/// Rows of the table as reals: (byte - mean) / deviation where that is what they are.
struct Affine {
  std::vector<std::string> mean, deviation;
};

/// Floats are rounded at each step of a chain: relative to the largest value of a channel.
constexpr double kRounding = 1e-5;

bool add_channel(std::span<const float> row, Affine& out) {
  const double slope =
      (static_cast<double>(row.back()) - static_cast<double>(row.front())) / (PixelTable::kValues - 1);
  if (slope == 0) return false;
  const double largest = std::max(std::abs(row.front()), std::abs(row.back()));
  for (size_t v = 0; v < row.size(); ++v)
    if (std::abs(static_cast<double>(row[v]) -
                 (static_cast<double>(row.front()) + slope * static_cast<double>(v))) > kRounding * largest)
      return false;
  out.mean.push_back(float_text(0 - static_cast<double>(row.front()) / slope));
  out.deviation.push_back(float_text(1 / slope));
  return true;
}

std::span<const float> row_of(const PixelTable& pixels, int64_t channel) {
  return pixels.values.span<float>().subspan(static_cast<size_t>(channel * PixelTable::kValues),
                                             PixelTable::kValues);
}

/// Each number as the shortest text that is read as the same double.
std::string doubles_text(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{}", value));
  return join(texts, ", ");
}

std::string pixels_text(const PixelTable& pixels) {
  if (!pixels.mean.empty())
    return "// quantize_input() takes floats: the real number of each channel of the input is (value - mean) "
           "/ "
           "deviation.\n"
           "constexpr int ENV_PICTURE_CHANNELS = 0;\nstatic const char ENV_CHANNELS[] = \"\";\n";
  if (!pixels.reason.empty())
    return fmt::format(
        "// There is no quantize_input(): {}.\nconstexpr int ENV_PICTURE_CHANNELS = 0;\n"
        "static const char ENV_CHANNELS[] = \"\";\n",
        exporter::quoted_name(pixels.reason));
  std::string out = fmt::format(
      "// What quantize_input() takes: bytes of so many channels a pixel, and what they are (Y: grey).\n"
      "constexpr int ENV_PICTURE_CHANNELS = {};\nstatic const char ENV_CHANNELS[] = {};\n",
      pixels.channels.size(), exporter::string_literal(join(pixels.channels, "")));
  Affine affine;
  for (int64_t c = 0; c < pixels.values.shape().c(); ++c)
    if (!add_channel(row_of(pixels, c), affine)) return out;
  out += fmt::format(
      "// The real number of each channel of the input is (byte - ENV_MEAN) / ENV_STD, but for float's "
      "rounding.\n"
      "static const float ENV_MEAN[ENV_NB_OUTPUTS] = {{ {} }};\nstatic const float ENV_STD[ENV_NB_OUTPUTS] = "
      "{{ {} }};\n",
      join(affine.mean, ", "), join(affine.deviation, ", "));
  return out;
}

/// Where the inputs of the network's file are; "" when it has one.
std::string inputs_text(const std::vector<JoinedInput>& inputs) {
  if (inputs.empty()) return "";
  std::vector<std::string> names, firsts, sizes;
  for (const JoinedInput& input : inputs) {
    names.push_back(exporter::string_literal(input.name));
    firsts.push_back(std::to_string(input.first));
    sizes.push_back(std::to_string(input.size));
  }
  return fmt::format(
      "// The input has the elements of all inputs of the network's file, each in the order of the file: "
      "names, "
      "first element\n// and number of elements of each.\n"
      "constexpr int ENV_INPUTS = {};\n"
      "static const char* const ENV_INPUT_NAME[ENV_INPUTS] = {{ {} }};\n"
      "static const int ENV_INPUT_FIRST[ENV_INPUTS] = {{ {} }};\n"
      "static const int ENV_INPUT_SIZE[ENV_INPUTS] = {{ {} }};\n",
      inputs.size(), join(names, ", "), join(firsts, ", "), join(sizes, ", "));
}

std::string quantize_features_source(const ProjectText& text, const PixelTable& pixels) {
  const TensorType& input = text.network().input_type();
  TemplateData data;
  data.set("mean", doubles_text(pixels.mean)).set("deviation", doubles_text(pixels.deviation));
  data.set("is_integer", int64_t{input.quant ? 1 : 0});
  const QuantParams quant = input.quant.value_or(QuantParams{8, true, -1, {1}});
  data.set("full_scale", quant.full_scale()).set("threshold", fmt::format("{:.17g}", quant.threshold_of()));
  data.set("zero_point", fmt::format("{:.17g}", quant.zero_point));
  data.set("lowest", quant.lowest()).set("highest", quant.highest());
  return text.fill("quantize_features", data);
}

}  // namespace

std::string env_header(const ProjectText& text, const PixelTable& pixels) {
  const program::Program& program = text.program();
  const TensorType& input = text.network().input_type();
  const Shape& in = input.shape;
  TemplateData data;
  data.set("width", in.w())
      .set("height", in.h())
      .set("channels", in.c())
      .set("stream_input", int64_t{program.streams_input() ? 1 : 0})
      .set("rows", int64_t{program.map_of(program.input()).h})
      .set("unsigned_data", int64_t{is_unsigned(input.dtype) ? 1 : 0})
      .set("scale", float_text(step_of(input)))
      .set("zero_point", zero_point_text(input))
      .set("zero_point_type", zero_point_text(input).ends_with('f') ? "float" : "int")
      .set("pixels", pixels_text(pixels))
      .set("inputs", inputs_text(pixels.inputs))
      .set("features", int64_t{pixels.mean.empty() ? 0 : 1})
      .set("self_test", int64_t{text.network().options.bits > 0 ? 1 : 0});
  std::vector<std::string> heights, widths, outputs, classes, sizes, cells, scales, bits, are_data;
  TemplateData::List targets;
  int64_t total = 0;
  for (const Output& target : program.outputs) {
    const TensorType& type = program.graph.value(target.value).type;
    const Shape& shape = type.shape;
    heights.push_back(std::to_string(shape.h()));
    widths.push_back(std::to_string(shape.w()));
    outputs.push_back(std::to_string(shape.c()));
    classes.push_back(std::to_string(target.classes));
    sizes.push_back(std::to_string(shape.h() * shape.w()));
    cells.push_back("\"" + text.identifier_of(target.value) + "\"");
    scales.push_back(float_text(step_of(type)));
    bits.push_back(std::to_string(type.quant ? type.quant->bits : text.network().options.bits));
    are_data.emplace_back(target.is_data ? "1" : "0");
    total += shape.h() * shape.w();
    targets.push_back(TemplateData().set("index", static_cast<int64_t>(targets.size())));
  }
  data.set("heights", join(heights, ", "))
      .set("widths", join(widths, ", "))
      .set("outputs", join(outputs, ", "))
      .set("scales", join(scales, ", "))
      .set("bits", join(bits, ", "))
      .set("are_data", join(are_data, ", "));
  data.set("classes", join(classes, ", ")).set("sizes", join(sizes, ", ")).set("cells", join(cells, ", "));
  data.set("targets_count", static_cast<int64_t>(targets.size())).set("outputs_total", total);
  return text.fill("env", data.set_list("targets", std::move(targets)));
}

std::string quantize_input_source(const ProjectText& text, const PixelTable& pixels) {
  if (!pixels.mean.empty()) return quantize_features_source(text, pixels);
  if (!pixels.reason.empty()) return "";
  const TensorType& input = text.network().input_type();
  const Tensor table = input.quant ? quantize::quantize_input(pixels.values, *input.quant) : pixels.values;
  const int64_t channels = table.shape().c();
  TemplateData::List rows;
  std::vector<std::string> sources;
  for (int64_t c = 0; c < channels; ++c) {
    Tensor row(Shape{PixelTable::kValues}, table.dtype());
    std::copy_n(static_cast<const std::byte*>(table.raw()) + c * row.bytes(), row.bytes(),
                static_cast<std::byte*>(row.raw()));
    rows.push_back(TemplateData().set("values", elements_of(row)));
    sources.push_back(std::to_string(pixels.source.at(static_cast<size_t>(c))));
  }
  return text.fill("quantize_input",
                   TemplateData().set("sources", join(sources, ", ")).set_list("channels", std::move(rows)));
}

std::string stream_header(const ProjectText& text, const PixelTable& pixels) {
  const auto is_state = [](const JoinedInput& input) { return input.target >= 0; };
  if (std::none_of(pixels.inputs.begin(), pixels.inputs.end(), is_state)) return "";
  if (pixels.mean.empty()) {
    log::notice(
        "include/Stream.hpp is not written: quantize_input() takes reals only where samples were given");
    return "";
  }
  TemplateData::List frames, states;
  int64_t frame = 0, largest = 0;
  for (const JoinedInput& input : pixels.inputs) {
    if (!is_state(input)) {
      frames.push_back(TemplateData().set("from", frame).set("first", input.first).set("size", input.size));
      frame += input.size;
      continue;
    }
    const Output& output = text.program().outputs.at(static_cast<size_t>(input.target));
    const Shape& shape = text.program().graph.value(output.value).type.shape;
    states.push_back(TemplateData()
                         .set("target", int64_t{input.target})
                         .set("first", input.first)
                         .set("channels", shape.c())
                         .set("pixels", shape.h() * shape.w()));
    largest = std::max(largest, input.size);
  }
  return text.fill("stream", TemplateData()
                                 .set("frame_size", frame)
                                 .set("largest_state", largest)
                                 .set_list("frames", std::move(frames))
                                 .set_list("states", std::move(states)));
}

std::string labels_source(const ProjectText& text, const std::vector<std::vector<std::string>>& labels) {
  TemplateData::List targets;
  std::vector<std::string> arrays;
  for (size_t t = 0; t < text.program().outputs.size(); ++t) {
    arrays.emplace_back("0");
    if (t >= labels.size() || labels[t].empty()) continue;
    N2D2_CHECK(static_cast<int>(labels[t].size()) == text.program().outputs[t].classes,
               "{} labels of {} classes", labels[t].size(), text.program().outputs[t].classes);
    TemplateData::List names;
    for (const std::string& name : labels[t])
      names.push_back(TemplateData().set("label", exporter::string_literal(name)));
    targets.push_back(
        TemplateData().set("index", static_cast<int64_t>(t)).set_list("labels", std::move(names)));
    arrays.back() = fmt::format("kLabels{}", t);
  }
  return text.fill("labels",
                   TemplateData().set("arrays", join(arrays, ", ")).set_list("targets", std::move(targets)));
}

}  // namespace n2d2::targets::cpp
