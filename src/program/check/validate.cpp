#include "n2d2/program/validate.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "n2d2/program/loop_nest.hpp"
#include "n2d2/program/schedule.hpp"

#include "places.hpp"

namespace n2d2::program {

namespace {

/// Whose byte it is: a number for each byte of each root view and each scratch; 0: nobody's.
using Tag = uint64_t;

class Replay {
 public:
  explicit Replay(const Program& program) : p_(program) {
    for (const Memory& memory : p_.memories) bytes_.emplace_back(static_cast<size_t>(memory.peak), Tag{0});
    for (ViewId v = 0; v < static_cast<ViewId>(p_.views.size()); ++v) {
      first_tag_.push_back(next_tag_);
      if (p_.view(v).host == kNone) next_tag_ += static_cast<Tag>(p_.view(v).row * p_.view(v).h);
    }
    state_tag_ = next_tag_;
    for (const Call& call : p_.calls) next_tag_ += static_cast<Tag>(call.contract.state);
  }

  std::vector<std::string> run() {
    found_ = faults_of_places(p_);
    if (!found_.empty()) return std::move(found_);
    for (const graph::ValueId input : p_.graph.inputs())
      if (!p_.streams_input() || input != p_.input()) write_rows(p_.maps.at(input), {0, p_.map_of(input).h});
    states([&](Tag tag, Tag* at, Bytes size) { std::iota(at, at + size, tag); });
    for (const Unit& unit : units_of(p_)) replay(unit);
    now_ = static_cast<CallId>(p_.calls.size());
    for (ViewId v = 0; v < static_cast<ViewId>(p_.views.size()); ++v)
      if (p_.view(v).keep) read_rows(v, {0, p_.view(v).h});
    check_states();
    return std::move(found_);
  }

 private:
  /// Calls visit(tag of the first byte, its place, bytes) for each state.
  template <class Visit>
  void states(Visit visit) {
    Tag tag = state_tag_;
    for (const Call& call : p_.calls) {
      if (call.contract.state > 0)
        visit(tag, bytes_[static_cast<size_t>(call.state->memory)].data() + call.state->offset,
              call.contract.state);
      tag += static_cast<Tag>(call.contract.state);
    }
  }

  /// No call writes a state: what holds at the end held all the time.
  void check_states() {
    size_t call = 0;
    states([&](Tag tag, const Tag* at, Bytes size) {
      while (p_.calls[call].contract.state == 0) ++call;
      for (Bytes b = 0; b < size; ++b)
        if (at[b] != tag + static_cast<Tag>(b)) {
          found_.push_back(fmt::format("the state of '{}' is overwritten", p_.name_of(p_.calls[call])));
          break;
        }
      ++call;
    });
  }

  /// Calls visit(tag of the first byte, its place) for each pixel of a row.
  template <class Visit>
  void pixels(ViewId id, int y, int x0, int x1, Visit visit) {
    const View& view = p_.view(id);
    if (view.outside) return;
    Bytes position = 0;
    ViewId root = id;
    for (; p_.view(root).host != kNone; root = p_.view(root).host) position += p_.view(root).inside;
    position += y * view.row;
    Tag* row = bytes_[static_cast<size_t>(view.place->memory)].data() + view.place->offset + view.row_at(y);
    for (int x = x0; x < x1; ++x)
      visit(first_tag_[static_cast<size_t>(root)] + static_cast<Tag>(position + x * view.pixel),
            row + x * view.pixel);
  }

  void write(ViewId id, int y, int x0, int x1) {
    const Bytes used = p_.view(id).used();
    pixels(id, y, x0, x1, [&](Tag tag, Tag* at) { std::iota(at, at + used, tag); });
  }
  void write_rows(ViewId id, Rows rows) {
    for (int y = rows.first; y < rows.first + rows.count; ++y) write(id, y, 0, p_.view(id).w);
  }

