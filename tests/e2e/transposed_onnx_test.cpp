// Answers: does a network whose maps were exchanged by Transpose=1 export to the same integers?
#include <fstream>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/onnx/importer.hpp"

#include "e2e/exported.hpp"
#include "e2e/graph_export.hpp"
#include "e2e/networks.hpp"
#include "onnx/onnx_text.hpp"

namespace n2d2::e2e {
namespace {

/// A network on 1x16x16 whose windows are no squares: two Convs, one of them depthwise, their Concat, both
/// kinds of Pool, a sum, Flatten and two Gemm. `lies`: the file's height is the network's width, so that
/// Transpose=1 makes the upright network of it; written with weights in their own order, not by the code
/// under test. All numbers are multiples of 1/64, so that sums are exact in whatever order.
class File {
 public:
  explicit File(bool lies) : lies_(lies) {}

  std::string text() {
    std::string out = onnx::input("x", {0, 1, 16, 16}) + onnx::output("y");
    out += conv("a", "x", {4, 1, 3, 5}, pair("strides", 1, 2) + pads(1, 2, 1, 1));
    out += onnx::node("Relu", {"a"}, "ar");
    out += conv("b", "ar", {4, 1, 1, 3}, pads(0, 1, 0, 1) + onnx::attribute("group", 4));
    out += onnx::node("Relu", {"b"}, "br") + onnx::node("Add", {"ar", "br"}, "s");
    out += onnx::node("Concat", {"s", "br"}, "j", onnx::attribute("axis", 1));
    out += onnx::node("MaxPool", {"j"}, "p", pair("kernel_shape", 2, 1) + pair("strides", 2, 1));
    out += conv("c", "p", {6, 8, 3, 2}, pair("dilations", 1, 2) + pair("strides", 2, 1));
    out += onnx::node("Relu", {"c"}, "cr");
    out += onnx::node("AveragePool", {"cr"}, "q", pair("kernel_shape", 1, 2) + pair("strides", 1, 3));
    out += onnx::node("Flatten", {"q"}, "f");
    out += fc("g", "f", 8, 6, 3, 2) + onnx::node("Relu", {"g"}, "gr") + fc("y", "gr", 10, 8, 1, 1);
    return out;
  }

 private:
  std::string pair(const std::string& name, int64_t y, int64_t x) const {
    return onnx::attribute(name, lies_ ? std::vector<int64_t>{x, y} : std::vector<int64_t>{y, x});
  }
  std::string pads(int64_t top, int64_t left, int64_t bottom, int64_t right) const {
    return onnx::attribute("pads", lies_ ? std::vector<int64_t>{left, top, right, bottom}
                                         : std::vector<int64_t>{top, left, bottom, right});
  }
  /// A number of its own for each place.
  static float weight(const std::string& name, int o, int i, int y, int x) {
    Rng rng(static_cast<uint64_t>(((o * 100 + i) * 100 + y) * 100 + x), name);
    return (static_cast<float>(rng.below(33)) - 16) / 64;
  }
  /// The weights of rows o and columns i, y, x in the order of the file.
  std::vector<float> weights(const std::string& name, int outputs, int inputs, int height, int width) const {
    std::vector<float> out;
    for (int o = 0; o < outputs; ++o)
      for (int i = 0; i < inputs; ++i)
        for (int first = 0; first < (lies_ ? width : height); ++first)
          for (int second = 0; second < (lies_ ? height : width); ++second)
            out.push_back(weight(name, o, i, lies_ ? second : first, lies_ ? first : second));
    return out;
  }
  std::string conv(const std::string& name, const std::string& in, const std::vector<int>& dims,
                   const std::string& attributes) const {
    std::vector<int> own = dims;
    if (lies_) std::swap(own[2], own[3]);
    return onnx::reals(name + "w", own, weights(name, dims[0], dims[1], dims[2], dims[3])) +
           onnx::reals(name + "b", {dims[0]}, weights(name + "b", dims[0], 1, 1, 1)) +
           onnx::node("Conv", {in, name + "w", name + "b"}, name, attributes);
  }
  std::string fc(const std::string& name, const std::string& in, int outputs, int c, int h, int w) const {
    return onnx::reals(name + "w", {outputs, c * h * w}, weights(name, outputs, c, h, w)) +
           onnx::node("Gemm", {in, name + "w"}, name, onnx::attribute("transB", 1));
  }

