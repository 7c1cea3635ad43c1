#include "expand_templates.hpp"

#include <gtest/gtest.h>

namespace n2d2::config {
namespace {

struct Result {
  std::string text;  // lines that are not blank, "number:text", joined by '|'
  std::string errors;
};

Result render(std::string_view text, Parameters parameters,
              const std::map<std::string, std::string>& files = {}) {
  Diagnostics diagnostics;
  const FileReader reader = [&](const std::string& path) -> std::optional<std::string> {
    const auto it = files.find(path);
    if (it == files.end()) return std::nullopt;
    return it->second;
  };
  Result result;
  for (const Line& line : render_template(text, "t/a.tpl", std::move(parameters), reader, diagnostics)) {
    if (trim(line.text).empty()) continue;
    result.text += (result.text.empty() ? "" : "|") +
                   (line.where.file == "t/a.tpl" ? "" : line.where.file + ":") +
                   std::to_string(line.where.line) + ":" + line.text;
  }
  for (const Diagnostic& error : diagnostics.errors()) result.errors += error.text() + "\n";
  return result;
}

TEST(ExpandTemplates, ReplacesParametersAndLeavesVariables) {
  EXPECT_EQ(render("[{{N}}.c]\nA=${W} {{N}}{{N}}\n", {{"N", "x"}}).text, "1:[x.c]|2:A=${W} xx");
}

TEST(ExpandTemplates, RepeatsForLoops) {
  EXPECT_EQ(render("{% for i in range(2) %}\nA{{i}}=1\n{% endfor %}\nB=2\n", {}).text, "2:A0=1|2:A1=1|4:B=2");
  EXPECT_EQ(render("{%for i in range( A, B )%}{{i}} {%endfor%}", {{"A", "1"}, {"B", "3.0"}}).text, "1:1 2 ");
  EXPECT_EQ(
      render("{% for i in range(1) %}{% for j in range(2) %}{{i}}{{j}} {% endfor %}{% endfor %}", {}).text,
      "1:00 01 ");
  EXPECT_EQ(render("{% for i in range(3, 1) %}x{% endfor %}", {}).text, "");
}

TEST(ExpandTemplates, ComparesInIf) {
  const std::string_view text = "{% if V == 2 %}two{% else %}other{% endif %}";
  EXPECT_EQ(render(text, {{"V", "2"}}).text, "1:two");
  EXPECT_EQ(render(text, {{"V", "2.0"}}).text, "1:other");
  EXPECT_EQ(render("{% if V != 2 %}a{% endif %}b", {{"V", "2"}}).text, "1:b");
  const std::string_view asks = "{% if V exists %}yes{% endif %}{% if V not_exists %}no{% endif %}";
  EXPECT_EQ(render(asks, {{"V", ""}}).text, "1:yes");
  EXPECT_EQ(render(asks, {}).text, "1:no");
}

TEST(ExpandTemplates, RepeatsBlocksWithTheParametersOfTheirItem) {
  const Parameters parameters{
      {"L", "2"}, {"L[0].N", "8"}, {"L[1].N", "16"}, {"L[1].S", "2"}, {"L[10].N", "99"}};
  EXPECT_EQ(
      render("{% block L %}\n[c{{#}}]\nN={{.N}}{% if .S exists %} S={{.S}}{% endif %}\n{% endblock %}\n",
             parameters)
          .text,
      "2:[c0]|3:N=8|2:[c1]|3:N=16 S=2");
  EXPECT_EQ(render("{% block A %}{% block .B %}{{#}}{{.P}} {% endblock %}{% endblock %}",
                   {{"A", "1"}, {"A[0].B", "2"}, {"A[0].B[0].P", "x"}, {"A[0].B[1].P", "y"}})
                .text,
            "1:0x 1y ");
}

TEST(ExpandTemplates, SetsParameters) {
  EXPECT_EQ(render("{% set X %}a{{Y}}{% endset %}[{{X}}]", {{"Y", "b"}}).text, "1:[ab]");
}

TEST(ExpandTemplates, IncludesFromTheWorkingDirectoryThenFromBesideTheTemplate) {
  EXPECT_EQ(render("{% include b.tpl %}\nC=1\n", {{"V", "5"}}, {{"b.tpl", "\nB={{V}}\n"}}).text,
            "b.tpl:2:B=5|2:C=1");
  EXPECT_EQ(render("{% include b.tpl %}", {}, {{"t/b.tpl", "B=1"}}).text, "t/b.tpl:1:B=1");
}

TEST(ExpandTemplates, TakesTheLineOfTheFirstCharacterThatIsWritten) {
  EXPECT_EQ(render("{% if V exists\n%}  \n{% endif %}A=\\\n1", {{"V", ""}}).text, "3:A=\\|4:1");
}

TEST(ExpandTemplates, ReportsUndefinedParametersOnceEach) {
  EXPECT_EQ(
      render("{% for i in range(2) %}{{WITH}}{% endfor %}\n{{ WIDTH }}{{Q}}\n", {{"WIDTH", "1"}}).errors,
      "t/a.tpl:1: template {{WITH}}: undefined parameter 'WITH'; did you mean 'WIDTH'?\n"
      "t/a.tpl:2: template {{ WIDTH }}: undefined parameter ' WIDTH '; did you mean 'WIDTH'?\n"
      "  hint: write {{WIDTH}}: blanks are part of the name\n"
      "t/a.tpl:2: template {{Q}}: undefined parameter 'Q'; known: WIDTH\n");
  EXPECT_EQ(render("{% if X == 1 %}{% endif %}", {{"ABC", "1"}}).errors,
            "t/a.tpl:1: template {% if X == 1 %}: undefined parameter 'X'; known: ABC\n"
            "  hint: ask {% if VAR exists %} first\n");
}

TEST(ExpandTemplates, ReportsWrongTags) {
  const auto error = [](std::string_view text) { return render(text, {{"i", "1"}, {"W", "x"}}).errors; };
  EXPECT_EQ(error("a\n{{X"), "t/a.tpl:2: template: expected '}}' after '{{', found none\n");
  EXPECT_EQ(error("{% if"), "t/a.tpl:1: template: expected '%}' after '{%', found none\n");
  EXPECT_EQ(
      error("{% bloc i %}"),
      "t/a.tpl:1: template {% bloc i %}: expected block, for, if, include or set; did you mean 'block'?\n");
  EXPECT_EQ(error("{%%}"), "t/a.tpl:1: template {%%}: expected block, for, if, include or set\n");
  EXPECT_EQ(error("{% endif %}"),
            "t/a.tpl:1: template {% endif %}: expected an open tag that it ends, found none\n");
  EXPECT_EQ(
      error("{% if i exists %}"),
      "t/a.tpl:1: template {% if i exists %}: expected {% endif %} after it, found the end of the file\n");
  EXPECT_EQ(error("{% if i exists %}\n{% endfor %}"),
            "t/a.tpl:1: template {% if i exists %}: expected {% endif %} after it, found {% endfor %}\n");
  EXPECT_EQ(
      error("{% if i = 1 %}{% endif %}"),
      "t/a.tpl:1: template {% if i = 1 %}: expected a comparison with one word, or exists, or not_exists\n"
      "  hint: write {% if VAR == value %}, {% if VAR exists %}\n");
  EXPECT_EQ(error("{% for k of range(2) %}{% endfor %}"),
            "t/a.tpl:1: template {% for k of range(2) %}: expected a variable and a range\n"
            "  hint: write {% for VAR in range(start, end) %}\n");
  EXPECT_EQ(
      error("{% for i in range(2) %}{% endfor %}"),
      "t/a.tpl:1: template {% for i in range(2) %}: expected a new loop variable, 'i' exists already\n");
  EXPECT_EQ(error("{% for k in range(W) %}{% endfor %}"),
            "t/a.tpl:1: template {% for k in range(W) %}: expected 'W' to be an integer, got 'x'\n");
  EXPECT_EQ(error("{% block W %}{% endblock %}"),
            "t/a.tpl:1: template {% block W %}: expected 'W' to be an integer >= 0, got 'x'\n");
  EXPECT_EQ(
      error("{% block %}{% endblock %}"),
      "t/a.tpl:1: template {% block %}: expected the name of a parameter\n  hint: write {% block ARR %}\n");
  EXPECT_EQ(error("{% set %}{% endset %}"),
            "t/a.tpl:1: template {% set %}: expected the name of a parameter\n  hint: write {% set VAR %}\n");
  EXPECT_EQ(error("{% include %}"),
            "t/a.tpl:1: template {% include %}: expected a path\n  hint: write {% include path %}\n");
  EXPECT_EQ(error("{% include no.tpl %}"),
            "t/a.tpl:1: template include: cannot read 'no.tpl'\n"
            "  hint: looked in the working directory and for 't/no.tpl'\n");
}

TEST(ExpandTemplates, StopsWhatWouldNotEnd) {
  EXPECT_EQ(render("{% include s.tpl %}", {}, {{"s.tpl", "\n{% include s.tpl %}"}}).errors,
            "s.tpl:2: template include: nested more than 16 deep\n");
  EXPECT_EQ(render("{% for i in range(1000000000000) %}{% endfor %}", {}).errors,
            "t/a.tpl:1: template: expected a result of at most 1 MB and 100000 steps, got more\n");
  EXPECT_EQ(render("{% set A %}xxxxxxxx{% endset %}\n{% for i in range(100) %}{% set A %}{{A}}{{A}}{% endset "
                   "%}{% endfor %}",
                   {})
                .errors,
            "t/a.tpl:2: template: expected a result of at most 1 MB and 100000 steps, got more\n");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "{% if V exists %}";
  EXPECT_EQ(render(deep, {}).errors, "t/a.tpl:1: template {% if V exists %}: nested more than 32 deep\n");
}

}  // namespace
}  // namespace n2d2::config