  void read(ViewId id, int y, int x0, int x1) {
    const View& view = p_.view(id);
    pixels(id, y, x0, x1, [&](Tag tag, Tag* at) {
      for (Bytes b = 0; b < view.used(); ++b)
        if (at[b] != tag + static_cast<Tag>(b)) return report(id, y);
    });
  }
  void read_rows(ViewId id, Rows rows) {
    for (int y = rows.first; y < rows.first + rows.count; ++y) read(id, y, 0, p_.view(id).w);
  }

  void report(ViewId id, int y) {
    if (!reported_.insert({now_, id}).second) return;
    const bool at_end = now_ == static_cast<CallId>(p_.calls.size());
    const std::string when =
        at_end ? "at the end" : fmt::format("call {} '{}'", now_, p_.name_of(p_.call(now_)));
    found_.push_back(
        fmt::format("{}: row {} of '{}' does not hold its own bytes", when, y, p_.view(id).name));
  }

  /// Opaque calls know one pitch.
  void expect_straight(const Call& call) {
    const auto check = [&](const std::vector<ViewId>& views) {
      for (const ViewId id : views)
        if (p_.view(id).ring != 0)
          found_.push_back(fmt::format("call {} '{}': '{}' wraps", now_, p_.name_of(call), p_.view(id).name));
    };
    check(call.in), check(call.out);
    if (call.rows != Rows{})
      found_.push_back(fmt::format("call {} '{}' does not run as a whole", now_, p_.name_of(call)));
  }

  /// In a region, every turn of it: rows that are read must be there, and must be those of this map still.
  void replay(const Unit& unit) {
    std::map<CallId, int> made;
    ScheduleVisitor visitor;
    visitor.run = [&](CallId id, Rows rows) {
      now_ = id;
      replay(p_.call(id), rows);
      int& next = made[id];
      const bool is_again = unit.region != nullptr && unit.region->is_tiled() && rows.first < next;
      if (unit.region != nullptr && rows.first != next && !is_again)
        found_.push_back(fmt::format("call {} '{}': row {} where {} is the next one", id,
                                     p_.name_of(p_.call(id)), rows.first, next));
      next = std::max(next, rows.first + rows.count);
    };
    visit_schedule(p_, unit, visitor);
    for (CallId id = unit.first; id < unit.end && unit.region != nullptr; ++id)
      if (const int height = p_.view(p_.call(id).out.at(0)).h; made[id] != height)
        found_.push_back(
            fmt::format("call {} '{}': {} of {} rows", id, p_.name_of(p_.call(id)), made[id], height));
  }

  /// The loops of a loop nest: what a slice does not make, it must not read.
  void replay_steps(const Call& call, Rows rows) {
    const Tag nobody = 0;
    const size_t last = call.steps.size() - 1;
    const auto run = [&](const Call& step, Rows of_step) {
      for (const ViewId in : step.in) read_for(in, step.contract.windows.at(0), of_step);
      for (const ViewId out : step.out) write_rows(out, of_step);
    };
    for (int r = 0; r < rows.count; ++r) {
      const int y = call.scan == memory::Scan::BottomUp ? rows.first + rows.count - 1 - r : rows.first + r;
      const std::vector<Rows> of_steps = rows_of_steps(p_, call.steps, y);
      write_rows(call.steps[last].in.at(0), {y, 1});  // cleared
      for (int slice = 0; slice < call.slices; ++slice)
        for (size_t step = 0; step < last; ++step) {
          for (const ViewId out : call.steps[step].out)
            if (step + 1 < last) fill(out, nobody);
          if (step + 1 == last) read_rows(call.steps[step].out.at(0), {y, 1});
          if (of_steps[step].count > 0) run(call.steps[step], of_steps[step]);
        }
      run(call.steps[last], of_steps[last]);
    }
  }

  /// Every byte of a map in scratch.
  void fill(ViewId id, Tag tag) {
    const View& view = p_.view(id);
    Tag* const first = bytes_[static_cast<size_t>(view.place->memory)].data() + view.place->offset;
    std::fill(first, first + view.row * (view.ring > 0 ? view.ring : view.h), tag);
  }

