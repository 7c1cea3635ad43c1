// A hundred mutated ONNX files end n2d2 with exit 2 and a message, in less than 1 GiB and without a hang.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "onnx/onnx_text.hpp"

namespace n2d2 {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kSeconds = 20;
constexpr int64_t kMostKib = 1 << 20;

struct Outcome {
  int exit = -1;
  int64_t peak_kib = 0;
  std::string error;
};

/// n2d2 on an INI that imports the bytes.
Outcome run(const std::string& bytes) {
  const fs::path folder = fs::temp_directory_path() / ("n2d2_mutated_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "net.onnx", std::ios::binary) << bytes;
  std::ofstream(folder / "net.ini") << "[database]\n[sp]\nSize=6 6\nNbChannels=2\nBatchSize=4\n"
                                       "[net]\nInput=sp\nType=ONNX\nFile=net.onnx\n[g.Target]\n";
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{kSeconds, kSeconds};
    ::setrlimit(RLIMIT_CPU, &limit);
    if (::chdir(folder.c_str()) != 0 || std::freopen("err.txt", "w", stderr) == nullptr ||
        std::freopen("out.txt", "w", stdout) == nullptr)
      ::_exit(99);
    ::execl(N2D2_EXECUTABLE, "n2d2", "net.ini", "-seed", "1", static_cast<char*>(nullptr));
    ::_exit(99);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  Outcome out;
  out.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  out.peak_kib = usage.ru_maxrss;
  std::stringstream text;
  text << std::ifstream(folder / "err.txt").rdbuf();
  out.error = text.str();
  fs::remove_all(folder);
  return out;
}

void expect_refused(const std::string& bytes, const std::string& what) {
  const Outcome result = run(bytes);
  EXPECT_EQ(result.exit, 2) << what << "\n" << result.error;
  EXPECT_FALSE(result.error.empty()) << what;
  EXPECT_LT(result.peak_kib, kMostKib) << what;
}

::onnx::ModelProto base() {
  return onnx::proto_of(onnx::small_cnn());
}

TEST(MutatedOnnxFiles, TheOriginalIsImported) {
  EXPECT_EQ(run(base().SerializeAsString()).exit, 0);
}

TEST(MutatedOnnxFiles, TwentyTruncations) {
  const std::string bytes = base().SerializeAsString();
  for (size_t i = 0; i < 20; ++i)
    expect_refused(bytes.substr(0, bytes.size() * i / 20), fmt::format("cut {}", i));
}

/// A bit of a weight changes a value and nothing else: such files are fine, and not counted.
TEST(MutatedOnnxFiles, FortyWithFlippedBits) {
  const std::string bytes = base().SerializeAsString();
  std::mt19937 random(3);
  int refused = 0;
  for (int tries = 0; refused < 40 && tries < 400; ++tries) {
    std::string flipped = bytes;
    for (int flips = 0; flips < 4; ++flips)
      flipped[random() % flipped.size()] ^= static_cast<char>(1U << random() % 8);
    const Outcome result = run(flipped);
    if (result.exit == 0) continue;
    EXPECT_EQ(result.exit, 2) << result.error;
    EXPECT_FALSE(result.error.empty());
    EXPECT_LT(result.peak_kib, kMostKib);
    ++refused;
  }
  EXPECT_EQ(refused, 40);
}

TEST(MutatedOnnxFiles, TenSwappedShapes) {
  const auto original = base();
  int done = 0;
  for (int i = 0; i < original.graph().initializer_size(); ++i)
    for (int k = 0; k < original.graph().initializer(i).dims_size() && done < 10; ++k) {
      auto model = original;
      auto& tensor = *model.mutable_graph()->mutable_initializer(i);
      if (tensor.data_type() != ::onnx::TensorProto::FLOAT) continue;
      const int64_t extent = tensor.dims(k);
      tensor.set_dims(k, 1);
      tensor.add_dims(extent);  // as many elements, of another rank
      expect_refused(model.SerializeAsString(), tensor.name());
      ++done;
    }
  EXPECT_EQ(done, 10);
}

TEST(MutatedOnnxFiles, TenCycles) {
  const auto original = base();
  const int nodes = original.graph().node_size();
  for (int i = 0; i < nodes; ++i) {
    auto model = original;
    model.mutable_graph()->mutable_node(i)->set_input(0, original.graph().node(nodes - 1).output(0));
    expect_refused(model.SerializeAsString(), fmt::format("node {}", i));
  }
  EXPECT_EQ(nodes, 10);
}

TEST(MutatedOnnxFiles, TwentyHugeExtents) {
  for (int i = 0; i < 20; ++i) {
    auto model = base();
    const int64_t huge = int64_t{1} << (28 + i % 9 * 4);
    if (i < 10)
      model.mutable_graph()->mutable_initializer(i % 7)->set_dims(0, huge);
    else
      model.mutable_graph()
          ->mutable_input(0)
          ->mutable_type()
          ->mutable_tensor_type()
          ->mutable_shape()
          ->mutable_dim(1 + i % 3)
          ->set_dim_value(huge);
    expect_refused(model.SerializeAsString(), fmt::format("extent {}", i));
  }
}

}  // namespace
}  // namespace n2d2
