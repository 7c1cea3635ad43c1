// Runs an ONNX file on raw samples: what tests/bench/onnx_models.py and float_speed.py compare with ONNX
// Runtime.
//   onnx_float MODEL.onnx INPUT.f32 OUTPUT.f32 [--reference] [--batch N] [--threads N] [--repeat N] [--fuse]
// INPUT.f32: little-endian float32 samples in the model's own layout. OUTPUT.f32: the first output of every
// sample.
// --fuse runs the graph that calibration runs, else the one that was imported. Prints samples, seconds of the
// forward passes of the fastest repeat, samples/s.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "n2d2/base/parallel.hpp"
#include "n2d2/compute/executor.hpp"
#include "n2d2/onnx/importer.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/passes/pipelines.hpp"

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

struct Options {
  compute::Backend backend = compute::Backend::OneDnn;
  int64_t batch = 8;
  int repeat = 1;
  bool fuse = false;
};

/// All samples of a file through the network, in batches.
class Samples {
 public:
  Samples(const char* path, Shape sample) : raw_(bytes_of(path)), sample_(std::move(sample)) {}
  int64_t count() const { return static_cast<int64_t>(raw_.size()) / bytes(); }
  Tensor batch(int64_t first, int64_t size) const {
    const int64_t n = std::min(size, count() - first);
    Tensor out(sample_.with_batch(n));
    std::copy_n(raw_.data() + first * bytes(), n * bytes(), static_cast<char*>(out.raw()));
    return out;
  }

 private:
  int64_t bytes() const { return sample_.elements() * 4; }
  std::vector<char> raw_;
  Shape sample_;
};

int run(const char* const* files, const Options& options) {
  const onnx::Model model = onnx::read_model(files[0]);
  const Shape sample = map_of(model.inputs().at(0).dims);
  graph::Graph graph;
  const auto input = graph.add_input("network input", {sample, DataType::F32, Layout::Nchw, {}});
  const onnx::Imported imported = onnx::import_model(graph, model, {input});
  graph.set_outputs({imported.values.at(model.outputs().at(0))});
  if (options.fuse) passes::run(graph, passes::float_pipeline({.equalize = false}));
  compute::Executor executor(graph, {.backend = options.backend, .keep = compute::Keep::Outputs});

  const Samples samples(files[1], sample);
  double best = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < options.repeat; ++repeat) {
    std::ofstream out(files[2], std::ios::binary);
    const double before = executor.forward_time().seconds;
    for (int64_t at = 0; at < samples.count(); at += options.batch) {
      executor.forward(samples.batch(at, options.batch));
      const Tensor result = executor.read(graph.outputs().at(0));
      out.write(static_cast<const char*>(result.raw()), result.bytes());
    }
    if (!out) return std::fprintf(stderr, "%s: cannot be written\n", files[2]), 1;
    best = std::min(best, executor.forward_time().seconds - before);
  }
  std::printf("samples %lld seconds %.4f samples/s %.1f\n", static_cast<long long>(samples.count()), best,
              static_cast<double>(samples.count()) / best);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::vector<const char*> files;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::max(1, std::atoi(argv[++i])) : 1; };
    if (word == "--reference")
      options.backend = compute::Backend::Reference;
    else if (word == "--fuse")
      options.fuse = true;
    else if (word == "--batch")
      options.batch = number();
    else if (word == "--repeat")
      options.repeat = number();
    else if (word == "--threads")
      set_max_threads(number());
    else
      files.push_back(argv[i]);
  }
  if (files.size() != 3)
    return std::fprintf(stderr,
                        "usage: onnx_float MODEL INPUT OUTPUT [--reference] [--fuse] [--batch N] "
                        "[--threads N] [--repeat N]\n"),
           2;
  try {
    return run(files.data(), options);
  } catch (const Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  }
}
