#include "rings_exact.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

namespace n2d2::memory {

namespace {

/// Sizes of a ring that are tried for one link.
constexpr int kMostSizes = 4096;
/// A size no ring has.
constexpr Bytes kNever = std::numeric_limits<Bytes>::max();

/// Bytes [start, end) counted from the root of a family.
struct Part {
  Bytes start = 0, end = 0;
};

bool meet(const Link& a, Part of_a, const Link& b, Part of_b) {
  const auto pieces = [](const Link& link, Part part) {
    if (link.wrap == 0) return std::array{Part{part.start + link.offset, part.end + link.offset}, Part{0, 0}};
    const Bytes end = std::min(part.end, link.wrap), start = std::max(part.start, link.wrap);
    return std::array{Part{part.start + link.offset, end + link.offset},
                      Part{start - link.wrap, part.end - link.wrap}};
  };
  for (const Part x : pieces(a, of_a))
    for (const Part y : pieces(b, of_b))
      if (x.start < x.end && y.start < y.end && x.start < y.end && y.start < x.end) return true;
  return false;
}

class ExactConstruction {
 public:
  ExactConstruction(const Problem& problem, const Families& families)
      : p_(problem), families_(families), chain_of_(families.all.size(), kNone) {}

  std::vector<Chain> run() {
    std::vector<int> order(families_.all.size());
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](int f) { return std::tuple(root(f).life.first, first_writer(f), f); };
    std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
    for (const int f : order) place(f);
    return std::move(chains_);
  }

 private:
  const Family& family(int f) const { return families_.all[static_cast<size_t>(f)]; }
  const Buffer& buffer(BufferId b) const { return p_.buffers[static_cast<size_t>(b)]; }
  const Buffer& root(int f) const { return buffer(family(f).root); }
  const Step& step(StepId t) const { return p_.steps[static_cast<size_t>(t)]; }
  int family_of(BufferId b) const { return families_.of_buffer[static_cast<size_t>(b)]; }
  Bytes place_of(BufferId b) const { return families_.place[static_cast<size_t>(b)]; }
  /// Returns the only output of a step that may_follow() accepted.
  BufferId only_output(StepId t) const { return step(t).writes.front(); }
  int first_writer(int f) const { return family(f).writers.empty() ? kNone : family(f).writers.front(); }

  /// A way to put the family into an existing ring, and what it saves against a space of its own.
  struct Way {
    int chain = kNone;
    Chain result;
    Bytes saved = 0, input = 0;
  };

  void place(int f) {
    const StepId born = first_writer(f);
    Way best;
    if (may_follow(f, born))
      for (const Read& read : step(born).reads) {
        const int from = family_of(read.buffer);
        if (!dies_in(from, born)) continue;
        for (const Place where : {Place::Onto, Place::Start, Place::Straight, Place::Behind}) {
          const Way way = join(chain_of_[static_cast<size_t>(from)], {f, where, born, 0, 0});
          if (std::tuple(way.saved, way.input) > std::tuple(best.saved, best.input)) best = way;
        }
      }
    if (best.saved > 0) {
      chain_of_[static_cast<size_t>(f)] = best.chain;
      chains_[static_cast<size_t>(best.chain)] = std::move(best.result);
      return;
    }
    chain_of_[static_cast<size_t>(f)] = static_cast<int>(chains_.size());
    chains_.push_back({root(f).size(), {{f, Place::Start, born, 0, 0}}});
  }

  /// The family appears with the step that writes it first; that step may share bytes, and has no other
  /// output.
  bool may_follow(int f, StepId born) const {
    if (born == kNone || step(born).writes.size() != 1 || !family(f).made_inside ||
        root(f).life.first != born || !step(born).overlap)
      return false;
    return std::none_of(step(born).reads.begin(), step(born).reads.end(),
                        [&](const Read& read) { return family_of(read.buffer) == f; });
  }

