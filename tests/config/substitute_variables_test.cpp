#include <cstdlib>

#include <gtest/gtest.h>

#include "files.hpp"

namespace n2d2::config {
namespace {

TEST(SubstituteVariables, LooksInTheReadingSectionThenInTheGlobalOne) {
  const IniDocument ini = parse("$A=1\n$B=2\n[s]\n$A=3\nK=${A} ${B}\n[t]\nK=${A}\n");
  EXPECT_EQ(value(ini, "s", "K"), "3 2");
  EXPECT_EQ(value(ini, "t", "K"), "1");
  EXPECT_EQ(value(ini, "t", "K", "s"), "3");
}

TEST(SubstituteVariables, ExpandsTextThatAVariableBringsIn) {
  const IniDocument ini = parse(
      "$A=${B}0\n$B=1\n$P=[s]\n$S=s\n$M=$(${B} + 1)\n[s]\nX=7\nK=${A} ${P}X [${S}]X ${M}\nQ=${PP} $ {A} "
      "${\n$PP=p\n");
  EXPECT_EQ(value(ini, "s", "K"), "10 7 7 2");
  EXPECT_EQ(value(ini, "s", "Q"), "p $ {A} ${");
}

TEST(SubstituteVariables, KnowsTheBuiltInNames) {
  const IniDocument ini =
      parse("[a]\nK=${SECTION_NAME}<${PREV_SECTION_NAME}>\n[b]\nK=${SECTION_NAME}<${PREV_SECTION_NAME}>\n");
  EXPECT_EQ(value(ini, "a", "K"), "a<>");
  EXPECT_EQ(value(ini, "b", "K"), "b<a>");
  EXPECT_EQ(value(ini, "a", "K", "b"), "b<a>");
}

TEST(SubstituteVariables, FallsBackToTheEnvironment) {
  setenv("N2D2_TEST_ROOT", "/data;[x]${Y}", 1);
  EXPECT_EQ(value(parse("[database]\nDataPath=${N2D2_TEST_ROOT}/m\n"), "database", "DataPath"),
            "/data;[x]${Y}/m");
  unsetenv("N2D2_TEST_ROOT");
}

TEST(SubstituteVariables, ReportsUndefinedVariablesOnlyWhenRead) {
  const IniDocument ini = parse("$STEP_DECAY_RATE=0.1\n[c]\nS=${STEPDECAY_RATE}\nT=1\n[d]\nU=[c]S\n");
  EXPECT_EQ(value(ini, "c", "T"), "1");
  EXPECT_EQ(value(ini, "c", "S"),
            "error: m/a.ini:3: [c] S: undefined variable 'STEPDECAY_RATE'; did you mean 'STEP_DECAY_RATE'?\n"
            "  hint: define '$STEPDECAY_RATE=...' in [c] or before the first section, or set it in the "
            "environment");
  EXPECT_EQ(value(ini, "d", "U"),
            "error: m/a.ini:3: [c] S: undefined variable 'STEPDECAY_RATE'; did you mean 'STEP_DECAY_RATE'? "
            "(needed for [d] U, m/a.ini:6)\n"
            "  hint: define '$STEPDECAY_RATE=...' in [d] or before the first section, or set it in the "
            "environment");
}

TEST(SubstituteVariables, SaysWhenTheVariableIsInTheSectionTheTextCameFrom) {
  const IniDocument ini = parse("[conf]\n$LR=1\nK=${LR}\n[c]\n");
  EXPECT_EQ(value(ini, "conf", "K", "c"),
            "error: m/a.ini:3: [conf] K: undefined variable 'LR'\n"
            "  hint: [conf] defines $LR, but the value is read for [c]; define it before the first section");
}

TEST(SubstituteVariables, FollowsReferencesInTheContextOfTheReader) {
  const IniDocument ini = parse(
      "$V=g\n[sp]\nSizeX=32\nSizeY=[sp]SizeX\n$V=sp\nN=${V} ${SECTION_NAME}\n[c]\nA=[sp]SizeY "
      "px\n$V=c\nB=[sp]N\n");
  EXPECT_EQ(value(ini, "c", "A"), "32 px");
  EXPECT_EQ(value(ini, "c", "B"), "c c");
  EXPECT_EQ(value(ini, "sp", "N"), "sp sp");
}

TEST(SubstituteVariables, LeavesBracketsThatNameNoSection) {
  const IniDocument ini = parse("[sp]\nX=3\n[s]\nA=a[0] [[sp]X [none]X [] [\n");
  EXPECT_EQ(value(ini, "s", "A"), "a[0] [3 [none]X [] [");
}

TEST(SubstituteVariables, EndsReferencesAtBlanksElseWarns) {
  const IniDocument ini =
      parse("[sp]\nSizeX=32\n[s]\nA=$([sp]SizeX * 2)\nB=$([sp]SizeX*2)\nC=$(2 * [sp]SizeX)\nD=[sp]SizeX.\n");
  EXPECT_EQ(value(ini, "s", "A"), "64");
  const log::Capture capture;
  EXPECT_EQ(value(ini, "s", "B"), "64");
  EXPECT_EQ(value(ini, "s", "B"), "64");
  EXPECT_EQ(
      capture.text(),
      "m/a.ini:5: [s] B: the reference '[sp]SizeX*2)' goes on to the next blank; '[sp]SizeX' is assumed\n"
      "  hint: put a blank behind '[sp]SizeX'\n");
  EXPECT_EQ(value(ini, "s", "C"), "64");
  EXPECT_EQ(value(ini, "s", "D"), "32.");
}

TEST(SubstituteVariables, PrefersTheWholeNameOfAReference) {
  const IniDocument ini = parse(
      "[a]\nMapping(b).Size=2\nMapping=9\n[s]\nA=$([a]Mapping(b).Size * 3)\nB=$(3 * [a]Mapping(b).Size)\n");
  EXPECT_EQ(value(ini, "s", "A"), "6");
  const log::Capture capture;
  EXPECT_EQ(value(ini, "s", "B"), "6");
}

TEST(SubstituteVariables, ReportsMissingProperties) {
  const IniDocument ini = parse("[c1]\nNbOutputs=8\n[c2]\nA=[c1]NbOutput\nB=[c1]_NbOutputs2\n");
  EXPECT_EQ(value(ini, "c2", "A"),
            "error: m/a.ini:4: [c2] A: [c1] has no property 'NbOutput'; did you mean 'NbOutputs'?");
  EXPECT_NE(value(ini, "c2", "B").find("hint: computed properties exist once the section"),
            std::string::npos);
}

TEST(SubstituteVariables, ReportsCycles) {
  const IniDocument ini =
      parse("$A=${B}\n$B=${A}\n[a]\nX=[b]Y\nZ=${A}\nS=[a]S\nV=${SELF}\n$SELF=[a]V\n[b]\nY=1 [a]X\n");
  EXPECT_EQ(value(ini, "a", "X"),
            "error: m/a.ini:10: [b] Y: expected a value that does not need itself, got the cycle "
            "[a] X -> [b] Y -> [a] X (needed for [a] X, m/a.ini:4)");
  EXPECT_NE(value(ini, "a", "Z").find("cycle [] $A -> [] $B -> [] $A"), std::string::npos);
  EXPECT_NE(value(ini, "a", "S").find("cycle [a] S -> [a] S"), std::string::npos);
  EXPECT_NE(value(ini, "a", "V").find("cycle [a] V -> [a] V"), std::string::npos);
}

TEST(SubstituteVariables, MarksAFractionAsComputed) {
  const IniDocument ini = parse("[s]\nA=$(5 / 2)\nB=$(10 / 5)\nC=$($(5 / 2) * 2)\nD=$(1 / 100000)\n");
  EXPECT_EQ(value(ini, "s", "A"), "2.5e0");
  EXPECT_EQ(value(ini, "s", "B"), "2.0");
  EXPECT_EQ(value(ini, "s", "C"), "5.0");
  EXPECT_EQ(value(ini, "s", "D"), "1e-05");
  const std::string printed = print(ini);
  EXPECT_NE(printed.find("A=$(5 / 2)\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("B=2.0\n"), std::string::npos) << printed;
}

TEST(SubstituteVariables, ComputesArithmetic) {
  const IniDocument ini = parse(
      "$L=0\n$E=48000\n[s]\nA=$(${L}**(-0.5) if ${L} > 0 else 1.0)\nB=$(${E} * 120 / 256)\nC=conv$(1 + $(2 * "
      "3)).x$(1)\n"
      "D=$(( 1 + 2 ) * 3)\nF=$(1 / ${L})\nG=$(1 + (2)\nH=$ (1)\n");
  EXPECT_EQ(value(ini, "s", "A"), "1.0");
  EXPECT_EQ(value(ini, "s", "B"), "22500.0");
  EXPECT_EQ(value(ini, "s", "C"), "conv7.x1");
  EXPECT_EQ(value(ini, "s", "D"), "9");
  EXPECT_EQ(value(ini, "s", "F"), "error: m/a.ini:8: [s] F: cannot compute '$(1 / 0)': division by zero");
  EXPECT_EQ(value(ini, "s", "G"),
            "error: m/a.ini:9: [s] G: expected a ')' that closes '$(1 + (2)', found none");
  EXPECT_EQ(value(ini, "s", "H"), "$ (1)");
}

TEST(SubstituteVariables, StopsWhatWouldGrowWithoutEnd) {
  std::string text = "$A0=x\n";
  for (int i = 1; i <= 40; ++i) text += fmt::format("$A{}=${{A{}}}${{A{}}}\n", i, i - 1, i - 1);
  EXPECT_NE(value(parse(text + "[s]\nK=${A40}\n"), "s", "K").find("at most 1 MB and 10000 replacements"),
            std::string::npos);
  std::string chain = "[s]\nK0=1\n";
  for (int i = 1; i <= 200; ++i) chain += fmt::format("K{}=[s]K{}\n", i, i - 1);
  const IniDocument ini = parse(chain);
  EXPECT_EQ(value(ini, "s", "K50"), "1");
  EXPECT_NE(value(ini, "s", "K200").find("at most 100 values that lead to each other"), std::string::npos);
  std::string nested = "1";
  for (int i = 0; i < 150; ++i) nested = "$(" + nested + ")";
  EXPECT_NE(value(parse("[s]\nK=" + nested), "s", "K").find("'$(' nested more than 100 deep"),
            std::string::npos);
}

}  // namespace
}  // namespace n2d2::config
