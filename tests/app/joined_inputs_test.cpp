// What becomes of a lone ONNX file of several inputs?
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>

#include "data/arrays.hpp"
#include "onnx/onnx_text.hpp"
#include "onnx_samples_fixture.hpp"
#include "run_net.hpp"

namespace n2d2::app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kSamples = 40;

/// y = 1x1 Conv of the map (two channels to one), flattened (2 x 3 pixels), plus the row b; z = 2 b.
std::string two_inputs(const std::vector<std::string>& outputs = {"y", "z"}) {
  return onnx::input("a map", {0, 2, 2, 3}) + onnx::input("b", {1, 6}) + onnx::output(outputs[0]) +
         onnx::output(outputs[1]) + onnx::reals("w", {1, 2, 1, 1}, {0.5F, -0.25F}) +
         onnx::reals("two", {1}, {2}) + onnx::node("Conv", {"a map", "w"}, "c") +
         onnx::node("Flatten", {"c"}, "row") + onnx::node("Add", {"row", "b"}, "y") +
         onnx::node("Mul", {"b", "two"}, "z");
}

class JoinedInputs : public OnnxSamples {
 protected:
  void SetUp() override {
    OnnxSamples::SetUp();
    write("net.onnx", onnx::proto_of(two_inputs()).SerializeAsString());
    for (int sample = 0; sample < kSamples; ++sample) {
      for (int i = 0; i < 12; ++i)
        maps_.push_back(static_cast<float>((7 * sample + 5 * i) % 13) / 16.0F - 0.25F);
      for (int i = 0; i < 6; ++i)
        rows_.push_back(static_cast<float>((3 * sample + 11 * i) % 17) * 8.0F - 50.0F);
    }
    write("a.npy", data::npy("<f4", fmt::format("({}, 2, 2, 3)", kSamples), data::bytes_of(maps_)));
    write("b.npy", data::npy("<f4", fmt::format("({}, 1, 6)", kSamples), data::bytes_of(rows_)));
  }

  std::vector<float> expected(int sample, bool has_rows) const {
    std::vector<float> out;
    for (int i = 0; i < 6; ++i) {
      const float* map = maps_.data() + static_cast<ptrdiff_t>(12) * sample;
      const float row = has_rows ? rows_[static_cast<size_t>(6 * sample + i)] : 0;
      out.push_back(0.5F * map[i] - 0.25F * map[6 + i] + row);
    }
    return out;
  }
  /// What `n2d2 <net> -test ...` computes of a sample.
  static std::vector<float> outputs_of(std::vector<std::string> arguments, int sample,
                                       const char* net = "net.onnx") {
    arguments.insert(arguments.end(), {"-test", "-log-outputs", std::to_string(sample + 1)});
    run_net(std::move(arguments), net);
    std::ifstream file(fmt::format("outputs_test_{}/y.npy", sample + 1), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    constexpr size_t kBytes = 6 * sizeof(float);
    std::vector<float> out(6);
    if (bytes.size() < kBytes) return {};
    std::memcpy(out.data(), bytes.data() + bytes.size() - kBytes, kBytes);
    return out;
  }
  static std::string refused(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"-test"});
    try {
      return run_net(std::move(arguments), "net.onnx");
    } catch (const ConfigError& error) {
      return error.what();
    }
  }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::vector<float> maps_, rows_;
};

/// A quotient and a product, each rounded once, of at most 86.
constexpr float kRounding = 86 * 3e-7F;

void expect_near(const std::vector<float>& got, const std::vector<float>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], kRounding) << i;
}

TEST_F(JoinedInputs, GetFilesInTheirOrderOrByName) {
  expect_near(outputs_of({"-calib-npy", "a.npy,b.npy"}, 2), expected(2, true));
  expect_near(outputs_of({"-calib-npy", "b=b.npy, a map=a.npy"}, 3), expected(3, true));
  expect_near(outputs_of({"-calib-npy", "a map=a.npy"}, 4), expected(4, false));
  EXPECT_THAT(run_net({"-calib-npy", "a map=a.npy,b=0", "-test"}, "net.onnx"),
              HasSubstr("-calib-npy: zeros are the samples of 'b'"));
}

