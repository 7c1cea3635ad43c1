// Is a byte lost when a plan runs? One tag per byte of memory, no intervals, nothing of validate's.
#pragma once

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "n2d2/memory/plan.hpp"

namespace n2d2::memory {

/// Runs the steps on an arena of tags. A tag names the root a byte belongs to and its position there.
class ByteReplay {
 public:
  ByteReplay(const Problem& problem, const Plan& plan) : p_(problem), plan_(plan) {}

  /// True when some read, kept value or scratch finds another tag than its own.
  bool loses_a_byte() {
    std::vector<bool> written(p_.buffers.size(), false);
    for (const Step& step : p_.steps)
      for (const BufferId w : step.writes)
        for (size_t b = 0; b < p_.buffers.size(); ++b)
          written[b] = written[b] || related(static_cast<BufferId>(b), w);
    for (StepId t = 0; t < static_cast<StepId>(p_.steps.size()) && !lost_; ++t) {
      for (size_t b = 0; b < p_.buffers.size(); ++b)
        if (!written[b] && p_.buffers[b].life.first == t) put_all(static_cast<BufferId>(b));
      run(t);
    }
    for (size_t b = 0; b < p_.buffers.size(); ++b)
      if (p_.buffers[b].keep) check_all(static_cast<BufferId>(b));
    return lost_;
  }

 private:
  const Buffer& buffer(BufferId b) const { return p_.buffers[static_cast<size_t>(b)]; }
  bool holds(BufferId outer, BufferId inner) const {
    return inner == outer || (buffer(inner).inside && holds(outer, buffer(inner).inside->buffer));
  }
  bool related(BufferId a, BufferId b) const { return holds(a, b) || holds(b, a); }

  Bytes address(BufferId b, int y, int x) const {
    const View& v = plan_.views[static_cast<size_t>(b)];
    const Bytes o = y * v.row + x * v.pixel;
    const Bytes base = plan_.spaces[static_cast<size_t>(v.space)].offset;
    return v.wrap > 0 && y * v.row >= v.wrap ? base + o - v.wrap : base + v.offset + o;
  }
  int64_t tag(BufferId b, int y, int x, Bytes byte) const {
    Bytes place = y * buffer(b).row() + x * buffer(b).pixel + byte;
    while (buffer(b).inside) {
      place += buffer(b).inside->offset;
      b = buffer(b).inside->buffer;
    }
    return (int64_t{b} + 1) * (int64_t{1} << 40) + place;
  }
  void put(BufferId b, int y, int x, Bytes from, Bytes to) {
    for (Bytes i = from; i < to; ++i) arena_[address(b, y, x) + i] = tag(b, y, x, i);
  }
  void check(BufferId b, int y, int x, Bytes from, Bytes to) {
    for (Bytes i = from; i < to; ++i) lost_ = lost_ || arena_[address(b, y, x) + i] != tag(b, y, x, i);
  }
  void put_row(BufferId b, int y) {
    for (int x = 0; x < buffer(b).width; ++x) put(b, y, x, 0, buffer(b).used);
  }
  void check_row(BufferId b, int y) {
    for (int x = 0; x < buffer(b).width; ++x) check(b, y, x, 0, buffer(b).used);
  }
  void put_all(BufferId b) {
    for (int y = 0; y < buffer(b).height; ++y) put_row(b, y);
  }
  void check_all(BufferId b) {
    for (int y = 0; y < buffer(b).height; ++y) check_row(b, y);
  }

