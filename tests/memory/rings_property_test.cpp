#include <gtest/gtest.h>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "cases.hpp"
#include "original_rings.hpp"
#include "problems.hpp"
#include "rings/rings.hpp"

namespace n2d2::memory {
namespace {

constexpr uint64_t kCases = cases(4000);
const std::vector<std::string> kStrategies{"None", "OptimizeMaxLifetimeMinSizeFirst",
                                           "OptimizeMaxLifetimeMaxSizeFirst",
                                           "OptimizeMaxHoleMaxLifetimeFirst", "OptimizeBest"};

std::string first_text(const std::vector<Violation>& violations) {
  return violations.empty() ? "" : violations.front().text;
}

Bytes sum_of_all(const Problem& problem) {
  Bytes sum = 0;
  const auto add = [&](Bytes size) {
    sum += (size + problem.alignment - 1) / problem.alignment * problem.alignment;
  };
  for (const Buffer& b : problem.buffers)
    if (!b.inside) add(b.size());
  for (const Step& s : problem.steps) add(s.scratch);
  return sum;
}

/// A network as a graph of layers: convolutions with dilation, stride and padding, pools, element-wise
/// layers, sums over skips, concatenations as lanes (side by side or one above the other), reshapes as
/// aliases, layers that read everything, several outputs.
class RandomGraph {
 public:
  explicit RandomGraph(Rng& rng) : rng_(rng) {
    net_.problem.alignment = rng.chance(0.5) ? 1 : 4;
    open(net_.map("input", size(10), size(6), size(4)));
    const int layers = 3 + size(9);
    for (int i = 0; i < layers; ++i) layer("layer" + std::to_string(i));
    net_.problem.buffers[static_cast<size_t>(maps_.back())].keep = true;
  }
  Problem done() { return net_.done(); }

 private:
  int size(int most) { return static_cast<int>(1 + rng_.below(static_cast<uint64_t>(most))); }
  const Buffer& buffer(BufferId b) const { return net_.problem.buffers[static_cast<size_t>(b)]; }
  void open(BufferId b) { maps_.push_back(b); }
  BufferId any() { return maps_[maps_.size() - 1 - rng_.below(std::min<size_t>(maps_.size(), 3))]; }
  BufferId newest() { return rng_.chance(0.75) ? maps_.back() : any(); }

  void layer(const std::string& name) {
    const double kind = rng_.uniform();
    if (kind < 0.5)
      convolution(name, newest());
    else if (kind < 0.65)
      sum(name);
    else if (kind < 0.75)
      elementwise(name, newest());
    else if (kind < 0.87)
      lanes(name);
    else if (kind < 0.93)
      reshape(name);
    else
      everything(name);
    Step& last = net_.problem.steps.back();
    if (rng_.chance(0.15)) last.rows_per_step = size(3);
    if (rng_.chance(0.1)) last.scratch = size(40);
    if (rng_.chance(0.1)) last.overlap = false;
    if (rng_.chance(0.1) && last.rows_per_step == 1) last.raster_order = true;
    if (rng_.chance(0.05)) net_.problem.buffers[static_cast<size_t>(maps_.back())].keep = true;
  }

