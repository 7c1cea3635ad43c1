// Which form is taken for the times that are measured, and what a file keeps of them. No clock: times are
// given.
#include "tuning.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "n2d2/base/log.hpp"
#include "n2d2/base/read_file.hpp"

#include "tuning_trial.hpp"

namespace n2d2::targets::cpp {
namespace {

namespace fs = std::filesystem;

/// Times by form; counts the trials.
struct GivenTimes {
  std::map<std::string, TimeRange> of_form;
  std::vector<Assignment> trials;
  std::map<std::string, TimeRange> operator()(const Assignment& forms) {
    trials.push_back(forms);
    std::map<std::string, TimeRange> out;
    for (const auto& [layer, form] : forms)
      if (of_form.contains(form)) out[layer] = of_form.at(form);
    return out;
  }
};

const TunedLayer kA{"a", "Conv 1", {"matrix", "packed", "dot"}};
const TunedLayer kSame{"b", "Conv 1", {"matrix", "packed", "dot"}};
const TunedLayer kFc{"f", "Fc 1", {"packed", "dot"}};

TEST(Tune, MeasuresEachKindOfLayerOnceAndOneFormOfAllLayersAtATime) {
  GivenTimes times{{{"matrix", {10, 11}}, {"packed", {8, 9}}, {"dot", {20, 22}}}, {}};
  Timings cache;
  const Tuned tuned = tune({kA, kSame, kFc}, cache, std::ref(times));
  EXPECT_EQ(times.trials,
            (std::vector<Assignment>{
                {{"a", "matrix"}, {"f", "packed"}}, {{"a", "packed"}, {"f", "dot"}}, {{"a", "dot"}}}));
  EXPECT_EQ(tuned.forms.at("a").form, "packed");
  EXPECT_EQ(tuned.forms.at("b").form, "packed");
  EXPECT_EQ(tuned.forms.at("f").form, "packed");
  EXPECT_EQ(tuned.forms.at("a").why,
            "timed: matrix 10.000 to 11.000 us, packed 8.000 to 9.000 us, dot 20.000 to 22.000 us");
  EXPECT_EQ(tuned.forms.at("f").why,
            "timed: packed 8.000 to 9.000 us, dot 20.000 to 22.000 us: none is clearly "
            "faster than the first");
  EXPECT_EQ(tuned.measured, 3);
  EXPECT_EQ(tuned.known, 0);
  EXPECT_EQ(tuned.changed, 2);
  EXPECT_EQ(cache.at("Conv 1").size(), 3U);
}

TEST(Tune, MeasuresNothingThatIsKnownAndOnlyWhatIsMissing) {
  GivenTimes times{{{"matrix", {10, 11}}, {"packed", {8, 9}}, {"dot", {5, 6}}}, {}};
  Timings cache;
  const Tuned first = tune({kA, kFc}, cache, std::ref(times));
  times.trials.clear();
  const Tuned again = tune({kA, kFc}, cache, std::ref(times));
  EXPECT_TRUE(times.trials.empty());
  EXPECT_EQ(again.known, 2);
  EXPECT_EQ(again.measured, 0);
  for (const char* layer : {"a", "f"}) {
    EXPECT_EQ(again.forms.at(layer).form, "dot");
    EXPECT_EQ(again.forms.at(layer).why, first.forms.at(layer).why);
  }
  cache.at("Fc 1").erase("dot");
  (void)tune({kA, kFc}, cache, std::ref(times));
  EXPECT_EQ(times.trials, (std::vector<Assignment>{{{"f", "dot"}}}));
}

TEST(Tune, KeepsTheOwnFormWhereRangesOfTimesTouch) {
  Timings cache;
  for (const TimeRange& other : {TimeRange{7, 10}, TimeRange{9, 12}, TimeRange{7, 10.5}}) {
    cache["Fc 1"] = {{"packed", {10, 11}}, {"dot", other}};
    EXPECT_EQ(tune({kFc}, cache, {}).forms.at("f").form, "packed") << other.least;
  }
  cache["Fc 1"] = {{"packed", {10, 11}}, {"dot", {7, 9.999}}};
  EXPECT_EQ(tune({kFc}, cache, {}).forms.at("f").form, "dot");
}

TEST(Tune, KeepsTheOwnFormOfALayerWithoutATime) {
  GivenTimes times{{{"dot", {5, 6}}}, {}};
  Timings cache;
  const Tuned tuned = tune({kFc}, cache, std::ref(times));
  EXPECT_EQ(times.trials.size(), 2U);
  EXPECT_EQ(tuned.forms.at("f").form, "packed");
  EXPECT_EQ(tuned.forms.at("f").why, "the first that fits: its time is not known apart");
}

const TuningMachine kHere{"1.0", "a processor, 2 threads", "g++ 12"};

class TuningFile : public testing::Test {
 protected:
  TuningFile() { fs::create_directories(folder_); }
  ~TuningFile() override { fs::remove_all(folder_); }
  void put(const std::string& text) const { std::ofstream(file_) << text; }
  /// What reading says: an error, or notices.
  std::string said() const {
    const log::Capture log;
    try {
      (void)read_tuning(file_, kHere);
    } catch (const ConfigError& error) {
      std::string text = error.what();
      for (size_t at; (at = text.find(folder_.string() + "/")) != std::string::npos;)
        text.erase(at, folder_.string().size() + 1);
      return text;
    }
    std::string text = log.text();
    if (const size_t at = text.find(folder_.string() + "/"); at != std::string::npos)
      text.erase(at, folder_.string().size() + 1);
    return text;
  }