  void run(StepId t) {
    const Step& s = p_.steps[static_cast<size_t>(t)];
    const Space* scratch =
        s.scratch > 0 ? &plan_.spaces[static_cast<size_t>(plan_.scratch_of_step[static_cast<size_t>(t)])]
                      : nullptr;
    for (Bytes i = 0; scratch != nullptr && i < s.scratch; ++i) arena_[scratch->offset + i] = -1 - i;
    const Scan scan = plan_.scan_of_step[static_cast<size_t>(t)];
    const int height = buffer(s.writes.front()).height;  // rows are counted on the first output
    std::vector<int> order(static_cast<size_t>(height));
    std::iota(order.begin(), order.end(), 0);
    if (scan == Scan::BottomUp) std::reverse(order.begin(), order.end());
    const size_t group = scan == Scan::Any ? order.size() : static_cast<size_t>(s.rows_per_step);
    for (size_t first = 0; first < order.size(); first += group) {
      const size_t end = std::min(first + group, order.size());
      for (size_t i = first; i < end; ++i) check_same(s, order[i], scan, false);
      for (size_t i = first; i < end; ++i) write_row(s, order[i], scan);
      for (size_t i = first; i < end; ++i) check_same(s, order[i], scan, true);
      for (size_t i = first; i < end; ++i)
        for (const Read& r : s.reads) check_window(r, order[i], scan);
    }
    for (const Read& r : s.reads)
      if (r.window.kind == Window::Kind::Whole || scan == Scan::Any) check_all(r.buffer);
    for (const BufferId b : s.writes) check_all(b);
    for (Bytes i = 0; scratch != nullptr && i < s.scratch; ++i)
      lost_ = lost_ || arena_[scratch->offset + i] != -1 - i;
  }

  /// Row r of the first output and what belongs to it of the others.
  void write_row(const Step& s, int r, Scan scan) {
    const bool by_element = std::any_of(s.reads.begin(), s.reads.end(), is_by_element);
    if (by_element) return write_elements(s, r, scan);
    const int64_t rows = buffer(s.writes.front()).height;
    for (const BufferId b : s.writes)
      for (int64_t y = 0; y < buffer(b).height; ++y)
        if (r * int64_t{buffer(b).height} / rows <= y && y < (r + 1) * int64_t{buffer(b).height} / rows)
          put_row(b, static_cast<int>(y));
  }

  static bool is_by_element(const Read& r) { return r.window.kind == Window::Kind::Element; }

  void write_elements(const Step& s, int y, Scan scan) {
    Bytes elements = 0;  // as many as all maps that go element by element allow
    for (const BufferId b : s.writes) elements = std::gcd(elements, buffer(b).used);
    for (const Read& r : s.reads)
      if (is_by_element(r)) elements = std::gcd(elements, buffer(r.buffer).used);
    for (int x = 0; x < buffer(s.writes.front()).width; ++x)
      for (Bytes e = 0; e < elements; ++e) {
        for (const Read& r : s.reads) {
          const Bytes size = buffer(r.buffer).used / elements;
          if (is_by_element(r) && scan != Scan::Any) check(r.buffer, y, x, e * size, (e + 1) * size);
        }
        for (const BufferId b : s.writes) {
          const Bytes size = buffer(b).used / elements;
          put(b, y, x, e * size, (e + 1) * size);
        }
      }
  }

  /// Before its row is written every byte is there; then each is, or is that byte of a pixel of equal size.
  void check_same(const Step& s, int y, Scan scan, bool written) {
    for (const Read& r : s.reads) {
      if (r.window.kind != Window::Kind::Same || scan == Scan::Any) continue;
      for (int x = 0; x < buffer(r.buffer).width; ++x)
        for (Bytes i = 0; i < buffer(r.buffer).used; ++i) {
          const int64_t found = arena_[address(r.buffer, y, x) + i];
          bool is_there = found == tag(r.buffer, y, x, i);
          for (const BufferId b : s.writes)
            is_there =
                is_there || (written && buffer(b).used == buffer(r.buffer).used && found == tag(b, y, x, i));
          lost_ = lost_ || !is_there;
        }
    }
  }

  void check_window(const Read& r, int y, Scan scan) {
    if (r.window.kind != Window::Kind::Rows || scan == Scan::Any) return;
    const int first = y * r.window.stride - r.window.pad;
    for (int row = std::max(first, 0); row < std::min(first + r.window.extent, buffer(r.buffer).height);
         ++row)
      check_row(r.buffer, row);
  }

  const Problem& p_;
  const Plan& plan_;
  std::map<Bytes, int64_t> arena_;
  bool lost_ = false;
};

}  // namespace n2d2::memory