TEST_F(JoinedInputs, AreReadAlikeByTheIniOfInit) {
  run_net({"-calib-npy", "a.npy,b.npy", "-init"}, "net.onnx");
  EXPECT_THAT(text_of("net.ini"), AllOf(HasSubstr("Type=Joined_Database\nFiles=a.npy,b.npy\nSizes=12 6\n"),
                                        HasSubstr("NbChannels=18\n"), HasSubstr("JoinedInputs=1\n")));
  expect_near(outputs_of({"-w", "/dev/null"}, 5, "net.ini"), expected(5, true));
}

// The scale of b is 100 times that of the map; each keeps its own steps. The export itself compares all bytes
// with those of the judge.
TEST_F(JoinedInputs, KeepTheirOwnScalesInIntegers) {
  const std::string said =
      run_net({"-calib-npy", "a.npy,b.npy", "-export", "CPP", "-nbbits", "8"}, "net.onnx");
  EXPECT_THAT(said, AllOf(HasSubstr("no byte different"), Not(HasSubstr("Warning: input"))));
  const std::string header = text_of("export_CPP_int8/dnn/include/env.hpp");
  EXPECT_THAT(header, AllOf(HasSubstr("ENV_INPUTS = 2;"),
                            HasSubstr("ENV_INPUT_NAME[ENV_INPUTS] = { \"a map\", \"b\" };"),
                            HasSubstr("ENV_INPUT_FIRST[ENV_INPUTS] = { 0, 12 };"),
                            HasSubstr("ENV_INPUT_SIZE[ENV_INPUTS] = { 12, 6 };")));
}

// The nodes of the file are in the order y, z.
TEST_F(JoinedInputs, OutputsHaveTheOrderAndTheNamesOfTheFile) {
  write("net.onnx", onnx::proto_of(two_inputs({"z", "y"})).SerializeAsString());
  run_net({"-calib-npy", "a.npy,b.npy", "-export", "CPP", "-nbbits", "8"}, "net.onnx");
  EXPECT_THAT(text_of("export_CPP_int8/dnn/include/env.hpp"),
              HasSubstr("OUTPUTS_CELL[NETWORK_TARGETS] = { \"z\", \"y\" };"));
}

TEST_F(JoinedInputs, WhatDoesNotGoWithSeveralInputsIsRefused) {
  EXPECT_EQ(refused({"-calib-npy", "a.npy"}),
            "option -calib-npy: expected 2 files between commas, for the inputs 'a map', 'b', got 1\n"
            "  hint: '-calib-npy a map=<file>' has one, the others are zeros then");
  EXPECT_EQ(
      refused({"-calib-npy", "b=b.npy,a.npy"}),
      "option -calib-npy: expected '<input>=<file>' for all files or for none, inputs are 'a map', 'b'");
  EXPECT_EQ(refused({"-calib-npy", "b=b.npy,b=a.npy"}), "option -calib-npy: input 'b' has two files");
  EXPECT_EQ(refused({"-calib-npy", "0,0"}), "option -calib-npy: expected a file for one of the inputs");
  EXPECT_EQ(refused({"-test-dir", "."}),
            "option -test-dir: the file has 2 inputs, which get arrays as they are\n"
            "  hint: '-calib-npy a.npy,b.npy' has a file for each input");
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"-preset", "unit"}, {"-scale", "1"}, {"-standardize"}}) {
    std::vector<std::string> arguments{"-calib-npy", "a.npy,b.npy"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    EXPECT_EQ(refused(arguments),
              fmt::format("option {}: the file has 2 inputs, which get arrays as they are\n"
                          "  hint: prepare the values before they are saved",
                          option[0]));
  }
}

