#include "console/console.hpp"

#include <array>
#include <map>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "console/standard_console.hpp"
#include "files.hpp"

namespace n2d2::app {
namespace {

using progress::Task;

/// A console with a clock that stands until it is set, whose streams are kept as one text.
class ConsoleTest : public ::testing::Test {
 protected:
  Console& make(Surface::Kind kind, bool has_colors = false) {
    const auto surface = [&](const std::string& name) {
      return Surface{kind, has_colors, [this, name](std::string_view text) { add(name, text); },
                     [this] { return columns; }};
    };
    console_.emplace(surface("out"), surface("err"), [this] { return now; });
    return *console_;
  }
  /// What was written since the last call, a stream in front of each change.
  std::string seen() {
    last_.clear();
    return std::exchange(seen_, {});
  }

  double now = 100;
  size_t columns = 80;

 private:
  void add(const std::string& name, std::string_view text) {
    if (name != last_) seen_ += "<" + name + ">";
    last_ = name;
    seen_ += text;
  }
  std::string seen_, last_;
  std::optional<Console> console_;
};

TEST_F(ConsoleTest, RewritesALineOfATerminalFromItsSecondSecondOn) {
  Console& console = make(Surface::Kind::Terminal);
  const ConsoleScope scope(console);
  {
    Task task("Testing", 1000, "samples");
    now += 0.9;
    task.at(90);
    console.tick();
    EXPECT_EQ(seen(), "") << "a task that is short is not worth a line";
    now += 0.1;
    task.at(100, [] { return std::string("93.40 % right"); });
    EXPECT_EQ(seen(), "<err>\rTesting: 10 %, 9 s left, 93.40 % right (100 of 1,000 samples)\x1b[K");
    now += 0.1;
    task.at(120, [] { return std::string("94.00 % right"); });
    EXPECT_EQ(seen(), "") << "five times a second is enough";
    now += 0.4;
    console.tick();
    EXPECT_EQ(seen(), "<err>\rTesting: 12 %, 11 s left, 93.40 % right (120 of 1,000 samples)\x1b[K");
  }
  EXPECT_EQ(seen(), "<err>\r\x1b[K") << "nothing of it stays";
}

TEST_F(ConsoleTest, ErasesTheLineBeforeAnythingElseIsWritten) {
  Console& console = make(Surface::Kind::Terminal);
  const ConsoleScope scope(console);
  Task task("Testing", 10);
  now += 2;
  task.at(5);
  EXPECT_EQ(seen(), "<err>\rTesting: 50 %, 2 s left (5 of 10)\x1b[K");
  print("a result\n");
  EXPECT_EQ(seen(), "<err>\r\x1b[K<out>a result\n");
  log::info("a fact");
  EXPECT_EQ(seen(), "<out>a fact\n") << "the line is gone already";
  console.tick();
  EXPECT_EQ(seen(), "<err>\rTesting: 50 %, 2 s left (5 of 10)\x1b[K");
  log::warn("odd");
  log::notice("well");
  EXPECT_EQ(seen(), "<err>\r\x1b[KWarning: odd\nNotice: well\n");
}

TEST_F(ConsoleTest, ShowsPartsBehindTheWhole) {
  Console& console = make(Surface::Kind::Terminal);
  const ConsoleScope scope(console);
  Task whole("Learning", 100, "stimuli", 50);
  now += 10;
  whole.at(75);
  EXPECT_EQ(seen(), "<err>\rLearning: 75 %, 10 s left (75 of 100 stimuli)\x1b[K") << "75 since 50, in 10 s";
  Task part("Validating", 40, "samples");
  now += 0.5;
  part.at(10);
  EXPECT_EQ(seen(), "<err>\rLearning: 75 %, 11 s left (75 of 100 stimuli)\x1b[K");
  now += 0.5;
  part.at(20);
  EXPECT_EQ(seen(),
            "<err>\rLearning: 75 %, 11 s left (75 of 100 stimuli) > Validating: 50 %, 1 s left (...\x1b[K")
      << "and no more than the terminal is wide";
}

TEST_F(ConsoleTest, WritesALineEveryTenSecondsToAPipe) {
  Console& console = make(Surface::Kind::Pipe);
  const ConsoleScope scope(console);
  Task task("Learning", 100, "stimuli");
  std::string all;
  for (int second = 1; second <= 35; ++second) {
    now += 1;
    task.at(second, [] { return std::string("loss 0.5"); });
    console.tick();
    all += seen();
  }
  EXPECT_EQ(all,
            "<err>Learning: 10 %, 1 min 30 s left, loss 0.5 (10 of 100 stimuli)\n"
            "<err>Learning: 20 %, 1 min 20 s left, loss 0.5 (20 of 100 stimuli)\n"
            "<err>Learning: 30 %, 1 min 10 s left, loss 0.5 (30 of 100 stimuli)\n");
  print("done\n");
  EXPECT_EQ(seen(), "<out>done\n") << "there is nothing to erase";
}

TEST_F(ConsoleTest, KeepsProgressOutOfFiles) {
  Console& console = make(Surface::Kind::File);
  const ConsoleScope scope(console);
  bool asked = false;
  {
    Task task("Learning", 100, "stimuli");
    for (int second = 1; second <= 100; ++second) {
      now += 1;
      task.at(second, [&] { return asked = true, std::string("loss 0.5"); });
      console.tick();
    }
  }
  EXPECT_EQ(seen(), "");
  EXPECT_FALSE(asked) << "and computes nothing for it";
}

TEST_F(ConsoleTest, ShowsResultsWarningsAndErrorsAloneWhenQuiet) {
  Console& console = make(Surface::Kind::Terminal);
  console.set_volume(Volume::Quiet);
  const ConsoleScope scope(console);
  Task task("Learning", 100);
  now += 60;
  task.at(5);
  console.tick();
  log::info("a fact");
  log::notice("well");
  log::debug("detail");
  EXPECT_EQ(seen(), "");
  print("result\n");
  log::warn("odd");
  console.fail("wrong");
  EXPECT_EQ(seen(), "<out>result\n<err>Warning: odd\nwrong\n");
}

TEST_F(ConsoleTest, ShowsNothingButTheErrorThatEndsARunWhenSilent) {
  Console& console = make(Surface::Kind::Terminal);
  console.set_volume(Volume::Silent);
  const ConsoleScope scope(console);
  {
    Task task("Testing", 100);
    now += 60;
    task.at(5);
    console.tick();
  }
  print("result\n");
  log::info("a fact");
  log::warn("odd");
  EXPECT_EQ(seen(), "");
  print_failure("wrong");
  EXPECT_EQ(seen(), "<err>wrong\n");
}

TEST_F(ConsoleTest, SaysWhatTasksTookWhenVerbose) {
  Console& console = make(Surface::Kind::File);
  console.set_volume(Volume::Verbose);
  const ConsoleScope scope(console);
  {
    Task task("Calibrating", 2000, "samples", 500);
    const Task part("Equalizing");
    now += 34.24;
    task.at(2000);
  }
  EXPECT_EQ(seen(), "<err>Equalizing: 34.2 s\nCalibrating: 1,500 samples, 34.2 s\n");
}

TEST_F(ConsoleTest, HasColoursWhereTheTerminalHas) {
  Console& console = make(Surface::Kind::Terminal, true);
  const ConsoleScope scope(console);
  log::warn("odd");
  log::notice("well");
  log::info("plain");
  EXPECT_EQ(seen(), "<err>\x1b[1;33mWarning: \x1b[0modd\n\x1b[36mNotice: \x1b[0mwell\n<out>plain\n");
  console.fail("net.ini:4: wrong\n  hint: right\nwrong, too");
  EXPECT_EQ(
      seen(),
      "<err>\x1b[1;31mnet.ini:4: wrong\x1b[0m\n\x1b[36m  hint: right\x1b[0m\n\x1b[1;31mwrong, too\x1b[0m\n");
  Task task("Testing", 10);
  now += 1;
  task.at(5);
  EXPECT_EQ(seen(), "<err>\r\x1b[1mTesting\x1b[0m: 50 %, 1 s left (5 of 10)\x1b[K");
}

TEST_F(ConsoleTest, WritesErrorsWhole) {
  Console& console = make(Surface::Kind::File);
  console.fail("a\n\n  hint: b\nc");
  EXPECT_EQ(seen(), "<err>a\n\n  hint: b\nc\n");
}

TEST_F(ConsoleTest, ShowsNoControlCharacterOfAName) {
  Console& console = make(Surface::Kind::Terminal);
  const ConsoleScope scope(console);
  Task task("Reading a\x1b[2Jb\nc", 10);
  now += 1;
  task.at(5);
  EXPECT_EQ(seen(), "<err>\rReading a\\x1b[2Jb c: 50 %, 1 s left (5 of 10)\x1b[K");
}

TEST_F(ConsoleTest, FitsAnyTerminal) {
  Console& console = make(Surface::Kind::Terminal);
  const ConsoleScope scope(console);
  Task task("Testing \xc3\xa9", 10);
  for (columns = 0; columns < 60; ++columns) {
    now += 1;
    task.at(5);
    const std::string text = seen();
    const size_t begin = std::string("<err>\r").size(), end = text.find("\x1b[K");
    ASSERT_NE(end, std::string::npos);
    EXPECT_LE(end - begin, columns > 1 ? columns - 1 : columns) << text;
  }
}

TEST_F(ConsoleTest, LeavesOtherThingsAsTheyWere) {
  Console& console = make(Surface::Kind::File);
  EXPECT_EQ(console_of_process(), nullptr);
  {
    const ConsoleScope scope(console);
    EXPECT_EQ(console_of_process(), &console);
  }
  EXPECT_EQ(console_of_process(), nullptr);
  Task task("Testing");
  task.at(1);
  EXPECT_EQ(seen(), "");
}

TEST(ProgressText, SaysWhatIsKnown) {
  EXPECT_EQ(progress_text({"Planning", "plans", 0, 0, 0, 3.4}), "Planning: 3 s");
  EXPECT_EQ(progress_text({"Planning", "plans", 0, 0, 12, 3.4}), "Planning: 12 plans, 3 s");
  EXPECT_EQ(progress_text({"Testing", "samples", 2000, 0, 0, 3}), "Testing: 0 % (0 of 2,000 samples)");
  EXPECT_EQ(progress_text({"Testing", "samples", 2000, 0, 1, 0.5}), "Testing: 0 % (1 of 2,000 samples)");
  EXPECT_EQ(progress_text({"Testing", "", 3, 0, 2, 60}), "Testing: 66 %, 30 s left (2 of 3)");
  EXPECT_EQ(progress_text({"Testing", "", 3, 0, 3, 60}), "Testing: 100 %, 0 s left (3 of 3)");
  EXPECT_EQ(progress_text({"Learning", "", 100, 60, 80, 30}), "Learning: 80 %, 30 s left (80 of 100)")
      << "what was done before took no time of this run";
}

TEST(ProgressText, SaysDurationsInTwoUnits) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.5), "1 min 00 s");
  EXPECT_EQ(duration_text(3599), "59 min 59 s");
  EXPECT_EQ(duration_text(2 * 3600 + 9 * 60 + 50), "2 h 09 min");
}

