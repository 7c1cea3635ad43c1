// What do -calib-dir, -test-dir, -preset and the others mean for a lone ONNX file?
#include <filesystem>

#include <gmock/gmock.h>

#include "data/arrays.hpp"
#include "onnx_samples_fixture.hpp"

namespace n2d2::app {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace n2d2::app
