// A network that was dumped with its values is tested and exported as the one it came from.
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "folder_test.hpp"
#include "onnx/onnx_text.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

namespace fs = std::filesystem;

const std::string kData =
    "[database]\nType=Glyphs_Database\nLearn=20\nValidation=10\nTest=30\nWidth=12\nHeight=12\n";

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Every file below a folder.
std::map<std::string, std::string> tree(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      out[entry.path().lexically_relative(folder).string()] = bytes_of(entry.path());
  return out;
}

/// Names of files that two trees do not share byte for byte.
std::set<std::string> differences(const std::map<std::string, std::string>& a,
                                  const std::map<std::string, std::string>& b) {
  std::set<std::string> out;
  for (const auto& [one, other] : {std::pair{&a, &b}, {&b, &a}})
    for (const auto& [name, bytes] : *one)
      if (const auto found = other->find(name); found == other->end() || found->second != bytes)
        out.insert(name);
  return out;
}

/// "Final recognition rate ..." to the end of its figures.
std::string score_of(const std::string& text) {
  const std::string out = before_summary(text);
  const size_t at = out.find("Final recognition rate");
  const size_t end = std::min(out.find("\nExported", at), out.find("\nIntegers against floats", at));
  return at == std::string::npos ? "no score" : out.substr(at, end - at);
}

std::string the_file(const std::string& end) {
  std::string found;
  for (const auto& entry : fs::directory_iterator("."))
    if (entry.path().filename().string().ends_with(end)) found = entry.path().filename().string();
  EXPECT_FALSE(found.empty()) << end;
  return found;
}

