#include "budget.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "n2d2/memory/strategy.hpp"
#include "n2d2/program/plan.hpp"
#include "n2d2/program/stream.hpp"

namespace n2d2::program {

namespace {

/// No region has more calls: what it saves lies in the first of them.
constexpr CallId kMostCalls = 96;
/// Rows a turn, of the call that makes most of them: none more pay.
constexpr int kMostRows = 64;

/// Into which calls are cut without being asked: more halos than rows do not pay.
constexpr int kMostSlices = 64;
constexpr Bytes kNoChoice = std::numeric_limits<Bytes>::max();

/// What a step takes in all memories together, and the least by which it is over what they have.
struct Load {
  Bytes bytes = 0, excess = 0;
};

/// Calls [first, end) as a part of a choice.
struct Segment {
  CallId first = 0, end = 0;
  Load load;
  int64_t runs = 1;
  std::shared_ptr<const Stream> stream;  ///< null: one call by itself
  bool is_fixed = false;
};

/// What a step with a region takes, beside all that is there before it and needed after it.
class Loads {
 public:
  explicit Loads(const Program& program) : p_(program), all_(memory_problem(program)) {
    memory::BufferId next = 0;
    for (const View& view : p_.views) buffer_of_.push_back(view.outside ? memory::kNone : next++);
    for (const memory::Step& step : all_.steps)
      for (const memory::BufferId b : step.writes) written_.insert(memory::root_of(all_, b));
  }

  std::vector<Bytes> of_calls() const { return memory::lower_bounds_of_steps(all_); }
  std::vector<Bytes> excess_of_calls() const { return memory::excess_of_steps(all_); }

  Load of(const Stream& stream) const {
    const memory::Problem problem = problem_of(stream);
    return {memory::lower_bounds_of_steps(problem).front(), memory::excess_of_steps(problem).front()};
  }

 private:
  /// The region is its one step.
  memory::Problem problem_of(const Stream& stream) const {
    memory::Problem problem;
    problem.memories = all_.memories;
    problem.alignment = all_.alignment;
    problem.steps.emplace_back();
    memory::Step& step = problem.steps.front();
    step.name = "region";
    step.rows_per_step = stream.reads.rows_per_step;
    step.scratch = region_scratch(p_, stream.region).end;
    step.scratch_memories = stream.region.memories;
    const memory::BufferId result = buffer_of_[static_cast<size_t>(stream.reads.result)];
    step.overlap = overlaps(stream);
    std::map<memory::BufferId, memory::BufferId> copies;
    std::map<std::vector<memory::MemoryId>, Bytes> others;  // by where they may lie
    const Bytes unit = all_.memories.size() > 1 ? all_.alignment : memory::alignment_of(all_, 0);
    for (memory::BufferId b = 0; b < static_cast<memory::BufferId>(all_.buffers.size()); ++b) {
      const memory::Buffer& buffer = all_.buffers[static_cast<size_t>(b)];
      const memory::BufferId root = memory::root_of(all_, b);
      const memory::Lifetime& life = all_.buffers[static_cast<size_t>(root)].life;
      const bool before = life.first < stream.region.first || written_.count(root) == 0;
      const bool dies = before && life.end > stream.region.first && life.end <= stream.region.end();
      if (b == root && before && life.end > stream.region.end())
        others[buffer.memories] += (buffer.size() + unit - 1) / unit * unit;
      if (!dies && root != result) continue;
      copies[b] = static_cast<memory::BufferId>(problem.buffers.size());
      problem.buffers.push_back(buffer);
      memory::Buffer& copy = problem.buffers.back();
      if (copy.inside) copy.inside->buffer = copies.at(copy.inside->buffer);
      copy.life = {0, 1};
      copy.keep = root == result;
    }
    for (const auto& [memories, bytes] : others)
      problem.buffers.push_back(of_others(problem.buffers.size(), memories, bytes));
    step.writes.push_back(copies.at(result));
    for (const auto& [view, window] : stream.reads.reads)
      if (const auto copy = copies.find(buffer_of_[static_cast<size_t>(view)]); copy != copies.end())
        step.reads.push_back({copy->second, window});
    return problem;
  }

  static memory::Buffer of_others(size_t number, const std::vector<memory::MemoryId>& memories, Bytes bytes) {
    memory::Buffer buffer;
    buffer.name = fmt::format("others {}", number);
    buffer.memories = memories;
    buffer.used = buffer.pixel = bytes;
    buffer.life = {0, 1};
    buffer.keep = true;
    return buffer;
  }
  bool overlaps(const Stream& stream) const {
    for (CallId c = stream.region.first; c < stream.region.end(); ++c)
      if (!p_.call(c).overlap) return false;
    return true;
  }

