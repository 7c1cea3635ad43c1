#include "read_lines.hpp"

#include <gtest/gtest.h>

namespace n2d2::config {
namespace {

struct Result {
  std::vector<std::string> lines;  // "number:text"
  std::string errors, warnings;
};

std::string text_of(const std::vector<Diagnostic>& findings) {
  std::string out;
  for (const Diagnostic& finding : findings) out += finding.text() + "\n";
  return out;
}

Result read(std::string_view text) {
  Diagnostics diagnostics;
  Result result;
  const auto physical = split_lines(text, "a.ini");
  for (const Line& line : read_lines(physical, diagnostics))
    result.lines.push_back(std::to_string(line.where.line) + ":" + line.text);
  result.errors = text_of(diagnostics.errors());
  result.warnings = text_of(diagnostics.warnings());
  return result;
}

using Lines = std::vector<std::string>;

TEST(ReadLines, CutsCommentsAndBlanksAndKeepsLineNumbers) {
  const Result r = read("; first\n\n  A=1   ; comment\n\t# x\nB= 2 # c\n");
  EXPECT_EQ(r.lines, (Lines{"3:A=1", "5:B= 2"}));
  EXPECT_EQ(r.errors + r.warnings, "");
}

TEST(ReadLines, AcceptsCrlfAndByteOrderMarks) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "A=1\r\n[s]\r\n\xEF\xBB\xBF"
                 "B=2\r\n")
                .lines,
            (Lines{"1:A=1", "2:[s]", "3:B=2"}));
}

TEST(ReadLines, GluesContinuationsWithoutSeparator) {
  EXPECT_EQ(read("M=1 0 \\\n0 1\\\n 2\nN=3\n").lines, (Lines{"1:M=1 0 0 1 2", "4:N=3"}));
}

TEST(ReadLines, ContinuesBehindCarriageReturnAndBlanks) {
  EXPECT_EQ(read("M=1 \\\r\n0 \\  \n1\r\nN=3\r\n").lines, (Lines{"1:M=1 0 1", "4:N=3"}));
}

TEST(ReadLines, KeepsALineThatContinuesAtTheEndOfTheFile) {
  EXPECT_EQ(read("A=1\nB=2\\").lines, (Lines{"1:A=1", "2:B=2"}));
  EXPECT_EQ(read("B=2\\\n").lines, (Lines{"1:B=2"}));
}

TEST(ReadLines, LetsACommentContinueWithAWarning) {
  const Result r = read("; matrix \\\nA=1\nB=2\n");
  EXPECT_EQ(r.lines, (Lines{"3:B=2"}));
  EXPECT_EQ(r.warnings,
            "a.ini:2: comment: the comment above ends in '\\', so this line belongs to it\n"
            "  hint: end the comment with another character\n");
  EXPECT_EQ(read("A=1 ; c \\\n\nB=2\n").warnings, "");
}

TEST(ReadLines, EndsACommentThatEndsInBackslashAndCarriageReturn) {
  const Result r = read("; C:\\\r\nA=1\r\n");
  EXPECT_EQ(r.lines, (Lines{"2:A=1"}));
  EXPECT_EQ(r.warnings, "");
}

TEST(ReadLines, WarnsAboutACommentGluedToTheValue) {
  const Result r = read("$R=255;->15\n");
  EXPECT_EQ(r.lines, (Lines{"1:$R=255"}));
  EXPECT_EQ(r.warnings,
            "a.ini:1: comment: ';' follows '$R=255' without a blank; a comment is assumed\n"
            "  hint: put the value in quotes if ';' belongs to it\n");
  EXPECT_NE(read("File=a#b\n").warnings.find("'#' follows 'File=a'"), std::string::npos);
  EXPECT_EQ(read("[conv1];first\nA=;none\n").warnings, "");
}

TEST(ReadLines, KeepsCommentCharactersInQuotes) {
  const Result r = read("W=\"0.1; 5%\" ; c\nL=a \"b # c\" d#e\n");
  EXPECT_EQ(r.lines, (Lines{"1:W=\"0.1; 5%\"", "2:L=a \"b # c\" d"}));
}

TEST(ReadLines, RefusesAnUnclosedQuote) {
  const Result r = read("A=1\nB=\"x\nC=3 ; don't \"worry\n");
  EXPECT_EQ(r.lines, (Lines{"1:A=1", "3:C=3"}));
  EXPECT_EQ(r.errors, "a.ini:2: quote: expected a closing '\"' on the line, found none\n");
}

TEST(Unquoted, RemovesTheOuterQuotesOnly) {
  EXPECT_EQ(unquoted("\"a\""), "a");
  EXPECT_EQ(unquoted("\"a\" \"b\""), "a\" \"b");
  EXPECT_EQ(unquoted("\""), "\"");
  EXPECT_EQ(unquoted("a \"b\""), "a \"b\"");
  EXPECT_EQ(unquoted("\"\""), "");
}

}  // namespace
}  // namespace n2d2::config
