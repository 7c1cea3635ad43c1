#include "n2d2/training/learning_state.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "n2d2/base/log.hpp"

#include "training/small_nets.hpp"

namespace n2d2::training {
namespace {

namespace fs = std::filesystem;

struct TestRun {
  std::string solver;
  std::map<std::string, std::string> keys;
  bool by_epoch = true;
};

/// A run that can be interrupted and gone on with by another trainer on another network.
class Learning {
 public:
  explicit Learning(const TestRun& run, int stop_after = -1)
      : run_(run),
        net_(stripes_net()),
        trainer_(net_.graph, net_.solvers(run.solver, run.keys), net_.targets(), options(),
                 {{}, {}, {}, [this, stop_after] { return asked_++ == stop_after; }}) {}

  RunResult go() {
    const VectorSource source = stripes(30, 12);
    return run_.by_epoch ? trainer_.learn_epochs(source, 3) : trainer_.learn_stimuli(source, 90);
  }
  Trainer& trainer() { return trainer_; }
  std::vector<Tensor> constants() const { return net_.constants(); }

 private:
  static TrainerOptions options() {
    TrainerOptions out = reference_options(8);
    out.log_stimuli = 20;
    return out;
  }
  TestRun run_;
  SmallNet net_;
  int asked_ = 0;
  Trainer trainer_;
};

class State : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static LearningState interrupted(const TestRun& run, int stop_after) {
    Learning first(run, stop_after);
    EXPECT_TRUE(first.go().interrupted);
    return {{{"seed", "3"}, {"layer a: \n b", "x : y"}}, 90, first.trainer().state()};
  }
  std::string read(const std::string& name) const {
    std::stringstream out;
    out << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
    return out.str();
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  std::string refusal() const {
    try {
      load_state(folder_);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }
  const fs::path folder_ = fs::temp_directory_path() / ("n2d2_state_" + std::to_string(::getpid()));
};

const TestRun kSgd{"SGD", {{"LearningRate", "0.05"}, {"Momentum", "0.9"}, {"IterationSize", "3"}}};
const TestRun kScheduled{"SGD",
                         {{"LearningRate", "0.05"}, {"LearningRatePolicy", "PolyDecay"}, {"Power", "1"}}};
const TestRun kAdam{"Adam", {{"LearningRate", "0.01"}}};

TEST_F(State, GoesOnToTheSameBytesFromEveryBatchAndEveryBatchOfAValidation) {
  const log::Capture quiet;
  TestRun drawn = kSgd;
  drawn.by_epoch = false;
  const std::vector<TestRun> runs{kSgd, kScheduled, kAdam, drawn};
  for (const TestRun& run : runs) {
    Learning straight(run);
    const RunResult expected = straight.go();
    ASSERT_FALSE(expected.interrupted);
    int stops = 0;
    while (true) {
      Learning first(run, stops);
      if (!first.go().interrupted) break;
      Learning second(run);
      second.trainer().resume(first.trainer().state());
      const RunResult found = second.go();
      EXPECT_EQ(found.stimuli, expected.stimuli);
      EXPECT_EQ(found.updates, expected.updates);
      EXPECT_EQ(found.best, expected.best);
      EXPECT_TRUE(second.constants() == straight.constants()) << run.solver << ", stop " << stops;
      EXPECT_TRUE(second.trainer().state() == straight.trainer().state()) << run.solver << ", " << stops;
      second.trainer().take_best();
      Learning best(run);
      best.trainer().resume(straight.trainer().state());
      best.trainer().take_best();
      EXPECT_TRUE(second.constants() == best.constants());
      // Every batch of the first run; of the others those between which all kinds of places lie.
      stops += &run.solver == &runs.front().solver ? 1 : 4;
    }
    EXPECT_GT(stops, 12);  // batches of learning and of validation
  }
}

TEST_F(State, HasTheBestOfBeforeTheInterruption) {
  Learning straight(kSgd);
  straight.go();
  const TrainerState state = straight.trainer().state();
  ASSERT_TRUE(state.best.has_value());
  ASSERT_EQ(state.constants.size(), 8U);
  for (const TrainerState::Constant& constant : state.constants)
    EXPECT_EQ(constant.best.shape(), constant.now.shape());
}

TEST_F(State, IsOfAnEarlyStopThatStaysOne) {
  TestRun frozen = kSgd;
  frozen.keys["LearningRate"] = "0";
  const VectorSource source = stripes(30, 12);
  TrainerOptions options = reference_options(8);
  options.stop_valid = 2;
  SmallNet net = stripes_net();
  Trainer first(net.graph, net.solvers("SGD", frozen.keys), net.targets(), options);
  ASSERT_TRUE(first.learn_epochs(source, 50).stopped_early);
  Trainer second(net.graph, net.solvers("SGD", frozen.keys), net.targets(), options);
  second.resume(first.state());
  EXPECT_TRUE(second.learn_epochs(source, 50).stopped_early);
  EXPECT_EQ(second.state(), first.state());
}

TEST_F(State, IsReadAsItWasWritten) {
  for (const TestRun& run : {kSgd, kAdam}) {
    const LearningState state = interrupted(run, 10);
    save_state(state, folder_);
    EXPECT_TRUE(load_state(folder_) == state);
  }
  LearningState unvalidated = interrupted(kSgd, 1);
  ASSERT_FALSE(unvalidated.trainer.best.has_value());
  save_state(unvalidated, folder_);
  EXPECT_TRUE(load_state(folder_) == unvalidated);
}

TEST_F(State, IsRefusedWhenItIsCutOrChanged) {
  save_state(interrupted(kSgd, 10), folder_);
  const std::string text = read("state.txt"), values = read("values.bin");
  for (size_t at = 0; at < text.size(); at += 7) {
    write("state.txt", text.substr(0, at));
    EXPECT_NE(refusal(), "") << "cut at " << at;
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    write("state.txt", changed);
    EXPECT_NE(refusal(), "") << "changed at " << at;
  }
  write("state.txt", text);
  write("values.bin", values.substr(0, values.size() - 1));
  EXPECT_EQ(refusal(), (folder_ / "values.bin").string() +
                           fmt::format(": learning state: expected {} bytes, found {}\n"
                                       "  hint: another state, or no '-l': the run begins anew",
                                       with_thousands(static_cast<int64_t>(values.size())),
                                       with_thousands(static_cast<int64_t>(values.size()) - 1)));
  std::string changed = values;
  changed[values.size() / 2] ^= 0x10;
  write("values.bin", changed);
  EXPECT_EQ(refusal(), (folder_ / "values.bin").string() +
                           ": learning state: the values are changed, their hash is another\n"
                           "  hint: another state, or no '-l': the run begins anew");
  fs::remove(folder_ / "values.bin");
  EXPECT_EQ(refusal(), (folder_ / "values.bin").string() +
                           ": learning state: no such file\n"
                           "  hint: '-l <folder>' names the folder of a state, as learning writes net_state");
  write("values.bin", values);
  EXPECT_EQ(refusal(), "");
}

TEST_F(State, IsRefusedInAnotherForm) {
  fs::create_directories(folder_);
  write("state.txt", "n2d2 learning state 2\nwho knows\n");
  EXPECT_EQ(refusal(), (folder_ / "state.txt").string() +
                           ":1: learning state: expected 'n2d2 learning state 1', found 'n2d2 learning state "
                           "2'\n  hint: it is of another version of the program");
}

TEST_F(State, SaysWhatDiffers) {
  const auto found = differences({{"seed", "1"}, {"gone", "x"}}, {{"seed", "2"}, {"new", "y"}});
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].name + found[0].before + found[0].now, "seed12");
  EXPECT_EQ(found[1].name + found[1].before + found[1].now, "gonex");
  EXPECT_EQ(found[2].name + found[2].before + found[2].now, "newy");
}

}  // namespace
}  // namespace n2d2::training
