#include <gtest/gtest.h>

#include "n2d2/passes/pipelines.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

TEST(Runner, KnowsEveryPassByName) {
  const std::vector<std::string> expected{
      "adapt_layout",    "elide_transpose",         "equalize_cross_layer", "fold_channel_shuffle",
      "fuse_activation", "fuse_batchnorm",          "fuse_padding",         "keep_last_step",
      "lower_deconv",    "merge_transpose",         "normalize_weights",    "remove_dropout",
      "remove_identity", "remove_terminal_softmax", "remove_unused"};
  EXPECT_EQ(passes::registry().names(), expected);
  for (const std::string& name : expected) {
    EXPECT_EQ((*passes::registry().find(name))->name(), name);
    EXPECT_FALSE((*passes::registry().find(name))->summary().empty());
  }
}

TEST(Runner, RefusesAnUnknownNameBeforeAnyPassRuns) {
  Net net(Shape{1, 2, 1, 1});
  net.graph.set_outputs({net.dropout("drop", net.data)});
  const std::vector<std::string_view> names{"remove_dropout", "fuse_paddings"};
  try {
    passes::run(net.graph, names);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "unknown pass 'fuse_paddings'; did you mean 'fuse_padding'?");
  }
  EXPECT_TRUE(net.has("drop"));
}

TEST(Runner, TellsAboutEveryPass) {
  Net net(Shape{1, 2, 1, 1});
  net.graph.set_outputs({net.fc("fc", net.dropout("drop", net.data), 2)});
  std::string seen;
  passes::PassContext context;
  context.after_pass = [&](std::string_view pass, int rewrites, const Graph&) {
    seen += fmt::format("{} {};", pass, rewrites);
  };
  const std::vector<std::string_view> names{"remove_dropout", "fuse_padding"};
  EXPECT_EQ(passes::run(net.graph, names, context), 1);
  EXPECT_EQ(seen, "remove_dropout 1;fuse_padding 0;");
}

TEST(Pipelines, NameRegisteredPasses) {
  passes::PipelineOptions plain;
  plain.equalize = false;
  for (const auto& list : {passes::float_pipeline(), passes::float_pipeline(plain), passes::export_pipeline(),
                           passes::inference_pipeline()})
    for (const std::string_view name : list) EXPECT_TRUE(passes::registry().find(name)) << name;
  EXPECT_EQ(passes::float_pipeline().size(), passes::float_pipeline(plain).size() + 1);
  EXPECT_EQ(passes::float_pipeline().back(), "equalize_cross_layer");
}

}  // namespace
}  // namespace n2d2::testing
