// Does an export find by itself, without a file, that one of its bytes is another?
#include <fstream>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "drawn.hpp"
#include "e2e/exported.hpp"
#include "e2e/networks.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

constexpr const char* kCheckCpp =
    "#include <cstdio>\n#include \"include/Network.hpp\"\nusing namespace N2D2_Export;\n"
    "static Target_T classes[OUTPUTS_TOTAL];\n"
    "int main() {\n  const SelfTest found = self_test(classes);\n"
    "  std::printf(\"%d %s.\", found.cell, found.name);\n}\n";
constexpr const char* kCheckC =
    "#include <stdio.h>\n#include \"include/network.h\"\nstatic int32_t classes[N2D2_EXPORT_CLASSES];\n"
    "int main(void) {\n  const char* name;\n  const int cell = N2D2_Export_self_test(classes, &name);\n"
    "  printf(\"%d %s.\", cell, name);\n  return N2D2_Export_self_test(classes, 0) != cell;\n}\n";
constexpr const char* kRunOnly =
    "#include \"include/Network.hpp\"\nusing namespace N2D2_Export;\n"
    "static Input_T input[ENV_OUTPUTS_SIZE];\nstatic Target_T classes[OUTPUTS_TOTAL];\n"
    "int main() { return Network().propagate(input, classes); }\n";

fs::path exported(const TemporaryFolder& folder, const NamedIni& net, const Settings& settings) {
  const Exported all = run_pipeline(ini_of(net), settings);
  all.project->write(folder.path() / "export", samples_of(all), {});
  write(folder.path() / "export/check.cpp", kCheckCpp);
  write(folder.path() / "export/check_c.c", kCheckC);
  write(folder.path() / "export/run_only.cpp", kRunOnly);
  return folder.path() / "export";
}

/// Compiles the inference part and a program that calls it; the objects of make are used where they are
/// there.
std::string program_of(const std::string& source, const std::string& flags = "-O1") {
  return "g++ -std=c++11 -Wall -Wextra -Werror " + flags + " " + source +
         " $(make -s -f - <<<'include sources.mk\nall:;@echo $(SOURCES)') src/Network.cpp src/softmax.cpp "
         "src/network_c.cpp -o ";
}
CommandResult in_bash(const fs::path& folder, const std::string& script) {
  write(folder / "script.sh", script);
  return run_command(folder, "bash script.sh");
}

std::string found_by(const fs::path& project) {
  const CommandResult run = in_bash(project, "set -e\n" + program_of("check.cpp") + "check\n./check\n");
  EXPECT_EQ(run.status, 0) << run.output;
  return run.output;
}

/// What self_test() finds once bit 6 of a weight is another: that of a place in the array of a cell, 0 to 1.
/// Only the file of the cell is compiled again, and is as before afterwards.
std::string found_with_flip(const fs::path& project, const std::string& cell, double place) {
  const fs::path file = project / "dnn/src/cells" / (cell + ".cpp");
  const std::string whole = text_of(file);
  std::string text = whole;
  // The last array of that name: those in another order before it are for instruction sets that are not asked
  // for.
  const size_t from = text.find('{', text.rfind(cell + "_weights[")) + 1, to = text.find('}', from);
  const size_t at = text.find(',', from + static_cast<size_t>(static_cast<double>(to - from) * place)) + 1;
  const size_t end = text.find(',', at);
  text.replace(at, end - at, std::to_string(std::stoi(text.substr(at, end - at)) ^ 64));
  write(file, text);
  const CommandResult run =
      in_bash(project, "set -e\ng++ -std=c++11 -c dnn/src/cells/" + cell + ".cpp -o objects/" + cell +
                           ".o\ng++ objects/*.o -o check\n./check\n");
  EXPECT_EQ(run.status, 0) << run.output;
  write(file, whole);
  return run.output;
}

