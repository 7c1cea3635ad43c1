#include "n2d2/plot/diagram.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/random.hpp"

#include "plot_files.hpp"

namespace n2d2::plot {
namespace {

using Place = DiagramLayout::Place;

Diagram boxes(int count) {
  Diagram diagram;
  diagram.title = "net";
  for (int i = 0; i < count; ++i)
    diagram.nodes.push_back({{"layer " + std::to_string(i), "Conv 3x3", "16x8x8"}, i});
  return diagram;
}

/// Blocks of two layers with a connection around them.
Diagram residual(int blocks) {
  Diagram diagram = boxes(1 + 3 * blocks);
  for (int b = 0; b < blocks; ++b) {
    const int in = 3 * b;
    for (const auto& edge : {std::pair{in, in + 1}, {in + 1, in + 2}, {in + 2, in + 3}, {in, in + 3}})
      diagram.edges.push_back(edge);
  }
  return diagram;
}

bool overlap(const Place& a, const Place& b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/// Whether the inside of a box has a point of the line between two points.
bool crosses(const Place& box, std::pair<double, double> from, std::pair<double, double> to) {
  for (int i = 0; i <= 200; ++i) {
    const double t = i / 200.0;
    const double x = from.first + t * (to.first - from.first),
                 y = from.second + t * (to.second - from.second);
    if (x > box.x + 0.5 && x < box.x + box.w - 0.5 && y > box.y + 0.5 && y < box.y + box.h - 0.5) return true;
  }
  return false;
}

void expect_legible(const Diagram& diagram, const DiagramLayout& layout) {
  ASSERT_EQ(layout.nodes.size(), diagram.nodes.size());
  ASSERT_EQ(layout.edges.size(), diagram.edges.size());
  for (size_t i = 0; i < layout.nodes.size(); ++i) {
    const Place& box = layout.nodes[i];
    EXPECT_TRUE(box.x >= 0 && box.y >= 0 && box.x + box.w <= layout.width && box.y + box.h <= layout.height);
    for (size_t k = 0; k < i; ++k) EXPECT_FALSE(overlap(box, layout.nodes[k])) << i << " and " << k;
    for (const auto& edge : layout.edges)
      for (size_t p = 1; p < edge.size(); ++p) EXPECT_FALSE(crosses(box, edge[p - 1], edge[p])) << i;
  }
  for (size_t e = 0; e < diagram.edges.size(); ++e) {
    const Place &from = layout.nodes[static_cast<size_t>(diagram.edges[e].first)],
                &to = layout.nodes[static_cast<size_t>(diagram.edges[e].second)];
    EXPECT_LT(from.layer, to.layer);
    EXPECT_EQ(layout.edges[e].front(), std::pair(from.x + from.w / 2, from.y + from.h));
    EXPECT_EQ(layout.edges[e].back(), std::pair(to.x + to.w / 2, to.y));
  }
}

void expect_legible(const Diagram& diagram) {
  expect_legible(diagram, lay_out(diagram));
}

TEST(Diagram, PutsAChainInOneColumn) {
  Diagram chain = boxes(5);
  for (int i = 1; i < 5; ++i) chain.edges.emplace_back(i - 1, i);
  expect_legible(chain);
  const DiagramLayout layout = lay_out(chain);
  for (const Place& box : layout.nodes) EXPECT_NEAR(box.x + box.w / 2, layout.width / 2, 1);
}

TEST(Diagram, LeadsConnectionsAroundWhatTheyPass) {
  expect_legible(residual(1));
  expect_legible(residual(8));
}

TEST(Diagram, IsLegibleForAnyNetwork) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed);
    Diagram diagram = boxes(1 + static_cast<int>(rng.below(14)));
    for (int to = 1; to < static_cast<int>(diagram.nodes.size()); ++to)
      for (uint64_t inputs = rng.below(4); inputs > 0; --inputs)
        diagram.edges.emplace_back(static_cast<int>(rng.below(static_cast<uint64_t>(to))), to);
    expect_legible(diagram);
  }
}

TEST(Diagram, DrawsEqualFilesOfTheSizeOfItsLayout) {
  const Diagram diagram = residual(3);
  const Canvas canvas = draw(diagram);
  EXPECT_EQ(canvas.height(), static_cast<int>(lay_out(diagram).height));
  EXPECT_EQ(svg_of(canvas), svg_of(draw(diagram)));
  EXPECT_NE(svg_of(canvas), svg_of(draw(residual(2))));
}

TEST(Diagram, IsFoldedIntoColumnsThatAreLegible) {
  for (const Diagram& diagram : {residual(12), residual(40)}) {
    const DiagramLayout tall = lay_out(diagram), columns = folded(tall, 900);
    expect_legible(diagram, columns);
    EXPECT_LT(columns.height, 1100);
    EXPECT_GT(columns.width, tall.width);
  }
  const DiagramLayout low = lay_out(residual(1));
  EXPECT_EQ(folded(low, 900).width, low.width);
}

TEST(Diagram, OfAHundredLayersIsNotDrawnAsAStrip) {
  const Canvas canvas = draw(residual(33));
  EXPECT_LT(canvas.height(), 2 * canvas.width());
}

TEST(Diagram, IsDrawnSmallerWhereItWouldPassTheLargestCanvas) {
  Diagram chain = boxes(600);
  for (int i = 1; i < 600; ++i) chain.edges.emplace_back(i - 1, i);
  EXPECT_GT(lay_out(chain).height, 16384);
  EXPECT_LE(draw(chain).height(), 16001);
  Diagram wide = boxes(400);  // side by side
  EXPECT_GT(lay_out(wide).width, 16384);
  EXPECT_LE(draw(wide).width(), 16001);
}

TEST(Diagram, IsATitleWithoutNodes) {
  EXPECT_GT(png_of(draw(boxes(0))).size(), 100U);
}

TEST(Diagram, RefusesAnEdgeThatLeadsBack) {
  Diagram diagram = boxes(2);
  diagram.edges = {{1, 0}};
  EXPECT_THROW(lay_out(diagram), InternalError);
  diagram.edges = {{0, 2}};
  EXPECT_THROW(lay_out(diagram), InternalError);
}

}  // namespace
}  // namespace n2d2::plot
