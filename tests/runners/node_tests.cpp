#include "node_tests.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include <onnx/onnx_pb.h>

#include "n2d2/compute/executor.hpp"
#include "n2d2/onnx/importer.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/reshape.hpp"

namespace n2d2::node_tests {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

namespace {

/// Sums in another order than those of the expected values, which numpy made in float32.
constexpr double kRelative = 1e-4, kAbsolute = 1e-5;
/// Expected values of windows were made with 3.1415 for pi.
constexpr double kRelativeOfWindows = 1e-3;
/// Results of 16 bits, which are computed in float32: one unit in their last place.
constexpr double kRelativeOfHalf = 0x1p-10, kRelativeOfBrain = 0x1p-7;

struct Case {
  ::onnx::ModelProto model;
  std::vector<::onnx::TensorProto> inputs, outputs;
  double relative = kRelative;
};

/// Nothing when inputs are no tensors.
std::optional<Case> read_case(const fs::path& folder) {
  Case out;
  if (folder.string().find("window") != std::string::npos) out.relative = kRelativeOfWindows;
  if (!out.model.ParseFromString(bytes_of(folder / "model.onnx"))) return std::nullopt;
  const fs::path data = folder / "test_data_set_0";
  std::set<std::string> given;  // weights, which files of IR version 3 name among the inputs
  for (const auto& initializer : out.model.graph().initializer()) given.insert(initializer.name());
  for (int i = 0; i < out.model.graph().input_size(); ++i) {
    if (given.contains(out.model.graph().input(i).name())) continue;
    ::onnx::TensorProto tensor;
    const fs::path file = data / fmt::format("input_{}.pb", out.inputs.size());
    if (!out.model.graph().input(i).type().has_tensor_type() || !tensor.ParseFromString(bytes_of(file)))
      return std::nullopt;
    // Some bfloat16 data are stored as uint16.
    if (tensor.data_type() != out.model.graph().input(i).type().tensor_type().elem_type())
      return std::nullopt;
    tensor.set_name(out.model.graph().input(i).name());
    out.inputs.push_back(std::move(tensor));
  }
  for (int i = 0; i < out.model.graph().output_size(); ++i) {
    ::onnx::TensorProto tensor;
    if (!tensor.ParseFromString(bytes_of(data / fmt::format("output_{}.pb", i)))) return std::nullopt;
    if (tensor.data_type() != out.model.graph().output(i).type().tensor_type().elem_type())
      return std::nullopt;
    if (tensor.data_type() == ::onnx::TensorProto::FLOAT16) out.relative = kRelativeOfHalf;
    if (tensor.data_type() == ::onnx::TensorProto::BFLOAT16) out.relative = kRelativeOfBrain;
    out.outputs.push_back(std::move(tensor));
  }
  return out;
}

/// Values of a tensor of the data set as double; nothing for types that are no numbers.
std::optional<std::vector<double>> values_of(const ::onnx::TensorProto& tensor) {
  const auto raw = [&]<class T>(T) {
    std::vector<double> out;
    const auto* p = reinterpret_cast<const T*>(tensor.raw_data().data());
    for (size_t i = 0; i < tensor.raw_data().size() / sizeof(T); ++i)
      out.push_back(static_cast<double>(p[i]));
    return out;
  };
  if (!tensor.has_raw_data()) return std::nullopt;
  const auto from_halves = [&](int fraction_bits, int bias) {
    std::vector<double> out;
    const auto* p = reinterpret_cast<const uint16_t*>(tensor.raw_data().data());
    for (size_t i = 0; i < tensor.raw_data().size() / 2; ++i) {
      const int fraction = p[i] & ((1 << fraction_bits) - 1), exponent = (p[i] & 0x7FFF) >> fraction_bits;
      const int whole = exponent == 0 ? fraction : fraction + (1 << fraction_bits);
      const double size = std::ldexp(whole, std::max(1, exponent) - bias - fraction_bits);
      const bool is_finite = exponent < (1 << (15 - fraction_bits)) - 1;
      out.push_back((p[i] >> 15 != 0 ? -1 : 1) * (is_finite ? size : fraction == 0 ? INFINITY : NAN));
    }
    return out;
  };
  switch (tensor.data_type()) {
    case ::onnx::TensorProto::FLOAT:
      return raw(float{});
    case ::onnx::TensorProto::DOUBLE:
      return raw(double{});
    case ::onnx::TensorProto::INT64:
      return raw(int64_t{});
    case ::onnx::TensorProto::INT32:
      return raw(int32_t{});
    case ::onnx::TensorProto::INT8:
      return raw(int8_t{});
    case ::onnx::TensorProto::INT16:
      return raw(int16_t{});
    case ::onnx::TensorProto::UINT16:
      return raw(uint16_t{});
    case ::onnx::TensorProto::UINT32:
      return raw(uint32_t{});
    case ::onnx::TensorProto::UINT64:
      return raw(uint64_t{});
    case ::onnx::TensorProto::FLOAT16:
      return from_halves(10, 15);
    case ::onnx::TensorProto::BFLOAT16:
      return from_halves(7, 127);
    case ::onnx::TensorProto::UINT8:
    case ::onnx::TensorProto::BOOL:
      return raw(uint8_t{});
    default:
      return std::nullopt;
  }
}

/// The executor feeds one tensor: all data inputs lie behind each other in its channels, and each is picked
/// by a 1x1 convolution of zeros and ones, which is exact.
struct Feed {
  graph::Graph graph;
  std::vector<graph::ValueId> values;
  Tensor input;
};

Shape map_of(const std::vector<int64_t>& dims) {
  Shape shape{1, 1, 1, 1};
  for (size_t i = 1; i < dims.size(); ++i) {
    if (i == 1) shape[1] = dims[1];
    if (i == 2) shape[dims.size() == 3 ? 3 : 2] = dims[2];
    if (i > 2) shape[3] *= dims[i];
  }
  return shape;
}

/// The values of a tensor whose axis `batch` is moved to the front; dims are those of before.
std::vector<double> batch_in_front(const std::vector<double>& values, const std::vector<int64_t>& dims,
                                   size_t batch) {
  int64_t before = 1, behind = 1;
  for (size_t i = 0; i < dims.size(); ++i) (i < batch ? before : behind) *= i == batch ? 1 : dims[i];
  std::vector<double> out;
  for (int64_t n = 0; n < dims[batch]; ++n)
    for (int64_t i = 0; i < before; ++i)
      for (int64_t k = 0; k < behind; ++k)
        out.push_back(values[static_cast<size_t>((i * dims[batch] + n) * behind + k)]);
  return out;
}
/// The other way round: the first axis moves to `batch`; dims are those of after.
std::vector<double> batch_in_place(const std::vector<double>& values, const std::vector<int64_t>& dims,
                                   size_t batch) {
  int64_t before = 1, behind = 1;
  for (size_t i = 0; i < dims.size(); ++i) (i < batch ? before : behind) *= i == batch ? 1 : dims[i];
  std::vector<double> out;
  for (int64_t i = 0; i < before; ++i)
    for (int64_t n = 0; n < dims[batch]; ++n)
      for (int64_t k = 0; k < behind; ++k)
        out.push_back(values[static_cast<size_t>((n * before + i) * behind + k)]);
  return out;
}

/// Whether the import puts a batch in front of the only axis of an input.
bool is_single_row(const n2d2::onnx::GraphInput& input, const ::onnx::TensorProto& tensor) {
  return tensor.dims_size() == 1 && input.dims.size() == 2;
}

Feed feed(const Case& test, const n2d2::onnx::Model& model, const std::set<int>& data) {
  Feed out;
  int64_t total = 0, batch = 1;
  std::vector<std::vector<double>> values;
  for (const int i : data) {
    const ::onnx::TensorProto& tensor = test.inputs[static_cast<size_t>(i)];
    const size_t axis = model.inputs().at(values.size()).batch;
    const bool is_row = is_single_row(model.inputs().at(values.size()), tensor);
    if (tensor.dims_size() < 1 || (batch != 1 && (is_row || tensor.dims(static_cast<int>(axis)) != batch)))
      throw ModelError(std::string(kSeveralBatches));
    batch = is_row ? 1 : tensor.dims(static_cast<int>(axis));
    if (tensor.data_type() != ::onnx::TensorProto::FLOAT && tensor.data_type() != ::onnx::TensorProto::INT8 &&
        tensor.data_type() != ::onnx::TensorProto::UINT8)
      throw ModelError(std::string(kOtherType));
    values.push_back(values_of(tensor).value());
    if (values.back().empty()) throw ModelError(std::string(kNoElements));
    if (axis != 0)
      values.back() = batch_in_front(values.back(), {tensor.dims().begin(), tensor.dims().end()}, axis);
    total += static_cast<int64_t>(values.back().size()) / batch;
  }
  out.input = Tensor(Shape{batch, total, 1, 1});
  const graph::ValueId all =
      out.graph.add_input("all", {Shape{1, total, 1, 1}, DataType::F32, Layout::Nchw, {}});
  int64_t start = 0;
  for (size_t k = 0; k < values.size(); ++k) {
    const int64_t size = static_cast<int64_t>(values[k].size()) / batch;
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t i = 0; i < size; ++i)
        out.input.data<float>()[n * total + start + i] =
            static_cast<float>(values[k][static_cast<size_t>(n * size + i)]);
    Tensor weights(Shape{size, total, 1, 1});
    for (int64_t i = 0; i < size; ++i) weights.data<float>()[i * total + start + i] = 1;
    auto pick = std::make_unique<ops::Conv>();
    pick->kernel = {1, 1};
    pick->nb_outputs = static_cast<int>(size);
    const auto constant = out.graph.add_constant(fmt::format("pick_{}_weights", k), std::move(weights));
    const auto node = out.graph.add(std::move(pick), fmt::format("pick_{}", k), {all, constant});
    const Shape map = map_of(model.inputs().at(k).dims);
    auto reshape = std::make_unique<ops::Reshape>();
    reshape->dims = {static_cast<int>(map.w()), static_cast<int>(map.h()), static_cast<int>(map.c())};
    const auto shaped =
        out.graph.add(std::move(reshape), fmt::format("data_{}", k), {out.graph.node(node).outputs.at(0)});
    out.values.push_back(out.graph.node(shaped).outputs.at(0));
    start += size;
  }
  return out;
}

/// "" when equal.
std::string compare(std::span<const double> found, const ::onnx::TensorProto& expected, double relative) {
  const auto wanted = values_of(expected);
  if (!wanted) throw ModelError("an output of a type that is not compared");
  if (found.size() != wanted->size())
    return fmt::format("{} values, expected {}", found.size(), wanted->size());
  for (size_t i = 0; i < found.size(); ++i) {
    const double a = found[i], b = (*wanted)[i];
    const bool equal =
        a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= kAbsolute + relative * std::abs(b);
    if (!equal) return fmt::format("element {} is {}, expected {}", i, a, b);
  }
  return "";
}

/// Integers of the file behind the reals of the graph.
void to_integers(std::vector<double>& values, const n2d2::onnx::Grid& grid,
                 const std::vector<int64_t>& dims) {
  const size_t pixels = values.size() / static_cast<size_t>(dims[0] * (dims.size() > 1 ? dims[1] : 1));
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t k = grid.index(static_cast<int64_t>(i / pixels) % (dims.size() > 1 ? dims[1] : 1));
    values[i] =
        std::nearbyint(values[i] / static_cast<double>(grid.scale[k])) + static_cast<double>(grid.zero[k]);
  }
}

