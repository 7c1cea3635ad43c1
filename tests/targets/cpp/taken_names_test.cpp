// Does the table of names that are taken hold what the compiler of this machine finds in the headers of an
// export?
#include "taken_names.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "n2d2/base/text.hpp"
#include "n2d2/export/file_tree.hpp"

namespace n2d2::targets::cpp {
namespace {

namespace fs = std::filesystem;

/// Lines "#include <...>" of all sources that are shipped; those of other machines do not compile here.
std::string includes() {
  std::string out;
  for (const char* folder : {"src/targets/cpp/static", "src/targets/cpp/templates", "export/CPP/kernels"})
    for (const auto& entry : fs::recursive_directory_iterator(exporter::shipped(folder))) {
      if (!entry.is_regular_file()) continue;
      for (const std::string& line : split(exporter::read_file(entry.path()), '\n'))
        if (line.starts_with("#include <") && line.find("arm_") == std::string::npos &&
            line.find("mmintrin") == std::string::npos && line.find("cpuid") == std::string::npos)
          out += line + "\n";
    }
  return out;
}

std::string output_of(const std::string& command) {
  std::string out;
  FILE* const pipe = ::popen(command.c_str(), "r");
  for (int c = 0; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  return pipe != nullptr && ::pclose(pipe) == 0 ? out : "";
}

TEST(TakenBy, KnowsEveryMacroOfTheHeadersThatExportsInclude) {
  const fs::path file =
      fs::path(testing::TempDir()) / ("n2d2_includes_" + std::to_string(::getpid()) + ".cpp");
  std::ofstream(file) << includes();
  const std::string macros = output_of("g++ -std=c++11 -fopenmp -dM -E '" + file.string() + "' 2>/dev/null");
  fs::remove(file);
  if (macros.empty()) GTEST_SKIP() << "no g++";
  int count = 0;
  for (const std::string& line : split(macros, '\n')) {
    const std::vector<std::string> words_of_line = words(line);
    if (words_of_line.size() < 2) continue;
    const std::string name = words_of_line[1].substr(0, words_of_line[1].find('('));
    EXPECT_NE(taken_by(name), "") << name;
    ++count;
  }
  EXPECT_GT(count, 500);
}

TEST(TakenBy, LeavesNamesOfNobodyFree) {
  for (const char* name :
       {"vision", "lenet", "net", "model", "digits", "Resnet18", "wake_word", "Int", "KWS"})
    EXPECT_EQ(taken_by(name), "") << name;
}

}  // namespace
}  // namespace n2d2::targets::cpp