class GraphFile : public FolderTest {
 protected:
  /// Exports from `net` with a dump, then from the graph files of the dump: `of_build` as loaded,
  /// `of_integers` quantized.
  struct Exports {
    std::map<std::string, std::string> tree, of_build, of_integers;
    std::string out, out_of_build, out_of_integers;
  };
  static Exports exports(const char* net, std::vector<std::string> of_network,
                         std::vector<std::string> options, const std::string& folder) {
    Exports e;
    of_network.insert(of_network.end(), options.begin(), options.end());
    of_network.insert(of_network.end(), {"-dump", "graph"});
    e.out = run_net(of_network, net);
    e.tree = tree(folder);
    fs::rename(the_file(".build.graph"), "of_build.graph");
    const bool is_integer = folder.find("_int") != std::string::npos;
    if (is_integer) fs::rename(the_file(".quantize_graph.graph"), "of_integers.graph");
    fs::remove_all(folder);
    e.out_of_build = run_net(options, "of_build.graph");
    e.of_build = tree(folder);
    if (!is_integer) return e;
    fs::remove_all(folder);
    e.out_of_integers = run_net(options, "of_integers.graph");
    e.of_integers = tree(folder);
    return e;
  }
  static std::string message(const std::vector<std::string>& arguments, const char* net) {
    try {
      run_net(arguments, net);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

/// What calibration and quantization write about themselves, which a graph of integers has not seen.
bool is_statistics(const std::string& name) {
  return name.starts_with("statistics/calibration/") || name == "statistics/quantization.json" ||
         name == "statistics/rounding.csv" || name == "statistics/settings.csv" ||
         name == "export_manifest.txt";
}

/// What integers are compared with, which a graph of integers has not.
bool is_of_floats(const std::string& name) {
  return name == "statistics/score.json";
}

/// What says which file the network came from.
bool is_origin(const std::string& name) {
  return name == "provenance.json" || name == "README.md" || name == "report.html" || name == "report.json" ||
         name == "export_manifest.txt";
}

void expect_same(const std::set<std::string>& different, bool of_integers) {
  for (const std::string& name : different)
    EXPECT_TRUE(is_origin(name) || (of_integers && (is_statistics(name) || is_of_floats(name)))) << name;
}

TEST_F(GraphFile, IsExportedToTheBytesOfItsNetwork) {
  N2D2_NEEDS_TARGETS("CPP");
  write("net.ini", kSmallNet);
  run_net({"-seed", "7", "-learn-epoch", "1"});
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-nbbits", "8"},
        {"-nbbits", "16", "-act-rescaling-mode", "Fixed-point32"}}) {
    std::vector<std::string> all{"-export", "CPP", "-calib", "20", "-db-export", "3", "-test"};
    all.insert(all.end(), options.begin(), options.end());
    const Exports e = exports("net.ini", {}, all, "export_CPP_int" + options[1]);
    expect_same(differences(e.tree, e.of_build), false);
    expect_same(differences(e.tree, e.of_integers), true);
    EXPECT_TRUE(e.of_integers.contains("dnn/src/forward.cpp"));
    EXPECT_EQ(score_of(e.out), score_of(e.out_of_build));
    EXPECT_EQ(score_of(e.out), score_of(e.out_of_integers));
    EXPECT_TRUE(has(e.out_of_integers, "Scales: all of them come with the model; without effect: -calib\n"))
        << e.out_of_integers;
  }
}

TEST_F(GraphFile, IsExportedInFloatsToTheBytesOfItsNetwork) {
  N2D2_NEEDS_TARGETS("CPP");
  write("net.ini", kSmallNet);
  const Exports e = exports("net.ini", {"-seed", "1", "-w", "/dev/null"},
                            {"-export", "CPP", "-nbbits", "-32", "-db-export", "2"}, "export_CPP_float32");
  expect_same(differences(e.tree, e.of_build), false);
}

TEST_F(GraphFile, IsTestedWithTheScoreOfItsNetworkAndDumpsItself) {
  write("net.ini", kSmallNet);
  const std::string learnt = run_net({"-seed", "3", "-learn-epoch", "2", "-dump", "graph"});
  fs::rename("graph.00.build.graph", "net.graph");
  fs::remove("seed.dat");
  const std::string out = run_net({"-test", "-dump", "graph"}, "net.graph");
  EXPECT_TRUE(has(out, "Seed: 3\n")) << out;
  EXPECT_EQ(score_of(out), score_of(learnt));
  EXPECT_EQ(bytes_of("graph.00.build.graph"), bytes_of("net.graph"));
  EXPECT_EQ(score_of(run_net({"-test", "-fuse"}, "net.graph")), score_of(learnt));
}

TEST_F(GraphFile, BringsTransformationsConfigSectionsAndAllTargets) {
  write("map.dat", "default 0\n1 1\n");
  write(
      "net.ini",
      kData +
          "[sp]\nSize=12 12\nBatchSize=10\nConfigSection=signs\n[signs]\nDataSignedMapping=1\n"
          "[sp.StimuliData]\nApplyTo=LearnOnly\n"
          "[sp.Transformation-1]\nType=RangeAffineTransformation\nFirstOperator=Minus\n"
          "FirstValue=[sp.StimuliData]_GlobalValue.mean\n"
          "[sp.OnTheFlyTransformation]\nType=FlipTransformation\nRandomHorizontalFlip=1\nApplyTo=LearnOnly\n"
          "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\nWeightsFiller=XavierFiller\n"
          "[two]\nInput=fc\nType=Fc\nNbOutputs=2\nWeightsFiller=XavierFiller\n"
          "[two.Target-Mapped]\nLabelsMapping=map.dat\n[fc.Target]\nTopN=2\n[fc.Target-Loss]\nType=Target\n");
  const std::string out = run_net({"-seed", "5", "-w", "/dev/null", "-test", "-dump", "graph"});
  fs::rename("graph.00.build.graph", "net.graph");
  const std::string text = read("net.graph");
  EXPECT_TRUE(has(text, "Section=two.Target-Mapped\nLabelsMapping=map.dat\n")) << text;
  EXPECT_FALSE(has(text, "StimuliData")) << text;
  const std::string again = run_net({"-test", "-dump", "graph"}, "net.graph");
  EXPECT_EQ(scores_in(again), scores_in(out));
  EXPECT_EQ(read("graph.00.build.graph"), text);
}

TEST_F(GraphFile, OfAnOnnxModelIsExportedToTheBytesOfTheModel) {
  N2D2_NEEDS_TARGETS("CPP", "ONNX");
  write("net.ini", kSmallNet);
  run_net({"-seed", "1", "-w", "/dev/null", "-export", "ONNX", "-nbbits", "-32", "-db-export", "0"});
  write("onnx.ini", kData +
                        "[sp]\nSize=12 12\nBatchSize=10\n[net]\nInput=sp\nType=ONNX\n"
                        "File=export_ONNX_float32/model.onnx\n");
  const Exports e = exports("onnx.ini", {"-seed", "1", "-w", "/dev/null"},
                            {"-export", "CPP", "-nbbits", "8", "-calib", "-1", "-db-export", "2", "-test"},
                            "export_CPP_int8");
  expect_same(differences(e.tree, e.of_build), false);
  expect_same(differences(e.tree, e.of_integers), true);
  EXPECT_EQ(score_of(e.out), score_of(e.out_of_build));
}

/// A model whose scales come with it: a Conv between two roundings.
std::string rounded_model() {
  using namespace onnx;
  std::vector<int> weights;
  for (int i = 0; i < 4 * 9; ++i) weights.push_back(i * 37 % 255 - 127);
  return input("x", {0, 1, 12, 12}) + reals("xs", {}, {0.015625F}) + u8("z", 0) + s8("wz", 0) +
         integers_of_type(3, "w", {4, 1, 3, 3}, weights) + reals("ws", {}, {0.015625F}) +
         reals("hs", {}, {0.0625F}) + node("QuantizeLinear", {"x", "xs", "z"}, "xq") +
         node("DequantizeLinear", {"xq", "xs", "z"}, "xr") +
         node("DequantizeLinear", {"w", "ws", "wz"}, "wr") +
         node("Conv", {"xr", "wr"}, "c, of: a \\\"]\\n[sp]", attribute("strides", {10, 10})) +
         node("QuantizeLinear", {"c, of: a \\\"]\\n[sp]", "hs", "wz"}, "hq") +
         node("DequantizeLinear", {"hq", "hs", "wz"}, "y") + output("y");
}

TEST_F(GraphFile, OfAModelThatWasQuantizedKeepsItsScalesAndItsNames) {
  N2D2_NEEDS_TARGETS("CPP");
  std::ofstream("model.onnx", std::ios::binary) << onnx::proto_of(rounded_model()).SerializeAsString();
  write("onnx.ini", kData +
                        "[sp]\nSize=12 12\nBatchSize=10\n[net]\nInput=sp\nType=ONNX\nFile=model.onnx\n"
                        "[y.Target]\nLabelsMapping=map.dat\n");
  write("map.dat", "default 0\n");
  const Exports e =
      exports("onnx.ini", {"-seed", "1", "-w", "/dev/null"},
              {"-export", "CPP", "-nbbits", "8", "-db-export", "2", "-test"}, "export_CPP_int8");
  expect_same(differences(e.tree, e.of_build), false);
  expect_same(differences(e.tree, e.of_integers), true);
  EXPECT_TRUE(has(read("of_build.graph"), "\n\"c, of: a \\x22]_[sp]\" : ")) << read("of_build.graph");
  const auto json = nlohmann::json::parse(read("graph.00.build.json"));
  EXPECT_TRUE(has(json.dump(), "\"c, of: a \\\"]_[sp]\""));
}

TEST_F(GraphFile, IsNotWrittenWithoutAKeyThatNoLineCanHold) {
  write("net.ini", kData +
                       "[sp]\nSize=12 12\n[fc]\nInput=sp\nType=Fc\nNbOutputs=10\n[fc.Target]\n"
                       "LabelsMapping=${N2D2_TEST_LINES}\n");
  write("two\nlines", "default 0\n");
  ::setenv("N2D2_TEST_LINES", "two\nlines", 1);
  EXPECT_EQ(message({"-seed", "1", "-w", "/dev/null", "-dump", "graph"}, "net.ini"),
            "[fc.Target] LabelsMapping: no line of an INI file can hold 'two\nlines'");
  ::unsetenv("N2D2_TEST_LINES");
}

TEST_F(GraphFile, NeedsWeightsToBeWritten) {
  N2D2_NEEDS_TARGETS("ONNX");
  write("net.ini", kSmallNet);
  // An ONNX file has its values.
  run_net({"-seed", "1", "-w", "/dev/null", "-export", "ONNX", "-nbbits", "-32", "-db-export", "0"});
  run_net({"-dump", "graph"}, "export_ONNX_float32/model.onnx");
  EXPECT_TRUE(fs::exists("graph.00.build.graph"));
  fs::remove("graph.00.build.graph");
  EXPECT_TRUE(has(run_net({"-seed", "1", "-dump", "graph"}), "-dump graph: no .graph file without weights"));
  EXPECT_FALSE(fs::exists("graph.00.build.graph"));
  EXPECT_TRUE(fs::exists("graph.00.build.json"));
  run_net({"-seed", "1", "-w", "/dev/null", "-dump", "graph"});
  EXPECT_TRUE(fs::exists("graph.00.build.graph"));
}

TEST_F(GraphFile, OfIntegersSaysWhatItCannotDo) {
  N2D2_NEEDS_TARGETS("CPP", "ONNX");
  write("net.ini", kSmallNet);
  run_net({"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "5", "-db-export",
           "0", "-act-rescaling-mode", "Fixed-point32", "-dump", "graph"});
  fs::rename(the_file(".quantize_graph.graph"), "net.graph");
  EXPECT_EQ(message({"-test"}, "net.graph"),
            "net.graph: option -test: the graph holds integers, which run in an export only\n"
            "  hint: '-test' beside '-export CPP' scores them");
  EXPECT_EQ(message({"-export", "CPP", "-nbbits", "-32"}, "net.graph"),
            "net.graph: option -nbbits: the graph holds integers of 8 bits, got '-32'\n  hint: '-nbbits 8'");
  EXPECT_EQ(message({"-seed", "2"}, "net.graph"),
            "option -seed: the graph file says 1, got '2'\n"
            "  hint: leave the option out: the seed decides which samples the network has learnt from");
  EXPECT_TRUE(has(message({"-export", "ONNX", "-db-export", "0"}, "net.graph"),
                  "export ONNX: [fc] Fc: its output has 32 bits, the model 8\n"
                  "  hint: a graph that was quantized for '-export ONNX', or with OutputNbBits=8"));
  write("narrow.ini", "OutputNbBits=8\n");
  run_net({"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "5", "-db-export",
           "0", "-export-parameters", "narrow.ini", "-dump", "graph"});
  fs::rename(the_file(".quantize_graph.graph"), "net.graph");
  EXPECT_TRUE(has(run_net({"-export", "ONNX", "-db-export", "0", "-no-cle", "-no-unsigned"}, "net.graph"),
                  "without effect: -no-unsigned, -no-cle\n"));
}

}  // namespace
}  // namespace n2d2::app