  /// After the windows of this step nothing of the family is needed: none of its members is kept, or lives to
  /// the end of the step without having to do with what the step reads.
  bool dies_in(int f, StepId t) const {
    if (family(f).keep || root(f).life.end > t + 1) return false;
    return std::all_of(family(f).members.begin(), family(f).members.end(), [&](BufferId m) {
      if (buffer(m).life.end <= t) return true;
      return std::any_of(step(t).reads.begin(), step(t).reads.end(),
                         [&](const Read& read) { return holds(m, read.buffer) || holds(read.buffer, m); });
    });
  }
  bool holds(BufferId outer, BufferId inner) const {
    for (;; inner = buffer(inner).inside->buffer) {
      if (inner == outer) return true;
      if (!buffer(inner).inside) return false;
    }
  }

  /// The smallest ring found in which the new link is safe; saves nothing when there is none.
  Way join(int chain, const Link& link) const {
    const Chain& now = chains_[static_cast<size_t>(chain)];
    const int before = now.links.back().family;
    const Bytes total = root(link.family).size(), input = root(before).size();
    Way way{chain, now, 0, input};
    if (link.place == Place::Onto && !same_pixels(before, link.family, link.born)) return {};
    way.result.links.push_back(link);
    Bytes size = std::max(now.size, total);
    if (link.place == Place::Behind) size = std::max(size, least_ring(before, link));
    for (int tries = 0; tries < kMostSizes && size - now.size < total; ++tries) {
      way.result.size = size;
      const auto next = lay(way.result);
      if (!next && (size == now.size ? safe(way.result, way.result.links.size() - 1) : safe(way.result))) {
        way.saved = total - (size - now.size);
        return way;
      }
      size = next ? *next : next_size(way.result);
    }
    return {};
  }

  /// `ring` before it is rounded to rows: no wrapped pair needs less.
  Bytes least_ring(int before, const Link& link) const {
    const Bytes in = root(before).size();
    const BufferId written = only_output(link.born);
    Bytes tail = 0;
    groups(link.born, [&](int start, int end) {
      const Bytes needed = needed_from(link.born, before, start, false);
      if (needed < in) tail = std::max(tail, place_of(written) + end * buffer(written).row() - needed);
      return true;
    });
    return in + tail;
  }

  /// Element by element on one pixel pitch, and the new family can be seen through the same wrap.
  bool same_pixels(int before, int f, StepId t) const {
    const Buffer &from = root(before), &to = root(f);
    const BufferId written = only_output(t);
    return written == family(f).root && from.pixel == to.pixel && from.width == to.width &&
           from.height == to.height && to.used <= from.used &&
           std::any_of(step(t).reads.begin(), step(t).reads.end(), [&](const Read& read) {
             return on_itself(read, before) &&
                    (read.window.kind == Window::Kind::Element || to.used == from.used);
           });
  }
  /// Whether the step reads element i of the whole family where it writes element i when it is in place.
  bool on_itself(const Read& read, int before) const {
    const bool by_element =
        read.window.kind == Window::Kind::Element || read.window.kind == Window::Kind::Same;
    return by_element && read.buffer == family(before).root;
  }

  /// Gives every link its place in the ring. Returns the next larger size worth trying when one does not fit.
  std::optional<Bytes> lay(Chain& chain) const {
    Bytes end = 0;  // of the link before
    for (size_t i = 0; i < chain.links.size(); ++i) {
      Link& link = chain.links[i];
      const Bytes total = root(link.family).size(), row = root(link.family).row();
      if (link.place == Place::Onto) {
        link.offset = chain.links[i - 1].offset;
        link.wrap = chain.links[i - 1].wrap;
      } else {
        link.offset = link.place == Place::Start ? 0 : end;
        link.wrap = 0;
        const Bytes room = chain.size - link.offset;
        if (room < total) {
          if (link.place != Place::Behind) return link.offset + total;
          link.wrap = room / row * row;
          if (link.wrap == 0) link.offset = 0;
          if (total - link.wrap > link.offset && link.wrap > 0)  // it would meet itself
            return chain.size + row - room % row;
        }
      }
      if (!visible(link)) return link.place == Place::Behind ? link.offset + total : kNever;
      end = link.wrap > 0 ? total - link.wrap : link.offset + total;
    }
    return std::nullopt;
  }

