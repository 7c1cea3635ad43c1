// Whole sets: a process is killed at each of its system calls while it saves weights. Between two system
// calls the files do not change, so these are all the moments there are, and the verdict does not depend on
// time.
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <system_error>

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "n2d2/loader/weights_file.hpp"

#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

namespace fs = std::filesystem;

enum class End { Killed, Finished, Failed };

/// Stops as soon as a parent traces it, then does its work.
[[noreturn]] void run_traced(const std::function<void()>& work) {
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(2);
  ::raise(SIGSTOP);
  try {
    work();
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

int wait_for(pid_t child) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child)
    throw std::system_error(errno, std::generic_category(), "waitpid");
  return status;
}

/// Does the work in a process of its own that is killed as it enters system call number `call` (from 0).
End kill_at(int call, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) run_traced(work);
  int status = wait_for(child);
  if (WIFSTOPPED(status))
    ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  // A system call stops twice: as it is entered and as it is left.
  for (int stops = 0; WIFSTOPPED(status);) {
    const bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    if (at_call && stops++ == 2 * call) ::kill(child, SIGKILL);
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    status = wait_for(child);
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return End::Killed;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? End::Finished : End::Failed;
}

using Files = std::map<std::string, std::string>;

/// Names and contents; empty when there is no such folder.
Files files_of(const fs::path& folder) {
  Files files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    files[entry.path().filename().string()] = text.str();
  }
  return files;
}

class KilledSave : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / fmt::format("n2d2_killed_save_{}", ::getpid());
    fs::remove_all(root_);
    fs::create_directories(root_);
    for (const int generation : {1, 2}) {
      save(generation, root_ / "whole");
      sets_.push_back(files_of(root_ / "whole"));
    }
  }
  void TearDown() override { fs::remove_all(root_); }

  /// Two layers with weights and biases, all equal to the number of the generation.
  static void save(int generation, const fs::path& folder) {
    static Network net = network_of(kInput +
                                    "[a]\nInput=sp\nType=Conv\nKernelDims=3 3\nNbOutputs=4\n"
                                    "[l]\nInput=a\nType=Fc\nNbOutputs=2\n[l.Target]\n");
    for (const Parameter& parameter : net.parameters)
      net.graph.mutable_constant(parameter.constant).fill(static_cast<float>(generation));
    save_weights(net.graph, folder);
  }

  /// Kills a process that saves generation 2 into `folder` at every moment; `prepare` comes before each,
  /// `check` judges what the killed process left.
  static void at_every_moment(const fs::path& folder, const std::function<void()>& prepare,
                              const std::function<void(const Files&)>& check) {
    int call = 0;
    for (;; ++call) {
      prepare();
      const End end = kill_at(call, [&] { save(2, folder); });
      ASSERT_NE(end, End::Failed) << "at system call " << call;
      if (end == End::Finished) break;
      check(files_of(folder));
      if (HasFailure()) FAIL() << "killed at system call " << call;
    }
    RecordProperty("moments", call);
  }

  fs::path root_;
  std::vector<Files> sets_;  ///< whole sets of generations 1 and 2
};

TEST_F(KilledSave, LeavesTheOldSetOrTheNewOne) {
  ASSERT_EQ(sets_[0].size(), 4U);
  ASSERT_FALSE(sets_[0] == sets_[1]);
  const fs::path folder = root_ / "w";
  std::vector<int> found(sets_.size(), 0);
  at_every_moment(
      folder, [&] { save(1, folder); },
      [&](const Files& files) {
        const auto set = std::find(sets_.begin(), sets_.end(), files);
        ASSERT_TRUE(set != sets_.end()) << files.size() << " files that were never saved together";
        ++found[static_cast<size_t>(set - sets_.begin())];
      });
  // Each file takes at least three calls before the sets change places; the old files are removed afterwards.
  EXPECT_GE(found[0], 12);
  EXPECT_GE(found[1], 4);
  EXPECT_TRUE(files_of(folder) == sets_[1]);
}

TEST_F(KilledSave, LeavesNoPartOfAFirstSet) {
  const fs::path folder = root_ / "w";
  int without = 0;
  at_every_moment(
      folder, [&] { fs::remove_all(folder); },
      [&](const Files& files) {
        without += files.empty() ? 1 : 0;
        ASSERT_TRUE(files.empty() || files == sets_[1]) << files.size() << " files";
      });
  EXPECT_GE(without, 12);
  EXPECT_TRUE(files_of(folder) == sets_[1]);
}

}  // namespace
}  // namespace n2d2::loader
