// What do -calib-dir, -test-dir, -preset and the others mean for a lone ONNX file?
#include "onnx_samples.hpp"

#include <filesystem>

#include <gmock/gmock.h>

#include "data/arrays.hpp"
#include "folder_test.hpp"
#include "onnx/onnx_text.hpp"
#include "run_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

using ::testing::HasSubstr;

const InputSize kColour{3, 32, 32, true, false};

class OnnxSamples : public FolderTest {
 protected:
  static void write_picture(const std::string& name, int width = 32, int height = 32) {
    std::filesystem::create_directories(std::filesystem::path(name).parent_path());
    write(name, fmt::format("P6\n{} {}\n255\n", width, height) +
                    std::string(static_cast<size_t>(3 * width * height), 'x'));
  }
  static Options with(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"m.onnx", "-test"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return parse(arguments).options;
  }
  /// "[section] key=value key=value", a line a section.
  static std::string sections(const Options& options, const InputSize& input = kColour,
                              std::string* said = nullptr) {
    log::Capture capture;
    std::string out;
    for (const DocumentedSection& section : sample_sections(options, input)) {
      out += "[" + section.values.name + "]";
      for (const auto& [key, text] : section.values.keys) out += fmt::format(" {}={}", key, text);
      out += "\n";
    }
    if (said != nullptr) *said = capture.text(log::Level::Info);
    return out;
  }
  static std::string steps(const std::vector<std::string>& more, const InputSize& input = kColour) {
    const std::string all = sections(with(more), input);
    return all.substr(all.find('\n') + 1);
  }
  static std::string refused(const std::vector<std::string>& more, const InputSize& input = kColour) {
    try {
      return sections(with(more), input);
    } catch (const ConfigError& error) {
      return error.what();
    }
  }
};

TEST_F(OnnxSamples, FoldersAreLabelsAndTestSamplesCalibrate) {
  write_picture("pictures/cat/1.ppm");
  write_picture("pictures/dog/deep/2.PPM");
  write("pictures/README", "");
  std::string said;
  EXPECT_EQ(
      sections(with({"-calib-dir", "pictures"}), kColour, &said),
      "[database] Type=DIR_Database DataPath=pictures Depth=-1 LabelDepth=1 ValidExtensions=ppm Learn=0 "
      "RandomPartitioning=0\n"
      "[sp.Transformation-1] Type=RescaleTransformation Width=32 Height=32 Antialias=1\n"
      "[sp.Transformation-2] Type=ColorSpaceTransformation ColorSpace=RGB\n");
  EXPECT_EQ(
      said,
      "-calib-dir: files that nothing reads are left out: 1, the first is 'pictures/README'\n"
      "no -preset, -mean or -std: '-preset unit' is assumed, values must be those that the network "
      "learnt from\n"
      "Preprocessing: resized to 32x32, RGB, integers divided by the largest of their type (a / 255)\n");
}

TEST_F(OnnxSamples, AFlatFolderHasNoLabels) {
  write_picture("pictures/1.ppm");
  EXPECT_THAT(sections(with({"-calib-dir", "pictures/"})),
              HasSubstr(" DataPath=pictures/ Depth=-1 LabelDepth=-1 "));
  write_picture("pictures/cat/1.ppm");
  std::string said;
  EXPECT_THAT(sections(with({"-calib-dir", "pictures"}), kColour, &said), HasSubstr(" LabelDepth=-1 "));
  EXPECT_THAT(said,
              HasSubstr("-calib-dir: samples lie in 'pictures' itself, too: its folders are no labels\n"));
}

