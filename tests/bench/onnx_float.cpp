// Runs an ONNX file as imported on raw samples: what tests/bench/onnx_models.py compares with ONNX Runtime.
//   onnx_float MODEL.onnx INPUT.f32 OUTPUT.f32 [--reference] [--batch N]
// INPUT.f32: little-endian float32 samples in the model's own layout. OUTPUT.f32: the first output of every sample.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/onnx/importer.hpp"

namespace {

using namespace n2d2;

Shape map_of(const std::vector<int64_t>& dims) {
  Shape shape{1, 1, 1, 1};
  for (size_t i = 1; i < dims.size(); ++i) shape[dims.size() == 3 && i == 2 ? 3 : i] = dims[i];
  return shape;
}

std::vector<char> bytes_of(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int run(const char* const* files, compute::Backend backend, int64_t batch) {
  const onnx::Model model = onnx::read_model(files[0]);
  const Shape sample = map_of(model.inputs().at(0).dims);
  graph::Graph graph;
  const auto input = graph.add_input("network input", {sample, DataType::F32, Layout::Nchw, {}});
  const onnx::Imported imported = onnx::import_model(graph, model, {input});
  const auto output = imported.values.at(model.outputs().at(0));
  graph.set_outputs({output});
  compute::Executor executor(graph, {.backend = backend});

  const std::vector<char> raw = bytes_of(files[1]);
  const int64_t bytes = sample.elements() * 4, count = static_cast<int64_t>(raw.size()) / bytes;
  std::ofstream out(files[2], std::ios::binary);
  for (int64_t at = 0; at < count; at += batch) {
    const int64_t n = std::min(batch, count - at);
    Tensor samples(sample.with_batch(n));
    std::copy_n(raw.data() + at * bytes, n * bytes, static_cast<char*>(samples.raw()));
    executor.forward(samples);
    const Tensor result = executor.read(output);
    out.write(static_cast<const char*>(result.raw()), result.bytes());
  }
  std::printf("samples %lld\n", static_cast<long long>(count));
  return out ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  compute::Backend backend = compute::Backend::OneDnn;
  int64_t batch = 8;
  std::vector<const char*> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--reference")
      backend = compute::Backend::Reference;
    else if (word == "--batch" && i + 1 < argc)
      batch = std::max(1, std::atoi(argv[++i]));
    else
      files.push_back(argv[i]);
  }
  if (files.size() != 3)
    return std::fprintf(stderr, "usage: onnx_float MODEL INPUT OUTPUT [--reference] [--batch N]\n"), 2;
  try {
    return run(files.data(), backend, batch);
  } catch (const Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  }
}
