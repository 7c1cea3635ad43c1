#include "n2d2/plot/timeline.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"

#include "plot_files.hpp"

namespace n2d2::plot {
namespace {

Timeline with_boxes(int count) {
  Timeline timeline;
  timeline.x_title = "step";
  for (int i = 0; i < count; ++i) {
    const double low = i % 2 == 0 ? 0 : 50;
    timeline.boxes.push_back({"layer" + std::to_string(i), i, double(i), i + 2.0, low, low + 40});
    timeline.x_names.push_back("layer" + std::to_string(i));
  }
  timeline.levels = {{90, "peak", 1, false}, {89, "lower bound", 2, true}};
  return timeline;
}

TEST(Timeline, DrawsFewAndManyBoxesAtItsSize) {
  for (const int count : {0, 1, 5, 150}) {
    const Canvas canvas = draw(with_boxes(count));
    EXPECT_EQ(canvas.width(), 1280);
    EXPECT_EQ(canvas.height(), 768);
    EXPECT_GT(png_of(canvas).size(), 1000u);
  }
}

TEST(Timeline, ShowsStripesLevelsAndNames) {
  const std::string plain = png_of(draw(with_boxes(3)));
  Timeline striped = with_boxes(3);
  striped.boxes[1].stripes = 8;
  striped.boxes[1].stripe_fill = 0.5;
  EXPECT_NE(png_of(draw(striped)), plain);
  Timeline numbered = with_boxes(3);
  numbered.x_names.clear();
  EXPECT_NE(png_of(draw(numbered)), plain);
  Timeline bare = with_boxes(3);
  bare.levels.clear();
  EXPECT_NE(png_of(draw(bare)), plain);
}

TEST(Timeline, LeavesOutALabelThatDoesNotFit) {
  Timeline timeline = with_boxes(2), unlabelled = with_boxes(2);
  for (Timeline* t : {&timeline, &unlabelled}) t->boxes.push_back({"", 3, 0, 2, 60, 60.5});
  timeline.boxes.back().label = "a name higher than its box";
  EXPECT_EQ(png_of(draw(timeline)), png_of(draw(unlabelled)));
}

TEST(Timeline, LeavesOutALabelThatWouldCoverAnother) {
  Timeline twice = with_boxes(1), once = with_boxes(1);
  for (Timeline* t : {&twice, &once}) t->boxes.push_back({"", 0, 0, 2, 0, 40});
  twice.boxes.back().label = "layer0";
  EXPECT_EQ(png_of(draw(twice)), png_of(draw(once)));
}

TEST(Timeline, HatchesWhatBoxesOfDifferentGroupsShare) {
  const auto drawn = [](int group, double low) {
    Timeline timeline = with_boxes(1);
    timeline.boxes.push_back({"other", 1, 0, 2, low, low + 40});
    timeline.boxes[0].group = 0;
    timeline.boxes[1].group = group;
    return png_of(draw(timeline));
  };
  EXPECT_NE(drawn(1, 20), drawn(-1, 20));
  EXPECT_EQ(drawn(0, 20), drawn(-1, 20));
  EXPECT_EQ(drawn(1, 40), drawn(-1, 40));  // they touch
}

TEST(Timeline, DrawsArrows) {
  Timeline timeline = with_boxes(2);
  const std::string plain = png_of(draw(timeline));
  timeline.arrows.push_back({0, 40, 0, 1});
  EXPECT_NE(png_of(draw(timeline)), plain);
}

TEST(Timeline, RefusesABoxWithoutAPlace) {
  Timeline timeline = with_boxes(1);
  timeline.boxes[0].y1 = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(draw(timeline), InternalError);
}

}  // namespace
}  // namespace n2d2::plot
