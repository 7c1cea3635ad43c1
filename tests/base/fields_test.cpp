#include "n2d2/base/fields.hpp"

#include <map>

#include <gtest/gtest.h>

namespace n2d2 {
namespace {

enum class Mode { Max, Average };

struct Sample {
  Dims kernel, stride{1, 1};
  int outputs = 0;
  float slope = 0;
  bool bias = true;
  Mode mode = Mode::Max;
  std::vector<float> weights;
  template <class V>
  static void fields(V&& v) {
    v("KernelDims", &Sample::kernel, required, geometry("Kernel"), at_least(1));
    v("Stride", &Sample::stride, geometry("Stride"), at_least(1));
    v("NbOutputs", &Sample::outputs, required, at_least(1));
    v("Slope", &Sample::slope);
    v("Bias", &Sample::bias, in_config);
    v("Mode", &Sample::mode);
    v("Weights", &Sample::weights);
  }
};

class Keys final : public KeySource {
 public:
  explicit Keys(std::map<std::string, std::string> keys) : keys_(std::move(keys)) {}
  std::optional<KeyText> find(std::string_view key) const override {
    const auto it = keys_.find(std::string(key));
    if (it == keys_.end()) return std::nullopt;
    return KeyText{it->second, {"a.ini", 5}};
  }
  SourceLocation where() const override { return {"a.ini", 1}; }
  std::string subject() const override { return "[c]"; }

 private:
  std::map<std::string, std::string> keys_;
};

Sample read(std::map<std::string, std::string> section, std::map<std::string, std::string> config = {},
            std::string* errors = nullptr) {
  Sample out;
  Diagnostics d;
  read_fields(out, Keys(std::move(section)), Keys(std::move(config)), d);
  if (errors != nullptr)
    for (const Diagnostic& e : d.errors()) *errors += e.text() + "\n";
  else
    EXPECT_FALSE(d.has_errors());
  return out;
}

}  // namespace

template <>
struct EnumText<Mode> {
  static constexpr std::array names{"Max", "Average"};
};

namespace {

TEST(Fields, ReadFromSectionAndConfig) {
  const Sample s = read({{"KernelDims", "3 5"},
                         {"NbOutputs", "1,024"},
                         {"Slope", "0.1"},
                         {"Mode", "Average"},
                         {"Weights", "1 2.5"}},
                        {{"Bias", "0"}});
  EXPECT_EQ(s.kernel, (Dims{3, 5}));
  EXPECT_EQ(s.outputs, 1024);
  EXPECT_FLOAT_EQ(s.slope, 0.1F);
  EXPECT_EQ(s.mode, Mode::Average);
  EXPECT_FALSE(s.bias);
  EXPECT_EQ(s.weights, (std::vector<float>{1, 2.5F}));
}

TEST(Fields, EverySpellingOfGeometryIsRead) {
  for (const auto& keys :
       std::vector<std::map<std::string, std::string>>{{{"KernelDims", "4 2"}},
                                                       {{"Kernel", "4 2"}},
                                                       {{"KernelSize", "4 2"}},
                                                       {{"KernelX", "4"}, {"KernelY", "2"}},
                                                       {{"KernelWidth", "4"}, {"KernelHeight", "2"}}}) {
    auto all = keys;
    all["NbOutputs"] = "1";
    EXPECT_EQ(read(all).kernel, (Dims{4, 2}));
  }
  EXPECT_EQ(read({{"Kernel", "3"}, {"NbOutputs", "1"}, {"StrideX", "2"}}).stride, (Dims{2, 1}));
}

TEST(Fields, ReportEveryBadValueWithPlaceExpectedAndFound) {
  std::string errors;
  read({{"KernelDims", "3"}, {"Stride", "0"}, {"Mode", "max"}}, {{"Bias", "maybe"}}, &errors);
  EXPECT_EQ(errors,
            "a.ini:5: [c] Stride: expected 1 or 2 integers >= 1, got '0'\n"
            "a.ini:1: [c] NbOutputs: missing, expected an integer >= 1\n"
            "a.ini:5: [c] Bias: expected 0 or 1, got 'maybe'\n"
            "a.ini:5: [c] Mode: expected one of Max Average, got 'max'\n");
}

TEST(Fields, PrintWhatDiffersFromTheDefault) {
  Sample s;
  s.kernel = {3, 3};
  s.mode = Mode::Average;
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(print_fields(s), (Pairs{{"KernelDims", "3 3"}, {"NbOutputs", "0"}, {"Mode", "Average"}}));
  // What must be given is printed, also where it is the default.
  EXPECT_EQ(print_fields(Sample{}), (Pairs{{"KernelDims", "0 0"}, {"NbOutputs", "0"}}));
  EXPECT_FALSE(equal_fields(s, Sample{}));
  EXPECT_TRUE(equal_fields(s, s));
}

TEST(Fields, DescribeThemselves) {
  const auto help = describe_fields<Sample>();
  ASSERT_EQ(help.size(), 7U);
  EXPECT_TRUE(help[0].info.required);
  EXPECT_EQ(help[1].default_text, "1 1");
  EXPECT_EQ(help[5].kind, "one of Max Average");
}

}  // namespace
}  // namespace n2d2
