// Which values does a lone ONNX file compute from arrays of integers or reals, channels first or last?
#include <cstring>
#include <fstream>

#include "data/arrays.hpp"
#include "onnx/onnx_text.hpp"
#include "onnx_samples_fixture.hpp"
#include "run_net.hpp"

namespace n2d2::app {
namespace {

/// The way from the input of the file to the map that is multiplied.
enum class Begin { Map, Cast, CastTranspose, TransposeCast, CastSubMul };

/// Weights of all elements of a map, for two outputs.
struct ArraysCase {
  int channels = 1, height = 1, width = 1;
  bool is_last = false;
  Begin begin = Begin::Map;

  std::string text() const {
    return fmt::format("{}x{}x{} {} begin {}", channels, height, width, is_last ? "last" : "first",
                       static_cast<int>(begin));
  }
  size_t elements() const { return static_cast<size_t>(channels * height * width); }
  std::vector<int> dims() const {
    return is_last ? std::vector<int>{1, height, width, channels}
                   : std::vector<int>{1, channels, height, width};
  }
  std::string shape(int samples) const {
    const std::vector<int> one = dims();
    return fmt::format("({}, {}, {}, {})", samples, one[1], one[2], one[3]);
  }
  float weight(size_t output, size_t element) const {
    return 0.125F * static_cast<float>(static_cast<int>((element * (3 + 2 * output) + output) % 11) - 5);
  }
  float less(int channel) const {
    return begin == Begin::CastSubMul ? 10.0F * static_cast<float>(channel + 1) : 0;
  }
  float factor() const { return begin == Begin::CastSubMul ? 0.0625F : 1; }
};

/// A file as converters of frameworks begin it; its elements are uint8 or float.
std::string model_of_arrays(const ArraysCase& c, bool is_uint8) {
  std::string in = onnx::input("x", c.dims());
  if (is_uint8) in.replace(in.find("elem_type: 1"), 12, "elem_type: 2");
  std::string nodes, now = "x";
  const auto add = [&](const std::string& type, const std::string& more, const std::string& operand = {}) {
    const std::string next = now + "_" + type;
    nodes += onnx::node(type, operand.empty() ? std::vector{now} : std::vector{now, operand}, next, more);
    now = next;
  };
  const auto transpose = [&] {
    if (c.is_last) add("Transpose", onnx::attribute("perm", std::vector<int64_t>{0, 3, 1, 2}));
  };
  if (c.begin == Begin::TransposeCast) transpose();
  if (c.begin != Begin::Map) add("Cast", onnx::attribute("to", 1));
  if (c.begin == Begin::CastSubMul) {
    std::vector<float> less;
    for (int channel = 0; channel < c.channels; ++channel) less.push_back(c.less(channel));
    const std::vector<int> dims =
        c.is_last ? std::vector<int>{c.channels} : std::vector<int>{c.channels, 1, 1};
    nodes += onnx::reals("less", dims, less) + onnx::reals("factor", {1}, {c.factor()});
    add("Sub", "", "less");
    add("Mul", "", "factor");
  }
  if (c.begin != Begin::TransposeCast) transpose();
  std::vector<float> weights;
  for (size_t output = 0; output < 2; ++output)
    for (size_t i = 0; i < c.elements(); ++i) weights.push_back(c.weight(output, i));
  return onnx::proto_of(in + onnx::output("y") + nodes +
                        onnx::reals("w", {2, c.channels, c.height, c.width}, weights) +
                        onnx::node("Conv", {now, "w"}, "y"))
      .SerializeAsString();
}

/// Element (channel, y, x) of a sample.
uint8_t element(const ArraysCase& c, int sample, int channel, int pixel) {
  return static_cast<uint8_t>(37 * sample + 91 * channel + 23 * pixel + channel * pixel * c.width);
}

/// The samples in the order of the file.
std::vector<uint8_t> elements_of(const ArraysCase& c, int samples) {
  std::vector<uint8_t> out;
  const int pixels = c.height * c.width;
  for (int sample = 0; sample < samples; ++sample)
    for (int outer = 0; outer < (c.is_last ? pixels : c.channels); ++outer)
      for (int inner = 0; inner < (c.is_last ? c.channels : pixels); ++inner)
        out.push_back(element(c, sample, c.is_last ? inner : outer, c.is_last ? outer : inner));
  return out;
}

std::vector<float> expected(const ArraysCase& c, int sample) {
  std::vector<float> out;
  for (size_t output = 0; output < 2; ++output) {
    double sum = 0;
    for (int channel = 0; channel < c.channels; ++channel)
      for (int pixel = 0; pixel < c.height * c.width; ++pixel)
        sum += (element(c, sample, channel, pixel) - c.less(channel)) * c.factor() *
               c.weight(output, static_cast<size_t>(channel * c.height * c.width + pixel));
    out.push_back(static_cast<float>(sum));
  }
  return out;
}

class OnnxArrays : public OnnxSamples {
 protected:
  /// What `n2d2 <net> -test ...` computes of a sample.
  static std::vector<float> outputs_of(std::vector<std::string> arguments, int sample,
                                       const char* net = "net.onnx") {
    arguments.insert(arguments.end(), {"-test", "-log-outputs", std::to_string(sample + 1)});
    const std::string name = fmt::format("outputs_test_{}/y.npy", sample + 1);
    std::filesystem::remove(name);
    run_net(std::move(arguments), net);
    std::ifstream file(name, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    std::vector<float> out(2);
    if (bytes.size() < 8) return {};
    std::memcpy(out.data(), bytes.data() + bytes.size() - 8, 8);
    return out;
  }
  static void compare(const ArraysCase& c, const std::vector<std::string>& arguments, const std::string& how,
                      const char* net = "net.onnx") {
    EXPECT_EQ(outputs_of(arguments, 2, net), expected(c, 2)) << how << " " << c.text();
  }
};

/// Grey and colour; extents that fit one order alone, and such that fit both.
std::vector<ArraysCase> all_cases() {
  std::vector<ArraysCase> out;
  for (const auto& [channels, height, width] :
       {std::array{1, 4, 3}, {3, 4, 2}, {3, 2, 3}, {3, 3, 3}, {4, 1, 4}, {4, 4, 1}, {1, 2, 1}})
    for (const bool is_last : {false, true})
      for (const Begin begin :
           {Begin::Map, Begin::Cast, Begin::CastTranspose, Begin::TransposeCast, Begin::CastSubMul})
        if (begin != Begin::Cast || !is_last) out.push_back({channels, height, width, is_last, begin});
  return out;
}

TEST_F(OnnxArrays, OfBytesAndOfRealsAreInTheOrderOfTheFile) {
  for (const ArraysCase& c : all_cases()) {
    const std::vector<uint8_t> bytes = elements_of(c, 3);
    const std::vector<float> reals(bytes.begin(), bytes.end());
    write("net.onnx", model_of_arrays(c, c.begin != Begin::Map));
    write("bytes.npy", data::npy("|u1", c.shape(3), data::bytes_of(bytes)));
    compare(c, {"-calib-npy", "bytes.npy"}, "uint8 .npy");
    write("reals.npy", data::npy("<f4", c.shape(3), data::bytes_of(reals)));
    compare(c, {"-calib-npy", "reals.npy"}, "float32 .npy");
    write("bytes.bin", data::bytes_of(bytes));
    compare(c, {"-calib-npy", "bytes.bin", "-sample-type", "uint8"}, ".bin");
    if (HasFailure()) return;
  }
}

TEST_F(OnnxArrays, InOneRowEachAreInTheOrderOfTheFile) {
  for (const bool is_last : {false, true}) {
    const ArraysCase c{3, 4, 2, is_last, is_last ? Begin::CastTranspose : Begin::Cast};
    const std::vector<uint8_t> bytes = elements_of(c, 3);
    write("net.onnx", model_of_arrays(c, true));
    write("rows.npy", data::npy("|u1", "(3, 24)", data::bytes_of(bytes)));
    compare(c, {"-calib-npy", "rows.npy"}, "rows in a .npy");
    std::string text;
    for (size_t i = 0; i < bytes.size(); ++i) text += std::to_string(bytes[i]) + (i % 24 == 23 ? "\n" : ",");
    write("rows.csv", text);
    compare(c, {"-calib-npy", "rows.csv"}, ".csv");
  }
}

TEST_F(OnnxArrays, AreReadAlikeByTheIniOfInitAndByTheGraph) {
  const ArraysCase c{3, 3, 3, true, Begin::CastTranspose};
  write("net.onnx", model_of_arrays(c, true));
  write("bytes.npy", data::npy("|u1", c.shape(3), data::bytes_of(elements_of(c, 3))));
  run_net({"-calib-npy", "bytes.npy", "-init"}, "net.onnx");
  compare(c, {"-w", "/dev/null"}, "INI", "net.ini");
  run_net({"-calib-npy", "bytes.npy", "-test", "-dump", "graph"}, "net.onnx");
  compare(c, {}, "graph", "graph.00.build.graph");
}

}  // namespace
}  // namespace n2d2::app