TEST(ProgressText, IsCutBetweenCharacters) {
  EXPECT_EQ(cut_to("Testing", 7), "Testing");
  EXPECT_EQ(cut_to("Testing", 6), "Tes...");
  EXPECT_EQ(cut_to("Testing", 2), "Te");
  EXPECT_EQ(cut_to("ab\xc3\xa9-cdef", 6), "ab...");
}

TEST(Surface, IsWhatTheStreamAndTheEnvironmentSay) {
  std::map<std::string, std::string> set;
  const Environment environment = [&](const char* name) {
    const auto found = set.find(name);
    return found == set.end() ? nullptr : found->second.c_str();
  };
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  EXPECT_EQ(kind_of(pipe[1], environment), Surface::Kind::Pipe);
  EXPECT_EQ(columns_of(pipe[1]), 80U);
  ::close(pipe[0]), ::close(pipe[1]);
  EXPECT_EQ(kind_of(pipe[1], environment), Surface::Kind::File) << "a stream that is closed";
  const int nothing = ::open("/dev/null", O_WRONLY);
  EXPECT_EQ(kind_of(nothing, environment), Surface::Kind::File);
  ::close(nothing);
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  EXPECT_EQ(kind_of(terminal, environment), Surface::Kind::Pipe) << "no TERM";
  set["TERM"] = "dumb";
  EXPECT_EQ(kind_of(terminal, environment), Surface::Kind::Pipe);
  set["TERM"] = "xterm";
  EXPECT_EQ(kind_of(terminal, environment), Surface::Kind::Terminal);
  ::close(terminal);
  EXPECT_TRUE(has_colors(Surface::Kind::Terminal, environment));
  EXPECT_FALSE(has_colors(Surface::Kind::Pipe, environment));
  EXPECT_FALSE(has_colors(Surface::Kind::File, environment));
  set["NO_COLOR"] = "";
  EXPECT_TRUE(has_colors(Surface::Kind::Terminal, environment));
  set["NO_COLOR"] = "0";
  EXPECT_FALSE(has_colors(Surface::Kind::Terminal, environment)) << "any value";
}

}  // namespace
}  // namespace n2d2::app
