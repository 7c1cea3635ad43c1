#include "n2d2/base/progress.hpp"

#include <gtest/gtest.h>

namespace n2d2::progress {
namespace {

struct Recorder : Watcher {
  void began(const Task& task) override { text += "began " + task.what() + "\n"; }
  void moved(const Task& task, const Detail& detail) override {
    text += task.what() + " " + std::to_string(task.from()) + " " + std::to_string(task.done()) + " of " +
            std::to_string(task.total()) + " " + task.unit() + (detail ? ": " + detail() : "") + "\n";
  }
  void ended(const Task& task) override { text += "ended " + task.what() + "\n"; }
  std::string text;
};

TEST(Progress, ReachesTheWatcherUntilTheTaskEnds) {
  Recorder recorder;
  EXPECT_EQ(set_watcher(&recorder), nullptr);
  {
    Task task("Testing", 5, "samples", 1);
    EXPECT_EQ(task.done(), 1);
    task.at(3, [] { return std::string("half right"); });
    const Task part("Reading");
  }
  EXPECT_EQ(set_watcher(nullptr), &recorder);
  EXPECT_EQ(
      recorder.text,
      "began Testing\nTesting 1 3 of 5 samples: half right\nbegan Reading\nended Reading\nended Testing\n");
}

TEST(Progress, AsksForNoDetailWithoutAWatcher) {
  Task task("Testing", 5);
  bool asked = false;
  task.at(2, [&] { return asked = true, std::string(); });
  EXPECT_FALSE(asked);
  EXPECT_EQ(task.done(), 2);
}

}  // namespace
}  // namespace n2d2::progress
