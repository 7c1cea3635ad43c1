// Runs n2d2 on every *.ini and *.graph of tests/errors and compares exit code and standard error with the
// .expected beside it. Its folder is that of the module that speaks. The first line of a file, the second of
// a graph file, says how: "# run: {net} -strict". N2D2_UPDATE_GOLDENS=1 writes the .expected files.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "targets/needs.hpp"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<fs::path> cases() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(N2D2_SOURCE_DIR "/tests/errors"))
    if (entry.path().extension() == ".ini" || entry.path().extension() == ".graph")
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

/// The arguments of the line that says them, {net} being the file's own name.
std::string arguments(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  if (file.extension() == ".graph") std::getline(in, line);
  constexpr std::string_view start = "# run: ";
  EXPECT_TRUE(line.starts_with(start)) << file;
  std::string out = line.substr(std::min(line.size(), start.size()));
  for (size_t net = 0; (net = out.find("{net}", net)) != std::string::npos;)
    out.replace(net, 5, file.filename().string());
  return out;
}

/// "exit 2" and what the program says on standard error, run in a folder of its own.
std::string run(const fs::path& file) {
  const fs::path folder = fs::temp_directory_path() / ("n2d2_errors_" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  fs::copy_file(file, folder / file.filename());
  const std::string command =
      "cd '" + folder.string() + "' && '" N2D2_EXECUTABLE "' " + arguments(file) + " > out.txt 2> err.txt";
  const int status = std::system(command.c_str());
  std::string out = "exit " + std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1) + "\n" +
                    read(folder / "err.txt");
  fs::remove_all(folder);
  for (size_t at = 0; (at = out.find(folder.string())) != std::string::npos;)
    out.replace(at, folder.string().size(), "{folder}");
  return out;
}

/// Whether the text names a target that this program has not: its folder is missing.
std::string missing_target_in(const std::string& text) {
  for (const char* target : {"CPP", "ONNX", "PRINT"})
    if (text.find(target) != std::string::npos && !n2d2::testing::missing_target({target}).empty())
      return target;
  return "";
}

class Messages : public testing::TestWithParam<fs::path> {};

TEST_P(Messages, AreAsExpected) {
  const fs::path expected = fs::path(GetParam()).replace_extension(".expected");
  if (const std::string target = missing_target_in(arguments(GetParam()) + read(expected)); !target.empty())
    GTEST_SKIP() << "this program has no target " << target;
  const std::string found = run(GetParam());
  if (const char* update = std::getenv("N2D2_UPDATE_GOLDENS");
      update != nullptr && std::string(update) == "1")
    std::ofstream(expected) << found;
  EXPECT_EQ(found, read(expected)) << "n2d2 " << arguments(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Errors, Messages, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
