// Networks of convolutions, pools, sums and concatenations that grow layer by layer, and what any plan of
// theirs must give.
#pragma once

#include <algorithm>
#include <set>

#include "n2d2/export/program_text.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/program/memory_check.hpp"
#include "n2d2/program/run.hpp"

#include "layers.hpp"

namespace n2d2::program {

/// A graph that grows layer by layer; every map is u8 of one scale.
class Networks {
 public:
  struct Map {
    std::string name;
    int c = 0, h = 0, w = 0;
  };

  explicit Networks(Map input) {
    layers_.push_back({"input " + typed(input), {}});
    maps_.push_back(std::move(input));
  }

  const std::vector<Map>& maps() const { return maps_; }

  Map conv(const Map& in, int c, int kernel, int stride, int pad, int groups = 1) {
    return conv(in, c, {kernel, kernel}, {stride, stride}, pad, groups);
  }
  /// A window one pixel wide, without padding.
  Map tall(const Map& in, int c, int kernel, int stride) {
    return conv(in, c, {kernel, 1}, {stride, 1}, 0, 1);
  }
  Map pool(const Map& in, int kernel, int stride) {
    const Map out{fmt::format("m{}", maps_.size()), in.c, (in.h - kernel) / stride + 1,
                  (in.w - kernel) / stride + 1};
    return layer(out, {in},
                 fmt::format("Pool({}) PoolDims=\"{} {}\" Stride=\"{} {}\" Pooling=\"Max\"", in.name, kernel,
                             kernel, stride, stride));
  }
  Map mean_of_two(const Map& in) {
    const Map out{fmt::format("m{}", maps_.size()), in.c, in.h / 2, in.w / 2};
    return layer(out, {in},
                 fmt::format("Pool({}) PoolDims=\"2 2\" Stride=\"2 2\" Pooling=\"Average\" "
                             "rescale=\"Floating-point 0 255 0 : 0.25 :\"",
                             in.name));
  }
  /// Adds the average of every channel over the whole map.
  Map mean(const Map& in) {
    const Map out{fmt::format("m{}", maps_.size()), in.c, 1, 1};
    return layer(out, {in},
                 fmt::format("Pool({}) PoolDims=\"{} {}\" Pooling=\"Average\" "
                             "rescale=\"Floating-point 0 255 0 : {} :\"",
                             in.name, in.w, in.h, 1.0 / (in.w * in.h)));
  }
  /// Fully connected; `type` and `rescale` of its outputs.
  Map fc(const Map& in, int outputs, const std::string& type = "u8",
         const std::string& rescale = "Floating-point 0 255 0 : 0.02 :") {
    const Map out{fmt::format("m{}", maps_.size()), outputs, 1, 1};
    const std::string w = "w" + out.name, b = "b" + out.name;
    const std::string constants = constants_of(w, Shape{outputs, in.c * in.h * in.w}, b);
    const std::string op =
        fmt::format("Fc({}, {}, {}) NbOutputs=\"{}\" rescale=\"{}\"", in.name, w, b, outputs, rescale);
    const std::string line = fmt::format("{} : {} 1x{}x1x1 nhwc quant({} {} -1 1) = {}\n", out.name, type,
                                         outputs, type.substr(1), type[0] == 'u' ? "unsigned" : "signed", op);
    layers_.push_back({constants + line, {in}});
    maps_.push_back(out);
    return out;
  }
  Map sum(const Map& a, const Map& b) {
    const Map out{fmt::format("m{}", maps_.size()), a.c, a.h, a.w};
    return layer(out, {a, b},
                 fmt::format("ElemWise({}, {}) Operation=\"Sum\" rescale=\"Fixed-point32 0 255 2 : : 1 1\"",
                             a.name, b.name));
  }
  Map concat(const Map& a, const Map& b) {
    const Map out{fmt::format("m{}", maps_.size()), a.c + b.c, a.h, a.w};
    return layer(out, {a, b}, fmt::format("Concat({}, {})", a.name, b.name));
  }

  /// Returns the program of the layers that the outputs need; it is not placed.
  Program program(const std::vector<Map>& outputs, const MemorySettings& settings = {}) const {
    std::set<std::string> needed;
    for (const Map& out : outputs) needed.insert(out.name);
    std::string text;
    for (size_t i = layers_.size(); i-- > 0;) {
      if (i > 0 && needed.count(maps_[i].name) == 0) continue;
      text = layers_[i].text + text;
      for (const Map& in : layers_[i].inputs) needed.insert(in.name);
    }
    for (const Map& out : outputs) text += "output " + out.name + "\n";
    graph::Graph graph = graph::from_text(text, ops::registry(), "net.txt");
    std::vector<Output> all;
    for (const graph::ValueId id : graph.outputs()) all.push_back({id, 2});
    const Lowering lowering(std::move(graph), all, targets::cpp::kernels(),
                            [](const graph::Node& node, const std::string& reasons) {
                              ADD_FAILURE() << node.name << ": " << reasons;
                            });
    return lowering.program(lowering.graph().schedule(), settings);
  }

 private:
  struct Layer {
    std::string text;
    std::vector<Map> inputs;
  };

  struct Size {
    int h = 1, w = 1;
  };

  Map conv(const Map& in, int c, Size kernel, Size stride, int pad, int groups) {
    const Map out{fmt::format("m{}", maps_.size()), c, (in.h + 2 * pad - kernel.h) / stride.h + 1,
                  (in.w + 2 * pad - kernel.w) / stride.w + 1};
    const std::string w = "w" + out.name, b = "b" + out.name;
    const Shape shape{c, in.c / groups, kernel.h, kernel.w};
    const std::string constants = constants_of(w, shape, b);
    return layer(
        out, {in},
        fmt::format("Conv({}, {}, {}) NbOutputs=\"{}\" KernelDims=\"{} {}\" Stride=\"{} {}\" "
                    "Padding=\"{} {} {} {}\" Groups=\"{}\" rescale=\"Floating-point 0 255 0 : 0.02 :\"",
                    in.name, w, b, c, kernel.w, kernel.h, stride.w, stride.h, pad, pad, pad, pad, groups),
        constants);
  }

