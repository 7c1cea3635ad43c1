#include "n2d2/config/ini_document.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "files.hpp"

namespace n2d2::config {
namespace {

using Names = std::vector<std::string>;

TEST(IniDocument, PrintsWhatIsComputedLaterAsAReference) {
  const IniDocument ini = parse(
      "$EPOCHS=$(${BASE} * 2)\n$BASE=45\n[sp]\nSize=3\n[c]\n"
      "Steps=$([sp]_EpochSize * ${EPOCHS} / [sp]Size )\nDims=[conv]_OutputsWidth 3\n[conv]\nInput=sp\n");
  EXPECT_EQ(print(ini),
            "[sp]\nSize=3\n\n[c]\nSteps=$([sp]_EpochSize * 90 / 3 )\nDims=[conv]_OutputsWidth 3\n\n[conv]\n"
            "Input=sp\n");
  IniDocument printed = parse(print(ini));
  printed.define("sp", "_EpochSize", "6");
  EXPECT_EQ(value(printed, "c", "Steps"), "180.0");
}

TEST(IniDocument, PrintsVariablesThatReadersSeeDifferently) {
  const IniDocument ini = parse(
      "$LR=1\n[a]\n$LR=2\nConfigSection=c\n[b]\nConfigSection=c\n[c]\nRate=${LR}\nName=${SECTION_NAME}\nSame="
      "3\n");
  const IniDocument printed = parse(print(ini));
  for (const IniDocument* document : {&ini, &printed}) {
    EXPECT_EQ(value(*document, "c", "Rate", "a"), "2");
    EXPECT_EQ(value(*document, "c", "Rate", "b"), "1");
    EXPECT_EQ(value(*document, "c", "Name", "b"), "b");
  }
  EXPECT_EQ(value(printed, "c", "Same"), "3");
}

TEST(IniDocument, PrintsASharedSectionForItsOnlyReader) {
  const IniDocument ini = parse("[a]\n$LR=2\nConfigSection=c\n[c]\nRate=${LR}\n");
  EXPECT_EQ(print(ini), "[a]\nConfigSection=c\n\n[c]\nRate=2\n");
}

TEST(IniDocument, PrintsNoHeadersOfTemplates) {
  const IniDocument ini = parse("[blk@t]\nN=3\n[last]\nInput=${PREV_SECTION_NAME}\n",
                                {{"m/t", "[{{SECTION_NAME}}.c]\nInput=sp\nNbOutputs={{N}}\n"}});
  EXPECT_EQ(print(ini), "[blk.c]\nInput=sp\nNbOutputs=3\n\n[last]\nInput=blk.c\n");
}

TEST(IniDocument, APoisonedSectionFailsWithoutAWord) {
  IniDocument ini = parse("[c]\nA=[conv]_OutputsWidth\nB=[conv]K\nC=[gone]X\n[conv]\nK=1\n");
  ini.poison("conv");
  ini.poison("gone");
  for (const char* key : {"A", "C"}) try {
      ini.find("c", key);
      ADD_FAILURE() << key;
    } catch (const ConfigError& error) {
      EXPECT_TRUE(error.findings().empty()) << error.what();
    }
  EXPECT_EQ(value(ini, "c", "B"), "1");
}

TEST(IniDocument, ReadsThroughAPrefix) {
  const IniDocument ini = parse("[c]\nActivationFunction.LeakSlope=0.1\nNbOutputs=8\n");
  const auto source = ini.source("c", "ActivationFunction.");
  const auto found = source->find("LeakSlope");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, "0.1");
  EXPECT_EQ(found->where.line, 2);
  EXPECT_FALSE(source->find("NbOutputs"));
  EXPECT_TRUE(ini.source("c")->find("NbOutputs"));
  EXPECT_EQ(source->subject(), "[c]");
  EXPECT_EQ(source->where().line, 1);
  EXPECT_FALSE(ini.source("none")->find("NbOutputs"));
}

TEST(IniDocument, KeepsItsSourcesWhenItMoves) {
  IniDocument ini = parse("[c]\nA=1\n");
  const auto source = ini.source("c");
  const IniDocument moved = std::move(ini);
  EXPECT_EQ(source->find("A")->text, "1");
  EXPECT_TRUE(moved.unread().empty());
}

TEST(IniDocument, ReadsNumbersOfArithmeticThroughFields) {
  const IniDocument ini = parse("[c]\nMaxIterations=$(48000 * 120 / 256)\n");
  int64_t value = 0;
  Diagnostics diagnostics;
  EXPECT_TRUE(read_field(field_info("MaxIterations"), value, *ini.source("c"), diagnostics));
  EXPECT_EQ(value, 22500);
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST(IniDocument, LetsSourcesThrowExpansionErrors) {
  const IniDocument ini = parse("[c]\nA=${NO_SUCH_VARIABLE}\n");
  EXPECT_THROW(ini.source("c")->find("A"), ConfigError);
}

TEST(IniDocument, MergesConfigSectionsInTheContextOfTheLayer) {
  const IniDocument ini = parse(
      "[c]\n$LR=0.5\nConfigSection=base,over\n[base]\nSolvers.LearningRate=${LR}\nName=${SECTION_NAME}"
      "\nNoBias=1\n"
      "[over]\nNoBias=0\n");
  const auto config = ini.config_source("c", {"base", "over"});
  EXPECT_EQ(config->find("NoBias")->text, "0");
  EXPECT_EQ(config->find("NoBias")->where.line, 9);
  EXPECT_EQ(config->find("Name")->text, "c");
  EXPECT_FALSE(config->find("Dropout"));
  EXPECT_EQ(ini.config_source("c", {"base"}, "Solvers.")->find("LearningRate")->text, "0.5");
  EXPECT_EQ(config->subject(), "[c]");
  EXPECT_EQ(config->where().line, 1);
}

TEST(IniDocument, ReportsMissingConfigSectionsAtTheirKey) {
  const IniDocument ini = parse("[c]\nA=1\nConfigSection(Frame)=train.confg,x\n[train.config]\n[d]\n");
  const auto error = [&](std::string_view layer, const Names& sections) -> std::string {
    try {
      ini.config_source(layer, sections);
      return "";
    } catch (const ConfigError& e) {
      return e.what();
    }
  };
  EXPECT_EQ(error("c", {"train.confg", "xyzzy"}),
            "m/a.ini:3: [c] ConfigSection: section [train.confg] not found; did you mean 'train.config'?\n"
            "m/a.ini:3: [c] ConfigSection: section [xyzzy] not found");
  EXPECT_EQ(error("d", {""}), "m/a.ini:5: [d] ConfigSection: section [] not found");
  EXPECT_NE(error("nobody", {"xyzzy"}).find("m/a.ini: [nobody] ConfigSection"), std::string::npos);
}

TEST(IniDocument, LoadsTheConfigFileOfALayerOnTop) {
  const Files files{{"c_1.cfg", "# saved\nNoBias = 0 # c\nSolvers.Decay=${SECTION_NAME}\n"}};
  const IniDocument ini = parse("[c:1]\n[base]\nNoBias=1\nMomentum=2\n", files);
  const log::Capture capture;
  const auto config = ini.config_source("c:1", {"base"});
  EXPECT_EQ(config->find("NoBias")->text, "0");
  EXPECT_EQ(config->find("NoBias")->where, (SourceLocation{"c_1.cfg", 2}));
  EXPECT_EQ(config->find("Momentum")->text, "2");
  EXPECT_EQ(capture.text(), "c_1.cfg: its keys replace those of the config sections of [c:1]\n");
  const auto unread = ini.unread();
  ASSERT_EQ(unread.size(), 1U);
  EXPECT_EQ(unread[0].section + " " + unread[0].key + " " + unread[0].reader, "c_1.cfg Solvers.Decay c:1");
  try {
    parse("[c]\n", {{"c.cfg", "NoBias\n"}}).config_source("c", {});
    ADD_FAILURE();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "c.cfg:1: [c] expected 'key = value', got 'NoBias'");
  }
}

TEST(IniDocument, TrimsListsWithOneWarning) {
  const IniDocument ini = parse("[m]\nInput=a, b,,c\n");
  const log::Capture capture;
  EXPECT_EQ(ini.list("m", "Input"), (Names{"a", "b", "", "c"}));
  EXPECT_EQ(ini.list("m", "Input"), (Names{"a", "b", "", "c"}));
  EXPECT_EQ(capture.text(),
            "m/a.ini:2: [m] Input: ' b' has blanks around it; 'b' is assumed\n"
            "  hint: items of the list are separated by ',' alone\n");
  EXPECT_FALSE(ini.list("m", "None"));
}

TEST(IniDocument, MakesComputedPropertiesReferable) {
  IniDocument ini = parse("[sp]\n[t]\nN=$([sp]_EpochSize * 2)\n");
  ini.define("sp", "_EpochSize", "60000");
  ini.define("none", "_EpochSize", "1");
  EXPECT_EQ(value(ini, "t", "N"), "120000");
  EXPECT_TRUE(ini.keys("sp").empty());
  EXPECT_TRUE(ini.unread().empty());
  EXPECT_FALSE(ini.has_section("none"));
  ini.define("sp", "_EpochSize", "7");
  EXPECT_EQ(value(ini, "t", "N"), "14");
}

TEST(IniDocument, PrintsItselfFlatAndExpanded) {
  const IniDocument ini = parse(
      "$W=28\nDefaultModel=Frame\n[p]\nA=$(${W} + 4)\n[c] p\nB=\"x; y\"\nC=\" z "
      "\"\nD=${NO_SUCH_VARIABLE}\nE=q\\ ; c\n"
      "F=\"a\" \"b\"\n[t@t.tpl]\nN=2\n",
      {{"m/t.tpl", "[t.x]\nN={{N}}\n"}});
  const std::string text = print(ini);
  EXPECT_EQ(text,
            "DefaultModel=Frame\n\n[p]\nA=32\n\n[c]\nA=32\nB=\"x; y\"\nC=\" z \"\n"
            "D=${NO_SUCH_VARIABLE} ; not expanded: [c] D: undefined variable 'NO_SUCH_VARIABLE'\n"
            "E=\"q\\\"\nF=a\" \"b\n\n[t.x]\nN=2\n");
  EXPECT_EQ(print(parse(text)), text);
  EXPECT_EQ(ini.unused_sections().size(), 2U);
}

TEST(IniDocument, KnowsTheLineOfAValue) {
  EXPECT_EQ(line_of("A", "1 2"), "A=1 2");
  EXPECT_EQ(line_of("A", " a ; b"), "A=\" a ; b\"");
  EXPECT_EQ(line_of("A", "a\nb"), std::nullopt);
}

TEST(IniDocument, PrintsValuesThatNoLineCanHoldAsAComment) {
  setenv("N2D2_TEST_LINES", "a\nb", 1);
  EXPECT_EQ(print(parse("[s]\nA=${N2D2_TEST_LINES}\n")),
            "[s]\nA=${N2D2_TEST_LINES} ; not expanded: the value holds characters that no line can hold\n");
  unsetenv("N2D2_TEST_LINES");
}

std::string read_error(const std::string& path) {
  try {
    read_ini(path);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

TEST(ReadIni, FindsTemplatesBesideTheFile) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "n2d2_read_ini";
  write_file(folder / "a.ini", "[t@blocks/b.tpl]\nN=4\n");
  write_file(folder / "blocks/b.tpl", "[{{SECTION_NAME}}.c]\nNbOutputs={{N}}\n{% include more.tpl %}");
  write_file(folder / "blocks/more.tpl", "Stride=2\n");
  const IniDocument ini = read_ini((folder / "a.ini").string());
  EXPECT_EQ(value(ini, "t.c", "NbOutputs"), "4");
  EXPECT_EQ(value(ini, "t.c", "Stride"), "2");
  EXPECT_EQ(place(ini, "t.c", "Stride"), (folder / "blocks/more.tpl").string() + ":1");
  EXPECT_EQ(ini.path(), (folder / "a.ini").string());
  std::filesystem::remove_all(folder);
}

TEST(ReadIni, SaysWhichFileItLookedFor) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(read_error("no/such.ini"),
            "no/such.ini: the INI file does not exist\n  hint: looked for '" + here + "/no/such.ini'");
  EXPECT_EQ(read_error("."), ".: expected an INI file, found a folder\n  hint: looked for '" + here + "/'");
  EXPECT_EQ(
      read_error("/proc/self/mem"),
      "/proc/self/mem: the INI file cannot be read: Input/output error\n  hint: looked for '/proc/self/mem'");
}

}  // namespace
}  // namespace n2d2::config