TEST_F(OnnxSamples, CalibrationNeverReadsWhatIsTested) {
  write_picture("calib/1.ppm");
  write_picture("test/cat/1.ppm");
  EXPECT_THAT(
      sections(with({"-calib-dir", "calib", "-test-dir", "test"})),
      HasSubstr(
          "[database] Type=DIR_Database DataPath=test Depth=-1 LabelDepth=1 ValidExtensions=ppm Learn=0 "
          "RandomPartitioning=0 CalibrationPath=calib\n"));
  std::string said;
  sections(with({"-calib-dir", "test", "-test-dir", "./test"}), kColour, &said);
  EXPECT_THAT(said,
              HasSubstr("calibration uses Test samples, -test-dir is 'test', too: the score of the export is "
                        "optimistic\n"));
}

TEST_F(OnnxSamples, PresetsAreThoseOfTheFrameworks) {
  write_picture("p/1.ppm");
  const std::string resized =
      "[sp.Transformation-1] Type=RescaleTransformation Width=32 Height=32 Antialias=1\n"
      "[sp.Transformation-2] Type=ColorSpaceTransformation ColorSpace=RGB\n";
  EXPECT_EQ(steps({"-calib-dir", "p", "-preset", "unit"}), resized);
  EXPECT_EQ(steps({"-calib-dir", "p", "-preset", "none"}),
            resized +
                "[sp.Transformation-3] Type=RangeAffineTransformation FirstOperator=Plus FirstValue=0 "
                "BytesOnly=1\n");
  EXPECT_EQ(steps({"-calib-dir", "p", "-preset", "imagenet-tf"}),
            resized +
                "[sp.Transformation-3] Type=RangeAffineTransformation FirstOperator=Minus FirstValue=127.5 "
                "SecondOperator=Divides SecondValue=127.5 BytesOnly=1\n");
  EXPECT_EQ(
      steps({"-calib-dir", "p", "-preset", "imagenet-torch"}, {3, 224, 224, true, false}),
      "[sp.Transformation-1] Type=RescaleTransformation Width=256 Height=256 Antialias=1 KeepAspectRatio=1 "
      "ResizeToFit=0 Exact=1 KeepSize=224 224\n"
      "[sp.Transformation-2] Type=PadCropTransformation Width=224 Height=224\n"
      "[sp.Transformation-3] Type=ColorSpaceTransformation ColorSpace=RGB\n"
      "[sp.Transformation-4] Type=RangeAffineTransformation FirstOperator=Minus FirstValue=123.675 116.28 "
      "103.53 "
      "SecondOperator=Divides SecondValue=58.395 57.12 57.375 BytesOnly=1\n");
  EXPECT_THAT(steps({"-calib-dir", "p", "-preset", "imagenet-torch"}, {3, 96, 160, true, false}),
              HasSubstr("Width=183 Height=110 "));
}

TEST_F(OnnxSamples, MeanStdAndScaleBecomeOneStep) {
  write_picture("p/1.ppm");
  EXPECT_THAT(
      steps({"-calib-dir", "p", "-scale", "1/255", "-mean", "0.5,0.25,0.75", "-std", "0.5", "-bgr"}),
      HasSubstr("ColorSpace=BGR\n[sp.Transformation-3] Type=RangeAffineTransformation FirstOperator=Minus "
                "FirstValue=127.5 63.75 191.25 SecondOperator=Divides SecondValue=127.5 BytesOnly=1\n"));
  EXPECT_THAT(steps({"-calib-dir", "p", "-scale", "1/255", "-mean", "0.406"}),
              HasSubstr("FirstValue=103.53 "));
  EXPECT_THAT(steps({"-calib-dir", "p", "-scale", "0.5"}),
              HasSubstr("FirstValue=0 SecondOperator=Divides SecondValue=2 BytesOnly=1\n"));
  EXPECT_EQ(refused({"-calib-dir", "p", "-scale", "1", "-mean", "1,2"}),
            "option -mean: expected 1 number or 3, one for each channel or feature, got 2");
  EXPECT_EQ(refused({"-calib-dir", "p", "-scale", "1", "-mean", "1,x,2"}),
            "option -mean: expected numbers between ',', got '1,x,2'");
  EXPECT_EQ(refused({"-calib-dir", "p", "-scale", "1", "-std", "0"}),
            "option -std: expected numbers > 0, got '0'");
  EXPECT_EQ(refused({"-calib-dir", "p", "-scale", "-1"}), "option -scale: expected a number > 0, got '-1'");
}

