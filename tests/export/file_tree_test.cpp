#include "n2d2/export/file_tree.hpp"

#include <csignal>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/log.hpp"
#include "n2d2/base/sha256.hpp"

namespace n2d2::exporter {
namespace {

namespace fs = std::filesystem;

class FileTreeTest : public testing::Test {
 protected:
  FileTreeTest() : folder(fs::temp_directory_path() / ("n2d2_tree_" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
  }
  ~FileTreeTest() override { fs::remove_all(folder); }
  fs::path folder;
};

TEST_F(FileTreeTest, NothingIsThereWithoutCommit) {
  {
    FileTree tree(folder / "out");
    tree.write("a/b.txt", "text");
  }
  EXPECT_FALSE(fs::exists(folder / "out"));
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(FileTreeTest, PiecesBecomeOneFile) {
  FileTree tree(folder / "out");
  tree.write_pieces("a/b.txt", [](const auto& take) {
    take("one, ");
    take("");
    take("two");
  });
  tree.commit();
  EXPECT_EQ(read_file(folder / "out" / "a" / "b.txt"), "one, two");
  EXPECT_EQ(read_file(folder / "out" / "export_manifest.txt"),
            sha256("one, two") + "  a/b.txt\nexport_manifest.txt\n");
}

TEST_F(FileTreeTest, CommitReplacesGeneratedFilesAndKeepsOthers) {
  {
    FileTree tree(folder / "out");
    tree.write("old.txt", "1");
    tree.commit();
  }
  fs::create_directories(folder / "out" / "mine");
  std::ofstream(folder / "out" / "mine" / "kept.txt") << "k";
  fs::create_directories(folder / "out" / "build");
  std::ofstream(folder / "out" / "build" / "old.o") << "o";
  FileTree tree(folder / "out");
  tree.write("new.txt", "2");
  tree.commit();
  EXPECT_TRUE(fs::exists(folder / "out" / "new.txt"));
  EXPECT_TRUE(fs::exists(folder / "out" / "mine" / "kept.txt"));
  EXPECT_FALSE(fs::exists(folder / "out" / "old.txt"));
  EXPECT_FALSE(fs::exists(folder / "out" / "build" / "old.o"));
}

/// What a failing body says, with the folder as "F".
std::string failure(const fs::path& folder, const std::function<void()>& body) {
  try {
    body();
  } catch (const ExportError& error) {
    std::string text = error.what();
    for (size_t at; (at = text.find(folder.string())) != std::string::npos;)
      text.replace(at, folder.string().size(), "F");
    return text;
  }
  return "";
}

void export_one(const fs::path& folder, const std::string& name, Foreign foreign = Foreign::Refuse) {
  FileTree tree(folder, foreign);
  tree.write(name, "new");
  tree.commit();
}

TEST_F(FileTreeTest, AFolderOfSomebodyElseIsRefused) {
  fs::create_directories(folder / "empty");
  EXPECT_EQ(failure(folder, [&] { export_one(folder / "empty", "a.txt"); }), "");
  fs::create_directories(folder / "theirs");
  std::ofstream(folder / "theirs" / "a.txt") << "theirs";
  EXPECT_EQ(failure(folder, [&] { export_one(folder / "theirs", "b.txt"); }),
            "F/theirs: export: the folder is there and holds no earlier export\n"
            "  hint: '-overwrite' exports into it and keeps what it does not replace");
  export_one(folder / "theirs", "b.txt", Foreign::Overwrite);
  EXPECT_EQ(read_file(folder / "theirs" / "a.txt"), "theirs");
  EXPECT_EQ(read_file(folder / "theirs" / "b.txt"), "new");
}

TEST_F(FileTreeTest, AGeneratedFileThatWasEditedIsKeptAndNamed) {
  const fs::path out = folder / "out";
  for (const char* edit : {"first", "second"}) {
    export_one(out, "src/a.cpp");
    std::ofstream(out / "src" / "a.cpp") << edit;
  }
  const log::Capture captured;
  export_one(out, "src/a.cpp");
  EXPECT_EQ(captured.text(log::Level::Warning),
            (out / "src" / "a.cpp").string() +
                ": was changed after it had been exported; the changed file is 'a.cpp.edited2' now\n");
  EXPECT_EQ(read_file(out / "src" / "a.cpp"), "new");
  EXPECT_EQ(read_file(out / "src" / "a.cpp.edited"), "first");
  EXPECT_EQ(read_file(out / "src" / "a.cpp.edited2"), "second");
}

TEST_F(FileTreeTest, AnEditedFileThatIsNotExportedAnyMoreIsKept) {
  const fs::path out = folder / "out";
  export_one(out, "a.cpp");
  std::ofstream(out / "a.cpp") << "mine";
  const log::Capture captured;
  export_one(out, "b.cpp");
  EXPECT_FALSE(fs::exists(out / "a.cpp"));
  EXPECT_EQ(read_file(out / "a.cpp.edited"), "mine");
}

TEST_F(FileTreeTest, AManifestWithoutHashesNamesWhatMayBeReplaced) {
  const fs::path out = folder / "out";
  export_one(out, "a.cpp");
  std::ofstream(out / "export_manifest.txt") << "a.cpp\nexport_manifest.txt\n";
  const log::Capture captured;
  export_one(out, "b.cpp");
  EXPECT_EQ(captured.text(log::Level::Notice), "");
  EXPECT_FALSE(fs::exists(out / "a.cpp"));
}

TEST_F(FileTreeTest, LinksFoldersAndRightsOfOthersSurvive) {
  export_one(folder / "out", "src/a.cpp");
  const fs::path out = folder / "out";
  fs::create_symlink("nowhere", out / "link");
  fs::create_directory_symlink("src", out / "folder_link");
  fs::create_directories(out / "empty" / "inner");
  std::ofstream(out / "src" / "tool.sh") << "#!/bin/sh";
  fs::permissions(out / "src" / "tool.sh", fs::perms::owner_all);
  fs::create_directories(out / "build" / "src");
  fs::create_directories(out / "bin");
  for (const char* file : {"build/src/a.o", "build/notes.txt", "bin/run_export", "bin/mine"})
    std::ofstream(out / file) << "x";
  // Beside it, with names that somebody else may use.
  for (const char* beside : {"out.part", "out.old"}) fs::create_directories(folder / beside / "theirs");

  export_one(out, "src/b.cpp");
  EXPECT_EQ(fs::read_symlink(out / "link"), "nowhere");
  EXPECT_EQ(fs::read_symlink(out / "folder_link"), "src");
  EXPECT_TRUE(fs::is_directory(out / "empty" / "inner"));
  EXPECT_EQ(fs::status(out / "src" / "tool.sh").permissions(), fs::perms::owner_all);
  EXPECT_FALSE(fs::exists(out / "src" / "a.cpp"));
  EXPECT_FALSE(fs::exists(out / "build" / "src"));
  EXPECT_FALSE(fs::exists(out / "bin" / "run_export"));
  EXPECT_TRUE(fs::exists(out / "build" / "notes.txt"));
  EXPECT_TRUE(fs::exists(out / "bin" / "mine"));
  for (const char* beside : {"out.part", "out.old"}) EXPECT_TRUE(fs::exists(folder / beside / "theirs"));
}

TEST_F(FileTreeTest, AFileOfSomebodyElseIsNotReplacedInSilence) {
  export_one(folder / "out", "a.txt");
  std::ofstream(folder / "out" / "b.txt") << "theirs";
  EXPECT_EQ(failure(folder, [&] { export_one(folder / "out", "b.txt"); }),
            "F/out/b.txt: export: the file is not of an earlier export, and a new one goes there\n"
            "  hint: move it, or replace it with '-overwrite'");
  EXPECT_EQ(read_file(folder / "out" / "b.txt"), "theirs");
  EXPECT_EQ(read_file(folder / "out" / "a.txt"), "new");
  export_one(folder / "out", "b.txt", Foreign::Overwrite);
  EXPECT_EQ(read_file(folder / "out" / "b.txt"), "new");
}

TEST_F(FileTreeTest, TwoProcessesDoNotMixTheirFiles) {
  const FileTree first(folder / "out");
  EXPECT_EQ(
      failure(folder, [&] { export_one(folder / "out", "a.txt"); }),
      "F/out: export: another process is writing it\n  hint: wait until it has ended, or write elsewhere");
}

/// Every file of a child process fails once its limit is reached, as on a full disk.
TEST_F(FileTreeTest, SaysThatAFileIsTooLarge) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string text = failure(folder, [&] {
      FileTree tree(folder / "out");
      tree.write("a.txt", std::string(100'000, 'x'));
    });
    ::_exit(text == "F/out/a.txt: export: cannot be written: File too large" ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(FileTreeTest, SaysThatThereIsNoDescriptor) {
#if defined(N2D2_SANITIZED)
  GTEST_SKIP() << "a sanitizer that checks types opens files itself";
#endif
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = failure(folder, [&] {
      FileTree tree(folder / "out");
      const rlimit limit{3, 3};
      ::setrlimit(RLIMIT_NOFILE, &limit);
      tree.write("a.txt", "x");
    });
    ::_exit(text == "F/out/a.txt: export: cannot be written: Too many open files" ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(FileTreeTest, AFolderThatCannotBeWrittenIsNamed) {
  fs::create_directories(folder);
  std::ofstream(folder / "file") << "x";
  try {
    FileTree tree(folder / "file" / "out");
    FAIL() << "did not throw";
  } catch (const ExportError& e) {
    EXPECT_EQ(std::string(e.what()),
              (folder / "file" / "out").string() + ": export: cannot be written: Not a directory");
  }
}

TEST(Shipped, AFolderThatIsNowhereIsNamedWithThePlacesThatWereTried) {
  EXPECT_TRUE(fs::is_regular_file(kernel_sources() / "kernels.list"));
  setenv("N2D2_PATH", "/nowhere", 1);
  try {
    shipped("src/no_target/templates");
    ADD_FAILURE() << "did not throw";
  } catch (const ExportError& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with(
        "export: src/no_target/templates is not installed; looked in /nowhere, "))
        << e.what();
    EXPECT_EQ(e.findings().at(0).hint, "N2D2_PATH names the folder that holds it");
  }
  unsetenv("N2D2_PATH");
}

TEST(ExportSources, AFileThatIsMissingIsNamed) {
  try {
    read_file("no/such.mustache");
    FAIL() << "did not throw";
  } catch (const ExportError& e) {
    EXPECT_STREQ(e.what(), "no/such.mustache: export: cannot be read: No such file or directory");
  }
}

}  // namespace
}  // namespace n2d2::exporter
