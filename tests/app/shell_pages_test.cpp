#include "command_line/shell_pages.hpp"

#include <array>
#include <cstdio>

#include "n2d2/base/text.hpp"
#include "n2d2/data/database.hpp"
#include "n2d2/targets/target.hpp"

#include "command_line/option_table.hpp"
#include "folder_test.hpp"
#include "run_net.hpp"

namespace n2d2::app {
namespace {

/// Standard output and standard error, unless the command says otherwise.
std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = ::popen(("exec 2>&1; " + command).c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::array<char, 4096> buffer{};
  for (size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    out.append(buffer.data(), n);
  EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << out;
  return out;
}

class BashCompletion : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write("n2d2.bash", bash_completion());
  }
  /// What bash offers for the last of the words.
  static std::string offers(const std::string& words) {
    return output_of(
        "bash --norc --noprofile -c 'set -u; source ./n2d2.bash; COMP_WORDS=(n2d2 " + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _n2d2; printf \"%s\\n\" \"${COMPREPLY[@]-}\"'");
  }
};

TEST_F(BashCompletion, OffersOptionsWithOneAndTwoDashes) {
  EXPECT_EQ(offers("net.ini -learn"), "-learn\n-learn-epoch\n");
  EXPECT_EQ(offers("--learn"), "--learn\n--learn-epoch\n");
  EXPECT_TRUE(has(offers("-"), "-version\n"));
  for (const Option& option : options())
    EXPECT_TRUE(has("\n" + offers("-"), "\n-" + std::string(option.name) + "\n")) << option.name;
  EXPECT_TRUE(has(output_of("bash --norc -c 'source ./n2d2.bash; complete -p n2d2'"), "-F _n2d2 n2d2"));
}

TEST_F(BashCompletion, OffersTheValuesOfAnOption) {
  EXPECT_EQ(offers("-act-clipping-mode \"\""), "KL-Divergence\nMSE\nNone\nQuantile\n");
  EXPECT_EQ(offers("--act-clipping-mode \"\""), offers("-act-clipping-mode \"\""));
  EXPECT_EQ(offers("-act-clipping-mode = Q"), "Quantile\n") << "bash cuts -x=Q into three words";
  EXPECT_EQ(offers("-act-clipping-mode ="), offers("-act-clipping-mode \"\""));
  EXPECT_EQ(offers("-valid-metric Acc"), "Accuracy\n");
  EXPECT_EQ(offers("-completion \"\""), "bash\nfish\nzsh\n");
  EXPECT_EQ(offers("-export \"\""), join(targets::registry().names(), "\n") + "\n");
  EXPECT_EQ(offers("-help-database \"\""), join(data::databases().names(), "\n") + "\n");
  EXPECT_EQ(offers("-help-database -help-s"), "-help-sp\n-help-solver\n") << "its value may be left out";
  EXPECT_EQ(offers("-seed \"\""), "\n") << "any number";
}

TEST_F(BashCompletion, OffersNetworkFilesAndFolders) {
  std::filesystem::create_directories("models");
  for (const char* file : {"net.ini", "net.onnx", "graph.00.graph", "notes.txt"}) write(file, "");
  EXPECT_EQ(offers("\"\""), "net.ini\nnet.onnx\ngraph.00.graph\nmodels\n");
  EXPECT_EQ(offers("-w \"\""), "models\n");
  EXPECT_EQ(offers("-export-parameters no"), "notes.txt\n");
  EXPECT_EQ(offers("-test n"), "net.ini\nnet.onnx\n");
}

/// Whether the shell is there.
bool has_shell(const std::string& name) {
  return std::system(("command -v " + name + " > /dev/null 2>&1").c_str()) == 0;
}

class FishCompletion : public FolderTest {};

TEST_F(FishCompletion, IsACommandForEachOption) {
  const std::string script = fish_completion();
  for (const Option& option : options())
    EXPECT_TRUE(has(script, "\ncomplete -c n2d2 -o " + std::string(option.name) + " ")) << option.name;
  EXPECT_TRUE(has(script, "\ncomplete -c n2d2 -o completion -x -a 'bash fish zsh' -d "));
  if (!has_shell("fish")) GTEST_SKIP() << "fish is not installed";
  write("n2d2.fish", script);
  const auto offers = [](const std::string& line) {
    return output_of("HOME=$PWD fish --no-config -c 'source n2d2.fish; complete -C \"" + line + "\"'");
  };
  EXPECT_TRUE(has(offers("n2d2 -act-clipping-mode "), "Quantile"));
  EXPECT_TRUE(has(offers("n2d2 -learn-e"), "-learn-epoch\t"));
}

class ZshCompletion : public FolderTest {};

TEST_F(ZshCompletion, IsAnArgumentForEachOption) {
  const std::string script = zsh_completion();
  EXPECT_TRUE(script.starts_with("#compdef n2d2\n"));
  for (const Option& option : options())
    EXPECT_TRUE(has(script, "\n  '*-" + std::string(option.name) + "[")) << option.name;
  EXPECT_TRUE(has(script, ":shell:(bash fish zsh)' \\\n"));
  if (!has_shell("zsh")) GTEST_SKIP() << "zsh is not installed";
  write("_n2d2", script);
  // The arguments as _arguments gets them: one line each, and the last one is for files.
  const std::string given =
      output_of("zsh -f -c '_arguments() { print -l -- \"$@\" }; compdef() { :; }; source ./_n2d2'");
  size_t spellings = 1;
  for (const Option& option : options()) spellings += option.alias.empty() ? 1 : 2;
  EXPECT_EQ(split(given, '\n').size(), spellings + 1) << given;
}

TEST(ManualPage, HasEachOptionAndFormatsWithoutAWarning) {
  const std::string page = manual_page("1.2.3");
  EXPECT_TRUE(page.starts_with(".TH N2D2 1 \"\" \"n2d2 1.2.3\""));
  for (const Option& option : options()) {
    std::string name;
    for (const char c : option.name) name += c == '-' ? std::string("\\-") : std::string(1, c);
    EXPECT_TRUE(has(page, "\n.B \\-" + name)) << option.name;
  }
  for (const std::string& line : split(page, '\n'))
    EXPECT_FALSE(line.starts_with('\'')) << "a line that begins with a quote is a request: " << line;
  if (std::system("command -v groff > /dev/null 2>&1") != 0) GTEST_SKIP() << "groff is not installed";
  const std::string file = ::testing::TempDir() + "/n2d2_manual_page.1";
  std::ofstream(file) << page;
  EXPECT_EQ(output_of("groff -man -ww -Tascii " + file + " > " + file + ".txt"), "") << "groff warns";
  EXPECT_GT(std::filesystem::file_size(file + ".txt"), page.size() / 2);
  for (const std::string& each : {file, file + ".txt"}) std::filesystem::remove(each);
}

}  // namespace
}  // namespace n2d2::app