  bool lies_;
};

std::string ini_of(const TemporaryFolder& folder, bool lies) {
  const std::string path = (folder.path() / "net.onnx").string();
  std::ofstream(path, std::ios::binary) << onnx::proto_of(File(lies).text()).SerializeAsString();
  return std::string(kHead) +
         "[sp]\nSizeX=16\nSizeY=16\nBatchSize=8\n[net]\nInput=sp\nType=ONNX\nTranspose=" +
         (lies ? "1" : "0") + "\nFile=" + path + "\n[y.Target]\n";
}

TEST(TransposedOnnx, ALyingFileExportsToTheBytesOfTheUprightOne) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  for (const bool per_output : {true, false}) {
    Settings settings;
    settings.per_output = per_output;
    const Exported upright = run_pipeline(ini_of(folder, false), settings);
    const Exported lying = run_pipeline(ini_of(folder, true), settings);
    EXPECT_EQ(graph::to_text(lying.quantized, graph::Values::All),
              graph::to_text(upright.quantized, graph::Values::All));
    for (const exporter::Stimulus& stimulus : upright.stimuli) {
      const auto expected = outputs_by_cell(*upright.project, stimulus.input);
      EXPECT_GE(expected.size(), 9U);
      EXPECT_EQ(outputs_by_cell(*lying.project, stimulus.input), expected);
    }
  }
}

/// Samples whose values are multiples of 1/64.
Tensor samples_of(int64_t count) {
  Rng rng(3, "samples");
  Tensor out(Shape{count, 1, 16, 16});
  for (float& x : out.span()) x = static_cast<float>(rng.below(65)) / 64;
  return out;
}

Tensor exchanged(const Tensor& map) {
  const Shape& s = map.shape();
  Tensor out(Shape{s.n(), s.c(), s.w(), s.h()}, map.dtype());
  const int64_t size = size_bytes(map.dtype());
  const auto* from = static_cast<const std::byte*>(map.raw());
  auto* to = static_cast<std::byte*>(out.raw());
  for (int64_t plane = 0; plane < s.n() * s.c(); ++plane)
    for (int64_t y = 0; y < s.h(); ++y)
      for (int64_t x = 0; x < s.w(); ++x)
        std::memcpy(to + ((plane * s.w() + x) * s.h() + y) * size,
                    from + ((plane * s.h() + y) * s.w() + x) * size, static_cast<size_t>(size));
  return out;
}

/// The file as it is, or with Transpose=1, calibrated on samples and exported to int8.
GraphExport exported_file(bool transpose, const Tensor& samples) {
  graph::Graph graph;
  const graph::ValueId x = graph.add_input("x", {{1, 1, 16, 16}, DataType::F32, Layout::Nchw, {}});
  onnx::ImportOptions import;
  import.transpose = transpose;
  const auto imported = onnx::import_model(graph, onnx::model_of(File(false).text()), {x}, import);
  graph.set_outputs({imported.values.at("y")});
  return export_graph(std::move(graph), samples, {}, {});
}

TEST(TransposedOnnx, ExchangedSamplesGiveTheSameIntegersInAnotherOrder) {
  const log::Capture quiet;
  const Tensor samples = samples_of(8);
  const GraphExport upright = exported_file(false, samples), lying = exported_file(true, exchanged(samples));
  const targets::cpp::Project &plain = upright.project(), &turned = lying.project();
  EXPECT_EQ(turned.host_run(exchanged(samples)), plain.host_run(samples));
  EXPECT_EQ(turned.target_scale(0), plain.target_scale(0));
  EXPECT_EQ(turned.weights_bytes(), plain.weights_bytes());
  const Tensor one = samples_of(1);
  const auto expected = outputs_by_cell(plain, one), found = outputs_by_cell(turned, exchanged(one));
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [cell, tensor] : expected)
    EXPECT_EQ(to_layout(found.at(cell), Layout::Nchw), exchanged(to_layout(tensor, Layout::Nchw))) << cell;
}

}  // namespace
}  // namespace n2d2::e2e
