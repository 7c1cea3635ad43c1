// What does a run with a lone ONNX file and -calib-dir, -test-dir, -preset come to?
#include <filesystem>

#include <gmock/gmock.h>

#include "data/arrays.hpp"
#include "onnx/onnx_text.hpp"
#include "onnx_samples_fixture.hpp"
#include "run_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

using ::testing::HasSubstr;

// ---- whole runs
// ------------------------------------------------------------------------------------------------

/// Sums of the pixels of each channel.
std::string model_bytes() {
  return onnx::proto_of(onnx::input("x", {1, 3, 4, 4}) + onnx::output("y") +
                        onnx::reals("w", {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}) +
                        onnx::node("GlobalAveragePool", {"x"}, "p") + onnx::node("Flatten", {"p"}, "f") +
                        onnx::node("Gemm", {"f", "w"}, "y"))
      .SerializeAsString();
}

class OnnxAlone : public OnnxSamples {
 protected:
  void SetUp() override {
    OnnxSamples::SetUp();
    write("net.onnx", model_bytes());
  }
  /// A picture whose largest channel is this.
  static void write_colour(const std::string& name, size_t channel) {
    std::filesystem::create_directories(std::filesystem::path(name).parent_path());
    std::string pixels(48, '\x10');
    for (size_t i = channel; i < pixels.size(); i += 3) pixels[i] = '\x70';
    write(name, "P6\n4 4\n255\n" + pixels);
  }
};

constexpr const char* kAllRight = "Final recognition rate: 100.00%";

TEST_F(OnnxAlone, IsTestedOnAFolder) {
  write_colour("p/a_red/1.ppm", 0);
  write_colour("p/b_green/1.ppm", 1);
  write_colour("p/c_blue/1.ppm", 2);
  const std::string said = run_net({"-test", "-test-dir", "p", "-preset", "unit"}, "net.onnx");
  EXPECT_TRUE(has(said, kAllRight)) << said;
  EXPECT_FALSE(has(said, "folders of samples")) << said;
  EXPECT_TRUE(
      has(run_net({"-test", "-test-dir", "p", "-bgr"}, "net.onnx"), "Final recognition rate: 33.33%"));
}

TEST_F(OnnxAlone, FolderNamesAreFoundAmongTheLabels) {
  write_colour("p/red/1.ppm", 0);
  write_colour("p/blue/1.ppm", 2);
  write("labels.txt", "red\ngreen\nblue\n");
  const std::string said = run_net({"-test", "-test-dir", "p", "-labels", "labels.txt"}, "net.onnx");
  EXPECT_TRUE(has(said, kAllRight)) << said;
  const std::string without = run_net({"-test", "-test-dir", "p"}, "net.onnx");
  EXPECT_TRUE(
      has(without,
          "2 folders of samples, 3 classes: folder i in the order of names is taken for class i; -labels "
          "says otherwise\n"))
      << without;
}

TEST_F(OnnxAlone, PicturesOf16BitsHaveNoPresetOfBytes) {
  N2D2_NEEDS_TARGETS("CPP");
  std::filesystem::create_directory("p");
  write("p/1.ppm", "P6\n4 4\n65535\n" + std::string(96, 'x'));
  try {
    run_net({"-export", "CPP", "-calib-dir", "p", "-preset", "imagenet-tf"}, "net.onnx");
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "net.onnx: option -calib-dir: expected a picture of 8 bits, got 4x4x3 u16 ('1.ppm')\n"
                 "  hint: make it one of 8 bits or leave it out: the values of this step are those of bytes; "
                 "'-preset unit' takes 16 bits, too");
  }
  run_net({"-export", "CPP", "-calib-dir", "p", "-preset", "unit"}, "net.onnx");
}

TEST_F(OnnxAlone, WhatFileManagersLeaveIsNoClass) {
  write_colour("p/red/1.ppm", 0);
  write_colour("p/blue/1.ppm", 2);
  for (const char* folder : {"p/__MACOSX/red", "p/red"}) {
    std::filesystem::create_directories(folder);
    write(std::string(folder) + "/._1.ppm", "a resource fork");
  }
  write("labels.txt", "\xEF\xBB\xBFred\r\ngreen\r\nblue\r\n");
  const std::string said = run_net({"-test", "-test-dir", "p", "-labels", "labels.txt"}, "net.onnx");
  EXPECT_TRUE(has(said, kAllRight)) << said;
  EXPECT_TRUE(
      has(said,
          "option -test-dir DataPath: files and folders that file managers leave are left out: 2, the first "
          "is 'p/__MACOSX'\n"))
      << said;
}