  /// Whether views can say where its members lie, and no step that writes it reads an input as a whole.
  bool visible(const Link& link) const {
    if (link.wrap == 0) return true;
    const Family& f = family(link.family);
    return std::all_of(f.members.begin(), f.members.end(),
                       [&](BufferId m) {
                         return view_of_member(buffer(m), place_of(m), link.offset, link.wrap).has_value();
                       }) &&
           std::all_of(f.writers.begin(), f.writers.end(), [&](StepId t) {
             return std::none_of(step(t).reads.begin(), step(t).reads.end(),
                                 [](const Read& read) { return read.window.kind == Window::Kind::Whole; });
           });
  }

  /// The smallest larger size at which a link wraps elsewhere.
  Bytes next_size(const Chain& chain) const {
    Bytes grow = kNever;
    for (const Link& link : chain.links) {
      if (link.place != Place::Behind) continue;
      const Bytes row = root(link.family).row(), room = std::max<Bytes>(0, chain.size - link.offset);
      grow = std::min(grow, row - room % row);
    }
    return grow == kNever ? kNever : chain.size + grow;
  }

  bool safe(const Chain& chain) const {
    for (size_t i = 1; i < chain.links.size(); ++i)
      if (!safe(chain, i)) return false;
    return true;
  }

  /// While a group of rows is written, no byte written so far lies where a window of this or a later group
  /// reads.
  bool safe(const Chain& chain, size_t index) const {
    const Link &link = chain.links[index], &before = chain.links[index - 1];
    const Bytes all = root(before.family).size();
    const BufferId written = only_output(link.born);
    return groups(link.born, [&](int start, int end) {
      const Bytes needed = needed_from(link.born, before.family, start, link.place == Place::Onto);
      const Part done{place_of(written), place_of(written) + end * buffer(written).row()};
      return needed >= all || !meet(link, done, before, {needed, all});
    });
  }

  /// Calls visit(first row, one past the last) for the groups in which the step writes; stops at false.
  template <class Visit>
  bool groups(StepId t, Visit visit) const {
    const int height = buffer(only_output(t)).height, rows = step(t).rows_per_step;
    for (int start = 0, end = 0; start < height; start = end) {
      end = start + std::min(rows, height - start);
      if (!visit(start, end)) return false;
    }
    return true;
  }

  /// First byte of the family that the step still reads when it writes output rows from `start` on. Reads
  /// that are on themselves do not count when the output is in place.
  Bytes needed_from(StepId t, int before, int start, bool in_place) const {
    Bytes first = root(before).size();
    for (const Read& read : step(t).reads) {
      if (family_of(read.buffer) != before || (in_place && on_itself(read, before))) continue;
      const Buffer& input = buffer(read.buffer);
      const Window& window = read.window;
      Bytes row = 0;
      if (window.kind == Window::Kind::Rows)
        row = std::max<Bytes>(0, Bytes{start} * window.stride - window.pad);
      if (window.kind == Window::Kind::Element || window.kind == Window::Kind::Same) row = start;
      if (row < input.height) first = std::min(first, place_of(read.buffer) + row * input.row());
    }
    return first;
  }

  const Problem& p_;
  const Families& families_;
  std::vector<int> chain_of_;
  std::vector<Chain> chains_;
};

}  // namespace

std::vector<Chain> construct_exact(const Problem& problem, const Families& families) {
  return ExactConstruction(problem, families).run();
}

}  // namespace n2d2::memory