  void replay(const Call& call, Rows rows) {
    if (call.is_loop_nest()) return replay_steps(call, rows);
    if (call.contract.opaque) expect_straight(call);
    Tag* scratch = take_scratch(call);
    const Tag scratch_tag = next_tag_;
    if (call.contract.accumulates) {
      for (int y = rows.first; y < rows.first + rows.count; ++y) {
        if (y > 0) read_rows(call.out.at(0), {y - 1, 1});
        write_rows(call.out.at(0), {y, 1});
        for (size_t s = 0; s < call.in.size(); ++s) read_for(call.in[s], call.contract.windows.at(s), {y, 1});
      }
    } else if (call.scan == memory::Scan::Any) {
      write_rows(call.out.at(0), rows);
      for (size_t o = 1; o < call.out.size(); ++o) write_rows(call.out[o], {0, p_.view(call.out[o]).h});
      const bool alone =
          p_.region_of(now_) == nullptr;  // then its inputs are whole, and so are they afterwards
      for (size_t s = 0; s < call.in.size(); ++s)
        read_for(call.in[s], alone ? Window{} : call.contract.windows.at(s), rows);
    } else {
      in_order(call, rows);
    }
    for (Bytes b = 0; b < call.contract.scratch; ++b)
      if (scratch[b] != scratch_tag + static_cast<Tag>(b)) {
        found_.push_back(fmt::format("call {} '{}': its scratch is overwritten", now_, p_.name_of(call)));
        break;
      }
    next_tag_ += static_cast<Tag>(call.contract.scratch);
  }

  /// All that rows of an output are made of.
  void read_for(ViewId in, const Window& window, Rows rows) {
    if (window.kind == Window::Kind::Whole) return read_rows(in, {0, p_.view(in).h});
    if (window.kind != Window::Kind::Rows) return read_rows(in, rows);
    for (int y = rows.first; y < rows.first + rows.count; ++y) read_window(in, window, y, 0, p_.view(in).w);
  }

  Tag* take_scratch(const Call& call) {
    if (call.contract.scratch == 0) return nullptr;
    auto& memory = bytes_[static_cast<size_t>(call.scratch.value().memory)];
    N2D2_CHECK(call.scratch->offset + call.contract.scratch <= static_cast<Bytes>(memory.size()),
               "scratch outside its memory");
    Tag* at = memory.data() + call.scratch->offset;
    std::iota(at, at + call.contract.scratch, next_tag_);
    return at;
  }

  /// Groups of rows in scan order: a group is written, then the windows of its rows are read, so that what it
  /// overwrites shows. Whole inputs are read at the very end.
  void in_order(const Call& call, Rows rows) {
    const int step = call.contract.rows_per_step;
    const bool up = call.scan == memory::Scan::BottomUp;
    for (int done = 0; done < rows.count; done += step) {
      const int count = std::min(step, rows.count - done);
      const auto row = [&](int i) {
        return up ? rows.first + rows.count - 1 - done - i : rows.first + done + i;
      };
      for (int i = 0; i < count; ++i) same_row(call, row(i), false);
      for (int i = 0; i < count; ++i) write_row(call, row(i));
      write_shares(call, up ? row(count - 1) : row(0), count);
      for (int i = 0; i < count; ++i) same_row(call, row(i), true);
      for (int i = 0; i < count && !call.contract.raster_order; ++i)
        for (size_t s = 0; s < call.in.size(); ++s)
          if (call.contract.windows.at(s).kind == Window::Kind::Rows)
            read_window(call.in[s], call.contract.windows[s], row(i), 0, p_.view(call.in[s]).w);
    }
    for (size_t s = 0; s < call.in.size(); ++s)
      if (call.contract.windows.at(s).kind == Window::Kind::Whole)
        read_rows(call.in[s], {0, p_.view(call.in[s]).h});
  }

  /// Inputs that are read in any order inside a row: what is read before any of it is written, and what is
  /// still there afterwards, unless an output lies on it byte for byte.
  void same_row(const Call& call, int y, bool written) {
    for (size_t s = 0; s < call.in.size(); ++s) {
      if (call.contract.windows.at(s).kind != Window::Kind::Same) continue;
      for (int x = 0; x < p_.view(call.in[s]).w; ++x) {
        const bool on_it = written && std::any_of(call.out.begin(), call.out.end(),
                                                  [&](ViewId out) { return is_on(out, call.in[s], y, x); });
        if (!on_it) read(call.in[s], y, x, x + 1);
      }
    }
  }