/// "" when it gives what it must, else what is wrong. ModelError when it does not import.
std::string run(const Case& test, const std::set<int>& data) {
  ::onnx::ModelProto proto = test.model;
  for (size_t i = 0; i < test.inputs.size(); ++i)
    if (!data.contains(static_cast<int>(i))) *proto.mutable_graph()->add_initializer() = test.inputs[i];
  const n2d2::onnx::Model model = n2d2::onnx::parse_model(proto.SerializeAsString(), "model.onnx");
  if (!model.scores().empty()) throw ModelError(std::string(kIndex));
  Feed fed = data.empty() ? Feed{} : feed(test, model, data);
  const n2d2::onnx::Imported imported = n2d2::onnx::import_model(fed.graph, model, fed.values);
  bool has_rows = false;
  size_t place = 0;
  for (const int i : data)
    has_rows = is_single_row(model.inputs().at(place++), test.inputs[static_cast<size_t>(i)]) || has_rows;
  std::vector<graph::ValueId> outputs;
  for (const std::string& name : model.outputs())
    if (imported.values.contains(name)) outputs.push_back(imported.values.find(name)->second);
  std::optional<compute::Executor> executor;
  if (!outputs.empty()) {
    fed.graph.set_outputs(outputs);
    executor.emplace(fed.graph, compute::ExecutorOptions{.backend = compute::Backend::Reference});
    executor->forward(fed.input);
  }
  for (size_t i = 0; i < model.outputs().size(); ++i) {
    const std::string& name = model.outputs()[i];
    std::vector<double> found;
    std::vector<int64_t> dims;
    if (const auto value = imported.values.find(name); value != imported.values.end()) {
      const Tensor tensor = executor->read(value->second);
      const auto span = tensor.span();
      found.assign(span.begin(), span.end());
      dims = imported.dims.find(name)->second;
      if (const auto grid = imported.grids.find(name); grid != imported.grids.end())
        to_integers(found, grid->second, dims);
      if (const auto axis = imported.batch.find(name); axis != imported.batch.end()) {
        std::rotate(dims.begin(), dims.begin() + 1, dims.begin() + static_cast<int64_t>(axis->second) + 1);
        found = batch_in_place(found, dims, axis->second);
      }
    } else if (const auto constant = imported.constants.find(name); constant != imported.constants.end()) {
      dims = constant->second.shape().dims();
      if (constant->second.dtype() == DataType::I64) {
        const auto span = constant->second.span<int64_t>();
        found.assign(span.begin(), span.end());
      } else {
        const auto span = constant->second.span<float>();
        found.assign(span.begin(), span.end());
      }
    } else {
      return fmt::format("output '{}' is not there", name);
    }
    const auto& wanted = test.outputs[i].dims();
    if (has_rows && dims.size() == static_cast<size_t>(wanted.size()) + 1 && dims[0] == 1)
      dims.erase(dims.begin());
    if (!std::equal(dims.begin(), dims.end(), wanted.begin(), wanted.end()))
      return fmt::format("output '{}' has {} extents or others than expected", name, dims.size());
    const std::string difference = compare(found, test.outputs[i], test.relative);
    if (!difference.empty()) return fmt::format("output '{}': {}", name, difference);
  }
  return "";
}

