// Does any layer name break an export? The names of everything in a generated project, of the language, and
// texts that are no names at all: exported, compiled with all warnings as errors, and run against the host
// run.
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"

#include "drawn.hpp"
#include "e2e/exported.hpp"
#include "golden/fixed_network.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

Names words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// The file stems of a generated project and every word of its code. Of a word such as "set_output" also
/// "set": what the exporter appends to a name must not make one that is there.
Names names_in_project(const fs::path& project) {
  Names out;
  const std::regex word("[A-Za-z_][A-Za-z0-9_]*"), comment("//[^\n]*|/\\*([^*]|\\*[^/])*\\*/");
  for (const auto& entry : fs::recursive_directory_iterator(project)) {
    if (!entry.is_regular_file()) continue;
    out.insert(entry.path().stem().string());
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp" && extension != ".h") continue;
    std::ifstream in(entry.path());
    std::ostringstream raw;
    raw << in.rdbuf();
    const std::string code = std::regex_replace(raw.str(), comment, " ");
    for (std::sregex_iterator i(code.begin(), code.end(), word), end; i != end; ++i) out.insert(i->str());
  }
  const std::regex suffixed("(.+)_(output|config|config_in[0-9]+|weights|biases|factors|MEM_[A-Z_]+)");
  Names stems;
  for (const std::string& name : out)
    if (std::smatch match; std::regex_match(name, match, suffixed)) stems.insert(match[1]);
  out.merge(stems);
  return out;
}

/// Keywords, alternative tokens, macros and types of the standard headers and of compilers, devices.
Names names_of_the_language() {
  return words_of(
      "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class "
      "compl const "
      "constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit "
      "export extern "
      "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
      "operator or "
      "or_eq private protected public register reinterpret_cast return short signed sizeof static "
      "static_assert "
      "static_cast struct switch template this thread_local throw true try typedef typeid typename union "
      "unsigned using "
      "virtual void volatile wchar_t while xor xor_eq override final import module "
      "NULL EOF errno assert stdin stdout stderr offsetof NAN INFINITY HUGE_VAL M_PI INT8_MAX UINT8_MAX "
      "INT8_MIN "
      "INT32_C SIZE_MAX INT_MAX CHAR_BIT BUFSIZ RAND_MAX EXIT_SUCCESS SIGINT major minor makedev linux unix "
      "i386 "
      "__linux__ __GNUC__ __cplusplus __func__ __FILE__ __LINE__ _Pragma _Bool _Complex defined va_arg "
      "va_list setjmp "
      "signbit isnan size_t ptrdiff_t uint8_t int64_t FILE std main malloc free printf abort exit AUX con "
      "prn nul COM1 "
      "lpt1 CHECK_MEMORY SAVE_OUTPUTS BENCHMARK OUTPUTFILE NO_DIRENT NO_EXCEPT STIMULI_DIRECTORY NDEBUG CXX "
      "SOURCES all "
      "clean build outputs max max_output env env_output target_0 target_0_config memory arenas cells ends "
      "conv1_in0 conv1_config_in0 conv1_config conv1_weights conv1_MEM_CONT MEMORY_SIZE kRun");
}

Names texts() {
  return {"",
          " ",
          "__x",
          "_X",
          "a__b",
          "a_b",
          "a/b",
          "a.b",
          "A_B",
          "1abc",
          "_",
          "__",
          "*/",
          "/*",
          "//",
          "\xff",
          "\\",
          "a\\",
          "?\?/",
          "a?\?/",
          "\n",
          "a\nb",
          "\t",
          "\r",
          "\"",
          "\"quoted\"",
          "'",
          "%s%n",
          "$(CC)",
          "`x`",
          "a b",
          "#",
          "{{x}}",
          "../../x",
          "..",
          "-x",
          ":",
          "d\xc3\xa9j\xc3\xa0",
          "\xe5\xb1\xa4",

          "\xe2\x80\xae",
          std::string(300, 'x'),
          std::string(300, '/')};
}

/// A chain of layers of one pixel: `convolutions` first, then max pools, each with one of the names.
targets::cpp::Project chain(const Names& convolutions, const Names& pools) {
  std::string text = "input placeholder : u8 1x2x1x1 nhwc quant(8 unsigned -1 1)\n", last = "placeholder";
  std::vector<std::string> names(convolutions.begin(), convolutions.end());
  for (const std::string& name : pools)
    if (!convolutions.contains(name)) names.push_back(name);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string layer = fmt::format("placeholder{}", i);
    const std::string type = layer + " : u8 1x2x1x1 nhwc quant(8 unsigned -1 1) = ";
    if (i < convolutions.size())
      text += fmt::format(
          "constant {0}w : i8 2x2x1x1 nhwc = {2} 3 5 {3}\nconstant {0}b : i32 2 = 40 -9\n"
          "{1}Conv({4}, {0}w, {0}b) NbOutputs=\"2\" KernelDims=\"1 1\" "
          "rescale=\"Floating-point 0 255 0 : 0.125 :\"\n",
          layer, type, i % 7 + 1, i % 5 + 1, last);
    else
      text += fmt::format("{}Pool({}) PoolDims=\"1 1\" Pooling=\"Max\"\n", type, last);
    last = layer;
  }
  graph::Graph graph = graph::from_text(text + "output " + last + "\n", ops::registry(), "chain");
  for (size_t i = 0; i < names.size(); ++i)
    graph.rename(*graph.find_node(fmt::format("placeholder{}", i)), names[i]);
  const graph::ValueId output = graph.outputs().at(0);
  targets::cpp::Options options;
  options.parameters.memory_search_nodes = 0;
  return targets::cpp::prepare(std::move(graph), {{output, 2}}, options);
}