TEST_F(OnnxAlone, FindingsAboutLabelsNameTheOptions) {
  for (const char* folder : {"a", "b", "c", "d"}) write_colour(std::string("p/") + folder + "/1.ppm", 0);
  write("labels.txt", "a\nb\nx\n");
  const auto message = [](const std::vector<std::string>& arguments) {
    try {
      run_net(arguments, "net.onnx");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message({"-test", "-test-dir", "p"}),
            "net.onnx: option -test-dir: 4 labels need as many outputs, the layer has 3\n"
            "  hint: folders are labels; '-labels <file>' names the classes that the network has");
  EXPECT_EQ(message({"-test", "-test-dir", "p", "-labels", "labels.txt"}),
            "net.onnx: option -labels: label 'c' is no line of 'labels.txt'\n"
            "  hint: a line is the label, or begins with it (for 2 findings)\n"
            "net.onnx: option -labels: label 'd' is no line of 'labels.txt'");
}

TEST_F(OnnxAlone, ExportWithoutSamplesNamesTheOptionsThatGiveThem) {
  N2D2_NEEDS_TARGETS("CPP");
  try {
    run_net({"-export", "CPP"}, "net.onnx");
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(
        error.what(),
        "-export CPP -nbbits 8: an integer export needs calibration\n"
        "  hint: '-calib-dir <folder of pictures>' or '-calib-npy <file>' gives samples to calibrate on, "
        "'-nbbits -32' exports floats");
  }
}

TEST_F(OnnxAlone, SamplesWithoutLabelsAreNotScored) {
  write_colour("p/1.ppm", 0);
  const std::string said = run_net({"-test", "-test-dir", "p"}, "net.onnx");
  EXPECT_TRUE(has(said, "the Test samples have no labels: nothing is scored\n")) << said;
  EXPECT_FALSE(has(said, "Final recognition rate")) << said;
}

// The files of -test-dir are no pictures at all: calibration, which decodes every sample it reads, does not
// notice.
TEST_F(OnnxAlone, IsCalibratedOnTheCalibrationSamplesAlone) {
  N2D2_NEEDS_TARGETS("CPP");
  write_colour("calib/1.ppm", 0);
  write_colour("calib/2.ppm", 1);
  std::filesystem::create_directories("test/a");
  write("test/a/1.ppm", "no picture");
  const std::vector<std::string> places{"-calib-dir", "calib", "-test-dir", "test", "-db-export", "0"};
  std::vector<std::string> integers{"-export", "CPP"}, floats{"-export", "CPP", "-nbbits", "-32"};
  integers.insert(integers.end(), places.begin(), places.end());
  floats.insert(floats.end(), places.begin(), places.end());
  const std::string said = run_net(integers, "net.onnx");
  EXPECT_TRUE(has(said, "Calibration: 2 of 2 CalibrationPath samples\n")) << said;
  EXPECT_FALSE(has(said, "optimistic")) << said;
  EXPECT_TRUE(
      has(run_net(floats, "net.onnx"), "-calib-dir: no effect, only an integer export is calibrated\n"));
}

TEST_F(OnnxAlone, StandardizesFeaturesOfRows) {
  using namespace onnx;
  const auto model = proto_of(input("x", {1, 2}) + reals("w", {2, 2}, {1, 2, 3, 4}) +
                              reals("b", {2}, {1, 2}) + node("Gemm", {"x", "w", "b"}, "y") + output("y"));
  std::ofstream("rows.onnx", std::ios::binary) << model.SerializeAsString();
  const std::vector<float> values{1, 10, 3, 50, 1, 10, 3, 50};
  write("a.npy", data::npy("<f4", "(4, 2)", data::bytes_of(values)));
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-standardize"}, {"-mean", "2,30", "-std", "1,20", "-scale", "1"}}) {
    std::vector<std::string> arguments{"-print-ini", "-calib-npy", "a.npy"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const std::string said = run_net(arguments, "rows.onnx");
    for (const char* part :
         {"SizeX=1\n", "SizeY=1\n", "NbChannels=2\n", "FirstValue=2 30\n", "SecondValue=1 20\n"})
      EXPECT_TRUE(has(said, part)) << part << " in\n" << said;
  }
  EXPECT_THROW(run_net({"-print-ini", "-calib-npy", "a.npy", "-standardize", "-scale", "1"}, "rows.onnx"),
               ConfigError);
  EXPECT_TRUE(has(run_net({"-print-ini", "-calib-npy", "a.npy"}, "rows.onnx"), "SizeX=2\n"));
}

TEST_F(OnnxAlone, IsCalibratedOnAFileOfArrays) {
  N2D2_NEEDS_TARGETS("CPP");
  std::vector<float> values(96, 0.5F);
  std::fill(values.begin() + 48, values.end(), -3.0F);
  write("a.npy", data::npy("<f4", "(2, 3, 4, 4)", data::bytes_of(values)));
  const std::string said = run_net({"-export", "CPP", "-calib-npy", "a.npy"}, "net.onnx");
  EXPECT_TRUE(has(said, "Calibration: 2 of 2 Test samples\n")) << said;
  EXPECT_TRUE(has(said, "Preprocessing: values as they are\n")) << said;
  EXPECT_TRUE(has(said, "Exported to 'export_CPP_int8' with 2 stimuli\n")) << said;
  EXPECT_TRUE(has(read("export_CPP_int8/statistics/calibration/outputs_range.dat"), "-3")) << said;
}

/// Two Convs whose outputs are transposed to N,H,W,C, reshaped to rows of two scores, and joined.
std::string detector_bytes() {
  std::string out = onnx::input("x", {1, 3, 4, 4}) + onnx::output("scores");
  out += onnx::integers("rows", {1, -1, 2});
  for (const std::string head : {"a", "b"}) {
    out += onnx::reals(head + "w", {4, 3, 1, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1});
    out += onnx::node("Conv", {"x", head + "w"}, head);
    out += onnx::node("Transpose", {head}, head + "_last",
                      onnx::attribute("perm", std::vector<int64_t>{0, 2, 3, 1}));
    out += onnx::node("Reshape", {head + "_last", "rows"}, head + "_rows");
  }
  out += onnx::node("Concat", {"a_rows", "b_rows"}, "all", onnx::attribute("axis", 1));
  return onnx::proto_of(out + onnx::node("Sigmoid", {"all"}, "scores")).SerializeAsString();
}

TEST_F(OnnxAlone, HeadsOfADetectorAreWrittenInPlace) {
  N2D2_NEEDS_TARGETS("CPP");
  write("detector.onnx", detector_bytes());
  std::vector<float> values(48, 0.5F);
  std::fill(values.begin() + 24, values.end(), -3.0F);
  write("a.npy", data::npy("<f4", "(1, 3, 4, 4)", data::bytes_of(values)));
  const std::string said = run_net({"-export", "CPP", "-calib-npy", "a.npy"}, "detector.onnx");
  EXPECT_TRUE(has(said, "no byte different\n")) << said;
  const std::string forward = read("export_CPP_int8/dnn/src/forward.cpp");
  EXPECT_FALSE(has(forward, "concat_part(cells::")) << forward;
  EXPECT_TRUE(has(forward, "conv2d(")) << forward;
}

TEST_F(OnnxAlone, SamplesWithLabelsTakeClassesFromAxisOneOfAnOutput) {
  N2D2_NEEDS_TARGETS("CPP");
  write("detector.onnx", detector_bytes());
  write_colour("p/a_red/1.ppm", 0);
  write_colour("p/b_green/1.ppm", 1);
  const std::string said = run_net({"-export", "CPP", "-calib-dir", "p"}, "detector.onnx");
  EXPECT_TRUE(
      has(said, "2 folders of samples, 64 classes: folder i in the order of names is taken for class i"))
      << said;
  EXPECT_TRUE(has(said, "no byte different\n")) << said;
}

TEST_F(OnnxAlone, TheOutputsBeforeWhatIsRefusedAreNamed) {
  N2D2_NEEDS_TARGETS("CPP");
  const std::string graph =
      onnx::input("x", {1, 3, 4, 4}) + onnx::output("y") + onnx::node("Relu", {"x"}, "a") +
      onnx::node("LRN", {"a"}, "b",
                 onnx::attribute("size", 3) + "attribute { name: 'bias' f: 0 type: FLOAT } ") +
      onnx::node("Relu", {"b"}, "y");
  write("norm.onnx", onnx::proto_of(graph).SerializeAsString());
  write_colour("p/1.ppm", 0);
  try {
    run_net({"-export", "CPP", "-calib-dir", "p"}, "norm.onnx");
    ADD_FAILURE() << "no error";
  } catch (const ExportError& error) {
    EXPECT_THAT(error.what(), HasSubstr("[b] LRN: K=0 has no integer form"));
    EXPECT_THAT(error.what(),
                HasSubstr("'-export ONNX -nbbits -32' has it; '-outputs a' ends the network in front of"));
  }
}

// Its data sections are those of the options, CalibrationPath and LabelsFile included.
TEST_F(OnnxAlone, IsDumpedWithItsSamples) {
  N2D2_NEEDS_TARGETS("CPP");
  write_colour("calib/1.ppm", 0);
  write_colour("calib/2.ppm", 1);
  write_colour("test/red/1.ppm", 0);
  write("labels.txt", "red\ngreen\nblue\n");
  std::vector<std::string> arguments{"-calib-dir", "calib",      "-test-dir", "test",
                                     "-labels",    "labels.txt", "-dump",     "graph"};
  const std::string dumped = run_net(arguments, "net.onnx");
  EXPECT_FALSE(has(dumped, "no effect")) << dumped;
  const std::string said = run_net({"-export", "CPP", "-calib", "-1", "-test"}, "graph.00.build.graph");
  EXPECT_TRUE(has(said, "Calibration: 2 of 2 CalibrationPath samples\n")) << said;
  EXPECT_TRUE(has(said, kAllRight)) << said;
}

TEST_F(OnnxAlone, IsTestedOnArrays) {
  std::vector<float> values(48, 1);
  std::fill(values.begin() + 16, values.begin() + 32, 2);
  std::filesystem::create_directories("p/green");
  write("p/green/1.bin", data::bytes_of(values));
  write("labels.txt", "red\ngreen\nblue\n");
  const std::string said =
      run_net({"-test", "-test-dir", "p", "-labels", "labels.txt", "-sample-type", "float32"}, "net.onnx");
  EXPECT_TRUE(has(said, kAllRight)) << said;
}

TEST_F(OnnxAlone, TheIniOfInitDoesTheSame) {
  for (const char* folder : {"it's 5 # ; \"quoted\"", "calib"}) {
    write_colour(std::string(folder) + "/a/1.ppm", 0);
    write_colour(std::string(folder) + "/c/1.ppm", 2);
  }
  write("la bels.txt", "a\nb\nc\n");
  std::filesystem::rename("it's 5 # ; \"quoted\"", "it's 5 # ;");
  const std::vector<std::string> arguments{"-test",      "-calib-dir", "calib",       "-test-dir",
                                           "it's 5 # ;", "-labels",    "la bels.txt", "-crop",
                                           "-scale",     "1/255",      "-mean",       "0.1"};
  std::vector<std::string> init = arguments;
  init.emplace_back("-init");
  const std::string wrote = run_net(init, "net.onnx");
  EXPECT_TRUE(has(wrote, "'net.ini' written; the same as this command line is\n  n2d2 net.ini -test\n"))
      << wrote;
  const std::string by_options = run_net(arguments, "net.onnx"), by_file = run_net({"-test"});
  EXPECT_TRUE(has(by_options, kAllRight)) << by_options;
  const std::string score = scores_in(by_options);
  EXPECT_TRUE(has(by_file, score)) << by_file;
  EXPECT_TRUE(has(read("net.ini"), "DataPath=\"it's 5 # ;\"\nDepth=-1\n")) << read("net.ini");
  EXPECT_TRUE(has(run_net({"-print-ini", "-calib-dir", "calib"}, "net.onnx"), "DataPath=calib\n"));
}

std::string init_error(const std::vector<std::string>& more, const char* net = "net.onnx") {
  std::vector<std::string> arguments{"-test", "-init"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  try {
    run_net(arguments, net);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "none";
}

TEST_F(OnnxAlone, InitWritesNothingThatReadsBackAsSomethingElse) {
  write_colour("p/1.ppm", 0);
  const std::string said = run_net({"-init", "-test", "-w", "it's"}, "net.onnx");
  EXPECT_TRUE(has(said, "\n  n2d2 net.ini -test -w 'it'\\''s'\n")) << said;
  EXPECT_EQ(init_error({"-test-dir", "p"}),
            "option -init: 'net.ini' is there already\n  hint: '-init <other>.ini'");
  write_colour("a\nb/1.ppm", 0);
  EXPECT_EQ(init_error({"other.ini", "-test-dir", "a\nb"}),
            "option -init: no line of an INI file can hold 'a\nb', the DataPath of [database]");
  std::filesystem::copy("net.onnx", "$(1+1).onnx");
  EXPECT_EQ(init_error({"other.ini"}, "$(1+1).onnx"),
            "option -init: an INI file cannot say '$(1+1).onnx', the File of [net]\n"
            "  hint: another name for the file or the folder");
  write("odd.onnx", onnx::proto_of(onnx::input("x", {1, 3, 4, 4}) + onnx::output("y]z") +
                                   onnx::node("Relu", {"x"}, "y]z"))
                        .SerializeAsString());
  EXPECT_EQ(init_error({"other.ini"}, "odd.onnx"),
            "option -init: an INI file cannot say the section 'y]z.Target'\n"
            "  hint: another name for the file or the folder");
  EXPECT_FALSE(std::filesystem::exists("other.ini"));
}

}  // namespace
}  // namespace n2d2::app
