// Which layers does an export refuse before anything is calibrated?
#include <gtest/gtest.h>

#include "n2d2/config/ini_document.hpp"
#include "n2d2/delegates/delegate.hpp"
#include "n2d2/ops/normalize.hpp"
#include "n2d2/targets/target.hpp"

namespace n2d2::targets {
namespace {

/// Would take a Normalize, though no kernel computes one; takes nothing in the end.
class Willing final : public delegates::DelegateBase<Willing> {
 public:
  static constexpr const char* kId = "willing";
  template <class V>
  static void fields(V&&) {}
  bool may_take(const graph::Graph&, const graph::Node& node) const override {
    return node.op->type() == "Normalize";
  }
  std::vector<delegates::NodeSet> partition(const graph::Graph&, const program::KernelLibrary&,
                                            std::span<const delegates::NodeSet>) const override {
    return {};
  }
  delegates::Blob preprocess(const graph::Graph&, const program::KernelLibrary&) const override { return {}; }
  delegates::Functions functions() const override { return {}; }
};

class Refusals : public testing::Test {
 protected:
  Refusals() {
    const graph::ValueId data =
        graph_.add_input("data", {Shape{1, 4, 6, 6}, DataType::F32, Layout::Nchw, {}});
    node_ = graph_.add(std::make_unique<ops::Normalize>(), "small", {data}, {"net.ini", 7});
    graph_.set_outputs({graph_.node(node_).outputs.at(0)});
  }

  std::unique_ptr<const Export> configured(const std::string& parameters) {
    const config::IniDocument ini = config::parse_ini(parameters, "p.ini");
    ParameterSections sections;
    sections.emplace_back("", ini.source(""));
    Request request;
    request.bits = -32;
    Diagnostics findings;
    auto out = (*registry().find("CPP"))->configure(sections, request, findings);
    findings.finish<ConfigError>();
    return out;
  }

  /// What the export has against the node, "none" when nothing.
  std::string refusal(const Export& target) const {
    Diagnostics findings;
    if (!target.refuses(graph_, graph_.node(node_), findings)) return "none";
    try {
      findings.finish<ExportError>();
    } catch (const ExportError& error) {
      return error.findings().at(0).message;
    }
    return "refused without a reason";
  }

  graph::Graph graph_;
  graph::NodeId node_;
};

constexpr const char* kRefusal = "export CPP: [small] Normalize: Normalize has no kernel";

TEST_F(Refusals, OfALayerWithoutAKernelWaitForADelegateThatMayTakeIt) {
  delegates::register_delegate<Willing>(delegates::open_registry());
  EXPECT_EQ(refusal(*configured("")), kRefusal);
  const auto with_delegate = configured("Backend.willing=1\n");
  EXPECT_EQ(refusal(*with_delegate), "none");
  try {
    (void)with_delegate->build(graph_, {{graph_.outputs().at(0), 4, "small.Target"}});
    ADD_FAILURE() << "did not throw";
  } catch (const ExportError& error) {
    EXPECT_EQ(error.findings().at(0).message, kRefusal);
  }
}

}  // namespace
}  // namespace n2d2::targets