  /// Weights of any small integers, and a bias of each output.
  std::string constants_of(const std::string& w, const Shape& shape, const std::string& b) {
    std::string out =
        fmt::format("constant {} : i8 {}{} =", w, shape.text(), shape.rank() == 4 ? " nhwc" : "");
    for (int64_t i = 0; i < shape.elements(); ++i)
      out += fmt::format(" {}", static_cast<int>(rng_.below(40)) - 20);
    out += fmt::format("\nconstant {} : i32 {} =", b, shape[0]);
    for (int64_t i = 0; i < shape[0]; ++i) out += fmt::format(" {}", rng_.below(900));
    return out + "\n";
  }

  static std::string typed(const Map& map) {
    return fmt::format("{} : u8 1x{}x{}x{} nhwc quant(8 unsigned -1 1)\n", map.name, map.c, map.h, map.w);
  }
  Map layer(const Map& out, std::vector<Map> inputs, const std::string& op,
            const std::string& constants = "") {
    std::string line = typed(out);
    line.insert(line.size() - 1, " = " + op);
    layers_.push_back({constants + line, std::move(inputs)});
    maps_.push_back(out);
    return out;
  }

  Rng rng_{11};
  std::vector<Layer> layers_;  // of each map
  std::vector<Map> maps_;
};

using Map = Networks::Map;

inline Planned with_plan(Program program) {
  memory::Plan plan = memory::solve(memory_problem(program), memory::kDefaultStrategy);
  return placed(std::move(program), std::move(plan));
}

inline Tensor any_sample(const Program& program) {
  Rng rng(7);
  const TensorType& type = program.graph.value(program.input()).type;
  Tensor out(type.shape, type.dtype);
  auto* const bytes = static_cast<uint8_t*>(out.raw());
  for (int64_t i = 0; i < out.bytes(); ++i) bytes[i] = static_cast<uint8_t>(rng.below(256));
  return out;
}

/// The plan is accepted, also by runs, and every layer has the bytes it has where it runs by itself.
inline void expect_same_bytes(const Planned& planned) {
  SCOPED_TRACE(exporter::program_text(planned.program));
  ASSERT_NO_THROW(expect_valid(planned, "test"));
  const Tensor sample = any_sample(planned.program);
  const auto found = run_layers(planned.program, sample);
  const Planned apart = without_reuse(planned);
  const auto expected = run_layers(apart.program, sample);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_TRUE(found[i].tensor == expected[i].tensor)
        << "layer " << i << " of " << planned.program.regions.size() << " regions";
  ASSERT_NO_THROW(check_memory(planned, sample, "test"));
}

/// Expects of cells that both programs have that the bytes of the first in poisoned memory are those that the
/// second gives without reuse.
inline void expect_bytes_of(const Program& found, const Program& expected) {
  const Planned planned = with_plan(found);
  ASSERT_NO_FATAL_FAILURE(expect_same_bytes(planned));
  const Tensor sample = any_sample(found);
  const Planned apart = without_reuse(with_plan(expected));
  std::map<std::string, Tensor> values;
  for (auto& layer : run_layers(apart.program, sample))
    if (layer.cell != nullptr) values.emplace(layer.cell->name, std::move(layer.tensor));
  size_t seen = 0;
  for (const auto& layer : run_layers(planned.program, sample)) {
    if (layer.cell == nullptr) continue;
    ASSERT_TRUE(layer.tensor == values.at(layer.cell->name)) << layer.cell->name;
    ++seen;
  }
  EXPECT_EQ(seen, planned.program.cells.size());
}

inline std::vector<std::string> kernels_of(const Program& program) {
  std::vector<std::string> out;
  for (const auto& call : program.calls) out.emplace_back(call.kernel->name());
  return out;
}

/// Layers on any map that there is; sizes are such that sums and concatenations find partners.
inline Program random_network(Rng& rng, const MemorySettings& settings = {}) {
  const auto pick = [&](int lo, int hi) {
    return lo + static_cast<int>(rng.below(static_cast<uint64_t>(hi - lo + 1)));
  };
  Networks n({"sp", pick(1, 3), pick(6, 20), pick(2, 7)});
  const int layers = pick(3, 9);
  for (int i = 0; i < layers; ++i) {
    const Map in = rng.chance(0.7) ? n.maps().back() : n.maps()[rng.below(n.maps().size())];
    const auto partner = std::find_if(n.maps().begin(), n.maps().end(), [&](const Map& m) {
      return m.name != in.name && m.h == in.h && m.w == in.w && m.name != "sp";
    });
    const bool pair = partner != n.maps().end() && in.name != "sp";
    if (pair && rng.chance(0.3))
      n.concat(in, *partner);
    else if (pair && partner->c == in.c && rng.chance(0.6))
      n.sum(in, *partner);
    else if (rng.chance(0.2) && in.h >= 4 && in.w >= 2)
      n.pool(in, 2, pick(1, 2));
    else if (rng.chance(0.3))
      n.conv(in, in.c, 3, pick(1, 2), 1, in.c);
    else if (rng.chance(0.3))
      n.conv(in, pick(1, 5), 1, 1, 0);
    else
      n.conv(in, pick(1, 5), 3, pick(1, 2), 1);
  }
  return n.program({n.maps().back()}, settings);
}

}  // namespace n2d2::program