  fs::path folder_ = fs::temp_directory_path() / ("n2d2_tuning_" + std::to_string(::getpid()));
  fs::path file_ = folder_ / "tuning.txt";
};

TEST_F(TuningFile, IsReadAsItWasWritten) {
  const TuningCache cache{
      kHere, {{"Conv 1", {{"dot", {1.5, 2}}, {"packed", {0.001, 0.001}}}}, {"Fc", {{"dot", {3, 4}}}}}};
  EXPECT_TRUE(read_tuning(file_, kHere).timings.empty());
  write_tuning(file_, cache);
  const TuningCache read = read_tuning(file_, kHere);
  EXPECT_EQ(read.timings, cache.timings);
  EXPECT_EQ(read.machine, kHere);
  EXPECT_EQ(print(read), read_regular_file(file_, 10000));
}

TEST_F(TuningFile, OfAnotherMachineSaysNothingAndANoticeSaysSo) {
  const Timings timings{{"Fc", {{"dot", {3, 4}}}}};
  for (const auto& [other, text] :
       {std::pair{TuningMachine{"0.9", kHere.machine, kHere.compiler}, "by n2d2 0.9"},
        {TuningMachine{kHere.version, "another", kHere.compiler}, "on 'another'"},
        {TuningMachine{kHere.version, kHere.machine, "clang"}, "with 'clang'"}}) {
    write_tuning(file_, {other, timings});
    EXPECT_EQ(said(), fmt::format("tuning.txt: measured {}, all is measured again\n", text));
    const log::Capture quiet;
    EXPECT_TRUE(read_tuning(file_, kHere).timings.empty());
    EXPECT_EQ(read_tuning(file_, kHere).machine, kHere);
  }
}

TEST_F(TuningFile, ThatIsNoneIsNotTaken) {
  put("my notes\n");
  EXPECT_EQ(said(),
            "tuning.txt:1: not a file of -tune: expected '# n2d2 tuning 1' in the first line\n"
            "  hint: name another one: '-tune other.txt'");
}

TEST_F(TuningFile, ThatIsBrokenIsRefusedLineByLine) {
  const std::string hint = "\n  hint: remove the file: what it said is measured again (for 5 findings)";
  const auto finding = [&](int line, const std::string& text) {
    return fmt::format("tuning.txt:{}: -tune: {}{}", line, text, line == 3 ? hint : "");
  };
  put("# n2d2 tuning 1\nn2d2\t1.0\nmachine "
      "a\ncompiler\tg++\nFc\tdot\t3\t4\nFc\tdot\t3\t4\nFc\tdot\t5\t4\nFc\tx\t0\t4\nFc\n");
  EXPECT_EQ(said(),
            finding(3, "expected 'machine', a tab and its value, got 'machine a'") + "\n" +
                finding(6, "form 'dot' of this layer stands twice") + "\n" +
                finding(7, "expected a layer, a form and two times in ascending order, got 'Fc\tdot\t5\t4'") +
                "\n" +
                finding(8, "expected a layer, a form and two times in ascending order, got 'Fc\tx\t0\t4'") +
                "\n" + finding(9, "expected a layer, a form and two times in ascending order, got 'Fc'"));
}

TEST_F(TuningFile, IsNoFolder) {
  fs::create_directory(file_);
  EXPECT_EQ(said(), "tuning.txt: -tune: expected a regular file, found a folder");
}

TEST(Medians, AreThoseOfTheReport) {
  EXPECT_EQ(medians("conv1: min 1.000 us, median 2.500 us, mean 3.000 us, p95 4.000 us; conv2d (dot_avx2)\n"
                    "total: min 7.000 us, median 8.000 us, mean 9.000 us, p95 9.000 us\nScore: none\n"),
            (std::map<std::string, double>{{"conv1", 2.5}, {"total", 8}}));
}

}  // namespace
}  // namespace n2d2::targets::cpp