TEST_F(OnnxSamples, SizesAreReachedAsAskedFor) {
  write_picture("p/1.ppm");
  const InputSize input{3, 24, 32, true, false};
  EXPECT_THAT(steps({"-calib-dir", "p"}, input), HasSubstr("Width=32 Height=24 Antialias=1\n"));
  EXPECT_THAT(steps({"-calib-dir", "p", "-crop"}, input),
              HasSubstr("Width=32 Height=24 Antialias=1 KeepAspectRatio=1 ResizeToFit=0 Exact=1\n"
                        "[sp.Transformation-2] Type=PadCropTransformation Width=32 Height=24\n"));
  EXPECT_THAT(steps({"-calib-dir", "p", "-crop", "-resize", "40"}, input),
              HasSubstr("Width=40 Height=40 Antialias=1 KeepAspectRatio=1 "));
  EXPECT_THAT(steps({"-calib-dir", "p", "-crop", "-resize", "40x30"}, input),
              HasSubstr("Width=40 Height=30 Antialias=1\n"));
  EXPECT_THAT(steps({"-calib-dir", "p", "-preset", "imagenet-torch", "-resize", "48"}, input),
              HasSubstr("Width=48 Height=48 Antialias=1 KeepAspectRatio=1 "));
  EXPECT_EQ(
      refused({"-calib-dir", "p", "-resize", "40"}, input),
      "option -resize: '40' leaves more than the input, 32x24\n  hint: '-crop' cuts it out of the middle");
  EXPECT_EQ(refused({"-calib-dir", "p", "-crop", "-resize", "31"}, input),
            "option -resize: expected at least the input, 32x24, got '31'");
  for (const char* wrong : {"a", "1x2x3", "0x32", "32X32", "40000"})
    EXPECT_EQ(
        refused({"-calib-dir", "p", "-resize", wrong}, input),
        fmt::format("option -resize: expected the shorter side, or width x height such as 256x256, got '{}'",
                    wrong));
  std::string said;
  sections(with({"-calib-dir", "p", "-resize", "32x24"}), input, &said);
  EXPECT_THAT(said, HasSubstr("-resize 32x24: no effect, pictures get the size of the input\n"));
  sections(with({"-calib-dir", "p", "-crop", "-preset", "imagenet-torch"}), input, &said);
  EXPECT_THAT(said, HasSubstr("-crop: no effect, -preset imagenet-torch crops\n"));
}

TEST_F(OnnxSamples, PicturesAreOfOneOrThreeChannels) {
  write_picture("p/1.ppm");
  EXPECT_THAT(steps({"-calib-dir", "p"}, {1, 32, 32, true, false}),
              HasSubstr("[sp.Transformation-2] Type=ChannelExtractionTransformation CSChannel=Gray\n"));
  EXPECT_EQ(refused({"-calib-dir", "p", "-bgr"}, {1, 32, 32, true, false}),
            "option -bgr: the network takes one channel");
  EXPECT_EQ(refused({"-calib-dir", "p", "-preset", "imagenet-torch"}, {1, 32, 32, true, false}),
            "option -preset: imagenet-torch is of 3 channels, the network takes 1");
  EXPECT_EQ(
      refused({"-test-dir", "p"}, {224, 224, 3, true, false}),
      "option -test-dir: pictures have 1 or 3 channels, the network takes 224 of 3x224 (width, height)\n"
      "  hint: the file has its channels last; tf2onnx --inputs-as-nchw puts them first");
  EXPECT_EQ(refused({"-calib-dir", "p"}, {1, 1, 640, false, false}),
            "option -calib-dir: pictures have 1 or 3 channels, the network takes 1 of 640x1 (width, height)\n"
            "  hint: -calib-npy takes samples of every shape");
}