/// Whether the inputs of the case are none that this program feeds.
bool is_of_feed(const std::string& reason) {
  return reason == kSeveralBatches || reason == kOtherType || reason == kNoElements || reason == kIndex;
}

}  // namespace

Verdict judge(const fs::path& folder) {
  const auto test = read_case(folder);
  if (!test) return {Verdict::NotApplicable, std::string(kNoTensors), ""};
  std::vector<std::pair<std::string, std::set<int>>> ways;
  std::set<int> all;
  for (int i = 0; i < static_cast<int>(test->inputs.size()); ++i) all.insert(i);
  ways.emplace_back("data", all);
  for (const int i : all)
    if (all.size() > 1) ways.emplace_back(fmt::format("data {}", i), std::set<int>{i});
  ways.emplace_back("constants", std::set<int>{});
  Verdict verdict;
  for (const auto& [name, data] : ways) {
    if (name == "constants" ? false : data.empty()) continue;
    try {
      const std::string difference = run(*test, data);
      if (!difference.empty()) return {Verdict::Failed, name + ": " + difference, ""};
      verdict.kind = Verdict::Passed;
      verdict.ways += (verdict.ways.empty() ? "" : ", ") + name;
    } catch (const ModelError& error) {
      // What this program does not feed says less than what the importer refuses.
      const std::string& reason = error.findings().front().message;
      if (verdict.reason.empty() || name == "data 0" || is_of_feed(verdict.reason))
        if (verdict.reason.empty() || !is_of_feed(reason)) verdict.reason = reason;
    }
  }
  return verdict;
}

}  // namespace n2d2::node_tests
