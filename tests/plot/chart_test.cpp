#include "n2d2/plot/chart.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"

#include "axis.hpp"
#include "plot_files.hpp"

namespace n2d2::plot {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

Chart histogram() {
  Chart chart;
  chart.title = "conv1";
  chart.series = {{"count", Series::Kind::Bars, {0, 1, 2, 3}, {10, 1000, 1}, 0}};
  return chart;
}

TEST(Ticks, AreRoundAndInside) {
  EXPECT_THAT(ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(ticks(-0.7, 0.9, 4), ElementsAre(DoubleEq(-0.5), DoubleEq(0), DoubleEq(0.5)));
  EXPECT_THAT(ticks(3, 97, 10), ElementsAre(10, 20, 30, 40, 50, 60, 70, 80, 90));
  EXPECT_THAT(ticks(5, 5, 3), ElementsAre(5));
}

TEST(Ticks, StandOnALogarithmicAxisOfLessThanTwoDecades) {
  const auto on = [](double low, double high) { return Scale{low, high, 0, 100, true}.ticks(8); };
  EXPECT_THAT(on(1, 5.8), ElementsAre(DoubleEq(1), DoubleEq(2), DoubleEq(5)));
  EXPECT_THAT(on(22, 61), ElementsAre(25, 30, 35, 40, 45, 50, 55, 60));
  EXPECT_THAT(on(1e-6, 10), ElementsAre(DoubleEq(1e-6), DoubleEq(1e-5), DoubleEq(1e-4), DoubleEq(1e-3),
                                        DoubleEq(1e-2), DoubleEq(1e-1), DoubleEq(1), DoubleEq(10)));
  EXPECT_EQ(tick_text(25, on(22, 61), true), "25");
}

TEST(Chart, DrawsEveryPartItIsGiven) {
  const std::string plain = png_of(draw(histogram()));
  Chart marked = histogram();
  marked.markers = {{1.5, "KL", 2, true}};
  EXPECT_NE(png_of(draw(marked)), plain);
  Chart curve = histogram();
  curve.series.push_back({"", Series::Kind::Line, {0, 3}, {5, 500}, 3});
  EXPECT_NE(png_of(draw(curve)), plain);
  Chart logarithmic = histogram();
  logarithmic.log_y = true;
  EXPECT_NE(png_of(draw(logarithmic)), plain);
}

TEST(Chart, DrawsPointsWithLabelsBesideEachOther) {
  Chart chart;
  chart.series = {{"front", Series::Kind::Points, {1, 2, 2}, {3, 4, 4}, 0}};
  const std::string plain = png_of(draw(chart));
  chart.series[0].hollow = true;
  const std::string hollow = png_of(draw(chart));
  EXPECT_NE(hollow, plain);
  chart.series[0].labels = {"7"};
  const std::string one = png_of(draw(chart));
  EXPECT_NE(one, hollow);
  chart.series[0].labels = {"7", "8"};
  const std::string two = png_of(draw(chart));
  chart.series[0].labels = {"7", "8", "9"};
  EXPECT_NE(png_of(draw(chart)), two) << "the third has a place of its own";
  chart.series[0].x[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NO_THROW(png_of(draw(chart)));
}

TEST(Chart, MayHaveALogarithmicAxisOfX) {
  Chart chart;
  chart.log_x = true;
  chart.series = {{"", Series::Kind::Line, {1e-6, 1e-3, 10}, {3, 2, 5}, 0}};
  const std::string curve = png_of(draw(chart));
  chart.markers = {{1e-3, "here", 1, true}};
  const std::string marked = png_of(draw(chart));
  EXPECT_NE(marked, curve);
  chart.series.push_back({"", Series::Kind::Line, {0, -1}, {3, 2}, 1});
  chart.series.push_back({"", Series::Kind::Bars, {-1, 0}, {3}, 1});
  chart.markers.push_back({0, "nowhere", 1, true});
  EXPECT_EQ(png_of(draw(chart)), marked) << "what is not positive has no place";
  chart.log_x = false;
  EXPECT_NE(png_of(draw(chart)), marked);
}

TEST(Chart, SkipsWhatHasNoPlaceOnALogarithmicAxis) {
  Chart with = histogram(), without = histogram();
  with.log_y = without.log_y = true;
  with.series[0].y[2] = 0;
  without.series[0].y[2] = -5;
  EXPECT_EQ(png_of(draw(with)), png_of(draw(without)));
}

TEST(Chart, SkipsValuesThatAreNotFinite) {
  Chart chart = histogram();
  chart.series[0].y[1] = std::numeric_limits<double>::infinity();
  EXPECT_NO_THROW(png_of(draw(chart)));
}

TEST(Chart, IsAnEmptyFrameWithoutValues) {
  Chart chart;
  EXPECT_GT(png_of(draw(chart)).size(), 100u);
  chart.log_y = true;
  EXPECT_GT(png_of(draw(chart)).size(), 100u);
}

TEST(Chart, RefusesBarsWithoutTheirLastEdge) {
  Chart chart = histogram();
  chart.series[0].x.pop_back();
  EXPECT_THROW(draw(chart), InternalError);
}

}  // namespace
}  // namespace n2d2::plot