/// A weight that meets zeros changes nothing; all others are found, and where they are.
TEST(SelfTest, FindsTheCellOfAnotherWeight) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = exported(folder, kLenet, {});
  const CommandResult objects = in_bash(
      project,
      "set -e\nmkdir objects\nfor s in check.cpp src/Network.cpp src/softmax.cpp src/network_c.cpp "
      "$(make -s -f - <<<'include sources.mk\nall:;@echo $(SOURCES)'); do "
      "g++ -std=c++11 -O1 -c $s -o objects/$(basename $s .cpp).o; done\ng++ objects/*.o -o check\n./check\n");
  EXPECT_EQ(objects.status, 0) << objects.output;
  EXPECT_EQ(objects.output, "-1 .");
  for (const std::string cell : {"conv1", "conv2", "fc1", "fc2"}) {
    int found = 0;
    for (const double place : {0.1, 0.25, 0.4, 0.55, 0.7, 0.85}) {
      const std::string text = found_with_flip(project, cell, place);
      if (text == "-1 .") continue;
      ++found;
      EXPECT_NE(text.find(" " + cell + "."), std::string::npos) << text;
    }
    EXPECT_GE(found, 2) << cell;
    const CommandResult again =
        in_bash(project, "g++ -std=c++11 -c dnn/src/cells/" + cell + ".cpp -o objects/" + cell + ".o");
    EXPECT_EQ(again.status, 0) << again.output;
  }
}

TEST(SelfTest, HoldsForEveryNetworkAndWidth) {
  const log::Capture quiet;
  uint64_t number = 0;
  for (const NamedIni& net : networks()) {
    ++number;
    for (const int bits : {8, 16}) {
      if (bits == 16 ? !is_drawn(fmt::format("self test {}", net.name)) : !is_in_turn(number, 2)) continue;
      SCOPED_TRACE(fmt::format("{} of {} bits", net.name, bits));
      const TemporaryFolder folder;
      Settings settings;
      settings.bits = bits;
      settings.stimuli = bits == 8 ? 1 : 0;  // without a sample: random numbers
      EXPECT_EQ(found_by(exported(folder, net, settings)), "-1 .");
    }
  }
}

TEST(SelfTest, IsThereInCAndFindsAChangedClass) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = exported(folder, kLenet, {});
  const std::string build = "set -e\ngcc -std=c99 -Wall -Wextra -Werror -c check_c.c -o check_c.o\n" +
                            program_of("check_c.o") + "check_c\n./check_c\n";
  CommandResult run = in_bash(project, build);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, "-1 .");
  // The first of equals no longer wins: all cells are right, the class may not be.
  run = in_bash(
      project,
      "sed -i 's/pixel\\[k\\] > pixel\\[best\\]/pixel[k] < pixel[best]/' include/kernels/argmax.hpp\n" +
          build);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find(" classes."), std::string::npos) << run.output;
}

TEST(SelfTest, IsNotThereForFloats) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  Settings settings;
  settings.bits = -32;
  const fs::path project = exported(folder, kLenet, settings);
  EXPECT_FALSE(fs::exists(project / "dnn/src/self_test.cpp"));
  EXPECT_NE(text_of(project / "dnn/include/env.hpp").find("ENV_SELF_TEST = 0;"), std::string::npos);
  EXPECT_EQ(text_of(project / "include/network.h").find("self_test"), std::string::npos);
}

/// Whether the text stands in the program, symbols stripped.
bool holds(const fs::path& project, const std::string& defines, const std::string& text) {
  const CommandResult run = in_bash(project, "set -e\n" + program_of("run_only.cpp", "-O0 " + defines) +
                                                 "run_only\nstrip -s run_only\n./run_only\n");
  EXPECT_EQ(run.status, 0) << run.output;
  return text_of(project / "run_only").find(text) != std::string::npos;
}

/// Bytes of code and data of that program; its file ends with a whole page.
int64_t size_of_program(const fs::path& project) {
  const CommandResult run = in_bash(project, "size run_only | tail -n 1 | awk '{printf \"%d\", $4}'\n");
  EXPECT_EQ(run.status, 0) << run.output;
  return std::stoll(run.output);
}

TEST(LeftOut, NamesOfCellsAndTheSelfTest) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = exported(folder, kLenet, {});
  EXPECT_TRUE(holds(project, "", "conv2"));
  const int64_t with = size_of_program(project);
  EXPECT_FALSE(holds(project, "-DN2D2_NO_NAMES", "conv2"));
  EXPECT_FALSE(holds(project, "-DN2D2_NO_NAMES", "classes"));
  EXPECT_TRUE(holds(project, "-DN2D2_NO_SELF_TEST", "conv2"));
  EXPECT_FALSE(holds(project, "-DN2D2_NO_CALLBACKS", "conv2"));
  EXPECT_LT(size_of_program(project), with);
}

}  // namespace
}  // namespace n2d2::e2e