/// y = 0.5 s + b, the next s.
std::string leaking_sum() {
  return onnx::input("b", {1, 6}) + onnx::input("s", {1, 6}) + onnx::output("y") + onnx::output("short") +
         onnx::reals("half", {1}, {0.5F}) + onnx::node("Mul", {"s", "half"}, "kept") +
         onnx::node("Add", {"kept", "b"}, "y") + onnx::integers("from", {0}) + onnx::integers("to", {3}) +
         onnx::integers("axis", {1}) + onnx::node("Slice", {"b", "from", "to", "axis"}, "short");
}

TEST_F(JoinedInputs, StatesAreMadeOfTheSamplesAsOneSequence) {
  write("net.onnx", onnx::proto_of(leaking_sum()).SerializeAsString());
  std::vector<float> wanted(6);
  for (size_t sample = 0; sample < 4; ++sample)
    for (size_t i = 0; i < 6; ++i) wanted[i] = 0.5F * wanted[i] + rows_[6 * sample + i];
  expect_near(outputs_of({"-calib-npy", "b.npy", "-states", "y=s"}, 3), wanted);
  expect_near(outputs_of({"-calib-npy", "b=b.npy", "-states", "y=s"}, 3), wanted);
  run_net({"-calib-npy", "b.npy", "-states", "y=s", "-init"}, "net.onnx");
  EXPECT_THAT(text_of("net.ini"), AllOf(HasSubstr("Files=b.npy,states/s.npy\n"), HasSubstr("States=y=s\n")));
  expect_near(outputs_of({"-w", "/dev/null"}, 3, "net.ini"), wanted);
}

/// b is three rows of two that are transposed, s has two rows of three.
TEST_F(JoinedInputs, AStateHasTheOrderOfTheFile) {
  const auto order = [](const std::vector<int64_t>& perm) { return onnx::attribute("perm", perm); };
  write("net.onnx",
        onnx::proto_of(onnx::input("b", {1, 6}) + onnx::input("s", {1, 2, 3}) + onnx::output("y") +
                       onnx::reals("half", {1}, {0.5F}) + onnx::integers("rows", {1, 3, 2}) +
                       onnx::node("Mul", {"s", "half"}, "kept") + onnx::node("Reshape", {"b", "rows"}, "r") +
                       onnx::node("Transpose", {"r"}, "t", order({0, 2, 1})) +
                       onnx::node("Add", {"kept", "t"}, "y"))
            .SerializeAsString());
  std::vector<float> wanted(6);
  for (size_t sample = 0; sample < 4; ++sample)
    for (size_t i = 0; i < 6; ++i) wanted[i] = 0.5F * wanted[i] + rows_[6 * sample + i % 3 * 2 + i / 3];
  expect_near(outputs_of({"-calib-npy", "b.npy", "-states", "y=s"}, 3), wanted);
}