  /// A window that fits the map, and the rows it yields.
  std::pair<Window, int> window(int height) {
    const int kernel = size(4), dilation = size(2), stride = size(3), extent = (kernel - 1) * dilation + 1;
    const int pad = static_cast<int>(rng_.below(static_cast<uint64_t>(extent)));
    const int below = static_cast<int>(rng_.below(static_cast<uint64_t>(extent)));
    const int room = height + pad + below - extent;
    return {rows(extent, stride, pad), std::max(room, 0) / stride + 1};
  }
  void convolution(const std::string& name, BufferId from) {
    const auto [w, height] = window(buffer(from).height);
    const int used = size(6);
    const BufferId to = net_.map(name, height, size(6), used, used + static_cast<Bytes>(rng_.below(2)));
    net_.step(name, {{from, w}}, to);
    open(to);
  }
  void elementwise(const std::string& name, BufferId from) {
    const Buffer shape = buffer(from);
    const Bytes used = rng_.chance(0.7) ? shape.used : size(6);
    const BufferId to = net_.map(name, shape.height, shape.width, used,
                                 rng_.chance(0.7) ? std::max(shape.pixel, used) : used);
    net_.step(name, {{from, element()}}, to);
    open(to);
  }
  void sum(const std::string& name) {
    const BufferId left = newest();
    const Buffer shape = buffer(left);
    std::vector<Read> reads{{left, element()}};
    for (const BufferId right : maps_)
      if (buffer(right).width == shape.width && buffer(right).height == shape.height)
        reads.push_back({right, element()});
    if (reads.size() > 3) reads.resize(3);
    const BufferId to = net_.map(name, shape.height, shape.width, shape.used, shape.pixel);
    net_.step(name, reads, to);
    open(to);
  }
  void lanes(const std::string& name) {
    const BufferId first = newest(), second = rng_.chance(0.4) ? first : any();
    const auto [w, height] = window(buffer(first).height);
    const int a = size(4), b = size(4), width = size(5);
    const bool above = rng_.chance(0.3);
    const BufferId host =
        above ? net_.map(name, 2 * height, width, a)
              : net_.map(name, height, width, a + b, a + b + static_cast<Bytes>(rng_.below(2)));
    const auto lane = [&, height = height](const std::string& own, Bytes offset, Bytes used) {
      const BufferId id = net_.map(own, height, width, used, buffer(host).pixel);
      net_.problem.buffers.back().inside = Inside{host, offset};
      return id;
    };
    const BufferId one = lane(name + "a", 0, a);
    const BufferId two = above ? lane(name + "b", Bytes{height} * width * a, a) : lane(name + "b", a, b);
    net_.step(name + "a", {{first, w}}, one);
    if (rng_.chance(0.3)) convolution(name + "x", first);
    net_.step(name + "b", {{second, rng_.chance(0.9) ? rows(1) : whole()}}, two);
    open(host);
    if (rng_.chance(0.2)) open(one);
  }
  void reshape(const std::string& name) {
    const BufferId from = newest();
    const Buffer shape = buffer(from);
    if (shape.used != shape.pixel || shape.inside) return convolution(name, from);
    const bool flat = rng_.chance(0.5);
    const BufferId alias = flat ? net_.map(name, 1, 1, shape.size())
                                : net_.map(name, shape.height * shape.width, 1, shape.pixel);
    net_.problem.buffers.back().inside = Inside{from, 0};
    convolution(name + "c", alias);
  }
  void everything(const std::string& name) {
    const BufferId to = net_.map(name, 1, 1, size(12));
    net_.step(name, {{newest(), whole()}}, to);
    open(to);
  }