/// Writes it with a stimulus, which is returned, and builds it by `build`.
Tensor expect_compiles(const targets::cpp::Project& project, const fs::path& folder,
                       const std::string& build) {
  Tensor input(Shape{1, 2, 1, 1});
  input.data<float>()[0] = 77, input.data<float>()[1] = 130;
  project.write(folder, golden::judged_samples(project, {{input, {{-1}}, "pixel"}}), {});
  const CommandResult made = run_command(folder, build);
  EXPECT_EQ(made.status, 0) << made.output.substr(0, 4000);
  return input;
}

/// Expects every layer to be compared and none to differ, too.
void expect_runs(const targets::cpp::Project& project, const fs::path& folder, const std::string& build) {
  const Tensor input = expect_compiles(project, folder, build);
  const CommandResult run = run_command(folder, "bin/run_export -compare reference");
  EXPECT_EQ(run.status, 0) << run.output.substr(0, 4000);
  const std::string line = ": 2 values, 0 different";
  size_t compared = 0;
  for (size_t at = run.output.find(line); at != std::string::npos; at = run.output.find(line, at + 1))
    ++compared;
  EXPECT_EQ(compared, project.host_run_layers(input).size());
}

/// What a fixed project names, in a chain, as one source: a thousand files take minutes alone.
targets::cpp::Project everything(const fs::path& folder) {
  const targets::cpp::Project project = golden::fixed_project();
  project.write(folder / "project", golden::judged_samples(project), {});
  const Names names = names_in_project(folder / "project");
  for (const char* known : {"score", "stimulus", "Network", "mem_info", "target_0", "forward", "conv2d",
                            "Plane", "kRun", "NB_BITS", "N2D2_INLINE", "conv1_weights", "propagate"})
    EXPECT_TRUE(names.contains(known)) << known;
  return chain(names_of_the_language(), names);
}

constexpr const char* kAllInOne =
    "mkdir bin && find dnn -name '*.cpp' | sort | sed 's/.*/#include \"&\"/' >all.cpp && ";
constexpr const char* kStrict = " -std=c++11 -O0 -Wall -Wextra -Wshadow -Werror -pedantic all.cpp ";

/// In a run, one of the compilers compiles LayerNames and the other one AnyText.
bool is_gcc(const std::string& compiler) {
  return compiler == "g++";
}

class LayerNames : public testing::TestWithParam<const char*> {};

/// A name means something in the front end: nothing is made of a thousand layers.
TEST_P(LayerNames, MayBeThoseOfEverythingInTheProject) {
  if (!is_in_turn(is_gcc(GetParam()) ? 0 : 1, 2)) GTEST_SKIP() << "not drawn";
  const TemporaryFolder folder;
  expect_compiles(everything(folder.path()), folder.path() / "chain",
                  std::string(kAllInOne) + GetParam() + " -fsyntax-only" + kStrict);
}

INSTANTIATE_TEST_SUITE_P(Compilers, LayerNames, testing::Values("g++", "clang++-14"),
                         [](const auto& info) { return info.param[0] == 'g' ? "gcc" : "clang"; });

TEST(NamesOfTheLanguage, GiveTheBytesOfTheHostRun) {
  const TemporaryFolder folder;
  const Names some{"int", "NULL", "INT8_MAX", "conv1_weights", "conv1_config", "target_0", "_Bool", "a__b"};
  expect_runs(chain(some, names_of_the_language()), folder.path() / "chain",
              std::string(kAllInOne) + "clang++-14" + kStrict + "main.cpp src/*.cpp -o bin/run_export");
}

class AnyText : public testing::TestWithParam<const char*> {};

TEST_P(AnyText, MayBeALayersName) {
  if (!is_in_turn(is_gcc(GetParam()) ? 1 : 0, 2)) GTEST_SKIP() << "not drawn";
  const TemporaryFolder folder;
  expect_runs(chain(texts(), {}), folder.path() / "chain",
              std::string("make -s OPENMP=0 CXXFLAGS='-O0 -Wshadow -Werror' CXX=") + GetParam());
}

INSTANTIATE_TEST_SUITE_P(Compilers, AnyText, testing::Values("g++", "clang++-14"),
                         [](const auto& info) { return info.param[0] == 'g' ? "gcc" : "clang"; });

}  // namespace
}  // namespace n2d2::e2e
