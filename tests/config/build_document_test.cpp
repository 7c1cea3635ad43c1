#include <cstdlib>

#include <gtest/gtest.h>

#include "files.hpp"

namespace n2d2::config {
namespace {

using Names = std::vector<std::string>;

TEST(BuildDocument, KeepsSectionsAndKeysInFileOrderWithTheirLines) {
  const IniDocument ini = parse("$V=1\nDefaultModel=Frame\n[b x]\nK=1\nA=x=y\n[a]\n");
  EXPECT_EQ(ini.section_names(), (Names{"", "b x", "a"}));
  EXPECT_EQ(ini.keys("b x"), (Names{"K", "A"}));
  EXPECT_EQ(ini.keys(""), (Names{"DefaultModel"}));
  EXPECT_EQ(value(ini, "b x", "A"), "x=y");
  EXPECT_EQ(place(ini, "b x", "A"), "m/a.ini:5");
  EXPECT_EQ(ini.section_where("a").line, 6);
  EXPECT_EQ(ini.section_where("none"), (SourceLocation{"m/a.ini", 0}));
  EXPECT_TRUE(ini.has_key("", "$V"));
  EXPECT_FALSE(ini.has_key("a", "K"));
  EXPECT_FALSE(ini.has_section("c"));
}

TEST(BuildDocument, StripsOuterQuotesAndKeepsEmptyValues) {
  const IniDocument ini = parse("[s]\nA=\nB=\" x \"\nC=\"a\" \"b\"\nD =  1 2 \nE=a [b\n[open=1\n");
  EXPECT_EQ(value(ini, "s", "A"), "");
  EXPECT_EQ(value(ini, "s", "B"), " x ");
  EXPECT_EQ(value(ini, "s", "C"), "a\" \"b");
  EXPECT_EQ(value(ini, "s", "D"), "1 2");
  EXPECT_EQ(value(ini, "s", "E"), "a [b");
  EXPECT_EQ(value(ini, "s", "[open"), "1");
}

TEST(BuildDocument, InheritsFromTheFirstParentThatHasTheKey) {
  const IniDocument ini = parse("[p]\nA=1\nB=2\n[q]p\nB=3\n$V=x\n[r]\nA=9\nC=4\n[c] q\tr\nD=${V}\n");
  EXPECT_EQ(ini.keys("c"), (Names{"A", "B", "C", "D"}));
  EXPECT_EQ(value(ini, "c", "A"), "1");
  EXPECT_EQ(value(ini, "c", "B"), "3");
  EXPECT_EQ(value(ini, "c", "D"), "x");
  EXPECT_EQ(place(ini, "c", "A"), "m/a.ini:2");
  EXPECT_EQ(place(ini, "c", "B"), "m/a.ini:5");
}

TEST(BuildDocument, CopiesInheritedTextUnexpanded) {
  EXPECT_EQ(value(parse("[p]\nN=${SECTION_NAME}\n[c] p\n"), "c", "N"), "c");
}

TEST(BuildDocument, WarnsWhenAKeyIsReplaced) {
  EXPECT_EQ(parse_warnings("[s]\nK=1\nK=2\n"), "m/a.ini:3: [s] K: '2' replaces '1' (m/a.ini:2)\n");
  EXPECT_EQ(parse_warnings("[p]\nK=1\n[c] p\nK=2\n"),
            "m/a.ini:4: [c] K: '2' replaces '1' inherited from [p] (m/a.ini:2)\n");
}

TEST(BuildDocument, WarnsOnceOfALineThatManySectionsReplaceAlike) {
  EXPECT_EQ(parse_warnings("[p]\nK=1\n[a] p\nK=2\n[b] p\nK=2\n[c] p\nK=3\n[d] p\nK=2\n"),
            "m/a.ini:4: [a] K: '2' replaces '1' inherited from [p] (m/a.ini:2), and in 2 more sections\n"
            "m/a.ini:8: [c] K: '3' replaces '1' inherited from [p] (m/a.ini:2)\n");
  EXPECT_EQ(parse_warnings("[p]\nK=1\nK=2\n[q]\nK=1\nK=2\n"),
            "m/a.ini:3: [p] K: '2' replaces '1' (m/a.ini:2)\n"
            "m/a.ini:6: [q] K: '2' replaces '1' (m/a.ini:5)\n");
}

TEST(BuildDocument, SaysNothingWhereAKeyIsReplacedByItsEqual) {
  EXPECT_EQ(parse_warnings("[p]\nK=1\nK=1\n[c] p\nK=1 ; again\n"), "");
}

TEST(BuildDocument, KnowsFilesThatAreNoText) {
  const auto utf16 = [](std::string_view text, bool little) {
    std::string out;
    for (const char c : text) out += little ? std::string{c, '\0'} : std::string{'\0', c};
    return out;
  };
  const std::string text = "[database]\n[sp]\nSize=8 8\n";
  const std::string expected =
      "m/a.ini: expected a text in UTF-8 or ASCII, the file is UTF-16\n"
      "  hint: save it as UTF-8, or 'iconv -f UTF-16 -t UTF-8 old.ini > new.ini'";
  EXPECT_EQ(parse_errors("\xFF\xFE" + utf16(text, true)), expected);
  EXPECT_EQ(parse_errors("\xFE\xFF" + utf16(text, false)), expected);
  EXPECT_EQ(parse_errors(utf16(text, true)), expected);
  EXPECT_EQ(parse_errors(utf16(text, false)), expected);
  EXPECT_EQ(parse_errors(std::string("[a]\nK=1\0\n", 9)),
            "m/a.ini:2: expected a text, the file holds the byte 0x00: it is binary or damaged");
  EXPECT_EQ(parse_errors("[a@t]\n", {{"m/t",
                                      "\x7f"
                                      "ELF"}}),
            "m/t:1: expected a text, the file holds the byte 0x7F: it is binary or damaged\n"
            "  hint: rendered for [a@t] at m/a.ini:1");
  EXPECT_EQ(parse_errors("\xEF\xBB\xBF[a]\n; \xC3\xA9t\xC3\xA9, \xE9\nK=\xE9\n"), "") << "bytes are data";
}

TEST(BuildDocument, ReportsEverythingWrongAtOnce) {
  EXPECT_EQ(
      parse_errors("[a]\nStride\n=3\n[b] nobody\n[b] later\nK=1\n[c] later\n[late]\n[later]\n[]\nQ=\"\"\"\n"),
      "m/a.ini:2: [a] Stride: missing value, expected 'Stride=...'\n"
      "m/a.ini:3: [a] expected a name before '=', got '=3'\n"
      "m/a.ini:4: [b]: expected an earlier section to inherit from, 'nobody' does not exist\n"
      "m/a.ini:5: [b]: expected each section once, the first is at m/a.ini:4\n"
      "m/a.ini:7: [c]: expected an earlier section to inherit from, 'later' does not exist yet\n"
      "  hint: it is declared at m/a.ini:9; move it up\n"
      "m/a.ini:10: []: expected a name; keys before the first section are the global ones\n"
      "m/a.ini:11: quote: expected a closing '\"' on the line, found none");
}

TEST(BuildDocument, GuessesAMisspeltParentAndRefusesItself) {
  EXPECT_EQ(
      parse_errors("[base_conv]\n[c] base_cov\n"),
      "m/a.ini:2: [c]: expected an earlier section to inherit from, 'base_cov' does not exist; did you mean "
      "'base_conv'?");
  EXPECT_NE(parse_errors("[c] c\n").find("'c' does not exist yet"), std::string::npos);
}

TEST(BuildDocument, RendersTemplatesInPlaceWithTheirOwnLines) {
  const IniDocument ini =
      parse("$W=7\n[in]\nD=2\n[blk@pair.tpl]\nN=[in]D\nM=${W}\n[end]\nP=${PREV_SECTION_NAME}\n",
            {{"m/pair.tpl",
              "\n[{{SECTION_NAME}}.x]\nI=${PREV_SECTION_NAME}\nN={{N}}{{M}}\n"
              "P=${PARENT_SECTION_NAME} {{SECTION_FILE_NAME}}\n"}});
  EXPECT_EQ(ini.section_names(), (Names{"", "in", "blk", "blk.x", "end"}));
  EXPECT_EQ(value(ini, "blk.x", "I"), "in");
  EXPECT_EQ(value(ini, "blk.x", "N"), "27");
  EXPECT_EQ(value(ini, "blk.x", "P"), "blk pair.tpl");
  EXPECT_EQ(value(ini, "end", "P"), "blk.x");
  EXPECT_EQ(place(ini, "blk.x", "N"), "m/pair.tpl:4");
  EXPECT_EQ(ini.section_where("blk.x"), (SourceLocation{"m/pair.tpl", 2}));
  EXPECT_EQ(ini.keys("blk.x"), (Names{"I", "N", "P"}));
}

TEST(BuildDocument, NestsTemplatesRelativeToTheMainFile) {
  const IniDocument ini =
      parse("[a]\n[o@t/outer.tpl]\nX=5\n", {{"m/t/outer.tpl",
                                             "[{{SECTION_NAME}}.i@t/inner.tpl]\nY=$({{X}} + 1)\n[o.after]\n"
                                             "P=${PREV_SECTION_NAME} ${PARENT_SECTION_NAME}\n"},
                                            {"m/t/inner.tpl",
                                             "[{{SECTION_NAME}}.z]\nV={{Y}}\n"
                                             "P=${PREV_SECTION_NAME} ${PARENT_SECTION_NAME}\n"}});
  EXPECT_EQ(ini.section_names(), (Names{"", "a", "o", "o.i", "o.i.z", "o.after"}));
  EXPECT_EQ(value(ini, "o.i.z", "V"), "6");
  EXPECT_EQ(value(ini, "o.i.z", "P"), "a o.i");
  EXPECT_EQ(value(ini, "o.after", "P"), "o.i.z o");
}

TEST(BuildDocument, ReadsKeysAtTheTopOfATemplateIntoItsSection) {
  const IniDocument ini = parse("[c@t.tpl]\nN=3\n", {{"m/t.tpl", "Type=Conv\nNbOutputs={{N}}\n"}});
  EXPECT_EQ(value(ini, "c", "Type"), "Conv");
  EXPECT_EQ(value(ini, "c", "NbOutputs"), "3");
}

TEST(BuildDocument, InheritsTemplateParametersAndAcrossTemplates) {
  const IniDocument ini =
      parse("[d]\nN=4\n[base]\nK=1\n[t@t.tpl] d\n[u] t.s\n", {{"m/t.tpl", "[t.s] base\nN={{N}}\n"}});
  EXPECT_EQ(value(ini, "t.s", "N"), "4");
  EXPECT_EQ(value(ini, "t.s", "K"), "1");
  EXPECT_EQ(value(ini, "u", "N"), "4");
}

TEST(BuildDocument, KeepsVariablesThatATemplateParameterCannotKnowYet) {
  const IniDocument ini =
      parse("[t@t.tpl]\nN=${L}\nM=$(${L} + 1)\n", {{"m/t.tpl", "[s]\n$L=3\nN={{N}}\nM={{M}}\n"}});
  EXPECT_EQ(value(ini, "s", "N"), "3");
  EXPECT_EQ(value(ini, "s", "M"), "4");
}

TEST(BuildDocument, ExpandsTheEnvironmentInTemplatePaths) {
  setenv("N2D2_TEST_FOLDER", "/blocks", 1);
  const IniDocument ini = parse("[t@${N2D2_TEST_FOLDER}/t.tpl]\n", {{"/blocks/t.tpl", "[s]\nA=1\n"}});
  EXPECT_EQ(value(ini, "s", "A"), "1");
  unsetenv("N2D2_TEST_FOLDER");
  EXPECT_EQ(
      parse_errors("[t@${N2D2_TEST_FOLDER}/t.tpl]\n"),
      "m/a.ini:1: [t@${N2D2_TEST_FOLDER}/t.tpl]: undefined environment variable 'N2D2_TEST_FOLDER' in "
      "the path\n"
      "  hint: 'export N2D2_TEST_FOLDER=<folder>' sets it; a template path knows no $ variables of the INI");
}

TEST(BuildDocument, ReportsOnceWhatSeveralTemplatesFailOf) {
  unsetenv("N2D2_TEST_FOLDER");
  EXPECT_EQ(
      parse_errors("[t@${N2D2_TEST_FOLDER}/t.tpl]\n[u@${N2D2_TEST_FOLDER}/"
                   "u.tpl]\n[v@no.tpl]\n[w@no.tpl]\n[x@no.tpl]\n"),
      "m/a.ini:1: [t@${N2D2_TEST_FOLDER}/t.tpl]: undefined environment variable 'N2D2_TEST_FOLDER' in "
      "the path (and in 1 other place)\n"
      "  hint: 'export N2D2_TEST_FOLDER=<folder>' sets it; a template path knows no $ variables of the INI\n"
      "m/a.ini:3: [v@no.tpl]: cannot read the template 'm/no.tpl' (and in 2 other places)\n"
      "  hint: template paths are relative to the folder of the main file");
}

TEST(BuildDocument, ReportsTemplatesThatFailWithoutBlamingTheirChildren) {
  EXPECT_EQ(parse_errors("[t@no.tpl]\n[c] t.x\n[u@t.tpl]\nA=[u]NONE\nB=1\n[v@t.tpl]\n",
                         {{"m/t.tpl", "\nA={{A}}{{SECTION_NAME}}\n"}}),
            "m/a.ini:1: [t@no.tpl]: cannot read the template 'm/no.tpl'\n"
            "  hint: template paths are relative to the folder of the main file\n"
            "m/a.ini:4: [u] A: [u] has no property 'NONE'\n"
            "  hint: rendered for [u@t.tpl] at m/a.ini:3\n"
            "m/t.tpl:2: template {{A}}: undefined parameter 'A'; known: SECTION_FILE_NAME, SECTION_NAME\n"
            "  hint: rendered for [v@t.tpl] at m/a.ini:6");
}

TEST(BuildDocument, WarnsAboutParametersTheProgramSets) {
  EXPECT_EQ(parse_warnings("[t@t.tpl]\nSECTION_NAME=x\n", {{"m/t.tpl", ""}}),
            "m/a.ini:2: [t] SECTION_NAME: the template gets 't', the program sets this parameter\n");
}

TEST(BuildDocument, StopsTemplatesThatNestWithoutEnd) {
  EXPECT_NE(parse_errors("[a@t.tpl]\n", {{"m/t.tpl", "[{{SECTION_NAME}}a@t.tpl]\n"}})
                .find("[aaaaaaaaaaaaaaaaa@t.tpl]: templates nested more than 16 deep"),
            std::string::npos);
}

TEST(BuildDocument, RefusesEndlessText) {
  EXPECT_EQ(parse_errors(std::string(100'001, '\n')),
            "m/a.ini: expected at most 100000 lines in all, got more");
}

TEST(BuildDocument, TakesAHeaderWithTwoAtSignsAsAName) {
  EXPECT_EQ(parse("[a@b@c]\n").section_names(), (Names{"", "a@b@c"}));
}

TEST(BuildDocument, KeepsTheKeysOfASectionWhoseBracketIsMissing) {
  const std::string text = "[a]\nA=1\n[b base\nB=2\n[c]\nC=3\n";
  try {
    parse(text);
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "m/a.ini:3: expected a ']' behind the name of a section, got '[b base'\n  hint: '[b]' "
                 "begins a section");
  }
}

}  // namespace
}  // namespace n2d2::config