TEST_F(OnnxSamples, ArraysStayAsTheyAre) {
  write("a.npy", data::npy("<f4", "(2, 4)", data::bytes_of<float>({1, 2, 3, 4, 5, 6, 7, 8})));
  const InputSize input{1, 1, 4, false, false};
  EXPECT_EQ(sections(with({"-calib-npy", "a.npy", "-sample-type", "uint8"}), input),
            "[database] Type=DIR_Database DataPath=a.npy Depth=-1 LabelDepth=-1 ValidExtensions=npy Learn=0 "
            "RandomPartitioning=0 SampleShape=1 1 4 SampleType=uint8\n"
            "[sp.Transformation-1] Type=RangeAffineTransformation FirstOperator=Plus FirstValue=0\n");
  write_picture("p/1.ppm");  // of a network that takes integers
  EXPECT_THAT(steps({"-calib-dir", "p"}, {3, 32, 32, true, true}),
              HasSubstr("FirstOperator=Plus FirstValue=0 BytesOnly=1\n"));
  std::filesystem::create_directory("d");
  std::filesystem::rename("a.npy", "d/a.npy");
  EXPECT_EQ(refused({"-calib-dir", "d", "-resize", "4"}, input),
            "option -resize: the samples are arrays, of the size and the channels of the network's input");
}

TEST_F(OnnxSamples, FoldersWithoutOneKindOfSamplesAreRefused) {
  write_picture("p/1.ppm");
  write("a.npy", "");
  EXPECT_EQ(refused({"-calib-dir", "none"}), "option -calib-dir: no folder 'none'");
  std::filesystem::create_directory("empty");
  EXPECT_EQ(refused({"-test-dir", "empty"}),
            "option -test-dir: no sample in 'empty'\n"
            "  hint: pictures (jpg, png, ppm, ...) and arrays (npy, csv, bin) are read");
  EXPECT_EQ(refused({"-calib-npy", "a.npy", "-test-dir", "p"}),
            "option -calib-npy: 'a.npy' and that of -test-dir, 'p', hold samples of different kinds\n"
            "  hint: pictures or arrays in both: they are prepared alike");
  write("p/2.csv", "");
  EXPECT_EQ(refused({"-calib-dir", "p"}),
            "option -calib-dir: 'p/1.ppm' is a picture, 'p/2.csv' is none\n"
            "  hint: a folder for each: they are prepared in different ways");
  write_picture("${HOME}/1.ppm");
  EXPECT_EQ(refused({"-calib-dir", "${HOME}"}),
            "option -calib-dir: '${HOME}' holds '${', which is read as the name of an environment variable");
  std::string said;
  sections(with({}), kColour, &said);
  EXPECT_THAT(said,
              HasSubstr("m.onnx: no INI file, so no database; -calib-dir and -test-dir give samples\n"));
}

TEST_F(OnnxSamples, NumbersAsFolderNamesAreNoClassesByThemselves) {
  for (const char* name : {"p/1/1.ppm", "p/2/1.ppm", "p/10/1.ppm"}) write_picture(name);
  std::string said;
  sections(with({"-calib-dir", "p"}), kColour, &said);
  EXPECT_THAT(
      said,
      HasSubstr("-calib-dir: folders are classes in the order of their names: '2' is class 2; -labels says "
                "otherwise\n"));
  sections(with({"-calib-dir", "p", "-labels", "l.txt", "-sample-type", "int8"}), kColour, &said);
  EXPECT_THAT(said, ::testing::Not(HasSubstr("folders are classes")));
  EXPECT_THAT(said, HasSubstr("-sample-type: no effect, no sample is a .bin file\n"));
}

// ---- whole runs ------------------------------------------------------------------------------------------------

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

// Those of -test-dir are no pictures at all: calibration, which decodes every sample it reads, does not notice.
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
  const std::string score = by_options.substr(by_options.find("Final recognition rate"));
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