TEST_F(JoinedInputs, WhatIsNoStateIsRefused) {
  const auto refused_states = [](const std::string& states, const std::string& files = "b.npy") {
    try {
      return run_net({"-calib-npy", files, "-states", states, "-test"}, "net.onnx");
    } catch (const ModelError& error) {
      return std::string(error.what());
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(refused_states("y=q", "a.npy,b.npy"),
            "net.onnx: states: expected '<output>=<input>' between commas, got 'y=q'\n"
            "  hint: outputs of the file: 'y', 'z'; inputs: 'a map', 'b'");
  EXPECT_THAT(refused_states("y=b,z=b", "a.npy,b.npy"),
              HasSubstr("states: 'z=b' and 'y=b' have a name in common"));
  write("net.onnx", onnx::proto_of(leaking_sum()).SerializeAsString());
  EXPECT_THAT(refused_states("short=s"),
              HasSubstr("[net] States: output 'short' has 3 elements, input 's' has 6"));
  const std::string softmax = onnx::input("b", {1, 6}) + onnx::input("s", {1, 6}) + onnx::output("y") +
                              onnx::node("Add", {"s", "b"}, "sum") + onnx::node("Softmax", {"sum"}, "y");
  write("net.onnx", onnx::proto_of(softmax).SerializeAsString());
  EXPECT_THAT(
      refused_states("y=s"),
      HasSubstr("[net] States: output 'y' is a Softmax, which exports leave out at the end of a network"));
  const std::string number =
      onnx::input("b", {1, 6}) + onnx::input("rate", {}) + onnx::output("y") + onnx::node("Relu", {"b"}, "y");
  write("net.onnx", onnx::proto_of(number).SerializeAsString());
  EXPECT_THAT(refused_states("y=b"),
              HasSubstr("input 'rate' is one number without a batch\n"
                        "  hint: '-calib-npy <files>,rate=<number>' makes it a constant; '-inputs <others>' "
                        "leaves out an input that nothing reads"));
  const std::string alone = onnx::input("b", {1, 6}) + onnx::output("y") + onnx::node("Relu", {"b"}, "y");
  write("net.onnx", onnx::proto_of(alone).SerializeAsString());
  EXPECT_EQ(refused_states("y=b"), "option -states: the file has one input, a state is another one");
}

TEST_F(JoinedInputs, OpenExtentsAreRefused) {
  const std::string open = onnx::input("x", {1, 2}) + onnx::input("z", {1, 0}) + onnx::output("y") +
                           onnx::node("Concat", {"x", "z"}, "y", onnx::attribute("axis", 1));
  write("net.onnx", onnx::proto_of(open).SerializeAsString());
  EXPECT_THROW(
      {
        try {
          run_net({"-calib-npy", "a.npy,b.npy", "-test"}, "net.onnx");
        } catch (const ModelError& error) {
          EXPECT_THAT(error.what(), HasSubstr("input 'z': axis 1 is open (dynamic), only the batch may be"));
          throw;
        }
      },
      ModelError);
}

/// A rate that is one number, beside the two inputs or beside one of them.
TEST_F(JoinedInputs, NumbersBecomeConstants) {
  const std::string rate = onnx::input("rate", {});
  const std::string many = onnx::input("a map", {0, 2, 2, 3}) + onnx::input("b", {1, 6}) + rate +
                           onnx::output("y") + onnx::reals("w", {1, 2, 1, 1}, {0.5F, -0.25F}) +
                           onnx::node("Conv", {"a map", "w"}, "c") + onnx::node("Flatten", {"c"}, "row") +
                           onnx::node("Mul", {"b", "rate"}, "br") + onnx::node("Add", {"row", "br"}, "y");
  write("net.onnx", onnx::proto_of(many).SerializeAsString());
  std::vector<float> wanted = expected(3, false);
  for (size_t i = 0; i < 6; ++i) wanted[i] -= 1.5F * rows_[6 * 3 + i];
  for (const char* files : {"a.npy,b.npy,rate=-1.5", "rate=-1.5,b=b.npy,a map=a.npy"})
    expect_near(outputs_of({"-calib-npy", files}, 3), wanted);
  run_net({"-calib-npy", "a.npy,b.npy,rate=-1.5", "-init", "all.ini"}, "net.onnx");
  EXPECT_THAT(text_of("all.ini"), HasSubstr("\nConstants=rate=-1.5\n"));
  expect_near(outputs_of({}, 3, "all.ini"), wanted);
  EXPECT_EQ(refused({"-calib-npy", "a.npy,b.npy,rate=c.npy"}),
            "option -calib-npy: input 'rate' is one number, got 'c.npy'\n"
            "  hint: 'rate=<number>' makes it a constant");
  write("net.onnx", onnx::proto_of(onnx::input("b", {1, 6}) + rate + onnx::output("y") +
                                   onnx::node("Mul", {"b", "rate"}, "y"))
                        .SerializeAsString());
  for (size_t i = 0; i < 6; ++i) wanted[i] = 4 * rows_[6 * 3 + i];
  for (const char* files : {"b.npy,rate=4", "rate=4,b=b.npy"})
    expect_near(outputs_of({"-calib-npy", files}, 3), wanted);
}

}  // namespace
}  // namespace n2d2::app
