#include "export_network.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "n2d2/base/log.hpp"

#include "export_type.hpp"
#include "folder_test.hpp"
#include "onnx/onnx_text.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

class ExportNetwork : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
  }
  static void configure(const std::string& file, bool strict = false) {
    Options options;
    options.export_type = "CPP";
    options.export_parameters = file;
    options.strict = strict;
    configure_export(options);
  }

  static std::string failure(const std::string& file, bool strict = false) {
    try {
      configure(file, strict);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(ExportNetwork, ReadsExportParametersAndReportsWrongKeys) {
  write("p.ini", "MemoryAlignment=4\n");
  EXPECT_EQ(failure("p.ini"), "no error");
  EXPECT_EQ(failure(""), "no error");
  write("q.ini", "MemoryAlignmnt=4\n[conv1]\nNoWarp=1\n");
  EXPECT_EQ(failure("q.ini"),
            "q.ini:1: unknown export parameter 'MemoryAlignmnt'; did you mean 'MemoryAlignment'?\n"
            "q.ini:3: unknown export parameter 'NoWarp'; did you mean 'NoWrap'?");
}

TEST_F(ExportNetwork, RefusesBitsThatNoOutputCanHave) {
  write("p.ini", "OutputNbBits=12\n");
  EXPECT_TRUE(has(failure("p.ini"),
                  "OutputNbBits: expected 8, 16 or 32, or 0 for what the outputs are used for, got '12'"));
  write("p.ini", "OutputNbBits=8\n");
  EXPECT_EQ(failure("p.ini"), "no error");
  Options options;
  options.export_type = "CPP";
  options.export_parameters = "p.ini";
  const auto failure_of = [&](int64_t bits) -> std::string {
    options.nb_bits = bits;
    try {
      configure_export(options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(failure_of(16), "OutputNbBits=8: the layers have 16 bits\n  hint: -nbbits 8");
  EXPECT_EQ(failure_of(-32), "OutputNbBits=8: -nbbits -32 has no integers\n  hint: -nbbits 8");
  EXPECT_EQ(failure_of(4), "no error");
}

TEST_F(ExportNetwork, DeletedKeysSayWhatBecameOfThem) {
  const auto told = [&](const std::string& keys) {
    write("p.ini", keys);
    log::Capture log;
    configure("p.ini");
    return log.text();
  };
  EXPECT_THAT(
      told("MemoryAlignment=4\nCombineSums=1\n"),
      ::testing::HasSubstr("p.ini:2: CombineSums: a key that was deleted, it changes nothing: a sum is "
                           "always a call of its own"));
  for (const char* value : {"0", "1", "maybe"})
    EXPECT_THAT(
        told(fmt::format("SafeMargin={}\nMemoryBudget=min\n", value)),
        ::testing::HasSubstr("p.ini:1: SafeMargin: a key that was deleted, it changes nothing: an output "
                             "always keeps the distance that the windows of its layer ask for"));
}

TEST_F(ExportNetwork, UnknownKeysAreWarningsWithoutStrictKeys) {
  write("p.ini", "StrictKeys=0\nMemoryAlignment=4\nMemoryAlignmnt=8\n");
  log::Capture log;
  configure("p.ini");
  EXPECT_NE(log.text().find("p.ini:3: unknown export parameter 'MemoryAlignmnt'"), std::string::npos);
  EXPECT_NE(failure("p.ini", true).find("p.ini:3: unknown export parameter"), std::string::npos);
}

TEST_F(ExportNetwork, ReadsDelegatesAndTheirOptions) {
  write("p.ini", "Backend.loopback=1\nBackend.loopback.Layers=conv1 fc1\nBackend.loopback.CopyBlob=1\n");
  EXPECT_EQ(failure("p.ini"), "no error");
  write("q.ini", "Backend.lopback=1\nBackend.loopback.Layer=conv1\n");
  EXPECT_EQ(failure("q.ini"),
            "q.ini:1: unknown export parameter 'Backend.lopback'; did you mean 'Backend.loopback'?\n"
            "q.ini:2: unknown export parameter 'Backend.loopback.Layer'; did you mean "
            "'Backend.loopback.Layers'?");
  write("r.ini", "Backend.loopback=maybe\nBackend.loopback.CopyBlob=2\n");
  const std::string found = failure("r.ini");
  EXPECT_NE(found.find("r.ini:1: "), std::string::npos) << found;
  EXPECT_NE(found.find(" Backend.loopback: expected "), std::string::npos) << found;
  EXPECT_NE(found.find(", got 'maybe'"), std::string::npos) << found;
  EXPECT_NE(found.find(" Backend.loopback CopyBlob: expected "), std::string::npos) << found;
}

TEST_F(ExportNetwork, RefusesABudgetBeforeSamplesAreRead) {
  std::string text = kSmallNet;
  text.replace(text.find("Width=12\nHeight=12"), 18, "Width=64\nHeight=64");
  text.replace(text.find("Size=12 12"), 10, "Size=64 64");
  write("net.ini", text);
  write("p.ini", "MemoryBudget=300\n");
  const log::Capture said;
  try {
    run(parse({"net.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "-1",
               "-export-parameters", "p.ini"})
            .options);
    FAIL();
  } catch (const ExportError& error) {
    const std::string what = error.what();
    EXPECT_TRUE(has(what, "export CPP: MemoryBudget=300: the least found is ")) << what;
    EXPECT_TRUE(has(what, "; StreamInput=1, with which MemoryBudget=")) << what;
    EXPECT_TRUE(has(what, " is the least")) << what;
  }
  EXPECT_FALSE(has(said.text(), "Calibration")) << said.text();
  EXPECT_FALSE(std::filesystem::exists("export_CPP_int8"));
}

TEST_F(ExportNetwork, PlansWithinABudgetAsBefore) {
  write("net.ini", kSmallNet);
  write("p.ini", "MemoryBudget=min\n");
  const std::string out = run_net({"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8",
                                   "-calib", "-1", "-db-export", "1", "-export-parameters", "p.ini"});
  EXPECT_TRUE(has(out, "Exported to 'export_CPP_int8' with 1 stimuli\n")) << out;
}

/// Floats are exported as they are, so nothing later would find it.
TEST_F(ExportNetwork, RefusesValuesThatAreNotFiniteInFloatExports) {
  using namespace onnx;
  auto model =
      proto_of(input("x", {1, 2}) + reals("w", {2, 2}, {1, 2, 3, 4}) + reals("b", {2}, {1, 2}) +
               node("Gemm", {"x", "w", "b"}, "h") + node("Gemm", {"h", "w", "b"}, "y") + output("y"));
  for (auto& tensor : *model.mutable_graph()->mutable_initializer()) tensor.set_float_data(1, NAN);
  std::ofstream("net.onnx", std::ios::binary) << model.SerializeAsString();
  try {
    run_net({"-w", "/dev/null", "-export", "CPP", "-nbbits", "-32"}, "net.onnx");
    FAIL();
  } catch (const ModelError& error) {
    for (const char* part : {"expected finite weights, got nan at index", "[h]", "[y]"})
      EXPECT_TRUE(has(error.what(), part)) << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists("export_CPP_float32"));
}

constexpr const char* kTwoForms =
    "[database]\nType=Glyphs_Database\nLearn=4\nTest=2\nWidth=8\nHeight=8\n[sp]\nSizeX=8\nSizeY=8\n"
    "BatchSize=2\n[conv]\nInput=sp\nType=Conv\nKernelDims=3 3\nNbOutputs=8\n[pool]\nInput=conv\nType=Pool\n"
    "PoolDims=2 "
    "2\nStride=2\nPooling=Max\nNbOutputs=8\nMapping.ChannelsPerGroup=1\n[fc]\nInput=pool\nType=Fc\n"
    "NbOutputs=10\n[fc.Target]\n";

/// What an export of that network with this file of parameters says.
std::string said_of_forms(const char* parameters) {
  try {
    return run_net({"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "4",
                    "-db-export", "0", "-export-parameters", parameters});
  } catch (const Error& error) {
    return error.what();
  }
}

TEST_F(ExportNetwork, TakesTheFormsThatParametersAskFor) {
  write("net.ini", kTwoForms);
  write("p.ini", "[conv]\nKernel=dot\n[default]\nKernel=packed\n");
  EXPECT_TRUE(has(said_of_forms("p.ini"), "Exported to"));
  EXPECT_EQ(
      read("export_CPP_int8/statistics/kernels.csv"),
      "layer,kernel,form,why\nconv,conv2d,dot,asked for by [conv]\n"
      "pool,max_pool,max_pool,the first that fits; 'packed' of [default] does not: a Pool has no such form\n"
      "fc,fc,packed,asked for by [default]\n");
  EXPECT_TRUE(has(read("export_CPP_int8/README.md"),
                  "| layer | kernel | form | why |\n|---|---|---|---|\n"
                  "| `conv` | conv2d | dot | `asked for by [conv]` |\n"));
}

TEST_F(ExportNetwork, RefusesFormsThatThereAreNotAndThatDoNotFit) {
  write("net.ini", kTwoForms);
  write("p.ini", "[conv]\nKernel=dott\n");
  EXPECT_TRUE(has(failure("p.ini"),
                  "p.ini:2: [conv] Kernel: unknown form 'dott'; did you mean 'dot'?\n  hint: auto "
                  "leaves it to the export; forms are average_pool, "))
      << failure("p.ini");
  write("p.ini", "[pool]\nKernel=packed\n");
  EXPECT_EQ(
      said_of_forms("p.ini"),
      "p.ini:2: [pool] Kernel: a Pool has no form 'packed'\n  hint: it has auto, average_pool, max_pool");
  write("p.ini", "[conv]\nKernel=rows\n");
  EXPECT_EQ(said_of_forms("p.ini"),
            "p.ini:2: [conv] Kernel: 'rows' does not compute this Conv: not one input channel per group\n"
            "  hint: these do: auto, packed, dot");
  write("p.ini", "[default]\nKernel=rows\n");
  EXPECT_EQ(
      said_of_forms("p.ini"),
      "p.ini:2: [default] Kernel: 'rows' computes none of its layers: Conv [conv]: not one input channel per "
      "group");
  write("p.ini", "Target=cortex-m\n[fc]\nKernel=packed\n");
  EXPECT_EQ(
      said_of_forms("p.ini"),
      "p.ini:3: [fc] Kernel: 'packed' does not compute this Fc: Target=cortex-m has no kernels on packed "
      "weights\n  hint: these do: auto, dot");
  write("p.ini", "Backend.loopback=1\nBackend.loopback.Layers=conv\n[conv]\nKernel=dot\n");
  EXPECT_TRUE(
      has(said_of_forms("p.ini"), "p.ini:4: [conv] Kernel: without effect, a delegate computes the layer"));
}

/// 10 channels of 8x8 pixels, of four bytes or of one.
TEST_F(ExportNetwork, SaysWhatTheScoresOfPixelsCost) {
  write("net.ini",
        "[database]\nType=Glyphs_Database\nLearn=4\nTest=2\nWidth=8\nHeight=8\n[sp]\nSizeX=8\nSizeY=8\n"
        "BatchSize=2\n[map]\nInput=sp\nType=Conv\nKernelDims=3 3\nPadding=1\nNbOutputs=10\n[map.Target]\n");
  const auto exported = [](const char* parameters) {
    return run_net({"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "4",
                    "-db-export", "0", "-export-parameters", parameters});
  };
  write("default.ini", "");
  std::string out = exported("default.ini");
  EXPECT_TRUE(has(out, "\n  2.50 KiB of it: output 'map' in 32 bits (OutputNbBits=8: 0.62 KiB)\n")) << out;
  write("narrow.ini", "OutputNbBits=8\n");
  out = exported("narrow.ini");
  EXPECT_FALSE(has(out, "of it: output")) << out;
}

/// Four layers of 24x24 pixels: in turns a few rows of each are enough.
TEST_F(ExportNetwork, PlansForLessAndLessMemory) {
  std::string text =
      "[database]\nType=Glyphs_Database\nLearn=4\nTest=2\nWidth=24\nHeight=24\n[sp]\nSizeX=24\nSizeY=24\n"
      "BatchSize=2\n";
  std::string last = "sp";
  for (const char* name : {"a", "b", "c", "d"}) {
    text += fmt::format("[{}]\nInput={}\nType=Conv\nKernelDims=3 3\nPadding=1\nNbOutputs=10\n{}", name, last,
                        name == std::string("d") ? "Stride=6\n" : "");
    last = name;
  }
  write("net.ini", text + "[d.Target]\n");
  const std::vector<std::string> arguments{"-seed",   "1", "-w",     "/dev/null", "-export",      "CPP",
                                           "-nbbits", "8", "-calib", "4",         "-memory-curve"};
  const std::string out = run_net(arguments);
  EXPECT_TRUE(has(out, "RAM against calls of kernels (MemoryBudget=<bytes>)")) << out;
  const std::vector<std::string> lines =
      split(read("export_CPP_int8/statistics/memory/memory_curve.csv"), '\n');
  ASSERT_GE(lines.size(),
            4U);  // the heading, the plan without turns, those with, nothing behind the last line
  EXPECT_EQ(lines[0], "bytes,calls,layers_in_turns,multiplications,peak_layer");
  int64_t bytes = 0, calls = 0;
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    const std::vector<std::string> fields = split(lines[i], ',');
    ASSERT_EQ(fields.size(), 5U) << lines[i];
    if (i == 1) {
      EXPECT_EQ(fields[1] + " " + fields[2], "4 0");
      EXPECT_TRUE(has(out, fmt::format("RAM: {:.2f} KiB", std::stod(fields[0]) / 1024))) << lines[i];
    } else {
      EXPECT_LT(std::stoll(fields[0]), bytes) << lines[i];
      EXPECT_GT(std::stoll(fields[1]), calls) << lines[i];
    }
    bytes = std::stoll(fields[0]), calls = std::stoll(fields[1]);
  }
  for (const char* picture : {"memory_curve.svg", "memory_curve.png"})
    EXPECT_TRUE(std::filesystem::exists(std::string("export_CPP_int8/statistics/memory/") + picture));
  // The last one is what MemoryBudget=min needs; with an input row by row what that needs.
  write("least.ini", "MemoryBudget=min\n");
  std::vector<std::string> least(arguments.begin(), arguments.end() - 1);
  least.insert(least.end(), {"-export-parameters", "least.ini"});
  EXPECT_TRUE(has(run_net(least), fmt::format("RAM: {:.2f} KiB", static_cast<double>(bytes) / 1024)));
  write("least.ini", "StreamInput=1\n");
  least.emplace_back("-memory-curve");
  const std::string by_rows = run_net(least);
  const std::vector<std::string> points =
      split(read("export_CPP_int8/statistics/memory/memory_curve.csv"), '\n');
  ASSERT_GE(points.size(), 3U);
  const std::vector<std::string> fields = split(points[points.size() - 2], ',');
  EXPECT_LE(std::stoll(fields[0]), bytes);
  EXPECT_TRUE(has(by_rows, fmt::format("RAM: {:.2f} KiB", std::stod(fields[0]) / 1024))) << by_rows;
  EXPECT_LE(std::stoi(fields[2]), 4) << "the source is no layer";
}

TEST_F(ExportNetwork, HelpListsTheKeysOfAType) {
  const std::string help = export_help("CPP");
  EXPECT_NE(help.find("CPP: a standalone C++11 project\n"), std::string::npos) << help;
  EXPECT_NE(help.find("  MemoryAlignment "), std::string::npos) << help;
  EXPECT_NE(help.find(" in [memory.<name>]:\n"), std::string::npos) << help;
  EXPECT_NE(help.find("  Backend.loopback.Layers "), std::string::npos) << help;
}

}  // namespace
}  // namespace n2d2::app