  Rng& rng_;
  Net net_;
  std::vector<BufferId> maps_;
};

/// Steps that write exactly where one of their inputs lies, and steps that write into the space of an input
/// from a lane or into one.
struct Sharing {
  int in_place = 0, lanes = 0;
};
Sharing sharing(const Problem& p, const Plan& plan) {
  Sharing out;
  for (const Step& step : p.steps)
    for (const Read& read : step.reads) {
      const View &from = plan.views[static_cast<size_t>(read.buffer)],
                 &to = plan.views[static_cast<size_t>(step.writes[0])];
      if (from.space != to.space || root_of(p, read.buffer) == root_of(p, step.writes[0])) continue;
      const bool lane = p.buffers[static_cast<size_t>(step.writes[0])].inside.has_value();
      out.lanes += lane ? 1 : 0;
      out.in_place += !lane && from.offset == to.offset && from.wrap == to.wrap ? 1 : 0;
    }
  return out;
}

bool wraps(const Plan& plan) {
  return std::any_of(plan.views.begin(), plan.views.end(), [](const View& v) { return v.wrap > 0; });
}

TEST(RingsProperty, ExactRingsAreValidAndNeverAboveTheSumOfAll) {
  int wrapped = 0, lower = 0, in_place = 0, lanes = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Rng rng(seed, "rings");
    const Problem p = seed % 4 == 0 ? random_network(rng) : RandomGraph(rng).done();
    ASSERT_TRUE(faults(p).empty()) << "seed " << seed << ": " << faults(p).front().text;
    Problem apart = p;
    for (Step& step : apart.steps) step.overlap = false;
    for (const std::string& strategy : kStrategies) {
      const Plan plan = plan_rings(p, strategy);
      EXPECT_EQ(first_text(validate(p, plan)), "") << strategy << ", seed " << seed;
      EXPECT_LE(plan.peaks[0], sum_of_all(p)) << strategy << ", seed " << seed;
      wrapped += wraps(plan) ? 1 : 0;
      in_place += sharing(p, plan).in_place;
      lanes += sharing(p, plan).lanes;
      const Plan plain = plan_rings(apart, strategy);
      EXPECT_EQ(first_text(validate(p, plain)), "") << strategy << ", seed " << seed;
      EXPECT_FALSE(wraps(plain));
      lower += plan.peaks[0] < plain.peaks[0] ? 1 : 0;
    }
  }
  EXPECT_GT(static_cast<uint64_t>(wrapped), kCases / 2);
  EXPECT_GT(static_cast<uint64_t>(lower), kCases / 2);
  EXPECT_GT(static_cast<uint64_t>(in_place), kCases / 2);
  EXPECT_GT(static_cast<uint64_t>(lanes), kCases / 20);
  RecordProperty("wrapped", wrapped);
  RecordProperty("lower", lower);
  RecordProperty("in_place", in_place);
  RecordProperty("lanes", lanes);
}

/// A reshape whose rows do not end where the map it stands for wraps.
bool flat_alias(const Problem& p, const Violation& v) {
  return v.kind == Violation::Kind::OutOfSpace && v.buffer != kNone &&
         p.buffers[static_cast<size_t>(v.buffer)].inside &&
         std::none_of(p.steps.begin(), p.steps.end(),
                      [&](const Step& s) { return s.writes == std::vector{v.buffer}; });
}

TEST(RingsProperty, OriginalRingsAreWellFormedAndOftenRefused) {
  int refused = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Rng rng(seed, "rings");
    const Problem p = seed % 4 == 0 ? random_network(rng) : RandomGraph(rng).done();
    for (const std::string& strategy : kStrategies) {
      const auto found = validate(p, plan_original(p, strategy));
      for (const Violation& v : found)
        EXPECT_TRUE(v.kind == Violation::Kind::Overwritten || flat_alias(p, v))
            << strategy << ", seed " << seed << ": " << v.text;
      refused += found.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(static_cast<uint64_t>(refused), kCases / 2);
  RecordProperty("refused", refused);
}

/// The least ring of one pair, by its definition.
Bytes ring_by_formula(const Problem& p) {
  const Buffer &x = p.buffers[0], &y = p.buffers[1];
  const Window& w = p.steps[0].reads[0].window;
  Bytes most = 0;
  for (int r = 0; r < y.height; ++r) {
    const Bytes need = std::max(0, r * w.stride - w.pad) * x.row();
    if (need < x.size()) most = std::max(most, (r + 1) * y.row() - need);
  }
  return x.size() + std::min(y.size(), (most + y.row() - 1) / y.row() * y.row());
}

TEST(RingsProperty, APairTakesTheRingOfTheFormulaAndNeverMoreThanASafeOriginal) {
  int refused = 0, smaller = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Rng rng(seed, "pair");
    const auto pick = [&](int most) { return static_cast<int>(1 + rng.below(static_cast<uint64_t>(most))); };
    const int kernel = pick(5), stride = pick(3),
              pad = static_cast<int>(rng.below(static_cast<uint64_t>(kernel)));
    const int height = kernel + pick(12);
    Net net;
    const BufferId in = net.map("in", height, pick(9), pick(6));
    const int out_height = (height + 2 * pad - kernel) / stride + 1;
    net.problem
        .buffers[static_cast<size_t>(
            net.layer("out", {{in, rows(kernel, stride, pad)}}, out_height, pick(9), pick(9)))]
        .keep = true;
    const Problem p = net.done();
    const Plan exact = plan_rings(p, "None");
    EXPECT_EQ(first_text(validate(p, exact)), "") << "seed " << seed;
    EXPECT_EQ(exact.peaks[0], ring_by_formula(p)) << "seed " << seed;
    const Plan original = plan_original(p, "None");
    if (!validate(p, original).empty()) {
      ++refused;
      continue;
    }
    EXPECT_LE(exact.peaks[0], original.peaks[0]) << "seed " << seed;
    smaller += exact.peaks[0] < original.peaks[0] ? 1 : 0;
  }
  EXPECT_GT(static_cast<uint64_t>(refused), kCases / 80);
  EXPECT_GT(static_cast<uint64_t>(smaller), kCases / 4);
  RecordProperty("refused", refused);
  RecordProperty("smaller", smaller);
}

}  // namespace
}  // namespace n2d2::memory