  bool is_on(ViewId out, ViewId in, int y, int x) const {
    const View &to = p_.view(out), &from = p_.view(in);
    if (to.outside || from.outside || to.place->memory != from.place->memory) return false;
    return to.used() == from.used() && to.place->offset + to.row_at(y) + x * to.pixel ==
                                           from.place->offset + from.row_at(y) + x * from.pixel;
  }

  /// What a group of rows of the first output is of the rows of the others (memory::Step).
  void write_shares(const Call& call, int first, int count) {
    if (by_pixel(call)) return;
    const int height = p_.view(call.out.at(0)).h;
    for (size_t o = 1; o < call.out.size(); ++o) {
      const int of = p_.view(call.out[o]).h;
      const int from = static_cast<int>(int64_t{first} * of / height);
      const int end = static_cast<int>(int64_t{first + count} * of / height);
      write_rows(call.out[o], {from, end - from});
    }
  }

  /// All outputs pixel by pixel, and all have equally many.
  static bool by_pixel(const Call& call) {
    const auto& windows = call.contract.windows;
    return call.contract.raster_order || std::any_of(windows.begin(), windows.end(), [](const Window& w) {
             return w.kind == Window::Kind::Element;
           });
  }

  void write_row(const Call& call, int y) {
    const auto& windows = call.contract.windows;
    const int width = p_.view(call.out.at(0)).w;
    if (!by_pixel(call)) return write(call.out.at(0), y, 0, width);
    for (int x = 0; x < width; ++x) {
      for (size_t s = 0; s < call.in.size(); ++s)
        if (windows.at(s).kind == Window::Kind::Element) {
          read(call.in[s], y, x, x + 1);
          for (const ViewId out : call.out) elements_in_order(out, call.in[s], y, x);
        }
      for (const ViewId out : call.out) write(out, y, x, x + 1);
      if (!call.contract.raster_order) continue;
      for (size_t s = 0; s < call.in.size(); ++s) {
        const Window& window = windows.at(s);
        if (window.kind != Window::Kind::Rows) continue;
        const int last = p_.view(call.in[s]).w, from = x * window.stride - window.pad;
        read_window(call.in[s], window, y, std::clamp(from, 0, last),
                    std::clamp(from + window.extent, 0, last));
      }
    }
  }

  void read_window(ViewId id, const Window& window, int y, int x0, int x1) {
    const int from = y * window.stride - window.pad;
    const int end = std::min(from + window.extent, p_.view(id).h);
    for (int row = std::max(from, 0); row < end && x0 < x1; ++row) read(id, row, x0, x1);
  }

  /// Elements of one pixel are written in order: element i of the output must not touch elements after i of
  /// the input.
  void elements_in_order(ViewId out, ViewId in, int y, int x) {
    const View &to = p_.view(out), &from = p_.view(in);
    if (from.outside || to.outside || to.place->memory != from.place->memory) return;
    const Bytes a = to.place->offset + to.row_at(y) + x * to.pixel;
    const Bytes b = from.place->offset + from.row_at(y) + x * from.pixel;
    if (a + to.used() <= b || b + from.used() <= a) return;
    for (Bytes i = 0; i + 1 < std::min(to.c, from.c); ++i)
      if (a + (i + 1) * to.element() > b + (i + 1) * from.element()) return report(in, y);
  }

  const Program& p_;
  std::vector<std::vector<Tag>> bytes_;  // of each memory
  std::vector<Tag> first_tag_;           // of each view that is a root
  Tag next_tag_ = 1, state_tag_ = 0;
  CallId now_ = 0;
  std::set<std::pair<CallId, ViewId>> reported_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> validate(const Program& program) {
  return Replay(program).run();
}

}  // namespace n2d2::program