  const Program& p_;
  memory::Problem all_;
  std::vector<memory::BufferId> buffer_of_;
  std::set<memory::BufferId> written_;  // roots; the others are there from the start
};

}  // namespace

class StreamChoices::Choices {
 public:
  Choices(const Program& program, const std::vector<Stream>& fixed)
      : p_(program), streams_(program), loads_(program), is_taken_(program.calls.size(), false) {
    bounds_ = loads_.of_calls();
    excess_ = loads_.excess_of_calls();
    for (const Stream& stream : fixed) add_fixed(stream);
    for (CallId c = 0; c < count(); ++c)
      if (!is_taken(c, c + 1)) most_ = std::max(most_, bounds_[static_cast<size_t>(c)]);
    for (CallId first = 0; first < count(); ++first) add_regions(first);
    const bool is_streamed =
        begins_with_source(0) &&
        std::any_of(segments_.begin(), segments_.end(), [](const Segment& s) { return s.first == 0; });
    for (CallId c = is_streamed ? 1 : 0; c < count(); ++c)
      if (!is_taken(c, c + 1) && !accumulates(c, c + 1))
        segments_.push_back(
            {c, c + 1, {bounds_[static_cast<size_t>(c)], excess_[static_cast<size_t>(c)]}, 1, nullptr});
    drop_excess();
    least_ = least_of([](const Segment& segment) { return segment.load.bytes; });
  }

  bool any() const { return least_ < kNoChoice; }
  Bytes least() const { return least_; }
  Bytes most() const { return most_; }
  const std::vector<Memory>& memories() const { return p_.memories; }

  Streaming within(Bytes budget, Bytes comfort) const {
    const Bytes goal = std::max(budget, least_);
    comfort = std::min(comfort, goal);
    Streaming out;
    out.program = p_;
    for (const Segment& segment : cheapest(comfort, with_longer_turns(goal, comfort))) {
      if (segment.stream) add_region(out.program, *segment.stream);
      out.runs += segment.runs;
      if (segment.load.bytes > out.bound) out.bound = segment.load.bytes, out.worst = segment.first;
    }
    return out;
  }

 private:
  CallId count() const { return static_cast<CallId>(p_.calls.size()); }

  bool begins_with_source(CallId first) const { return first == 0 && p_.streams_input(); }

  void add_fixed(const Stream& stream) {
    const Region& region = stream.region;
    const Load load = loads_.of(stream);
    segments_.push_back(
        {region.first, region.end(), load, stream.runs, std::make_shared<const Stream>(stream), true});
    std::fill(is_taken_.begin() + region.first, is_taken_.begin() + region.end(), true);
    most_ = std::max(most_, load.bytes);
  }
  /// By a region that is fixed.
  bool is_taken(CallId first, CallId end) const {
    return std::find(is_taken_.begin() + first, is_taken_.begin() + end, true) != is_taken_.begin() + end;
  }

  /// Regions that pay; all of those with calls that never run by themselves (the source, running sums), or
  /// for which the memories are too small.
  void add_regions(CallId first) {
    const CallId limit = std::min(streams_.limit(first), first + kMostCalls);
    for (CallId end = first + 2; end <= limit && !is_taken(first, end); ++end) {
      std::optional<Stream> stream = streams_.find(first, end, 1);
      if (!stream) {
        add_tiles(first, end);
        continue;
      }
      const bool is_wanted = begins_with_source(first) || accumulates(first, end) || is_over(first, end);
      if (stream->region.rings >= most_ && !is_wanted) break;  // more calls take more rows
      const Load load = loads_.of(*stream);
      if (load.bytes >= most_ && !is_wanted) continue;
      segments_.push_back(
          {first, end, load, stream->runs, std::make_shared<const Stream>(std::move(*stream))});
    }
  }

  /// What cannot stream, for strides of its branches that do not fit to each other, in more and more slices
  /// while that pays.
  void add_tiles(CallId first, CallId end) {
    Load least{most_, *std::max_element(excess_.begin() + first, excess_.begin() + end)};
    for (int slices = 2; slices <= kMostSlices; slices *= 2) {
      std::string why_not;
      std::optional<Stream> tiles = streams_.tile(first, end, slices, why_not);
      if (!tiles) return;
      const Load load = loads_.of(*tiles);
      if (load.bytes >= least.bytes && load.excess >= least.excess) continue;
      least = {std::min(load.bytes, least.bytes), std::min(load.excess, least.excess)};
      segments_.push_back({first, end, load, tiles->runs, std::make_shared<const Stream>(std::move(*tiles))});
    }
  }

  /// Where no way to cut the calls in segments fits in the memories, those nearest to it count, else those
  /// that do.
  void drop_excess() {
    least_excess_ = least_of([](const Segment& segment) { return segment.load.excess; });
    for (const Segment& s : segments_)
      if (s.load.excess > least_excess_ && s.end == s.first + 1)
        bounds_[static_cast<size_t>(s.first)] = kNoChoice;
    std::erase_if(segments_, [&](const Segment& s) { return s.load.excess > least_excess_; });
  }

