#include <gtest/gtest.h>

#include "files.hpp"

namespace n2d2::config {
namespace {

/// "section key line reader" for each unread key, joined by '|'.
std::string unread(const IniDocument& ini) {
  std::string out;
  for (const auto& u : ini.unread())
    out += (out.empty() ? "" : "|") +
           fmt::format("{} {} {}{}{}", u.section, u.key, u.where.line, u.reader.empty() ? "" : " ", u.reader);
  return out;
}

std::string unused(const IniDocument& ini) {
  std::string out;
  for (const auto& [name, where] : ini.unused_sections()) out += fmt::format("{}:{} ", name, where.line);
  return out;
}

TEST(ReadMarks, ListKeysNobodyReadInSectionsThatWereRead) {
  const IniDocument ini = parse("G=1\nH=2\n[a]\nA=1\nB=2\n$V=3\n[dead]\nX=${NOTHING}\n");
  EXPECT_EQ(unread(ini), " G 1| H 2");
  ini.find("a", "A");
  ini.find("", "H");
  EXPECT_EQ(unread(ini), " G 1|a B 5");
  EXPECT_EQ(unused(ini), "dead:7 ");
  EXPECT_TRUE(ini.has_key("dead", "X"));
  EXPECT_EQ(ini.keys("dead").size(), 1U);
  EXPECT_EQ(unused(ini), "dead:7 ");
}

TEST(ReadMarks, CountAMissingKeyAsReadingTheSection) {
  const IniDocument ini = parse("[a]\nB=2\n");
  EXPECT_FALSE(ini.find("a", "A"));
  EXPECT_EQ(unread(ini), "a B 2");
}

TEST(ReadMarks, CountReferencesAsReading) {
  const IniDocument ini = parse("[sizes]\nX=1\nY=2\n[a]\nA=[sizes]X\nB=1\n");
  ini.find("a", "A");
  ini.find("a", "B");
  EXPECT_EQ(unread(ini), "");
  EXPECT_EQ(unused(ini), "");
}

TEST(ReadMarks, CountParentsAndTemplateHeadersAsUsed) {
  const IniDocument ini = parse("[p]\nX=1\n[t@t.tpl]\nN=1\n[c] p\n", {{"m/t.tpl", ""}});
  EXPECT_EQ(unused(ini), "c:5 ");
}

TEST(ReadMarks, ListInheritedKeysForTheChild) {
  const IniDocument ini = parse("[p]\nX=1\nY=2\n[c] p\n");
  ini.find("c", "X");
  EXPECT_EQ(unread(ini), "c Y 3");
}

TEST(ReadMarks, ListConfigKeysForEachLayerThatDidNotReadThem) {
  const IniDocument ini = parse("[c]\n[d]\n[conf]\nNoBias=1\nSolvers.LearningRate=2\n[over]\nNoBias=0\n");
  const auto c = ini.config_source("c", {"conf", "over"});
  const auto d = ini.config_source("d", {"conf"});
  c->find("NoBias");
  c->find("Solvers.LearningRate");
  EXPECT_EQ(unread(ini), "conf NoBias 4 d|conf Solvers.LearningRate 5 d");
  ini.mark_read("conf", "NoBias", "d");
  EXPECT_EQ(unread(ini), "conf Solvers.LearningRate 5 d");
  ini.mark_read("conf", "Solvers.LearningRate");
  EXPECT_EQ(unread(ini), "");
  EXPECT_EQ(unused(ini), "c:1 d:2 ");
}

TEST(ReadMarks, CanBeSetByHand) {
  const IniDocument ini = parse("[a]\nA=1\nB=2\n[b]\n");
  ini.find("a", "A");
  ini.mark_read("a", "B");
  ini.mark_used("b");
  EXPECT_EQ(unread(ini), "");
  EXPECT_EQ(unused(ini), "");
}

}  // namespace
}  // namespace n2d2::config
