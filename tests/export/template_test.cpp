#include "n2d2/export/template.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"

namespace n2d2::exporter {
namespace {

TEST(Template, FillsNamesSwitchesAndListsWithoutEscaping) {
  TemplateData data;
  data.set("name", "a<b>&\"c\"").set_switch("on", true).set_switch("off", false);
  data.set_list("items", {TemplateData().set("n", int64_t{1}), TemplateData().set("n", int64_t{2})});
  EXPECT_EQ(render("{{name}}{{#on}}!{{/on}}{{#off}}?{{/off}}{{#items}} {{n}}{{name}}{{/items}}", data, "t"),
            "a<b>&\"c\"! 1a<b>&\"c\" 2a<b>&\"c\"");
}

TEST(Template, AnUndefinedNameIsAnError) {
  try {
    render("{{nmae}}", TemplateData().set("name", "x"), "cell");
    FAIL() << "did not throw";
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("template 'cell' names 'nmae', which is not defined"),
              std::string::npos);
  }
}

TEST(Template, AMalformedTemplateIsAnError) {
  EXPECT_THROW(render("{{#open}}", TemplateData().set_switch("open", true), "t"), InternalError);
}

}  // namespace
}  // namespace n2d2::exporter