  /// Over all ways to cut the calls in segments, the lowest of their highest values.
  template <class ValueOf>
  Bytes least_of(ValueOf value_of) const {
    std::vector<Bytes> best(static_cast<size_t>(count()) + 1, kNoChoice);
    best[0] = 0;
    for (CallId at = 0; at < count(); ++at)
      for (const Segment& s : segments_)
        if (s.first == at)
          best[static_cast<size_t>(s.end)] = std::min(best[static_cast<size_t>(s.end)],
                                                      std::max(best[static_cast<size_t>(at)], value_of(s)));
    return best.back();
  }

  /// Whether the memories are too small for one of the calls by itself.
  bool is_over(CallId first, CallId end) const {
    return *std::max_element(excess_.begin() + first, excess_.begin() + end) > 0;
  }

  /// Whether one of the calls is in regions only.
  bool accumulates(CallId first, CallId end) const {
    for (CallId c = first; c < end; ++c)
      if (p_.call(c).contract.accumulates) return true;
    return false;
  }

  /// Whether a call by itself needs more, or is never by itself.
  bool is_hot(const Segment& segment, Bytes goal) const {
    for (CallId c = segment.first; c < segment.end; ++c)
      if (bounds_[static_cast<size_t>(c)] > goal) return true;
    return begins_with_source(segment.first) || accumulates(segment.first, segment.end);
  }

  /// The segments that a choice may have; regions that need not be as small as can be make more rows a turn.
  std::vector<Segment> with_longer_turns(Bytes goal, Bytes comfort) const {
    std::vector<Segment> out;
    for (const Segment& segment : segments_) {
      const bool is_free = segment.stream != nullptr && !segment.is_fixed;
      if (segment.load.bytes > goal || (is_free && !is_hot(segment, comfort))) continue;
      out.push_back(segment);
      for (int step = 2; is_free && !segment.stream->region.is_tiled() && step <= kMostRows; step *= 2) {
        std::optional<Stream> longer = streams_.find(segment.first, segment.end, step);
        const Load load = longer ? loads_.of(*longer) : Load{};
        if (!longer || load.bytes > comfort || load.excess > least_excess_) break;
        out.back().load = load, out.back().runs = longer->runs;
        out.back().stream = std::make_shared<const Stream>(std::move(*longer));
      }
    }
    return out;
  }

  /// Chooses segments that cover the calls from the first to the last: with the fewest bytes above `comfort`
  /// in all, then the fewest runs.
  std::vector<Segment> cheapest(Bytes comfort, const std::vector<Segment>& segments) const {
    struct Way {
      Bytes excess = kNoChoice;
      int64_t runs = 0;
      const Segment* last = nullptr;
    };
    std::vector<Way> best(static_cast<size_t>(count()) + 1);
    best[0].excess = 0;
    for (CallId at = 0; at < count(); ++at)
      for (const Segment& s : segments) {
        const Way& before = best[static_cast<size_t>(at)];
        Way& to = best[static_cast<size_t>(s.end)];
        if (s.first != at || before.excess == kNoChoice) continue;
        const Way way{before.excess + std::max<Bytes>(0, s.load.bytes - comfort), before.runs + s.runs, &s};
        if (std::pair(way.excess, way.runs) < std::pair(to.excess, to.runs)) to = way;
      }
    std::vector<Segment> out;
    for (CallId at = count(); at > 0; at = out.back().first) {
      N2D2_CHECK(best[static_cast<size_t>(at)].last != nullptr, "no choice of regions");
      out.push_back(*best[static_cast<size_t>(at)].last);
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  const Program& p_;
  Streams streams_;
  Loads loads_;
  std::vector<Bytes> bounds_;      // of each call by itself; kNoChoice: the memories are too small for that
  std::vector<Bytes> excess_;      // of each call by itself, over what its memories have
  std::vector<Segment> segments_;  // fixed regions, others, then calls by themselves
  std::vector<bool> is_taken_;     // by call
  Bytes most_ = 0, least_ = 0, least_excess_ = 0;
};

StreamChoices::StreamChoices(const Program& program, const std::vector<Stream>& fixed)
    : choices_(std::make_unique<const Choices>(program, fixed)) {}
StreamChoices::~StreamChoices() = default;

bool StreamChoices::any() const {
  return choices_->any();
}

Bytes StreamChoices::least() const {
  return choices_->least();
}

Bytes StreamChoices::most() const {
  return choices_->most();
}

const std::vector<Memory>& StreamChoices::memories() const {
  return choices_->memories();
}

Streaming StreamChoices::within(Bytes budget, Bytes comfort) const {
  return choices_->within(budget, comfort);
}

}  // namespace n2d2::program
